// Requests that mean harm or make no sense, byte for byte: each gets a clear refusal, and the server goes on.
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import {
  bareAnswer,
  HOST_DETAIL,
  NOT_FOUND_DETAIL,
  PAGE_ALLOWED,
  problemAnswer,
  redirectAnswer,
} from './support/answers.ts'
import { bodyOf } from './support/expected.ts'
import { releaseOf } from './support/releases.ts'
import { serverOf } from './support/server.ts'
import { countries, smallSource } from './support/small-source.ts'
import { ask, message } from './support/wire.ts'

const release = await releaseOf(smallSource({ pais: countries(25) }))
const server = serverOf(() => release)
afterAll(server.close)

const { url, host } = server
const path = '/api/v1/paises'
const HOST = `Host: ${host}`
const get = (target: string, ...fields: readonly string[]) => message('GET', target, HOST, ...fields)
const linkTo = (base: string) => `<${base}${path}?format=api&page=2>; rel="next"`

afterEach(async () => {
  const { status, body } = await ask(url, get(path))
  expect([status, body]).toEqual([200, bodyOf(countries(25), 1)])
  expect(server.logged).toEqual([])
})

const notFound = (instance: string) => problemAnswer('not-found', NOT_FOUND_DETAIL, instance)
const badHost = problemAnswer('bad-host', HOST_DETAIL, path)
const badPage = (value: string) =>
  problemAnswer('bad-parameter', `page was ${JSON.stringify(value)}; allowed is ${PAGE_ALLOWED}.`, path)

describe('a header is not to be had by', () => {
  test.each([
    ['CR LF in a parameter', `${path}?page=1%0d%0aX-Evil:%201`, badPage('1\r\nX-Evil: 1')],
    ['LF in a parameter', `${path}?page=%0aX-Evil:%201`, badPage('\nX-Evil: 1')],
    ['CR LF in a path', `${path}%0d%0aX-Evil:%201`, notFound(`${path}%0d%0aX-Evil:%201`)],
    ['CR LF in a path with a slash', `${path}%0d%0aX-Evil:%201/`, notFound(`${path}%0d%0aX-Evil:%201/`)],
    ['CR LF doubly encoded', `${path}?page=%250d%250aX-Evil:%201`, badPage('%0d%0aX-Evil: 1')],
    ['a character that looks like LF', `${path}?page=%E5%98%8AX-Evil`, badPage('嘊X-Evil')],
  ])('%s', async (_, target, wanted) => {
    const answer = await ask(url, get(target))
    expect(answer).toEqual(wanted)
    expect(JSON.stringify(answer.headers)).not.toContain('Evil')
  })

  test('CR LF in the query of a redirect, which stays as it was encoded', async () => {
    const query = '?x=%0d%0aX-Evil:%201%0d%0a%0d%0a<script>'
    const answer = await ask(url, get(`${path}/${query}`))
    expect(answer).toEqual(redirectAnswer(`${path}?x=%0d%0aX-Evil:%201%0d%0a%0d%0a%3Cscript%3E`))
  })

  test.each([
    ['bytes beyond ASCII', HOST, '\xe4\xb8\xad', '%E4%B8%AD'],
    ['bytes beyond ASCII, where the Host makes no URL', 'Host: a b', '\xe4\xb8\xad', '%E4%B8%AD'],
    ['bytes that are no UTF-8, where the Host makes no URL', 'Host: a b', '\xff', '%EF%BF%BD'],
    ['a quote, where the Host makes no URL', 'Host: a b', '"', '"'],
  ])('the query of a redirect: %s', async (_, field, sent, kept) => {
    expect(await ask(url, message('GET', `${path}/?x=${sent}`, field))).toEqual(redirectAnswer(`${path}?x=${kept}`))
  })
})

describe('Host', () => {
  test.each([
    ['empty', 'Host:'],
    ['two names', 'Host: a.test, b.test'],
    ['with a space', 'Host: a b'],
    ['with a tab', 'Host: a\tb'],
    ['with a user', 'Host: user@evil.test'],
    ['with a path', 'Host: evil.test/path'],
    ['with a query', 'Host: evil.test?a'],
    ['with a fragment', 'Host: evil.test#a'],
    ['with a backslash', 'Host: evil.test\\a'],
    ['with markup', 'Host: <script>alert(1)</script>'],
    ['with a quote', 'Host: evil.test">'],
    ['with CR LF encoded', 'Host: evil.test%0d%0aX-Evil:1'],
    ['with a scheme', 'Host: http://evil.test'],
    ['beyond ASCII', 'Host: \xc3\xb1.test'],
    ['a port of letters', 'Host: evil.test:80x'],
    ['a port of too many digits', 'Host: evil.test:123456'],
    ['a port that there cannot be', 'Host: evil.test:65536'],
    ['a port left out', 'Host: evil.test:'],
    ['two ports', 'Host: evil.test:80:80'],
    ['half an address', 'Host: [::1'],
    ['an address that there cannot be', 'Host: [::::::]'],
    ['a number that is no address', 'Host: 256.256.256.256'],
    ['an address with a zone', 'Host: [fe80::1%25eth0]'],
    ['a name that begins with a dot', 'Host: .evil.test'],
    ['too long', `Host: ${'evil.'.repeat(60)}test`],
  ])('%s is refused', async (_, field) => {
    const answer = await ask(url, message('GET', path, field))
    expect(answer).toEqual(badHost)
    expect(JSON.stringify(answer)).not.toMatch(/evil|script/i)
  })

  test('twice is refused', async () => {
    expect(await ask(url, message('GET', path, 'Host: a.test', 'Host: evil.test'))).toEqual(badHost)
  })

  test('missing is refused by the parser', async () => {
    expect(await ask(url, message('GET', path))).toEqual(bareAnswer(400, 'Bad Request'))
  })

  test.each(['[::1]', '[2001:db8::1]:8080', 'catalogs.test', 'A-b.test:1', '127.0.0.1:65535', 'localhost.'])(
    '%s is used',
    async (name) => {
      const { status, headers } = await ask(url, message('GET', path, `Host: ${name}`))
      expect([status, headers.Link]).toEqual([200, linkTo(`http://${name}`)])
    },
  )
})

describe('a target', () => {
  test.each([
    ['that is another host', '//evil.test/', notFound('//evil.test/')],
    ['that is a known path on another host', `//evil.test${path}/`, notFound(`//evil.test${path}/`)],
    ['that is another host after a backslash', '/\\evil.test/', notFound('//evil.test/')],
    ['with a slash too many', `/${path}`, notFound(`/${path}`)],
    ['that leads out', '/../../etc/passwd', notFound('/etc/passwd')],
    ['that leads out, encoded', '/%2e%2e/%2e%2e/etc/passwd', notFound('/etc/passwd')],
    ['that leads out, doubly encoded', '/%252e%252e/etc/passwd', notFound('/%252e%252e/etc/passwd')],
    ['with a zero byte, encoded', `${path}%00`, notFound(`${path}%00`)],
    ['with a zero byte and an ending', `${path}%00.json`, notFound(`${path}%00.json`)],
    ['with an overlong slash', '/api/v1%c0%afpaises', notFound('/api/v1%c0%afpaises')],
    ['with an encoded slash', '/api%2fv1%2fpaises', notFound('/api%2fv1%2fpaises')],
    ['with an encoded letter', '/api/v1/%70aises', notFound('/api/v1/%70aises')],
    ['with a fragment', `${path}#fragment`, notFound(`${path}#fragment`)],
    ['with a fragment after the page', `${path}?page=2#fragment`, badPage('2#fragment')],
    ['with markup', '/<script>alert(1)</script>', notFound('/%3Cscript%3Ealert(1)%3C/script%3E')],
    ['with a lone percent', `${path}?page=%`, badPage('%')],
  ])('%s is refused', async (_, target, wanted) => {
    const answer = await ask(url, get(target))
    expect(answer).toEqual(wanted)
    expect(JSON.stringify(answer.headers)).not.toMatch(/evil|etc|script|fragment/)
  })

  test.each([
    ['an absolute address', `http://evil.test${path}`],
    ['an absolute address with a user', `http://user:pass@evil.test${path}`],
    ['dots that lead to a known path', `/api/v1/audiencias/..${path.slice(7)}`],
    ['dots that lead to a known path, encoded', `/api/v1/audiencias/%2e%2e${path.slice(7)}`],
    ['backslashes', path.replaceAll('/', '\\').replace('\\', '/')],
  ])('%s is read as the path, and its host not believed', async (_, target) => {
    const { status, headers, body } = await ask(url, get(target))
    expect([status, headers.Link, body]).toEqual([200, linkTo(url), bodyOf(countries(25), 1)])
  })

  test.each([
    ['of 8,000 characters is read', 8_000, 200],
    ['of 8,001 characters is not', 8_001, 414],
    ['of 15,000 characters is not', 15_000, 414],
  ])('%s', async (_, length, status) => {
    const target = `${path}?x=`.padEnd(length - url.length, 'x')
    const answer = await ask(url, get(target))
    const detail = `It has ${length} characters; at most 8000 are read.`
    if (status === 414) expect(answer).toEqual(problemAnswer('uri-too-long', detail, path))
    else expect(answer.status).toBe(status)
  })
})
