// Malformed HTTP, forwarded headers from untrusted clients, and an error inside the service.
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { METHODS } from 'node:http'
import { BlockList } from 'node:net'
import { bodyOf } from '../support/expected.ts'
import {
  closing,
  headOf,
  INVALID_LINES,
  notFoundDetail,
  optionsResponse,
  pageResponse,
  problemResponse,
  refusal,
} from '../support/expected-responses.ts'
import { releaseOf } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'
import { message, send, sendAll, sendUntilClosed } from '../support/wire.ts'

const release = await releaseOf(smallSource({ pais: countries(25) }))
const loopback = new BlockList()
loopback.addAddress('127.0.0.1')
const distant = new BlockList()
distant.addSubnet('10.0.0.0', 8)

const server = serverOf(() => release)
const behindProxy = serverOf(() => release, { trustedProxies: loopback })
const behindAnother = serverOf(() => release, { trustedProxies: distant })
const configured = serverOf(() => release, { baseUrl: 'https://catalogs.example.org', trustedProxies: loopback })
const working = [server, behindProxy, behindAnother, configured]
const failing = serverOf(() => {
  throw new Error('the disk at /secret/path is gone')
})
afterAll(async () => {
  for (const { close } of [...working, failing]) await close()
})

const { url, host } = server
const path = '/api/v1/paises'
const request = (method: string, ...fields: readonly string[]) => message(method, path, `Host: ${host}`, ...fields)
const linkTo = (base: string) => `<${base}${path}?format=api&page=2>; rel="next"`
const firstPage = bodyOf(countries(25), 1)

afterEach(async () => {
  const { status, body } = await send(url, request('GET'))
  expect([status, body]).toEqual([200, firstPage])
  expect(working.flatMap(({ logged }) => logged)).toEqual([])
})

/** The refusal. Nothing that follows a refused request is read. */
const refused = async (bytes: string) => {
  const responses = await sendUntilClosed(url, bytes, request('GET'))
  expect(responses.length).toBe(1)
  return responses[0]
}

describe('header fields', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `X-Evil-${at}: evil`)
  const tooLarge = (max: string) => closing(problemResponse('headers-too-large', `At most ${max} are read.`, path))

  test('100 are read', async () => expect((await send(url, request('GET', ...fields(99)))).status).toBe(200))

  test.each([101, 150, 800])('%i are refused', async (count) => {
    expect(await refused(request('GET', ...fields(count - 1)))).toEqual(tooLarge('100 header fields'))
  })

  test('4,000 of the shortest are refused', async () => {
    expect(await refused(request('GET', ...Array<string>(4_000).fill('a:')))).toEqual(tooLarge('100 header fields'))
  })

  const ofBytes = (bytes: number) => request('GET', `X-Evil: ${'x'.repeat(bytes - request('GET', 'X-Evil: ').length)}`)

  test('and the first line together may have 16,384 bytes', async () => {
    expect((await send(url, ofBytes(16_384))).status).toBe(200)
  })

  test.each([16_385, 16_400, 1_000_000])('and the first line together of %i bytes are refused', async (bytes) => {
    expect(await refused(ofBytes(bytes))).toEqual(tooLarge('16384 bytes'))
  })

  const SECOND_LINE = 'header line 2 is not a name, a colon and a value'
  test.each([
    ['a zero byte in a value', 'X-Evil: a\0b', INVALID_LINES],
    ['an escape in a value', 'X-Evil: a\x1bb', INVALID_LINES],
    ['a DEL in a value', 'X-Evil: a\x7fb', INVALID_LINES],
    ['a bare CR in a value', 'X-Evil: a\rb: c', INVALID_LINES],
    ['a bare LF in a value', 'X-Evil: a\nb: c', INVALID_LINES],
    ['a name with a parenthesis', 'X-Evil(: a', SECOND_LINE],
    ['a name beyond ASCII', 'X-\xc9vil: a', SECOND_LINE],
    ['a name with a space after it', 'X-Evil : a', SECOND_LINE],
    ['a name with a space before it', ' X-Evil: a', SECOND_LINE],
    ['no name', ': a', SECOND_LINE],
    ['a line without a colon', 'X-Evil', SECOND_LINE],
    ['a folded value', 'X-Evil: a\r\n b', 'header line 3 is not a name, a colon and a value'],
    ['a length below zero', 'Content-Length: -1', 'content-length is not a number of bytes'],
    ['a length with a sign', 'Content-Length: +1', 'content-length is not a number of bytes'],
    ['a length in letters', 'Content-Length: 0x10', 'content-length is not a number of bytes'],
    ['a length of several', 'Content-Length: 1, 1', 'content-length is not a number of bytes'],
    [
      'a length before a blank that HTTP does not count as one',
      'Content-Length: 1\xa0',
      'content-length is not a number of bytes',
    ],
    ['an empty length', 'Content-Length:', 'content-length is not a number of bytes'],
    ['an absurd length', `Content-Length: ${'9'.repeat(16)}`, 'content-length is not a number of bytes'],
    ['two lengths', 'Content-Length: 0\r\ncontent-length: 0', 'the header content-length was sent more than once'],
    [
      'a length and chunks',
      'Content-Length: 4\r\nTransfer-Encoding: chunked',
      'there are both content-length and transfer-encoding',
    ],
    [
      'chunks twice',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
      'the header transfer-encoding was sent more than once',
    ],
    ['chunks that do not end the coding', 'Transfer-Encoding: chunked, gzip', 'transfer-encoding is not chunked'],
    ['another coding', 'Transfer-Encoding: xchunked', 'transfer-encoding is not chunked'],
  ])('%s: 400', async (_, field, wrong) => {
    expect(await refused(request('GET', field))).toEqual(refusal(wrong, path))
    expect(await refused(request('HEAD', field))).toEqual(headOf(refusal(wrong, path)))
  })

  test('one field is not taken for another that it resembles', async () => {
    const resembling = ['X_Forwarded_Host: evil.test', 'X-Host: evil.test', 'X-Page: 7', 'X-A: Host: evil.test']
    const { headers } = await send(url, request('GET', ...resembling))
    expect([headers['X-Page'], headers.Link]).toEqual(['1', linkTo(url)])
  })
})

describe('the first line', () => {
  const VERSION = 'the version of HTTP is not 1.1 or 1.0'
  const LINE = 'the request line is not a method, a target in ASCII and HTTP/1.1'

  test.each([
    ['a greeting', 'hello', '/', LINE],
    ['no target', 'GET HTTP/1.1', '/', LINE],
    ['an empty target', 'GET  HTTP/1.1', '/', LINE],
    ['a space too many', `GET  ${path} HTTP/1.1`, '/', LINE],
    ['a space before it', ` GET ${path} HTTP/1.1`, '/', LINE],
    ['a tab for a space', `GET\t${path} HTTP/1.1`, '/', LINE],
    ['a space in the target', `GET ${path} ?page=2 HTTP/1.1`, path, LINE],
    ['a byte beyond ASCII in the path', `GET ${path}\xf1 HTTP/1.1`, path, LINE],
    ['a byte beyond ASCII in the query', `GET ${path}?x=\xc3\xb1 HTTP/1.1`, path, LINE],
    ['a method with an injected line', `GET%0d%0aX-Evil: ${path} HTTP/1.1`, path, LINE],
    ['a method in quotes', `"GET" ${path} HTTP/1.1`, path, LINE],
    ['no version', `GET ${path}`, path, LINE],
    ['a version of another protocol', `GET ${path} SIP/2.0`, path, LINE],
    ['a version in small letters', `GET ${path} http/1.1`, path, LINE],
    ['HTTP/0.9', `GET ${path} HTTP/0.9`, path, VERSION],
    ['HTTP/1.2', `GET ${path} HTTP/1.2`, path, VERSION],
    ['HTTP/1.10', `GET ${path} HTTP/1.10`, path, VERSION],
    ['HTTP/3.0', `GET ${path} HTTP/3.0`, path, VERSION],
    ['the beginning of HTTP/2', 'PRI * HTTP/2.0', '/', VERSION],
    ['a space after the version', `GET ${path} HTTP/1.1 `, path, VERSION],
    ['a zero byte in the target', `GET ${path}\0 HTTP/1.1`, path, INVALID_LINES],
    ['a bare CR in the target', `GET ${path}?x=\rX-Evil: 1 HTTP/1.1`, path, INVALID_LINES],
    ['a bare LF in the target', `GET ${path}?x=\nX-Evil: 1 HTTP/1.1`, path, INVALID_LINES],
    ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', '/', INVALID_LINES],
  ])('%s: 400', async (_, line, instance, wrong) => {
    expect(await refused(`${line}\r\nHost: ${host}\r\n\r\n`)).toEqual(refusal(wrong, instance))
  })

  test.each([
    ['lines that end with LF alone', `GET ${path} HTTP/1.1\nHost: ${host}\n\n`, path],
    ['lines that end with CR alone', `GET ${path} HTTP/1.1\rHost: ${host}\r\r`, path],
    ['a TLS client', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\xa5'.repeat(508)}`, '/'],
  ])('%s: 400 at once, without waiting for the end of the head', async (_, bytes, instance) => {
    expect(await sendUntilClosed(url, bytes)).toEqual([refusal(INVALID_LINES, instance)])
  })

  test('of OPTIONS may name the service as a whole', async () => {
    const responses = await sendAll(url, ...['OPTIONS', 'POST'].map((method) => message(method, '*', `Host: ${host}`)))
    const headers = { ...optionsResponse.headers, 'X-Content-Type-Options': 'nosniff' }
    expect(responses).toEqual([{ ...optionsResponse, headers }, notAllowed('POST', '*')])
  })
})

const notAllowed = (method: string, instance: string) =>
  problemResponse('method-not-allowed', `${method} was used; allowed are GET, HEAD, OPTIONS.`, instance)

test.each([
  ...METHODS.filter((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method)),
  'BREW',
  'get',
  'Head',
  "!#$%&'*+.^_`|~-",
])('the method %s is 405 where there is something, 404 elsewhere, and the connection stays', async (method) => {
  const elsewhere = message(method, '/evil.test:443', `Host: ${host}`)
  const responses = await sendAll(url, request(method, 'Cookie: evil=1'), elsewhere, request('GET'))
  expect(responses.slice(0, 2)).toEqual([
    notAllowed(method, path),
    problemResponse('not-found', notFoundDetail('/evil.test:443'), '/evil.test:443'),
  ])
  expect(responses[2]?.body).toBe(firstPage)
})

test('CONNECT opens no tunnel', async () => {
  const response = await send(url, message('CONNECT', 'evil.test:443', 'Host: evil.test:443'))
  expect(response).toEqual(problemResponse('not-found', notFoundDetail('evil.test:443'), 'evil.test:443'))
})

describe('a body', () => {
  const inner = `GET /evil HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const chunks = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
  const page = { path, base: url, page: 1, total: 25, pages: 3, built: release.manifest.built, body: firstPage }

  test.each([
    ['of a length', `Content-Length: ${inner.length}`, inner],
    ['of a length that is not true', 'Content-Length: 1', inner],
    ['of an absurd length', 'Content-Length: 999999999999999', inner],
    ['in chunks', 'Transfer-Encoding: chunked', chunks],
    ['in chunks, in other letters', 'TRANSFER-ENCODING:\t Chunked ', chunks],
    ['in chunks that are none', 'Transfer-Encoding: chunked', inner],
    ['that awaits 100 Continue', `Expect: 100-continue\r\nContent-Length: ${inner.length}`, inner],
  ])(
    '%s is never taken for a request: its own request gets a response, and then the connection is closed',
    async (_, field, body) => {
      const wanted = { GET: pageResponse(page), HEAD: headOf(pageResponse(page)), POST: notAllowed('POST', path) }
      for (const [method, response] of Object.entries(wanted))
        expect(await sendUntilClosed(url, request(method, field) + body, request('GET'))).toEqual([closing(response)])
      expect(await sendUntilClosed(url, request('OPTIONS', field) + body, request('GET'))).toEqual([
        closing(optionsResponse),
      ])
    },
  )

  test('in chunks with HTTP/1.0 is refused, and the connection closed', async () => {
    for (const method of ['GET', 'POST']) {
      const old = request(method, 'Connection: keep-alive', 'Transfer-Encoding: chunked').replace(
        'HTTP/1.1',
        'HTTP/1.0',
      )
      const responses = await sendUntilClosed(url, old + chunks, request('GET'))
      expect(responses).toEqual([refusal('transfer-encoding is not part of HTTP/1.0', path)])
    }
  })

  test.each(['0', '000'])('of no bytes is none: Content-Length: %s', async (length) => {
    const responses = await sendAll(url, request('POST', `Content-Length: ${length}`), request('GET'))
    expect(responses).toEqual([notAllowed('POST', path), pageResponse(page)])
  })

  test('that was not announced is a request of its own, and refused as such', async () => {
    expect(await sendUntilClosed(url, request('GET'), `[{"idPais":1}]\r\n\r\n`, request('GET'))).toEqual([
      pageResponse(page),
      refusal('the request line is not a method, a target in ASCII and HTTP/1.1', '/'),
    ])
  })
})

describe('forwarded headers', () => {
  const all = [
    ...['X-Forwarded-Host: public.test', 'X-Forwarded-Proto: https', 'Forwarded: host=evil.test'],
    ...['X-Forwarded-Port: 666', 'X-Forwarded-Prefix: /evil'],
  ]
  const sendTo = (to: TestServer, ...fields: readonly string[]) => send(to.url, request('GET', ...fields))

  test.each([
    ['from anyone are ignored where no proxy is trusted', server, all, url],
    ['from another address than the proxy are ignored', behindAnother, all, url],
    ['from the proxy are used, except those that are not supported', behindProxy, all, 'https://public.test'],
    ['are not needed from the proxy', behindProxy, [], url],
    ['do not change a configured address', configured, all, 'https://catalogs.example.org'],
  ])('%s', async (_, to, fields, base) => {
    const { status, headers } = await sendTo(to, ...fields)
    expect([status, headers.Link]).toEqual([200, linkTo(base)])
  })

  test('from the proxy are checked', async () => {
    const expected = 'one host name or address, with a port if needed, such as example.org:8080.'
    const response = await sendTo(behindProxy, 'X-Forwarded-Host: <script>evil</script>')
    expect(response).toEqual(problemResponse('bad-host', `X-Forwarded-Host must be ${expected}`, path))
  })
})

test('an error inside is a 500 that reveals nothing, and is logged once', async () => {
  const response = await send(failing.url, request('GET'))
  const detail = 'The fault is on our side and was logged; trying again may help.'
  expect(response).toEqual(problemResponse('internal-error', detail, path))
  expect(JSON.stringify(response)).not.toMatch(/secret|Error:|\.ts|at /)
  expect(failing.logged).toEqual([new Error('the disk at /secret/path is gone')])
})
