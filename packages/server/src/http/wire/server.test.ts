// The server over real sockets: requests in any pieces, slow readers, timeouts and shutdown.
import { afterEach, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { PassingTime } from '../../../../../test/support/passing-time.ts'
import { open as openTo, readUntilClosed } from '../../../../../test/support/wire.ts'
import type { LogEvent } from '../../base/log.ts'
import { type HttpResponse, textResponse } from '../exchange.ts'
import { Metrics } from '../observation/metrics.ts'
import { type ListenOptions, listenWire, TIMEOUTS, type WireServer } from './server.ts'

const servers: WireServer[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.terminate()
})

const LARGE = new Uint8Array(8 << 20).fill(0x61)

function start(options: Partial<ListenOptions> = {}): WireServer {
  const server = listenWire(
    {
      respond: ({ method, path, query }): HttpResponse =>
        path === '/large'
          ? { status: 200, head: '', body: LARGE }
          : textResponse(path === '/overloaded' ? 503 : 200, { 'X-Path': path }, `${method} ${path} ${query}`),
      refuse: ({ kind }) => textResponse(400, {}, kind),
    },
    { host: '127.0.0.1', port: 0, ...options },
  )
  servers.push(server)
  return server
}

const request = (path: string, ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n')

const open = (server: WireServer, options = {}): Socket => openTo(server.url, options)
const event = (socket: Socket, name: string) => new Promise((resolve) => socket.once(name, resolve))

const bodies = (all: string) => [...all.matchAll(/(?:GET|HEAD|POST) \/[^ ]* [^H]*/g)].map(([body]) => body)

describe('requests', () => {
  test('in pieces, cut at every place', async () => {
    const text = request('/a?b=1') + request('/c', 'Connection: close')
    const server = start()
    for (let cut = 1; cut < text.length; cut++) {
      const socket = open(server)
      socket.write(text.slice(0, cut))
      await new Promise((resolve) => setImmediate(resolve))
      socket.write(text.slice(cut))
      expect(bodies(await readUntilClosed(socket))).toEqual(['GET /a b=1', 'GET /c '])
    }
  })

  test('a thousand at once get their responses in order', async () => {
    const socket = open(start())
    const paths = Array.from({ length: 1_000 }, (_, n) => `/${n}`)
    socket.write(paths.map((path) => request(path)).join('') + request('/end', 'Connection: close'))
    expect(bodies(await readUntilClosed(socket))).toEqual([...paths, '/end'].map((path) => `GET ${path} `))
  })

  test('an empty line before a request is ignored', async () => {
    const socket = open(start())
    socket.write(`\r\n${request('/a')}\r\n${request('/b', 'Connection: close')}`)
    expect(bodies(await readUntilClosed(socket))).toEqual(['GET /a ', 'GET /b '])
  })

  test('a client that stops sending still gets all its responses', async () => {
    const socket = open(start(), { allowHalfOpen: true })
    socket.pause()
    socket.end(request('/a') + request('/large') + request('/b'))
    await event(socket, 'finish')
    const all = await readUntilClosed(socket)
    expect([all.length > LARGE.length, bodies(all.replaceAll(/a{1000,}/g, ''))]).toEqual([true, ['GET /a ', 'GET /b ']])
  })

  test('a client that stops sending in the middle of a request gets a refusal', async () => {
    const socket = open(start(), { allowHalfOpen: true })
    socket.end(`${request('/a')}GET /b HT`)
    expect(await readUntilClosed(socket)).toEndWith('Connection: close\r\n\r\nbad-request')
  })

  test('more than are read at once all get a response', async () => {
    const socket = open(start())
    const paths = Array.from({ length: 40_000 }, (_, n) => `/${n}?${'x'.repeat(40)}`)
    socket.write(paths.map((path) => request(path)).join('') + request('/end', 'Connection: close'))
    const all = await readUntilClosed(socket)
    expect([all.split('HTTP/1.1 200 OK').length - 1, all.endsWith('GET /end ')]).toEqual([40_001, true])
  })

  test('in the middle of others, what is before it gets a response and what is after it does not', async () => {
    const socket = open(start())
    socket.write(`${request('/a')}garbage\r\n\r\n${request('/b')}`)
    const all = await readUntilClosed(socket)
    expect([bodies(all), all.endsWith('bad-request')]).toEqual([['GET /a '], true])
  })

  test('one that is refused for lack of room is the last: the next ones would be refused too', async () => {
    const socket = open(start())
    socket.write(request('/a') + request('/overloaded') + request('/b'))
    const all = await readUntilClosed(socket)
    expect(bodies(all)).toEqual(['GET /a ', 'GET /overloaded '])
    expect(all).toMatch(/503 Service Unavailable(?:.|\r\n)*Connection: close/)
    expect(all.match(/Connection: close/g)).toHaveLength(1)
  })
})

describe('the last response', () => {
  const MEGABYTE = Buffer.alloc(1 << 20, 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n')

  // A server that just closes resets the connection, and the client never sees why.
  test.each([
    ['to a request with a body', request('/a', 'Content-Length: 999999999'), 'GET /a '],
    ['to what is not HTTP', 'garbage\r\n\r\n', 'bad-request'],
    ['to a client that wants no more', request('/a', 'Connection: close'), 'GET /a '],
  ])('%s is not lost, although the client is still sending', async (_name, first, body) => {
    const socket = open(start())
    socket.pause()
    socket.write(first)
    await event(socket, 'readable')
    for (let sent = 0; sent < 20; sent++) await new Promise((resolve) => socket.write(MEGABYTE, resolve))
    const all = await readUntilClosed(socket)
    expect([all.split('HTTP/1.1 ').length - 1, all.endsWith(`\r\n\r\n${body}`)]).toEqual([1, true])
  })
})

describe('responses', () => {
  test('a slow reader gets all of a large response, and of the many after it', async () => {
    const socket = open(start())
    socket.write(request('/large') + request('/many').repeat(5_000) + request('/after', 'Connection: close'))
    let length = 0
    let last = ''
    for await (const chunk of socket) {
      length += (chunk as Buffer).length
      last = (chunk as Buffer).toString('latin1').slice(-40)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(length).toBeGreaterThan(LARGE.length)
    expect(last).toEndWith('GET /after ')
  })
})

describe('timeouts', () => {
  /** A server, and the time that passes there. */
  function timed() {
    const [metrics, time] = [new Metrics(), new PassingTime()]
    const server = start({ metrics })
    return { server, metrics, time, [Symbol.dispose]: () => time[Symbol.dispose]() }
  }
  const { requestMilliseconds, idleMilliseconds } = TIMEOUTS
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await Bun.sleep(1)
  }

  test('an idle connection is closed in an orderly way, and no sooner', async () => {
    using idle = timed()
    const socket = open(idle.server)
    await until(() => idle.metrics.connections === 1)
    idle.time.pass(idleMilliseconds - 10_000)
    expect(idle.metrics.connections).toBe(1)
    idle.time.pass(10_001)
    expect(await readUntilClosed(socket)).toBe('')
  })

  test('a request that does not arrive whole gets a response and is closed, although its client keeps sending', async () => {
    using begun = timed()
    const socket = open(begun.server)
    const all = readUntilClosed(socket)
    socket.write('GET / HTTP/1.1\r\n')
    for (const chunks of [1, 2, 3]) {
      await until(() => begun.server.chunksReceived === chunks)
      begun.time.pass(requestMilliseconds / 3 + 1)
      socket.write('X-Drip: 1\r\n')
    }
    expect(await all).toEndWith('Connection: close\r\n\r\nrequest-timeout')
  })

  test('the beginning of a request behind others gets one too, an idle connection none', async () => {
    using both = timed()
    const [begun, idle] = [open(both.server), open(both.server)]
    begun.write(`${request('/a')}GET /b`)
    idle.write(request('/a'))
    await Promise.all([event(begun, 'readable'), event(idle, 'readable')])
    both.time.pass(idleMilliseconds + 1)
    const [all, alone] = await Promise.all([readUntilClosed(begun), readUntilClosed(idle)])
    expect([bodies(all), all.endsWith('request-timeout')]).toEqual([['GET /a '], true])
    expect(alone).toEndWith('GET /a ')
  })

  test('a client that does not read is cut off', async () => {
    using slow = timed()
    const socket = open(slow.server)
    const all = readUntilClosed(socket)
    socket.pause()
    socket.write(request('/large').repeat(10))
    await until(() => slow.server.chunksReceived > 0)
    await slow.time.passUntil(() => slow.metrics.connections === 0, requestMilliseconds + 1)
    socket.resume()
    expect((await all).length).toBeLessThan(LARGE.length * 10)
  })

  test('a client that does not close after the last response is closed', async () => {
    using last = timed()
    const socket = open(last.server, { allowHalfOpen: true })
    socket.write(request('/a', 'Connection: close'))
    socket.resume()
    await event(socket, 'end')
    expect(last.metrics.connections).toBe(1)
    last.time.pass(requestMilliseconds + 1)
    await last.server.allClosed()
    socket.destroy()
  })
})

describe('connections beyond the limit', () => {
  test('get a 503 and are closed, are counted and logged, and those within it go on', async () => {
    const [metrics, events]: [Metrics, LogEvent[]] = [new Metrics(), []]
    const server = start({ maxConnections: 2, metrics, log: (one) => events.push(one) })
    const within = [open(server), open(server)]
    for (const socket of within) await event(socket, 'connect')
    while (metrics.connections < 2) await Bun.sleep(1)
    const beyond = Array.from({ length: 40 }, () => open(server))
    for (const socket of beyond) {
      const response = await readUntilClosed(socket)
      expect(response).toStartWith('HTTP/1.1 400 Bad Request\r\n')
      expect(response).toEndWith('Connection: close\r\n\r\noverloaded')
    }
    expect([metrics.connections, metrics.refused.connections]).toEqual([2, 40])
    within[0]?.write(request('/a', 'Connection: close'))
    expect(await readUntilClosed(within[0] as Socket)).toEndWith('GET /a ')
    while (metrics.connections === 2) await Bun.sleep(1)
    const next = open(server)
    next.write(request('/b', 'Connection: close'))
    expect(await readUntilClosed(next)).toEndWith('GET /b ')
    while (events.length === 0) await Bun.sleep(20)
    expect(events.map(({ event, level, count }) => [event, level, count])).toEqual([
      ['connections-refused', 'warn', 40],
    ])
  })

  test('that send a request at once see why they are refused', async () => {
    const server = start({ maxConnections: 1 })
    const first = open(server)
    first.write(request('/a'))
    await event(first, 'readable')
    const socket = open(server)
    socket.write(request('/b'))
    expect(await readUntilClosed(socket)).toEndWith('overloaded')
  })

  test('a limit that the descriptors do not allow is lowered, and logged', () => {
    const events: LogEvent[] = []
    start({ maxConnections: Number.MAX_SAFE_INTEGER, log: (one) => events.push(one) })
    expect(events.map(({ event }) => event)).toEqual(['max-connections-lowered'])
  })
})

describe('shutdown', () => {
  test('requests that came while responses were paused all get a response, however many they are', async () => {
    const server = start()
    server.pauseResponses()
    const socket = open(server)
    socket.write(request('/large') + request('/many').repeat(5_000) + request('/after', 'Connection: close'))
    while (server.chunksReceived === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    server.resumeResponses()
    expect(await readUntilClosed(socket)).toEndWith('GET /after ')
  })

  test('while draining, every response has Connection: close and ends its connection', async () => {
    const server = start()
    const socket = open(server)
    socket.write(request('/a'))
    await event(socket, 'readable')
    server.startDraining()
    socket.write(request('/b'))
    expect(await readUntilClosed(socket)).toContain('Connection: close\r\n\r\nGET /b ')
  })

  test('idle connections are closed, and then none is left', async () => {
    const server = start()
    const socket = open(server)
    socket.write(request('/a'))
    await event(socket, 'readable')
    server.stopAccepting()
    server.closeIdle()
    await readUntilClosed(socket)
    await server.allClosed()
  })
})

test('a client has 15 seconds for a request, and 75 until the next', () =>
  expect(TIMEOUTS).toEqual({ requestMilliseconds: 15_000, idleMilliseconds: 75_000 }))
