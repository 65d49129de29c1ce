// Streams to clients that are slow, and from a server that shuts down: over real sockets and a fake one.
import { afterEach, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import type { Socket as BunSocket } from 'bun'
import { FakeSocket } from '../../../../../test/support/fake-socket.ts'
import { PassingTime } from '../../../../../test/support/passing-time.ts'
import { serverState } from '../../../../../test/support/server-state.ts'
import { open, readUntilClosed } from '../../../../../test/support/wire.ts'
import { type HttpResponse, type Streamed, textResponse } from '../exchange.ts'
import { Connection } from './connection.ts'
import { listenWire, TIMEOUTS, type WireServer } from './server.ts'

const servers: WireServer[] = []
const failures: unknown[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.terminate()
  failures.length = 0
})

function start(body: Streamed): WireServer {
  const server = listenWire(
    {
      respond: ({ path }): HttpResponse =>
        path === '/s' ? { status: 200, head: '', body } : textResponse(200, {}, path),
      refuse: ({ kind }) => textResponse(400, {}, kind),
      onFailure: (error) => failures.push(error),
    },
    { host: '127.0.0.1', port: 0 },
  )
  servers.push(server)
  return server
}

const get = (path: string, ...fields: string[]) => [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n')
const STREAM_AND_CLOSE = get('/s', 'Connection: close')

function request(server: WireServer, text: string): Socket {
  const socket = open(server.url)
  socket.write(text)
  return socket
}

const CHUNK = new Uint8Array(1 << 16).fill(0x61)
/** Far more chunks than the kernel buffers for a connection. */
const MANY = 1_000

/** The history of a source: `returned` is true if it was returned before its end. */
type Life = { pulled: number; returned: boolean; ended: Promise<void> }

function large(max = MANY): [Streamed['chunks'], Life] {
  const { promise, resolve } = Promise.withResolvers<void>()
  const life: Life = { pulled: 0, returned: true, ended: promise }
  async function* chunks() {
    try {
      for (; life.pulled < max; await Bun.sleep(0)) {
        life.pulled++
        yield CHUNK
      }
      life.returned = false
    } finally {
      resolve()
    }
  }
  return [chunks, life]
}

/** Resolves when the server has stopped pulling because nobody reads. */
async function stalled(life: Life): Promise<void> {
  for (let quiet = 0, last = 0; quiet < 20; last = life.pulled) {
    await Bun.sleep(5)
    quiet = life.pulled === last && last > 0 ? quiet + 1 : 0
  }
}

describe('the pace', () => {
  test('is that of the reader: what it does not take is not pulled, and in the end it gets everything', async () => {
    const [chunks, life] = large()
    const socket = request(start({ length: MANY * CHUNK.length, chunks }), STREAM_AND_CLOSE).pause()
    await stalled(life)
    const pulled = life.pulled
    expect(pulled).toBeWithin(1, MANY / 2)
    await Bun.sleep(100)
    expect(life.pulled).toBe(pulled)
    expect((await readUntilClosed(socket)).length).toBeGreaterThan(MANY * CHUNK.length)
    expect([life.pulled, life.returned, failures]).toEqual([MANY, false, []])
  })

  test('of a source may be slower than the timeout of a client', async () => {
    using time = new PassingTime()
    const chunks = async function* () {
      for (const chunk of ['a', 'b']) {
        for (let turn = 0; turn < 3; turn++) {
          time.pass(TIMEOUTS.idleMilliseconds + 1)
          await Bun.sleep(1)
        }
        yield Buffer.from(chunk)
      }
    }
    expect(await readUntilClosed(request(start({ length: 2, chunks }), STREAM_AND_CLOSE))).toEndWith('\r\n\r\nab')
  })

  test('of a client that takes nothing is timed out', async () => {
    using time = new PassingTime()
    const [chunks, life] = large()
    const server = start({ length: MANY * CHUNK.length, chunks })
    const socket = request(server, STREAM_AND_CLOSE).pause()
    let isOver = false
    void life.ended.then(() => {
      isOver = true
    })
    await stalled(life)
    await time.passUntil(() => isOver, TIMEOUTS.requestMilliseconds + 1)
    await server.allClosed()
    expect([life.returned, failures]).toEqual([true, []])
    socket.destroy()
  })
})

describe('byte by byte', () => {
  function responding(body: HttpResponse['body'], takes: () => number): [FakeSocket, Connection] {
    const socket = new FakeSocket(takes)
    const respond = (): HttpResponse => ({ status: 200, head: '', body })
    const state = serverState({ respond, refuse: respond })
    const connection = new Connection(state, socket as unknown as BunSocket<Connection>)
    connection.receive(Buffer.from(get('/a')))
    return [socket, connection]
  }

  test('a chunk is pulled only when all of the one before it is taken', async () => {
    let pulled = 0
    const chunks = async function* () {
      while (pulled < 3) yield Buffer.from(String(pulled++).repeat(100))
    }
    const [socket, connection] = responding({ length: 300, chunks }, () => 30)
    const body = () => socket.sent.split('\r\n\r\n')[1] ?? ''
    for (let turn = 0; body().length < 300 && turn < 50; turn++) {
      await Bun.sleep(0)
      expect(pulled).toBeLessThanOrEqual(Math.floor(body().length / 100) + 1)
      connection.drain()
    }
    expect(body()).toBe('0'.repeat(100) + '1'.repeat(100) + '2'.repeat(100))
  })

  test('a client that has taken anything is not timed out, although the socket has not called for more', () => {
    let takes = 0
    const [socket, connection] = responding(CHUNK, () => takes)
    takes = 1
    connection.timeOut()
    expect([socket.sent, socket.cut]).toEqual(['H', false])
    takes = 0
    connection.timeOut()
    expect([socket.sent, socket.cut]).toEqual(['H', true])
  })
})

describe('shutdown', () => {
  test('lets a stream go on that has begun, and its connection is busy until its end', async () => {
    const [chunks, life] = large()
    const server = start({ length: MANY * CHUNK.length, chunks })
    const socket = request(server, get('/s')).pause()
    await stalled(life)
    server.startDraining()
    server.pauseResponses()
    server.stopAccepting()
    server.closeIdle()
    server.resumeResponses()
    expect(server.busy()).toBe(true)
    const all = readUntilClosed(socket)
    while (server.busy()) await Bun.sleep(5)
    server.closeIdle()
    const text = await all
    expect([text.length > MANY * CHUNK.length, text.includes('Connection: close')]).toEqual([true, false])
  })

  test('makes a stream the last that has not begun', async () => {
    const server = start({ length: CHUNK.length, chunks: large(1)[0] })
    server.startDraining()
    const all = await readUntilClosed(request(server, get('/s') + get('/after')))
    expect(all).toEndWith(`Connection: close\r\n\r\n${'a'.repeat(CHUNK.length)}`)
  })
})
