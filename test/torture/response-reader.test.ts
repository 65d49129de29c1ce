// The reader of the hostile clients accepts what is a response, in any pieces, and nothing else.
import { describe, expect, test } from 'bun:test'
import { type Received, ResponseReader } from './response-reader.ts'

/** Reads bytes in pieces of a length, and then the end of the connection. */
function read(text: string, piece: number, heads: readonly boolean[] = []): Received[] {
  const responses: Received[] = []
  const reader = new ResponseReader(
    () => heads[responses.length] ?? false,
    (response) => responses.push(response),
  )
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += piece) reader.add(bytes.subarray(at, at + piece))
  reader.end()
  return responses
}

const OK = 'HTTP/1.1 200 OK\r\n'
const plain = `${OK}Content-Length: 5\r\n\r\nhello`
const chunked = `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nRepr-Digest: a\r\n\r\n`
const toHead = `${OK}Content-Length: 5\r\n\r\n`
const unchanged = 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'
const untilClosed = `${OK}Connection: close\r\n\r\nhello`

describe.each([1, 7, 1_000])('in pieces of %i bytes', (piece) => {
  test('responses of all kinds, one behind the other', () => {
    const responses = read(plain + toHead + chunked + unchanged + untilClosed, piece, [false, true])
    expect(responses.map(({ status, body, last }) => [status, body?.toString(), last])).toEqual([
      [200, 'hello', false],
      [200, '', false],
      [200, 'hello', false],
      [304, '', false],
      [200, 'hello', true],
    ])
  })

  test.each([
    ['half a head', 'HTTP/1.1 200 OK\r\nConte'],
    ['half a body', plain.slice(0, -1)],
    ['half a chunk', chunked.slice(0, 60)],
    ['no trailer', chunked.slice(0, -2)],
    ['another protocol', 'HTTP/2 200 OK\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a header twice', `${OK}Content-Length: 0\r\ncontent-length: 0\r\n\r\n`],
    ['a bare line feed', `${OK}Content-Length: 0\nA: b\r\n\r\n`],
    ['no length', `${OK}A: b\r\n\r\n`],
    ['a length that is none', `${OK}Content-Length: -1\r\n\r\n`],
    ['a length and chunks', `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello`],
    ['a chunk longer than it says', chunked.replace('3\r\nhel', '2\r\nhel')],
    ['the size of a chunk in words', chunked.replace('3\r\n', 'three\r\n')],
    ['bytes after the last response', `${plain}!`],
  ])('%s is refused', (_, text) => expect(() => read(text, piece)).toThrow())
})
