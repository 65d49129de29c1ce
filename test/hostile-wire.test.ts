// Bytes that are hardly HTTP, forwarded headers that are not to be believed, and a service that fails inside.
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { METHODS } from 'node:http'
import { BlockList } from 'node:net'
import { bareAnswer, problemAnswer } from './support/answers.ts'
import { bodyOf } from './support/expected.ts'
import { releaseOf } from './support/releases.ts'
import { serverOf, type TestServer } from './support/server.ts'
import { countries, smallSource } from './support/small-source.ts'
import { ask, message, talk } from './support/wire.ts'

const release = await releaseOf(smallSource({ pais: countries(25) }))
const loopback = new BlockList()
loopback.addAddress('127.0.0.1')
const distant = new BlockList()
distant.addSubnet('10.0.0.0', 8)

const server = serverOf(() => release)
const behindProxy = serverOf(() => release, { trustedProxies: loopback })
const behindAnother = serverOf(() => release, { trustedProxies: distant })
const configured = serverOf(() => release, { baseUrl: 'https://catalogs.example.org', trustedProxies: loopback })
const sound = [server, behindProxy, behindAnother, configured]
const failing = serverOf(() => {
  throw new Error('the disk at /secret/path is gone')
})
afterAll(async () => {
  for (const { close } of [...sound, failing]) await close()
})

const { url, host } = server
const path = '/api/v1/paises'
const say = (method: string, ...fields: readonly string[]) => message(method, path, `Host: ${host}`, ...fields)
const linkTo = (base: string) => `<${base}${path}?format=api&page=2>; rel="next"`
const firstPage = bodyOf(countries(25), 1)

afterEach(async () => {
  const { status, body } = await ask(url, say('GET'))
  expect([status, body]).toEqual([200, firstPage])
  expect(sound.flatMap(({ logged }) => logged)).toEqual([])
})

describe('header fields', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `X-Evil-${at}: evil`)
  const tooMany = (count: number) =>
    problemAnswer('too-many-headers', `It has ${count} header fields; at most 100 are read.`, path)

  test('100 are read', async () => expect((await ask(url, say('GET', ...fields(99)))).status).toBe(200))

  test.each([101, 150])('%i are refused', async (count) => {
    expect(await ask(url, say('GET', ...fields(count - 1)))).toEqual(tooMany(count))
  })

  test.each([
    ['hundreds of them', fields(250)],
    ['more than 16 KB of them', [`X-Evil: ${'x'.repeat(17_000)}`]],
    ['more than 16 KB of target', [`X-Evil: ${'x'.repeat(8_000)}`, `X-More: ${'x'.repeat(8_500)}`]],
  ])('the parser refuses %s', async (_, many) => {
    expect(await ask(url, say('GET', ...many))).toEqual(bareAnswer(431, 'Request Header Fields Too Large'))
  })

  test.each([
    ['a zero byte in a value', 'X-Evil: a\0b'],
    ['a name with a parenthesis', 'X-Evil(: a'],
    ['a name with a space after it', 'X-Evil : a'],
    ['a folded value', 'X-Evil: a\r\n b'],
    ['a line without a colon', 'X-Evil'],
    ['a length below zero', 'Content-Length: -1'],
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2'],
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked'],
  ])('the parser refuses %s', async (_, field) => {
    expect(await ask(url, say('GET', field))).toEqual(bareAnswer(400, 'Bad Request'))
  })

  test('one field is not taken for another that it resembles', async () => {
    const { headers } = await ask(url, say('GET', 'X_Forwarded_Host: evil.test', 'X-Host: evil.test', 'X-Page: 7'))
    expect([headers['X-Page'], headers.Link]).toEqual(['1', linkTo(url)])
  })
})

describe('the first line', () => {
  test.each([
    ['an unknown method', `BREW ${path} HTTP/1.1`],
    ['a method in small letters', `get ${path} HTTP/1.1`],
  ])('%s: the parser hangs up', async (_, line) => {
    expect(await talk(url, `${line}\r\nHost: ${host}\r\n\r\n`)).toEqual([])
  })

  test.each([
    ['a greeting', 'hello'],
    ['no target', 'GET  HTTP/1.1'],
    ['a target that is no path', 'GET api/v1/paises HTTP/1.1'],
    ['a target of backslashes', 'GET \\api\\v1\\paises HTTP/1.1'],
    ['a target that is a query', 'GET ?page=2 HTTP/1.1'],
    ['a target of another scheme', `GET ftp://evil.test${path} HTTP/1.1`],
    ['a method with an injected line', `GET%0d%0aX-Evil: ${path} HTTP/1.1`],
    ['a star', 'OPTIONS * HTTP/1.1'],
    ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['the beginning of HTTP/2', 'PRI * HTTP/2.0'],
  ])('%s: 400', async (_, line) => {
    expect(await ask(url, `${line}\r\nHost: ${host}\r\n\r\n`)).toEqual(bareAnswer(400, 'Bad Request'))
  })

  // The parser takes whatever follows the target for a version, and 505 is its word for one that it does not speak.
  test.each([
    ['another version', `GET ${path} HTTP/3.0`],
    ['no version', `GET ${path}`],
    ['a space in the target', `GET ${path} ?page=2 HTTP/1.1`],
    ['a zero byte in the target', `GET ${path}\0 HTTP/1.1`],
    ['a bare CR in the target', `GET ${path}?x=\rX-Evil: 1 HTTP/1.1`],
    ['a bare LF in the target', `GET ${path}?x=\nX-Evil: 1 HTTP/1.1`],
  ])('%s: 505', async (_, line) => {
    expect(await ask(url, `${line}\r\nHost: ${host}\r\n\r\n`)).toEqual(bareAnswer(505, 'HTTP Version Not Supported'))
  })
})

test.each(METHODS.filter((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method)))(
  'the method %s is refused, or the parser hangs up',
  async (method) => {
    const detail = `${method} was used; allowed are GET, HEAD, OPTIONS.`
    const [answer] = await talk(url, say(method))
    if (answer !== undefined) expect(answer).toEqual(problemAnswer('method-not-allowed', detail, path))
  },
)

describe('a body', () => {
  test('is not taken for a request', async () => {
    const inner = `GET /evil HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
    for (const method of ['POST', 'GET']) {
      const answers = await talk(
        url,
        say(method, `Content-Length: ${inner.length}`) + inner,
        say(method, 'Transfer-Encoding: chunked') + chunk,
        say('GET'),
      )
      expect(answers.map(({ status }) => status)).toEqual(method === 'GET' ? [200, 200, 200] : [405, 405, 200])
      expect(JSON.stringify(answers)).not.toContain('evil')
    }
  })

  test('that is announced as absurdly large is refused by the parser', async () => {
    expect(await ask(url, say('POST', 'Content-Length: 1000000000'))).toEqual(
      bareAnswer(413, 'Request Entity Too Large'),
    )
  })

  test('TRACE tells nobody what was sent', async () => {
    const answer = await ask(url, say('TRACE', 'Cookie: evil=1'))
    expect([answer.status, JSON.stringify(answer).includes('evil')]).toEqual([405, false])
  })
})

describe('forwarded headers', () => {
  const forwarded = ['X-Forwarded-Host: public.test', 'X-Forwarded-Proto: https']
  const all = [...forwarded, 'Forwarded: host=evil.test', 'X-Forwarded-Port: 666', 'X-Forwarded-Prefix: /evil']
  const asked = (to: TestServer, ...fields: readonly string[]) => ask(to.url, say('GET', ...fields))

  test.each([
    ['from anyone are ignored where no proxy is trusted', server, all, url],
    ['from another address than the proxy are ignored', behindAnother, all, url],
    ['from the proxy are believed, but for those that nobody asked for', behindProxy, all, 'https://public.test'],
    ['from the proxy may name the host alone', behindProxy, forwarded.slice(0, 1), 'http://public.test'],
    ['from the proxy may name the scheme alone', behindProxy, forwarded.slice(1), `https://${host}`],
    ['are not needed from the proxy', behindProxy, [], url],
    ['do not change a configured address', configured, all, 'https://catalogs.example.org'],
    ['do no harm to a configured address', configured, ['X-Forwarded-Host: <evil>'], 'https://catalogs.example.org'],
  ])('%s', async (_, to, fields, base) => {
    const { status, headers } = await asked(to, ...fields)
    expect([status, headers.Link]).toEqual([200, linkTo(base)])
  })

  test.each([
    'a.test, evil.test',
    'evil.test/path',
    'user@evil.test',
    '<script>evil</script>',
    'evil.test:99999',
    'evil test',
    '',
  ])('from the proxy are checked: host "%s"', async (name) => {
    const expected = 'one host name or address, with a port if needed, such as example.org:8080.'
    const answer = await asked(behindProxy, `X-Forwarded-Host: ${name}`)
    expect(answer).toEqual(problemAnswer('bad-host', `X-Forwarded-Host must be ${expected}`, path))
  })

  test.each(['javascript', 'HTTPS', 'https, http', 'https://evil.test', ''])(
    'from the proxy are checked: scheme "%s"',
    async (scheme) => {
      const answer = await asked(behindProxy, `X-Forwarded-Proto: ${scheme}`)
      expect(answer).toEqual(problemAnswer('bad-host', 'X-Forwarded-Proto must be http or https.', path))
    },
  )
})

test('an error inside is a 500 that tells nothing, and is logged once', async () => {
  const answer = await ask(failing.url, say('GET'))
  const detail = 'The fault is on our side and was logged; trying again may help.'
  expect(answer).toEqual(problemAnswer('internal-error', detail, path))
  expect(JSON.stringify(answer)).not.toMatch(/secret|Error:|\.ts|at /)
  expect(failing.logged).toEqual([new Error('the disk at /secret/path is gone')])
  const [options] = await talk(failing.url, say('OPTIONS'))
  expect([options?.status, failing.logged.length]).toEqual([200, 1])
})
