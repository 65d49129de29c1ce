// What loads ask for, how answers are read, and how results of generators are.
import { describe, expect, test } from 'bun:test'
import { parseResult } from './job.ts'
import { loads } from './loads.ts'
import { parseHead, ResponseReader } from './response-reader.ts'

describe('the pages of a load', () => {
  test('random pages are the same in every run, and spread over the catalog', () => {
    const pages = loads.random.pages(30_014)
    expect(pages).toEqual(loads.random.pages(30_014))
    expect(Math.min(...pages)).toBeGreaterThanOrEqual(1)
    expect(Math.max(...pages)).toBeLessThanOrEqual(30_013)
    const tenths = new Set(pages.map((page) => Math.floor((page * 10) / 30_014)))
    expect(tenths.size).toBe(10)
    expect(new Set(pages).size).toBeGreaterThan(25_000)
  })

  test('the deepest page is a full one', () => expect(loads.deep.pages(30_014)).toEqual([30_013]))

  test('random deep pages are of the last tenth', () => {
    expect(Math.min(...loads['random-deep'].pages(30_014))).toBeGreaterThanOrEqual(27_013)
  })
})

describe('the result of a generator', () => {
  const line = '{"requests":10,"seconds":2.000001,"errors":0,"p50":1.5,"p99":2.0,"p999":3.0}'

  test('stands after whatever else wrk prints', () => {
    const output = `Running 2s test @ http://127.0.0.1:1/\n  1 threads and 64 connections\nRequests/sec: 5\n${line}\n`
    expect(parseResult(output)).toEqual({ requests: 10, seconds: 2.000001, errors: 0, p50: 1.5, p99: 2, p999: 3 })
  })

  const wrong = ['', 'unable to connect to 127.0.0.1:1 Connection refused', '{"requests":10}']
  for (const output of wrong)
    test(`is missed in ${JSON.stringify(output)}`, () => expect(() => parseResult(output)).toThrow())
})

describe('reading an answer', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'

  test('in one piece', () => expect(new ResponseReader('GET').take(bytes(whole))).toBe(true))

  test('byte by byte', () => {
    const reader = new ResponseReader('GET')
    const taken = [...whole].map((character) => reader.take(bytes(character), true))
    expect(taken.lastIndexOf(false)).toBe(whole.length - 2)
    expect(taken.at(-1)).toBe(true)
    expect(new TextDecoder().decode(reader.bytes())).toBe(whole)
  })

  const bodiless = [
    {
      name: 'HEAD announces a body that does not come',
      method: 'HEAD',
      text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n',
    },
    { name: 'a 304 has no body', method: 'GET', text: 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n' },
  ]
  for (const { name, method, text } of bodiless)
    test(name, () => expect(new ResponseReader(method).take(bytes(text))).toBe(true))

  test('one after the other on the same connection', () => {
    const reader = new ResponseReader('GET')
    reader.take(bytes(whole))
    reader.reset()
    expect(reader.take(bytes('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))).toBe(true)
    expect(reader.status).toBe(404)
  })

  test('more than was announced is an error', () =>
    expect(() => new ResponseReader('GET').take(bytes(`${whole}!`))).toThrow())
  test('no length is an error', () =>
    expect(() => new ResponseReader('GET').take(bytes('HTTP/1.1 200 OK\r\n\r\n'))).toThrow())
})

test('a head is a status and fields in order', () => {
  expect(parseHead('HTTP/1.1 200 OK\r\nX-Page: 1\r\nLink: <http://a:1/b>; rel="next"\r\n\r\n')).toEqual({
    status: 200,
    fields: [
      ['X-Page', '1'],
      ['Link', '<http://a:1/b>; rel="next"'],
    ],
  })
})
