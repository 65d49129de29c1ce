// A hostile server, to verify: whatever it sends, the report has words for people, soon and in bounded memory.
import { describe, expect, spyOn, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { compareServers } from '../../packages/verify/src/compare.ts'
import { collections } from '../../packages/verify/src/contract.ts'
import { ResponseParser } from '../../packages/verify/src/raw-response.ts'
import { textOf } from '../../packages/verify/src/report.ts'
import { verify } from '../../packages/verify/src/verify.ts'

const MAX_MEGABYTES = 400

type Send = (socket: Socket, address: string) => void

/** A server that sends the same to each request. */
async function hostile(send: Send) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => send(socket, url))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Sends a piece again and again, for as long as it is read. */
const endless =
  (head: string, piece: string): Send =>
  (socket) => {
    const bytes = Buffer.from(piece, 'latin1')
    const more = () => {
      while (!socket.destroyed && socket.write(bytes));
    }
    socket.write(head)
    socket.on('drain', more)
    more()
  }

const HEADERS = 'X-Page: 1\r\nX-Per-Page: 10\r\nX-Total: 999999999999999\r\nX-Total-Pages: 99999999999999\r\n'
const page =
  (body: string, fields = HEADERS): Send =>
  (socket) =>
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )

const LARGE = 1 << 20
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

/** With the words of the report; two servers that send the same are compared in some cases, too. */
const cases: readonly (readonly [what: string, send: Send, words: string, both?: true])[] = [
  ['a body without end', endless('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(1 << 16)), 'a body of more than 16 MB'],
  [
    'chunks of one byte without end',
    endless(CHUNKED, '1\r\nx\r\n'.repeat(10_000)),
    'a body of more than 100000 chunks',
  ],
  ['trailers without end', endless(`${CHUNKED}0\r\n`, 'a: b\r\n'.repeat(10_000)), 'it sent more than was read'],
  [
    'headers without end',
    endless('HTTP/1.1 200 OK\r\n', 'a: b\r\n'.repeat(10_000)),
    'headers of more than 65536 bytes',
  ],
  [
    'interim responses without end',
    endless('', 'HTTP/1.1 100 Continue\r\n\r\n'),
    'more than 10 responses of status 1xx',
  ],
  ['brackets', page('['.repeat(LARGE)), 'bytes that begin "[[[['],
  ['nested lists', page(`${'['.repeat(LARGE)}${']'.repeat(LARGE)}`), 'bytes that begin "[[[['],
  ['nested objects', page(`[${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}]`), 'bytes that begin "[{'],
  ['thousands of records', page(`[${'{},'.repeat(1e5)}{}]`), '100001 records', true],
  ['a string of quotes', page(`["${'\\"'.repeat(LARGE)}"]`), 'record 1: record is'],
  ['blanks in a header', page('[]', `${HEADERS}X-Blank: a${' '.repeat(50_000)}b\r\n`), '0 records'],
  ['blanks and a line end in a header', page('[]', `X-Blank: ${' '.repeat(50_000)}\ra\r\n`), 'the header line'],
  ['pages that lead to themselves', page('[]', `${HEADERS}Link: <http://x/?page=1>; rel="next"\r\n`), 'Link'],
  [
    'redirects to itself',
    (socket, address) =>
      socket.write(`HTTP/1.1 301 Moved\r\nLocation: ${address}/api/v1/paises\r\nContent-Length: 0\r\n\r\n`),
    'status 301, Location: ',
  ],
  [
    'control characters everywhere',
    page(
      '[{"\\u001b[2J":"\\u009b2J\\u202e","constructor":1,"__proto__":2}]',
      `${HEADERS}ETag: \x1b[2J\x9b2J\r\nLink: <\x1b[2J\x9b>; rel="next"\r\nContent-Type: \x07\r\n`,
    ),
    'Content-Type',
    true,
  ],
  [
    'a status line of control characters',
    (socket) => socket.write('\x1b[2J\x9b2J\r\n\r\n', 'latin1'),
    'the status line',
  ],
]

const options = {
  ...{ retries: 0, backoff: 1, rate: undefined, concurrency: 2, deep: false, sample: 1, timeout: 10_000 },
  ...{ collections: collections.filter(({ name }) => name === 'paises'), linkBase: 'http://x', advice: false },
  onProgress: () => {},
}

describe.each(['verify', 'compare'])('%s', (what) => {
  test.each(cases.filter(([, , , both]) => what === 'verify' || both))('%s', async (_, send, words) => {
    await using server = await hostile(send)
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    const text = textOf(
      await (what === 'verify' ? verify(server.url, options) : compareServers(server.url, server.url, options)),
    )
    // What two servers have alike is no difference.
    if (what === 'verify') expect(text).toContain(words)
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e]/u)
    expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(MAX_MEGABYTES)
  })
})

test('a chunked body is parsed once, in however many pieces it comes', () => {
  const chunks = 50_000
  const bytes = Buffer.from(`${CHUNKED}${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`)
  const parser = new ResponseParser(false)
  using searches = spyOn(Buffer.prototype, 'indexOf')
  let parsed: ReturnType<typeof parser.parse> = ''
  for (let end = 0; typeof parsed === 'string'; end += 1_000) parsed = parser.parse(bytes.subarray(0, end), false)
  expect([parsed.body.length, parsed.length]).toEqual([chunks, bytes.length])
  expect(searches.mock.calls.length).toBeLessThan(5 * chunks)
})
