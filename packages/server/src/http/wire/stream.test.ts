// Streamed bodies over real sockets: framing, order, and sources that fail.
import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Socket as BunSocket } from 'bun'
import { FakeSocket } from '../../../../../test/support/fake-socket.ts'
import { serverState } from '../../../../../test/support/server-state.ts'
import { open as openTo, readUntilClosed } from '../../../../../test/support/wire.ts'
import { type HttpResponse, type Streamed, textResponse } from '../exchange.ts'
import { Budget, DEFAULT_BUDGET } from '../limits/budget.ts'
import { Metrics } from '../observation/metrics.ts'
import { Connection } from './connection.ts'
import { listenWire, type WireServer } from './server.ts'
import { Turns } from './turns.ts'

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

/** The history of a source. */
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
  const old = 'GET /s HTTP/1.0\r\n\r\n'
  const oldKept = 'GET /s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'
  const body = words.join('')
  const inChunks = `7\r\nHello, \r\n5\r\nworld\r\n1a\r\n${words[3]}\r\n0\r\n`

  test.each<[name: string, body: Omit<Streamed, 'chunks'>, sent: string, response: string]>([
    ['a known length', { length: 38 }, STREAM_AND_CLOSE, `${HEAD}Content-Length: 38\r\n${CLOSE}${body}`],
    ['an unknown length', { length: undefined }, STREAM_AND_CLOSE, `${CHUNKED}${CLOSE}${inChunks}\r\n`],
    [
      'a known length, to HTTP/1.0 that stays',
      { length: 38 },
      oldKept + old,
      `${HEAD}Content-Length: 38\r\nConnection: keep-alive\r\n\r\n${body}${HEAD}Content-Length: 38\r\n${CLOSE}${body}`,
    ],
    [
      'an unknown length, to HTTP/1.0, which must not stay',
      { length: undefined },
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

describe('the place of a stream is given back, and its source is ended', () => {
  const endless = () => source(() => 'abc'.repeat(100_000))
  const short = () => sourceOf('abc')
  const broken = () => source((pulled) => (pulled === 0 ? 'abc' : fail()))
  type Case = { stream: ReturnType<typeof source>; status?: number; limit?: number }

  /** Responds with a promise to /later, which is resolved when the client is gone. */
  function started({ stream: [chunks], status = 200, limit = 9 }: Case) {
    const later = Promise.withResolvers<HttpResponse>()
    const response: HttpResponse = { status, head: '', body: { length: undefined, chunks } }
    const metrics = new Metrics()
    const budget = new Budget({ ...DEFAULT_BUDGET, streamsPerClient: limit }, metrics)
    const respond = ({ path }: { path: string }) => (path === '/later' ? later.promise : response)
    const refuse = ({ kind }: { kind: string }) => textResponse(503, {}, kind)
    const options = { host: '127.0.0.1', port: 0, budget, metrics }
    const server = listenWire({ respond, refuse, onFailure: (error) => failures.push(error) }, options)
    servers.push(server)
    return { server, metrics, resolve: () => later.resolve(response) }
  }

  const noneLeft = async (metrics: Metrics) => {
    while (metrics.streams > 0) await Bun.sleep(1)
    expect([metrics.streams, metrics.unsentBytes]).toEqual([0, 0])
  }

  test.each<[name: string, stream: () => ReturnType<typeof source>, goesAway: boolean]>([
    ['when it was sent whole', short, false],
    ['when its source failed', broken, false],
    ['when the client goes away', endless, true],
  ])('%s', async (_name, stream, goesAway) => {
    const opened = stream()
    const { server, metrics } = started({ stream: opened })
    const socket = request(server, goesAway ? get('/s') : STREAM_AND_CLOSE)
    if (goesAway) {
      await once(socket, 'data')
      socket.destroy()
    }
    await readUntilClosed(socket)
    await server.allClosed()
    await opened[1].ended
    await noneLeft(metrics)
  })

  test.each<[name: string, sent: string, one: Omit<Case, 'stream'>]>([
    ['to HEAD', STREAM_AND_CLOSE.replace('GET', 'HEAD'), {}],
    ['with a 304', STREAM_AND_CLOSE, { status: 304 }],
    ['where there is no place', STREAM_AND_CLOSE, { limit: 0 }],
  ])('none is taken, and nothing pulled, %s', async (_name, sent, one) => {
    const stream = short()
    const { server, metrics } = started({ stream, ...one })
    await received(server, sent)
    await server.allClosed()
    expect(stream[1].pulled).toBe(0)
    await noneLeft(metrics)
  })

  test('none is taken where the client went away before there was a response', async () => {
    const stream = short()
    const { server, metrics, resolve } = started({ stream })
    const socket = request(server, get('/later'))
    while (server.chunksReceived === 0) await Bun.sleep(1)
    socket.resetAndDestroy()
    await server.allClosed()
    resolve()
    // The response is there after this turn of the event loop.
    await Bun.sleep(0)
    expect([metrics.streams, stream[1].pulled]).toEqual([0, 0])
  })

  test('when the server is terminated', async () => {
    const stream = endless()
    const { server, metrics } = started({ stream })
    const socket = request(server, get('/s'))
    await once(socket, 'data')
    expect(metrics.streams).toBe(1)
    server.terminate()
    await stream[1].ended
    await noneLeft(metrics)
    socket.destroy()
  })

  test('the place of a stream that is over is free for the next, and HEAD and a 304 need none', async () => {
    const { server, metrics } = started({ stream: endless(), limit: 1 })
    const first = request(server, get('/s')).pause()
    while (metrics.streams === 0) await Bun.sleep(1)
    expect(await received(server, STREAM_AND_CLOSE)).toEndWith(
      `HTTP/1.1 503 Service Unavailable\r\nContent-Length: 10\r\n${CLOSE}overloaded`,
    )
    expect(await received(server, STREAM_AND_CLOSE.replace('GET', 'HEAD'))).toStartWith('HTTP/1.1 200 OK')
    expect(metrics.refused.streams).toBe(1)
    first.destroy()
    while (metrics.streams === 1) await Bun.sleep(1)
    const next = request(server, get('/s'))
    expect(String(await once(next, 'data'))).toStartWith('HTTP/1.1 200 OK')
    next.destroy()
  })
})

describe('a large chunk', () => {
  const chunk = new Uint8Array(200_000).fill(0x61)
  const chunks = async function* () {
    yield chunk
  }

  /** The writes of a stream to a client that takes nothing but the head. */
  function writesOf(length: number | undefined): Uint8Array[] {
    const writes: Uint8Array[] = []
    const socket = new FakeSocket()
    const write = (bytes: Uint8Array, start: number, count: number) => {
      writes.push(bytes.subarray(start, start + count))
      return writes.length === 1 ? count : 0
    }
    const respond = (): HttpResponse => ({ status: 200, head: '', body: { length, chunks } })
    const state = serverState({ respond, refuse: respond })
    new Connection(state, Object.assign(socket, { write }) as unknown as BunSocket<unknown>).receive(
      Buffer.from(get('/s')),
    )
    return writes
  }

  test.each([
    ['of a known length', chunk.length],
    ['of an unknown length', undefined],
  ])('is sent in slices of at most 64 KiB: %s', async (_name, length) => {
    const writes = writesOf(length)
    await Bun.sleep(5)
    expect(writes.length).toBe(2)
    expect(writes[1]?.length).toBeWithin(1 << 16, (1 << 16) + 32)
  })

  test('is not copied where nothing has to be put around it', async () => {
    const writes = writesOf(chunk.length)
    await Bun.sleep(5)
    expect(writes[1]?.buffer).toBe(chunk.buffer)
  })

  test('reaches the client whole', async () => {
    for (const length of [chunk.length, undefined]) {
      const text = await received(start({ length, chunks }), STREAM_AND_CLOSE)
      expect(text.split('a').length - 1).toBeGreaterThanOrEqual(chunk.length)
      if (length === undefined) expect(text.match(/\r\n[0-9a-f]+\r\n/g)?.length).toBe(5)
    }
  })
})

test('a stream whose source and client never wait leaves turns to others', async () => {
  const slice = Buffer.alloc(1_000)
  const life = { ended: false, others: 0 }
  const chunks = async function* () {
    for (let n = 0; n < 100; n++) {
      for (const end = performance.now() + 0.2; performance.now() < end; );
      yield slice
    }
    life.ended = true
  }
  const respond = (): HttpResponse => ({ status: 200, head: '', body: { length: 100 * slice.length, chunks } })
  const state = { ...serverState({ respond, refuse: respond }), turns: new Turns(1) }
  const socket = new FakeSocket()
  new Connection(state, socket as unknown as BunSocket<unknown>).receive(Buffer.from(get('/s')))
  for (; !life.ended; life.others++) await new Promise((resolve) => setImmediate(resolve))
  expect(life.others).toBeGreaterThan(10)
})
