// Streamed bodies over real sockets: framing, order, and sources that fail.
import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { open as openTo, readUntilClosed } from '../../../test/support/wire.ts'
import { type HttpResponse, type Streamed, textResponse } from '../exchange.ts'
import { listenWire, type WireServer } from './server.ts'

const servers: WireServer[] = []
const failures: unknown[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.terminate()
  failures.length = 0
})

function start(body: Streamed, status = 200): WireServer {
  const server = listenWire(
    {
      respond: ({ path }): HttpResponse =>
        path === '/s' ? { status, head: 'X: 1\r\n', body } : textResponse(200, {}, path),
      refuse: ({ kind }) => textResponse(400, {}, kind),
      onFailure: (error, { path }) => failures.push(`${path}: ${error instanceof Error ? error.message : error}`),
    },
    { host: '127.0.0.1', port: 0 },
  )
  servers.push(server)
  return server
}

const get = (path: string, ...fields: string[]) => [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n')
const STREAM_AND_CLOSE = get('/s', 'Connection: close')

function request(server: WireServer, text: string): Socket {
  const socket = openTo(server.url)
  socket.write(text)
  return socket
}
/** Everything that is sent back, without the dates. */
const received = async (server: WireServer, text: string) =>
  (await readUntilClosed(request(server, text))).replaceAll(/Date: .*\r\n/g, '')

/** What happened to a source. */
type Life = { pulled: number; ended: Promise<void> }
/** Yields each chunk in a later turn. */
function source(next: (pulled: number) => string | undefined): [Streamed['chunks'], Life] {
  const { promise, resolve } = Promise.withResolvers<void>()
  const life: Life = { pulled: 0, ended: promise }
  async function* chunks() {
    try {
      for (let at = 0, chunk = next(0); chunk !== undefined; chunk = next(++at)) {
        life.pulled++
        await Bun.sleep(0)
        yield Buffer.from(chunk)
      }
    } finally {
      resolve()
    }
  }
  return [chunks, life]
}
const sourceOf = (...all: string[]) => source((pulled) => all[pulled])

const HEAD = 'HTTP/1.1 200 OK\r\nX: 1\r\n'
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n`
const CLOSE = 'Connection: close\r\n\r\n'

describe('framing', () => {
  const words = ['Hello, ', '', 'world', '!'.repeat(26)]
  const [chunks] = sourceOf(...words)
  const trailers = () => ({ 'X-Sum': '38', 'X-End': 'yes' })
  const old = 'GET /s HTTP/1.0\r\n\r\n'
  const oldKept = 'GET /s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'
  const body = words.join('')
  const inChunks = `7\r\nHello, \r\n5\r\nworld\r\n1a\r\n${words[3]}\r\n0\r\n`

  test.each<[name: string, body: Omit<Streamed, 'chunks'>, sent: string, response: string]>([
    ['a known length', { length: 38 }, STREAM_AND_CLOSE, `${HEAD}Content-Length: 38\r\n${CLOSE}${body}`],
    ['an unknown length', { length: undefined }, STREAM_AND_CLOSE, `${CHUNKED}${CLOSE}${inChunks}\r\n`],
    [
      'trailers',
      { length: undefined, trailers, trailerNames: ['X-Sum', 'X-End'] },
      STREAM_AND_CLOSE,
      `${CHUNKED}Trailer: X-Sum, X-End\r\n${CLOSE}${inChunks}X-Sum: 38\r\nX-End: yes\r\n\r\n`,
    ],
    [
      'a known length, to HTTP/1.0 that stays',
      { length: 38 },
      oldKept + old,
      `${HEAD}Content-Length: 38\r\nConnection: keep-alive\r\n\r\n${body}${HEAD}Content-Length: 38\r\n${CLOSE}${body}`,
    ],
    [
      'an unknown length, to HTTP/1.0, which must not stay',
      { length: undefined, trailers, trailerNames: ['X-Sum'] },
      oldKept + get('/after'),
      `${HEAD}${CLOSE}${body}`,
    ],
  ])('%s', async (_name, framing, sent, response) => {
    expect(await received(start({ ...framing, chunks }), sent)).toBe(response)
    expect(failures).toEqual([])
  })

  test.each([
    ['a known length', 38, 'Content-Length: 38\r\n'],
    ['an unknown length', undefined, 'Transfer-Encoding: chunked\r\n'],
  ])('HEAD gets the headers of GET, and nothing is pulled: %s', async (_name, length, line) => {
    const [chunks, life] = sourceOf(...words)
    const requests = get('/s').replace('GET', 'HEAD') + get('/after', 'Connection: close')
    expect(await received(start({ length, chunks }), requests)).toBe(
      `${HEAD}${line}\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n${CLOSE}/after`,
    )
    expect(life.pulled).toBe(0)
  })

  test('a 304 has no body either', async () => {
    const [chunks, life] = sourceOf(...words)
    const response = await received(start({ length: 38, chunks }, 304), STREAM_AND_CLOSE)
    expect([response, life.pulled]).toEqual([`HTTP/1.1 304 Not Modified\r\nX: 1\r\n${CLOSE}`, 0])
  })

  test('trailers are read after the last chunk', async () => {
    const [chunks, life] = sourceOf(...words)
    const pulled = () => ({ Pulled: String(life.pulled) })
    expect(await received(start({ length: undefined, chunks, trailers: pulled }), STREAM_AND_CLOSE)).toEndWith(
      '0\r\nPulled: 4\r\n\r\n',
    )
  })
})

test('requests before, between and after streams get their responses in order', async () => {
  const [chunks] = sourceOf('ab', 'cd')
  const requests = get('/1') + get('/s') + get('/2') + get('/s') + get('/s') + get('/3', 'Connection: close')
  const responses = (await received(start({ length: undefined, chunks }), requests)).split(/HTTP\/1\.1 200 OK\r\n/)
  const bodies = responses.slice(1).map((response) => response.slice(response.indexOf('\r\n\r\n') + 4))
  const streamed = '2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n'
  expect(bodies).toEqual(['/1', streamed, '/2', streamed, streamed, '/3'])
})

describe('cut off', () => {
  test.each<[name: string, length: number | undefined, next: (pulled: number) => string | undefined, why: string]>([
    ['by a source that throws, of a known length', 9, (pulled) => (pulled < 2 ? 'abc' : fail()), 'source broke'],
    ['by a source that throws, chunked', undefined, (pulled) => (pulled < 2 ? 'abc' : fail()), 'source broke'],
    ['by a source that throws at once', 9, () => fail(), 'source broke'],
    ['when there is more than was announced', 7, () => 'abc', 'a body of 7 bytes has 9 or more'],
    ['when there is less than was announced', 7, (n) => (n < 2 ? 'abc' : undefined), 'a body of 7 bytes has only 6'],
  ])('%s: the client is reset, and the error reported', async (_name, length, next, why) => {
    const [chunks, life] = source(next)
    const socket = request(start({ length, chunks }), get('/s') + get('/after'))
    const reset = once(socket, 'error').catch((error) => error)
    const all = await readUntilClosed(socket)
    await life.ended
    expect((await reset)[0].code).toBe('ECONNRESET')
    expect([all.includes('/after'), all.endsWith('0\r\n\r\n'), failures]).toEqual([false, false, [`/s: ${why}`]])
  })
})

function fail(): never {
  throw new Error('source broke')
}
