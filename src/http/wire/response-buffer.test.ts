// What goes on the wire for an answer: its first line, its headers, its length, its body.
import { describe, expect, test } from 'bun:test'
import { emptyResponse, textResponse } from '../exchange.ts'
import { problemTitles } from '../problem.ts'
import { ResponseBuffer } from './response-buffer.ts'

const DATE = 'Sun, 15 Nov 2026 12:00:00 GMT'
const text = (out: ResponseBuffer) => out.bytes.toString('utf8', 0, out.length)

function written(...answers: readonly Parameters<ResponseBuffer['add']>[]): string {
  const out = new ResponseBuffer()
  for (const answer of answers) out.add(...answer)
  return text(out)
}

describe('an answer', () => {
  const page = textResponse(200, { 'X-Page': '1' }, '["ñ"]')
  const HEAD = `HTTP/1.1 200 OK\r\nX-Page: 1\r\nDate: ${DATE}\r\nContent-Length: 6\r\n`

  test.each<[name: string, answer: Parameters<ResponseBuffer['add']>, wanted: string]>([
    ['with its body', [page, true, '', DATE], `${HEAD}\r\n["ñ"]`],
    ['to HEAD, with the length of the body that it has not', [page, false, '', DATE], `${HEAD}\r\n`],
    ['that is the last', [page, true, 'Connection: close\r\n', DATE], `${HEAD}Connection: close\r\n\r\n["ñ"]`],
    [
      'without a body',
      [emptyResponse(308, { Location: '/a' }), true, '', DATE],
      `HTTP/1.1 308 Permanent Redirect\r\nLocation: /a\r\nDate: ${DATE}\r\nContent-Length: 0\r\n\r\n`,
    ],
    [
      'that has nothing new, and no length',
      [emptyResponse(304, { ETag: '"a"' }), true, '', DATE],
      `HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nDate: ${DATE}\r\n\r\n`,
    ],
  ])('%s', (_name, answer, wanted) => expect(written(answer)).toBe(wanted))

  test.each([200, 206, 304, 308, 406, 410, 412, 416, 503, ...Object.values(problemTitles).map(([status]) => status)])(
    'of status %i has a reason',
    (status) =>
      expect(written([emptyResponse(status, {}), true, '', DATE])).toMatch(/^HTTP\/1\.1 \d{3} [A-Z][A-Za-z ]+\r\n/),
  )
})

test('answers stand one after the other, also when the buffer has to grow, and a reset begins anew', () => {
  const out = new ResponseBuffer()
  for (const round of [1, 2]) {
    out.reset()
    const bodies = [10, 60_000, 5, 500_000, 0].map((length) => String(round).repeat(length))
    for (const body of bodies) out.add(textResponse(200, {}, body), true, '', DATE)
    const wanted = bodies.map((body) => written([textResponse(200, {}, body), true, '', DATE])).join('')
    expect(text(out) === wanted).toBe(true)
  }
})
