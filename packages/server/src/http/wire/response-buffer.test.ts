// A response on the wire: status line, headers, length and body.
import { describe, expect, test } from 'bun:test'
import { emptyResponse, textResponse } from '../exchange.ts'
import { PROBLEMS } from '../problem.ts'
import { ResponseBuffer } from './response-buffer.ts'

const DATE = 'Sun, 15 Nov 2026 12:00:00 GMT'
const text = (out: ResponseBuffer) => out.bytes.toString('utf8', 0, out.length)

function written(...responses: readonly Parameters<ResponseBuffer['add']>[]): string {
  const out = new ResponseBuffer()
  for (const response of responses) out.add(...response)
  return text(out)
}

describe('a response', () => {
  const page = textResponse(200, { 'X-Page': '1' }, '["ñ"]')
  const HEAD = `HTTP/1.1 200 OK\r\nX-Page: 1\r\nDate: ${DATE}\r\nContent-Length: 6\r\n`

  test.each<[name: string, response: Parameters<ResponseBuffer['add']>, wanted: string]>([
    ['with its body', [page, true, '', DATE], `${HEAD}\r\n["ñ"]`],
    ['to HEAD, with the length of the missing body', [page, false, '', DATE], `${HEAD}\r\n`],
    [
      'that closes the connection',
      [page, true, 'Connection: close\r\n', DATE],
      `${HEAD}Connection: close\r\n\r\n["ñ"]`,
    ],
    [
      'without a body',
      [emptyResponse(308, { Location: '/a' }), true, '', DATE],
      `HTTP/1.1 308 Permanent Redirect\r\nLocation: /a\r\nDate: ${DATE}\r\nContent-Length: 0\r\n\r\n`,
    ],
    [
      'that is a 304, without a length',
      [emptyResponse(304, { ETag: '"a"' }), true, '', DATE],
      `HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nDate: ${DATE}\r\n\r\n`,
    ],
  ])('%s', (_name, response, wanted) => expect(written(response)).toBe(wanted))

  test.each([200, 206, 304, 308, 406, 410, 412, 416, 503, ...Object.values(PROBLEMS).map(([status]) => status)])(
    'of status %i has a reason',
    (status) =>
      expect(written([emptyResponse(status, {}), true, '', DATE])).toMatch(/^HTTP\/1\.1 \d{3} [A-Z][A-Za-z ]+\r\n/),
  )
})

test('responses are written one after the other, also when the buffer has to grow, and anew after a reset', () => {
  const out = new ResponseBuffer()
  for (const round of [1, 2]) {
    out.reset()
    const bodies = [10, 60_000, 5, 500_000, 0].map((length) => String(round).repeat(length))
    for (const body of bodies) out.add(textResponse(200, {}, body), true, '', DATE)
    const wanted = bodies.map((body) => written([textResponse(200, {}, body), true, '', DATE])).join('')
    expect(text(out) === wanted).toBe(true)
  }
})
