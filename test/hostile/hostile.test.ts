// Malicious and meaningless requests, byte for byte: each gets a clear refusal, and the server keeps running.
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { bodyOf } from '../support/expected.ts'
import {
  closing,
  HOST_DETAIL,
  notFoundDetail,
  PAGE_ALLOWED,
  problemResponse,
  redirectResponse,
  refusal,
} from '../support/expected-responses.ts'
import { releaseOf } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'
import { message, send, sendUntilClosed } from '../support/wire.ts'

const release = await releaseOf(smallSource({ pais: countries(25) }))
const server = serverOf(() => release)
afterAll(server.close)

const { url, host } = server
const path = '/api/v1/paises'
const get = (target: string, ...fields: readonly string[]) => message('GET', target, `Host: ${host}`, ...fields)
const linkTo = (base: string) => `<${base}${path}?format=api&page=2>; rel="next"`

afterEach(async () => {
  const { status, body } = await send(url, get(path))
  expect([status, body]).toEqual([200, bodyOf(countries(25), 1)])
  expect(server.logged).toEqual([])
})

const notFound = (instance: string) => problemResponse('not-found', notFoundDetail(instance), instance)
const badHost = problemResponse('bad-host', HOST_DETAIL, path)
const badPage = (value: string) =>
  problemResponse('bad-parameter', `page was ${JSON.stringify(value)}; allowed is ${PAGE_ALLOWED}.`, path)

describe('a header cannot be injected by', () => {
  test.each([
    ['CR LF in a parameter', `${path}?page=1%0d%0aX-Evil:%201`, badPage('1\r\nX-Evil: 1')],
    ['LF in a parameter', `${path}?page=%0aX-Evil:%201`, badPage('\nX-Evil: 1')],
    ['CR LF in a path', `${path}%0d%0aX-Evil:%201`, notFound(`${path}%0d%0aX-Evil:%201`)],
    ['CR LF in a path with a slash', `${path}%0d%0aX-Evil:%201/`, notFound(`${path}%0d%0aX-Evil:%201/`)],
    ['CR LF doubly encoded', `${path}?page=%250d%250aX-Evil:%201`, badPage('%0d%0aX-Evil: 1')],
    ['a character that looks like LF', `${path}?page=%E5%98%8AX-Evil`, badPage('嘊X-Evil')],
  ])('%s', async (_, target, wanted) => {
    const response = await send(url, get(target))
    expect(response).toEqual(wanted)
    expect(JSON.stringify(response.headers)).not.toContain('Evil')
  })

  test.each([
    ['CR LF', '?x=%0d%0aX-Evil:%201%0d%0a%0d%0a<script>'],
    ['every character of a target', `?${String.fromCharCode(...Array.from({ length: 94 }, (_, at) => at + 0x21))}`],
    ['another query', '??page=2?'],
  ])('the query of a redirect, which is kept as sent: %s', async (_, query) => {
    expect(await send(url, get(`${path}/${query}`))).toEqual(redirectResponse(`${path}${query}`))
    expect(await send(url, message('GET', `${path}/${query}`, 'Host: a b'))).toEqual(
      redirectResponse(`${path}${query}`),
    )
  })
})

describe('Host', () => {
  test.each([
    ['empty', 'Host:'],
    ['with a tab', 'Host: a\tb'],
    ['with markup', 'Host: <script>alert(1)</script>'],
    ['with a quote', 'Host: evil.test">'],
    ['with CR LF encoded', 'Host: evil.test%0d%0aX-Evil:1'],
    ['beyond ASCII', 'Host: \xc3\xb1.test'],
    ['too long', `Host: ${'evil.'.repeat(60)}test`],
  ])('%s is refused', async (_, field) => {
    const response = await send(url, message('GET', path, field))
    expect(response).toEqual(badHost)
    expect(JSON.stringify(response)).not.toMatch(/evil|script/i)
  })

  test.each([
    ['twice', ['Host: a.test', 'Host: evil.test'], 'the header host was sent more than once'],
    ['twice in other letters', ['host: a.test', 'X: 1', 'HOST: a.test'], 'the header host was sent more than once'],
    ['missing', ['X-Host: a.test'], 'the header host is missing'],
  ])('%s is refused, and nothing after it is read', async (_, fields, wrong) => {
    const responses = await sendUntilClosed(url, message('GET', `${path}?page=2`, ...fields), get(path))
    expect(responses).toEqual([refusal(wrong, path)])
  })

  test.each(['[::1]', '[2001:db8::1]:8080', 'catalogs.test', 'A-b.test:1', '127.0.0.1:65535', 'localhost.'])(
    '%s is used',
    async (name) => {
      const { status, headers } = await send(url, message('GET', path, `Host: ${name}`))
      expect([status, headers.Link]).toEqual([200, linkTo(`http://${name}`)])
    },
  )
})

describe('a target', () => {
  test.each([
    ['that is another host', '//evil.test/', notFound('//evil.test/')],
    ['that is a known path on another host', `//evil.test${path}/`, notFound(`//evil.test${path}/`)],
    ['that is another host after a backslash', '/\\evil.test/', notFound('/\\evil.test/')],
    ['with a slash too many', `/${path}`, notFound(`/${path}`)],
    ['that leads out', '/../../etc/passwd', notFound('/../../etc/passwd')],
    ['that leads out, encoded', '/%2e%2e/%2e%2e/etc/passwd', notFound('/%2e%2e/%2e%2e/etc/passwd')],
    ['that leads in', `/api/v1/audiencias/..${path.slice(7)}`, notFound(`/api/v1/audiencias/..${path.slice(7)}`)],
    ['that leads in, encoded', `/x/%2e%2e${path}`, notFound(`/x/%2e%2e${path}`)],
    ['that stays', `/.${path}`, notFound(`/.${path}`)],
    ['of backslashes', '/api\\v1\\paises', notFound('/api\\v1\\paises')],
    ['that is no path', path.slice(1), notFound(path.slice(1))],
    ['that is a query', '?page=2', notFound('')],
    ['of another scheme', `ftp://evil.test${path}`, notFound(`ftp://evil.test${path}`)],
    ['of all services', '*', notFound('*')],
    ['that leads out, doubly encoded', '/%252e%252e/etc/passwd', notFound('/%252e%252e/etc/passwd')],
    ['with a zero byte, encoded', `${path}%00`, notFound(`${path}%00`)],
    ['with a zero byte and an ending', `${path}%00.json`, notFound(`${path}%00.json`)],
    ['with an overlong slash', '/api/v1%c0%afpaises', notFound('/api/v1%c0%afpaises')],
    ['with an encoded slash', '/api%2fv1%2fpaises', notFound('/api%2fv1%2fpaises')],
    ['with an encoded letter', '/api/v1/%70aises', notFound('/api/v1/%70aises')],
    ['with a fragment', `${path}#fragment`, notFound(`${path}#fragment`)],
    ['with a fragment after the page', `${path}?page=2#fragment`, badPage('2#fragment')],
    ['with markup', '/<script>alert("1")</script>', notFound('/<script>alert("1")</script>')],
    ['with a lone percent', `${path}?page=%`, badPage('%')],
  ])('%s is refused', async (_, target, wanted) => {
    const response = await send(url, get(target))
    expect(response).toEqual(wanted)
    expect(JSON.stringify(response.headers)).not.toMatch(/evil|etc|script|fragment/)
  })

  test.each([
    ['an absolute address', `http://evil.test${path}`],
    ['an absolute address in capitals', `HTTPS://EVIL.TEST${path}`],
    ['an absolute address with a user', `http://user:pass@evil.test${path}`],
  ])('%s is read as the path, and its host ignored', async (_, target) => {
    const { status, headers, body } = await send(url, get(target))
    expect([status, headers.Link, body]).toEqual([200, linkTo(url), bodyOf(countries(25), 1)])
  })

  test('that is an absolute address without a path is the root', async () => {
    const [bare, withQuery] = [
      await send(url, get('http://evil.test')),
      await send(url, get('http://evil.test?page=0')),
    ]
    expect([bare.headers['Content-Type'], withQuery.status]).toEqual(['text/html; charset=utf-8', 200])
  })

  test('of 8,000 characters is read', async () => {
    expect((await send(url, get(`${path}?x=`.padEnd(8_000, 'x')))).status).toBe(200)
  })

  test.each([8_001, 15_000, 16_384, 100_000])('of %i characters is not', async (length) => {
    const tooLong = closing(problemResponse('uri-too-long', 'At most 8000 characters are read.', path))
    expect(await sendUntilClosed(url, get(`${path}?x=`.padEnd(length, 'x')), get(path))).toEqual([tooLong])
  })

  test('with a long path is repeated in part', async () => {
    const [response] = await sendUntilClosed(url, get(`${path}/`.padEnd(9_000, 'x')))
    expect(JSON.parse(response?.body ?? '').instance).toBe(`${path}/`.padEnd(201, 'x'))
  })
})
