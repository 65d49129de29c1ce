// Request heads that are accepted, and others that are refused.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type HeadProblem, headLength, parseHead, partialProblem, type RequestHead, staysOpen } from './request-head.ts'

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const get = (target: string, ...fields: string[]) => head(`GET ${target} HTTP/1.1`, 'Host: a', ...fields)
const parsed = (text: string) => parseHead(text) as RequestHead

describe('a valid head', () => {
  const targets: readonly [name: string, target: string, path: string, query: string][] = [
    ['a path', '/api/v1/paises', '/api/v1/paises', ''],
    ['a path and a query', '/a?page=2&x=%20', '/a', 'page=2&x=%20'],
    ['an empty query', '/a?', '/a', ''],
    ['a question mark in the query', '/a?b?c', '/a', 'b?c'],
    ['scheme and host, as a proxy gets them', 'http://evil.example/a?b', '/a', 'b'],
    ['scheme and host without a path', 'HTTPS://evil.example', '/', ''],
    ['scheme and host without a path, and a query', 'http://evil.example?a=/b', '/', 'a=/b'],
    ['a query alone', '?a', '', 'a'],
    ['the service as a whole', '*', '*', ''],
    ['dots, left as they are', '/a/../%2e%2e/b', '/a/../%2e%2e/b', ''],
  ]
  test.each(targets)('%s', (_name, target, path, query) => {
    expect(parsed(get(target))).toMatchObject({ method: 'GET', path, query, http10: false })
  })

  test('header values: any case of the name, blanks around the value, several lines joined', () => {
    const { headers } = parsed(get('/', 'aCCept: \t x ', 'X-Y:1', 'x-y: 2', 'Empty:', 'Bytes: \x80\xff'))
    const values = ['host', 'accept', 'x-y', 'empty', 'bytes', 'absent', 'y'].map((name) => headers.get(name))
    expect(values).toEqual(['a', 'x', '1, 2', '', '\x80\xff', undefined, undefined])
    expect(headers.get('accept')).toBe('x')
  })

  test('a name is not found in a value', () => {
    expect(parsed(get('/', 'X: if-none-match: "a"')).headers.get('if-none-match')).toBeUndefined()
  })

  test('the headers of the request before are not used again if a byte differs', () => {
    expect(parsed(get('/', 'X: 1')).headers.get('x')).toBe('1')
    expect(parsed(get('/', 'X: 2')).headers.get('x')).toBe('2')
    expect(parsed(head('GET / HTTP/1.0', 'Host: a', 'X: 2')).http10).toBe(true)
  })

  test('they are not used again for another version, which has other rules', () => {
    const withoutHost = (version: string) => parseHead(head(`GET / HTTP/${version}`, 'X: no host'))
    const refused = { kind: 'bad-request', wrong: 'the header host is missing' } as const
    expect(withoutHost('1.0')).toHaveProperty('http10', true)
    expect(withoutHost('1.1')).toEqual(refused)
    expect(withoutHost('1.0')).toHaveProperty('http10', true)
    expect(withoutHost('1.1')).toEqual(refused)
  })
})

describe('a head that is refused', () => {
  // Header lines that are refused are in test/hostile/wire.test.ts, with the words of each refusal.
  const cases: readonly [name: string, text: string, kind: string][] = [
    ['garbage', head('garbage'), 'bad-request'],
    ['nothing', '\r\n\r\n', 'bad-request'],
    ['no target', head('GET HTTP/1.1'), 'bad-request'],
    ['two blanks', head('GET  / HTTP/1.1', 'Host: a'), 'bad-request'],
    ['a blank in the target', head('GET /a b HTTP/1.1', 'Host: a'), 'bad-request'],
    ['a tab in the target', get('/a\tb'), 'bad-request'],
    ['a byte beyond ASCII in the target', get('/ñ'), 'bad-request'],
    ['a method that is no token', head('G@T / HTTP/1.1', 'Host: a'), 'bad-request'],
    ['HTTP/2', head('GET / HTTP/2.0', 'Host: a'), 'bad-request'],
    ['HTTP/1.2', head('GET / HTTP/1.2', 'Host: a'), 'bad-request'],
    ['a blank that HTTP does not count as one', get('/', 'Content-Length: \xa01'), 'bad-request'],
    ['a long target', get(`/${'a'.repeat(8_000)}`), 'uri-too-long'],
    ['many short fields', get('/', ...Array.from({ length: 100 }, () => 'X:')), 'headers-too-large'],
    ['many fields', get('/', ...Array.from({ length: 100 }, (_, n) => `X${n}: 1`)), 'headers-too-large'],
  ]
  test.each(cases)('%s', (_name, text, kind) => {
    expect(parseHead(text)).toMatchObject({ kind })
  })

  test('a hundred fields and a target of 8,000 characters are accepted', () => {
    expect(parseHead(get('/', ...Array.from({ length: 99 }, (_, n) => `X${n}: 1`)))).toHaveProperty('path', '/')
    expect(parsed(get(`/${'a'.repeat(7_999)}`)).path.length).toBe(8_000)
    expect(parsed(get('/', `Content-Length: ${'1'.repeat(15)}`)).headers.get('content-length')?.length).toBe(15)
  })

  test.each(['host', 'content-length', 'transfer-encoding'])('the problem names %s, which was sent twice', (name) => {
    const wrong = `the header ${name} was sent more than once`
    expect(parseHead(head('GET / HTTP/1.1', `${name}: 1`, `${name}: 1`))).toEqual({ kind: 'bad-request', wrong })
  })

  test('the problem names the header line', () => {
    expect(parseHead(get('/', 'X: 1', 'bad'))).toEqual({
      kind: 'bad-request',
      wrong: 'header line 3 is not a name, a colon and a value',
    })
  })
})

test.each<[name: string, version: string, fields: readonly string[], stays: boolean]>([
  ['HTTP/1.1', '1.1', [], true],
  ['HTTP/1.1 that closes', '1.1', ['Connection: Close'], false],
  ['HTTP/1.1 that closes, among other options', '1.1', ['Connection: x , close'], false],
  ['HTTP/1.0', '1.0', [], false],
  ['HTTP/1.0 that stays', '1.0', ['Connection: keep-alive'], true],
  ['a body', '1.1', ['Content-Length: 3'], false],
  ['no bytes of body', '1.1', ['Content-Length: 0'], true],
  ['a body in chunks', '1.1', ['Transfer-Encoding: chunked'], false],
  ['HTTP/1.0 that stays and closes', '1.0', ['Connection: keep-alive, close'], false],
  ['an option that only begins like one', '1.1', ['Connection: closed'], true],
  ['options in two lines', '1.1', ['Connection: x', 'Connection: close'], false],
])('whether the connection stays open: %s', (_name, version, fields, stays) => {
  expect(staysOpen(parsed(head(`GET / HTTP/${version}`, 'Host: a', ...fields)))).toBe(stays)
})

describe('an incomplete head', () => {
  test.each([
    ['nothing', ''],
    ['half a line', 'GET / HT'],
    ['half a line end', 'GET / HTTP/1.1\r'],
    ['a line', 'GET / HTTP/1.1\r\n'],
    ['all but its last byte', get('/').slice(0, -1)],
    ['anything beyond ASCII', 'GET /\xff\t'],
  ])('may still become valid: %s', (_name, text) => {
    expect(partialProblem(text, false)).toBeUndefined()
    expect(partialProblem(text, true)).toEqual({
      kind: 'bad-request',
      wrong: 'the empty line at the end of the headers is missing',
    })
  })

  test.each([
    ['a bare line feed', 'GET / HTTP/1.1\n'],
    ['a bare line feed alone', '\n'],
    ['a bare carriage return', 'GET / HTTP/1.1\rH'],
    ['two carriage returns', 'GET / HTTP/1.1\r\r'],
    ['a control character', 'GET / HTTP/1.1\r\nX: \x01'],
  ])('is refused at once for %s', (_name, text) => {
    expect(partialProblem(text, false)).toMatchObject({ kind: 'bad-request' })
    expect(parseHead(`${text}\r\n\r\n`)).toEqual(partialProblem(text, false) as HeadProblem)
  })

  test('is refused at 16,384 bytes, for its target if that is too long by itself', () => {
    expect(partialProblem('GET /'.padEnd(16_383, 'a'), false)).toBeUndefined()
    expect(partialProblem('GET /'.padEnd(16_384, 'a'), false)).toEqual({ kind: 'uri-too-long', max: 8_000 })
    const large = { kind: 'headers-too-large', max: '16384 bytes' } as const
    expect(partialProblem('G'.padEnd(16_384, 'a'), false)).toEqual(large)
    expect(partialProblem('GET / HTTP/1.1\r\nX: '.padEnd(16_384, 'a'), false)).toEqual(large)
    const longest = `GET /${'a'.repeat(7_999)}`
    expect(partialProblem(`${longest} HTTP/1.1\r\nX: `.padEnd(16_384, 'a'), false)).toEqual(large)
    expect(partialProblem(`${longest}a HTTP/1.1\r\nX: `.padEnd(16_384, 'a'), false)?.kind).toBe('uri-too-long')
  })
})

test('the head ends with the first empty line', () => {
  expect(headLength('GET / HTTP/1.1\r\nHost: a\r\n')).toBeUndefined()
  expect(headLength(`${get('/')}rest\r\n\r\n`)).toBe(get('/').length)
})

test('any text is a head or a problem, and never an exception', () => {
  const pieces = fc.constantFrom('GET', ' ', '/', 'HTTP/1.1', '\r\n', '\n', ':', 'Host', 'a', '\0', 'ÿ', '\t', '?', '0')
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (lines) => {
      const result = parseHead(`${lines.replaceAll('\r\n\r\n', '')}\r\n\r\n`)
      expect('kind' in result ? typeof result.kind : typeof result.path).toBe('string')
    }),
  )
})

test.each([
  ['in a header', (blanks: string) => get('/', `Connection: a${blanks}b`)],
  ['around a value', (blanks: string) => get('/', `Connection:${blanks}a${blanks}`)],
  ['between commas', (blanks: string) => get('/', `Connection: ${blanks.replaceAll(' ', ' ,')}`)],
  ['in the first line', (blanks: string) => head(`GET${blanks}/ HTTP/1.1`, 'Host: a')],
  ['before a line end that is none', (blanks: string) => get('/', `X:${blanks}\r${blanks}`)],
])('blanks %s take no longer than other characters', (_name, text) => {
  const taken = (length: number) => {
    const request = text(' '.repeat(length))
    const before = process.cpuUsage()
    const result = parseHead(request)
    if ('headers' in result) staysOpen(result)
    return process.cpuUsage(before).user
  }
  taken(8)
  expect(Math.min(...[1, 2, 3].map((run) => taken(7_000 + run)))).toBeLessThan(50_000)
})
