// Bodies of requests: whole in whatever pieces they come, never beyond their end, and refused when they are not valid.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf } from '../../../../../test/support/wire.ts'
import { RequestBody } from './request-body.ts'

const MAX = 1_000
const ofLength = (length: number) => new RequestBody(new Map([['content-length', String(length)]]), MAX)
const inChunks = () => new RequestBody(new Map([['transfer-encoding', 'chunked']]), MAX)

/** Feeds it the text in pieces of these sizes, as a connection would, and gives what is left. */
function feed(body: RequestBody, text: string, sizes: readonly number[] = []): string {
  let waiting = Buffer.alloc(0)
  for (let at = 0, piece = 0; at < text.length; piece++) {
    const size = sizes[piece] ?? text.length
    waiting = Buffer.concat([waiting, bytesOf(text.slice(at, at + size))])
    at += size
    waiting = waiting.subarray(body.take(waiting))
  }
  return waiting.toString('latin1')
}

const texts = fc.string({ unit: 'binary-ascii', maxLength: 300 })
const sizes = fc.array(fc.integer({ min: 1, max: 20 }))

test('of a length: whole in any pieces, and what follows is left', () => {
  fc.assert(
    fc.property(texts, texts, sizes, (text, after, cuts) => {
      const body = ofLength(text.length)
      expect(feed(body, text + after, cuts)).toBe(after)
      expect([body.isComplete, body.problem, Buffer.from(body.bytes).toString('latin1')]).toEqual([
        true,
        undefined,
        text,
      ])
    }),
  )
})

test('in chunks: whole in any pieces, and what follows is left', () => {
  const parts = fc.array(
    texts.filter((text) => text !== ''),
    { maxLength: 3 },
  )
  const endings = fc.constantFrom('0\r\n\r\n', '000;last\r\n\r\n', '0\r\nX-Sum: 1\r\nY:\r\n\r\n')
  fc.assert(
    fc.property(parts, endings, texts, sizes, (chunks, ending, after, cuts) => {
      const body = inChunks()
      const text = chunks.map((chunk) => `${chunk.length.toString(16)};a=b\r\n${chunk}\r\n`).join('')
      expect(feed(body, text + ending + after, cuts)).toBe(after)
      expect([body.isComplete, body.problem]).toEqual([true, undefined])
      expect(Buffer.from(body.bytes).toString('latin1')).toBe(chunks.join(''))
    }),
  )
})

test('without one it is complete, and empty', () => {
  const body = new RequestBody(new Map(), MAX)
  expect([body.isComplete, body.bytes.length, feed(body, 'GET /')]).toEqual([true, 0, 'GET /'])
})

test.each([
  ['a length', ofLength(MAX), 'a'.repeat(MAX)],
  ['one chunk', inChunks(), `3e8\r\n${'a'.repeat(MAX)}\r\n0\r\n\r\n`],
  ['chunks', inChunks(), `3e7\r\n${'a'.repeat(MAX - 1)}\r\n1\r\na\r\n0\r\n\r\n`],
])('of exactly the maximum it is read, in %s', (_name, body, text) => {
  expect(feed(body, text)).toBe('')
  expect([body.problem, body.isComplete, body.bytes.length]).toEqual([undefined, true, MAX])
})

test('lines of the longest length, and as many as the body has bytes, are read', () => {
  const longest = inChunks()
  feed(longest, `1;${'a'.repeat(1_022)}\r\na\r\n0\r\n\r\n`)
  expect([longest.problem, longest.isComplete]).toEqual([undefined, true])
  const manyLines = new RequestBody(new Map([['transfer-encoding', 'chunked']]), 100_000)
  const chunk = `3e8;${'a'.repeat(900)}\r\n${'b'.repeat(1_000)}\r\n`
  feed(manyLines, `${chunk.repeat(50)}0\r\n\r\n`)
  expect([manyLines.problem, manyLines.bytes.length]).toEqual([undefined, 50_000])
})

test('memory is taken for what has arrived, not for what was announced', () => {
  const body = ofLength(MAX)
  feed(body, 'abc')
  expect([body.isComplete, body.kept <= MAX]).toEqual([false, true])
  expect(new RequestBody(new Map([['content-length', '5000000']]), 5_000_000).kept).toBe(0)
})

describe('is refused', () => {
  const LINES = 'the lines around the chunks of the body are too long'
  const SIZE = 'the size of a chunk of the body is not a hexadecimal number'
  const tooLarge = { kind: 'content-too-large', max: MAX } as const
  const bad = (wrong: string) => ({ kind: 'bad-request', wrong }) as const

  test.each([
    ['a length beyond the limit', ofLength(MAX + 1), '', tooLarge],
    ['a chunk beyond the limit', inChunks(), '3e9\r\n', tooLarge],
    ['chunks beyond the limit together', inChunks(), `3e8\r\n${'a'.repeat(1_000)}\r\n1\r\n`, tooLarge],
    ['a size of many digits', inChunks(), 'fffffffff\r\n', bad(SIZE)],
    ['a size that is none', inChunks(), 'xyz\r\n', bad(SIZE)],
    ['a size with a sign', inChunks(), '-1\r\n', bad(SIZE)],
    ['no size', inChunks(), '\r\n', bad(SIZE)],
    ['a line that ends with LF alone', inChunks(), '1\na\r\n0\r\n\r\n', bad(SIZE)],
    ['a control character in an extension', inChunks(), '1;\x01\r\n', bad(SIZE)],
    [
      'a chunk that is longer than announced',
      inChunks(),
      '1\r\nab\r\n',
      bad('a chunk of the body is longer than announced'),
    ],
    ['a trailer that is none', inChunks(), '0\r\nno trailer\r\n', bad('a trailer is not a name, a colon and a value')],
    ['a line that is too long by one', inChunks(), `1;${'a'.repeat(1_023)}\r\n`, bad(LINES)],
    ['a line without an end', inChunks(), '0'.repeat(2_000), bad(LINES)],
    ['trailers without an end', inChunks(), `0\r\n${`X: ${'a'.repeat(900)}\r\n`.repeat(30)}`, bad(LINES)],
  ])('%s', (_name, body, text, problem) => {
    feed(body, text)
    expect([body.problem, body.isComplete]).toEqual([problem, false])
  })

  test.each([
    ['of a length', ofLength(3), 'ab'],
    ['in chunks', inChunks(), '3\r\nabc\r\n'],
  ])('what ends too early: %s', (_name, body, text) => {
    feed(body, text)
    expect(body.problem).toBeUndefined()
    body.end()
    expect(body.problem).toEqual(bad('the body ends before it is complete'))
  })

  test('no random bytes make it fail in another way', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), sizes, (text, cuts) => {
        const body = inChunks()
        feed(body, text, cuts)
        expect(body.kept).toBeLessThanOrEqual(MAX)
      }),
    )
  })
})
