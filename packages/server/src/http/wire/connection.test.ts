// One connection over a fake socket: however the bytes come and go, the responses are the same.
import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import fc from 'fast-check'
import { FakeSocket } from '../../../../../test/support/fake-socket.ts'
import { serverState } from '../../../../../test/support/server-state.ts'
import { bytesOf } from '../../../../../test/support/wire.ts'
import { type HttpRequest, type HttpResponse, textResponse } from '../exchange.ts'
import type { BudgetLimits } from '../limits/budget.ts'
import { Metrics } from '../observation/metrics.ts'
import { Connection } from './connection.ts'
import type { ServerState } from './server-state.ts'
import { Turns } from './turns.ts'

const LARGE = new Uint8Array(300_000).fill(0x61)
const LARGE_TEXT = Buffer.from(LARGE).toString()

const newState = (): ServerState =>
  serverState({
    respond: ({ method, path, query }): HttpResponse =>
      path === '/large' ? { status: 200, head: '', body: LARGE } : textResponse(200, {}, `${method} ${path} ${query}`),
    refuse: (problem) => textResponse(400, {}, JSON.stringify(problem)),
  })

function opened(socket: FakeSocket, state = newState()): Connection {
  return new Connection(state, socket as unknown as Socket<Connection>)
}

/** Receives the text in a buffer that is overwritten after the turn. */
function receive(connection: Connection, text: string): void {
  const bytes = bytesOf(text)
  connection.receive(bytes)
  bytes.fill(0x58)
}

const request = (path: string, ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n')

const streams = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(request('/a?b'), request('/c', 'X: 1'), '\r\n', request('/large')) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          request('/head').replace('GET', 'HEAD'),
          'GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
          request('/none', 'Content-Length: 0'),
          request('/long', `X: ${'x'.repeat(3_000)}`),
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          request('/body', 'Content-Length: 5'),
          request('/last', 'Connection: close'),
          'GET /bad HTTP/1.1\r\n\r\n',
          'GET /lf HTTP/1.1\nHost: a\n\n',
          'GET /half HTTP/1.1\r\nHo',
          request('/large', `X: ${'x'.repeat(20_000)}`),
        ),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** All that is sent when the whole stream is received at once, and the client takes all of it. */
function sentAtOnce(stream: string): string {
  const socket = new FakeSocket()
  const connection = opened(socket)
  if (stream !== '') receive(connection, stream)
  connection.endInput()
  expect(socket.closed).toBe(true)
  return socket.sent
}

describe('the responses are the same', () => {
  test('in whatever pieces the requests are received', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(streams, cuts, (stream, sizes) => {
        const socket = new FakeSocket()
        const connection = opened(socket)
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          // Small pieces at first, then all the rest.
          const size = sizes[turn] ?? stream.length
          receive(connection, stream.slice(at, at + size))
          at += size
        }
        connection.endInput()
        expect(socket.sent).toBe(sentAtOnce(stream))
        expect(socket.closed).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('in whatever pieces the client takes them', () => {
    const amounts = fc.infiniteStream(fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constant(200_000)))
    fc.assert(
      fc.property(streams, amounts, fc.boolean(), (stream, taken, stopsSending) => {
        const socket = new FakeSocket(() => taken.next().value)
        const connection = opened(socket)
        if (stream !== '') receive(connection, stream)
        if (stopsSending) connection.endInput()
        for (let turn = 0; turn < 5_000; turn++) connection.drain()
        if (!stopsSending) connection.endInput()
        for (let turn = 0; turn < 5_000; turn++) connection.drain()
        expect(socket.sent).toBe(sentAtOnce(stream))
        expect(socket.closed).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a client that does not read', () => {
  const ahead = request('/a').repeat(1_000)

  test('is not read from beyond 16 KiB and the last chunk, until it reads', () => {
    let takes = 0
    const socket = new FakeSocket(() => takes)
    const connection = opened(socket)
    receive(connection, request('/large') + request('/a').repeat(400))
    expect(socket.paused).toBe(false)
    for (let turn = 0; !socket.paused && turn < 100; turn++) receive(connection, ahead)
    expect(socket.paused).toBe(true)
    takes = Number.POSITIVE_INFINITY
    connection.drain()
    expect([socket.paused, socket.sent.split('HTTP/1.1 200 OK').length - 1]).toEqual([false, 1_401])
  })

  test('is read from again after the last response, and ignored', async () => {
    let takes = 0
    const socket = new FakeSocket(() => takes)
    const connection = opened(socket)
    receive(connection, request('/a'))
    receive(connection, request('/last', 'Connection: close') + ahead.repeat(3))
    expect(socket.paused).toBe(true)
    takes = Number.POSITIVE_INFINITY
    connection.drain()
    // The last chunk was large, so the socket is read from again in one of the next turns.
    await new Promise((resolve) => setImmediate(resolve))
    expect([socket.paused, socket.shut, socket.sent.split('HTTP/1.1 200 OK').length - 1]).toEqual([false, true, 2])
  })

  test('is read from a large chunk at a time, and after others that send as much', async () => {
    const sockets = [new FakeSocket(), new FakeSocket()]
    const state = newState()
    for (const socket of sockets) receive(opened(socket, state), request('/a').repeat(4_000))
    // The second has not been looked at yet.
    expect(sockets.map(({ sent }) => sent !== '')).toEqual([true, false])
    const paused = () => sockets.map((socket) => socket.paused)
    expect(paused()).toEqual([true, true])
    const turns: boolean[][] = []
    for (let turn = 0; turn < 50 && paused().includes(true); turn++) {
      await new Promise((resolve) => setImmediate(resolve))
      turns.push(paused())
    }
    expect(turns).toContainEqual([false, true])
    expect(turns.at(-1)).toEqual([false, false])
  })

  test.each([
    ['small responses, of 32 KiB together', 1_000, 33],
    ['large responses, one', LARGE.length, 1],
  ])('is given few: %s', (_name, length, max) => {
    let requests = 0
    const state = newState()
    const respond = (): HttpResponse => {
      requests++
      return { status: 200, head: '', body: LARGE.subarray(0, length) }
    }
    const connection = opened(new FakeSocket(() => 0), { ...state, handler: { ...state.handler, respond } })
    receive(connection, ahead)
    for (let turn = 0; turn < 10; turn++) connection.drain()
    expect(requests).toBeWithin(1, max + 1)
  })
})

describe('the budget', () => {
  /** A server that keeps 100,000 bytes for each client, and sockets that take nothing. */
  function server(limits: Partial<BudgetLimits> = { bytesPerClient: 100_000 }) {
    const metrics = new Metrics()
    const state = { ...serverState(newState().handler, { limits, metrics }) }
    const open = (address: string, takes = () => 0) => {
      const socket = new FakeSocket(takes, address)
      return { socket, connection: opened(socket, state) }
    }
    return { metrics, state, open }
  }
  const all = () => Number.POSITIVE_INFINITY

  test('counts what is kept for clients, and no more when they have taken it or are gone', () => {
    const { metrics, state, open } = server({})
    let takes = 0
    const slow = open('192.0.2.1', () => takes)
    const gone = open('192.0.2.2')
    receive(slow.connection, request('/large') + request('/waits'))
    receive(gone.connection, request('/large'))
    receive(open('192.0.2.3', all).connection, request('/large'))
    expect(metrics.unsentBytes).toBeWithin(2 * LARGE.length, 2 * LARGE.length + 1_000)
    expect(state.budget.clients).toBe(2)
    gone.connection.onClosed()
    expect(metrics.unsentBytes).toBeWithin(LARGE.length, LARGE.length + 1_000)
    takes = Number.POSITIVE_INFINITY
    slow.connection.drain()
    expect([metrics.unsentBytes, state.budget.clients, slow.socket.sent]).toEqual([
      0,
      0,
      sentAtOnce(request('/large') + request('/waits')),
    ])
  })

  test('counts all of a large body until its last byte is taken', () => {
    const { metrics, open } = server({})
    const takes = [1_000, LARGE.length - 1_500, 0]
    const { connection } = open('192.0.2.1', () => takes.shift() ?? 0)
    receive(connection, request('/large'))
    connection.drain()
    expect(metrics.unsentBytes).toBeWithin(LARGE.length, LARGE.length + 1_000)
  })

  test('cuts off a client that has used it up and needs more, and no other', () => {
    const { metrics, open } = server()
    const first = open('192.0.2.1')
    const second = open('192.0.2.1')
    const other = open('192.0.2.2')
    for (const { connection } of [first, second, other]) receive(connection, request('/large'))
    expect([first, second, other].map(({ socket }) => socket.cut)).toEqual([false, true, false])
    expect([metrics.refused.bytes, metrics.unsentBytes >= 2 * LARGE.length]).toEqual([1, true])
  })

  test('leaves those alone who read what they are sent, although their address has used it up', () => {
    const { metrics, open } = server()
    receive(open('192.0.2.1').connection, request('/large'))
    const { socket, connection } = open('192.0.2.1', all)
    receive(connection, request('/a').repeat(100))
    receive(connection, request('/large'))
    expect([socket.cut, socket.sent]).toEqual([false, sentAtOnce(request('/a').repeat(100) + request('/large'))])
    expect(metrics.refused.bytes).toBe(0)
  })

  test('refuses the beginning of a request from an address that has used it up', () => {
    const { metrics, open } = server()
    receive(open('192.0.2.1').connection, request('/large'))
    const { socket, connection } = open('192.0.2.1', all)
    receive(connection, 'GET /a HTTP/1.1\r\nHo')
    expect([socket.sent.includes('"kind":"overloaded"'), socket.shut, metrics.refused.bytes]).toEqual([true, true, 1])
    connection.endInput()
    expect(socket.closed).toBe(true)
  })

  test('is that of the client that the handler names', () => {
    const { metrics, state } = server()
    const handler = { ...state.handler, clientOf: ({ query }: { query: string }) => query }
    const proxied = () => opened(new FakeSocket(() => 0, '192.0.2.9'), { ...state, handler })
    for (const client of ['a', 'b', 'a']) receive(proxied(), request(`/large?${client}`))
    expect([metrics.refused.bytes, state.budget.clients]).toEqual([1, 2])
  })
})

describe('a request that does not arrive in time', () => {
  test.each([
    ['GET', 'GET /a HTTP/1.1\r\nHo', true],
    ['HEAD', 'HEAD /a HTTP/1.1\r\nHo', false],
    ['less than its first line', 'GE', true],
  ])('gets a response, and then the connection is closed: %s', (_name, text, withBody) => {
    const socket = new FakeSocket()
    const connection = opened(socket)
    receive(connection, text)
    connection.timeOut()
    const body = '{"kind":"request-timeout","seconds":15}'
    expect(socket.sent).toEndWith(`Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${withBody ? body : ''}`)
    expect([socket.shut, socket.closed, socket.cut]).toEqual([true, false, false])
    connection.timeOut()
    expect(socket.closed).toBe(true)
  })
})

describe('the time that a client has', () => {
  test('counts from the first byte of a request, and anew from that of the next', () => {
    const state = newState()
    const connection = opened(new FakeSocket(), state)
    const receivedAt = (milliseconds: number, text: string) => {
      state.clock.milliseconds = milliseconds
      receive(connection, text)
      return connection.waitingSince
    }
    expect(receivedAt(100, 'GET /a HT')).toBe(100)
    expect(receivedAt(200, 'TP/1.1\r\nHost: a\r\n')).toBe(100)
    expect(receivedAt(300, '\r\n')).toBe(300)
    expect(receivedAt(400, 'GET')).toBe(400)
  })

  test('is longer by a millisecond for every 64 bytes of a body, but begins no later than now', () => {
    const state = newState()
    const handler = { ...state.handler, maxBody: () => 100_000 }
    const connection = opened(new FakeSocket(), { ...state, handler })
    receive(connection, request('/a', 'Content-Length: 90000').replace('GET', 'POST'))
    state.clock.milliseconds = 1_000
    receive(connection, 'a'.repeat(6_400))
    expect(connection.waitingSince).toBe(100)
    receive(connection, 'a'.repeat(64_000))
    expect(connection.waitingSince).toBe(1_000)
  })

  test('does not end while it is the client that waits', () => {
    const socket = new FakeSocket()
    const connection = opened(socket, { ...newState(), turns: new Turns(0) })
    receive(connection, request('/a').repeat(10))
    const before = socket.sent
    connection.timeOut()
    expect([socket.sent, socket.shut, socket.cut]).toEqual([before, false, false])
  })

  test('ends for one who reads nothing, and not for one who reads something', () => {
    const takes = [1_000, 1_000, 1_000, 0]
    const socket = new FakeSocket(() => takes.shift() ?? 0)
    const connection = opened(socket)
    receive(connection, request('/large'))
    connection.timeOut()
    expect(socket.cut).toBe(false)
    connection.timeOut()
    expect(socket.cut).toBe(true)
  })

  test('ends without a response while responses are paused', () => {
    const socket = new FakeSocket()
    const state = { ...newState(), responsesPaused: true }
    const connection = opened(socket, state)
    receive(connection, 'GET /a HT')
    connection.timeOut()
    expect([socket.sent, socket.cut]).toEqual(['', true])
  })
})

describe('a refusal', () => {
  test.each([
    ['the path, without the query', 'GET /a?b HTTP/1.1', '/a'],
    ['no more than its beginning', `GET /${'a'.repeat(300)} HTTP/1.1`, `/${'a'.repeat(200)}`],
    ['nothing that is no path', 'GET http://a/ HTTP/1.1', '/'],
  ])('repeats %s', (_, line, expected) => {
    const paths: string[] = []
    const state = newState()
    const refuse = (problem: unknown, path: string): HttpResponse => {
      paths.push(path)
      return textResponse(400, {}, JSON.stringify(problem))
    }
    receive(opened(new FakeSocket(), { ...state, handler: { ...state.handler, refuse } }), `${line}\r\n\r\n`)
    expect(paths).toEqual([expected])
  })
})

describe('the connection header', () => {
  const sentFor = (status: number, text: string): string => {
    const state = newState()
    const socket = new FakeSocket()
    const respond = () => textResponse(status, {}, 'a')
    receive(opened(socket, { ...state, handler: { ...state.handler, respond } }), text)
    return /Connection: ([a-z-]+)/.exec(socket.sent)?.[1] ?? ''
  }
  test.each([
    ['is not there where it stays open', 200, request('/a'), ''],
    ['is keep-alive where HTTP/1.0 asks for it', 200, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', 'keep-alive'],
    ['is close where HTTP/1.0 does not', 200, 'GET / HTTP/1.0\r\n\r\n', 'close'],
    ['is close where the service has too much to do', 503, request('/a'), 'close'],
    ['is not there where it has failed', 500, request('/a'), ''],
  ])('%s', (_, status, text, expected) => expect(sentFor(status, text)).toBe(expected))
})

describe('the shortcut', () => {
  /** Records the calls of the shortcut. */
  function shortcutIn(state: ServerState) {
    const calls: string[] = []
    const shortcut = {
      respond: (bytes: Buffer) => {
        calls.push(`respond ${bytes.toString('latin1', 4, 6)}`)
        return 0
      },
      learn: (_: string, { path }: HttpRequest, response: Buffer) =>
        void calls.push(`learn ${path} ${response.toString('latin1', 0, 12)}`),
    }
    return { calls, state: { ...state, shortcut } }
  }

  test.each([
    ['a whole response', request('/a'), ['respond /a', 'learn /a HTTP/1.1 200']],
    ['not from the last response', request('/a', 'Connection: close'), ['respond /a']],
    ['not from a body that is sent from where it is', request('/large'), ['respond /l']],
    ['not from a request that is refused', 'GET /a HTTP/1.1\r\n\r\n', ['respond /a']],
  ])('learns from %s', (_, text, expected) => {
    const { calls, state } = shortcutIn(newState())
    receive(opened(new FakeSocket(), state), text)
    expect(calls).toEqual(expected)
  })

  test('is not used while the service stops', () => {
    const { calls, state } = shortcutIn({ ...newState(), draining: true })
    const socket = new FakeSocket()
    receive(opened(socket, state), request('/a'))
    expect([calls, socket.sent.includes('Connection: close')]).toEqual([[], true])
  })
})

describe('many requests at once', () => {
  test('are spread over turns, in order, and another client is served in between', async () => {
    const served: string[] = []
    const respond = ({ path }: { path: string }): HttpResponse => {
      served.push(path)
      for (const end = performance.now() + 0.5; performance.now() < end; );
      return textResponse(200, {}, path)
    }
    const state = { ...newState(), turns: new Turns(2), handler: { ...newState().handler, respond } }
    const greedy = new FakeSocket()
    const greedyConnection = opened(greedy, state)
    receive(greedyConnection, request('/many').repeat(50) + request('/end', 'Connection: close'))
    expect(served.length).toBeWithin(1, 10)
    expect(greedyConnection.busy).toBe(true)
    const normal = new FakeSocket()
    receive(opened(normal, state), request('/normal'))
    expect(normal.sent).toEndWith('/normal')
    while (greedyConnection.busy) await new Promise((resolve) => setImmediate(resolve))
    expect([served.length, greedy.sent.split('HTTP/1.1 200').length - 1, greedy.sent.endsWith('/end')]).toEqual([
      52,
      51,
      true,
    ])
  })

  test('of a client that goes away are forgotten', async () => {
    const state = { ...newState(), turns: new Turns(0) }
    const socket = new FakeSocket()
    const connection = opened(socket, state)
    receive(connection, request('/a').repeat(10))
    const before = socket.sent
    connection.onClosed()
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect([connection.busy, socket.sent]).toEqual([false, before])
  })
})

describe('a body that is read', () => {
  /** Reads bodies of up to 100 bytes at /read, and repeats them. */
  function reading() {
    const state = newState()
    const respond = ({ method, path, body }: HttpRequest): HttpResponse =>
      textResponse(200, {}, `${method} ${path} ${body === undefined ? 'unread' : Buffer.from(body).toString()}`)
    const maxBody = ({ path }: HttpRequest) => (path === '/read' ? 100 : undefined)
    const socket = new FakeSocket()
    const connection = opened(socket, { ...state, handler: { ...state.handler, respond, maxBody } })
    return { socket, connection }
  }
  const post = (path: string, ...fields: string[]) => request(path, ...fields).replace('GET', 'POST')
  const bodies = (sent: string) => [...sent.matchAll(/\r\n\r\n([A-Z]+ \/[^H]*|\{.*\})/g)].map(([, body]) => body)
  const CHUNKED = 'Transfer-Encoding: chunked'

  test.each([
    ['of a length', `${post('/read', 'Content-Length: 5')}hello`, 'POST /read hello'],
    ['in chunks', `${post('/read', CHUNKED)}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`, 'POST /read hello'],
    ['of no bytes', post('/read', 'Content-Length: 0'), 'POST /read '],
    ['that is not there', post('/read'), 'POST /read '],
  ])('%s is given to the handler, and the next request follows, in whatever pieces', (_name, text, body) => {
    const all = text + request('/next')
    for (let size = 1; size <= all.length; size++) {
      const { socket, connection } = reading()
      for (let at = 0; at < all.length; at += size) receive(connection, all.slice(at, at + size))
      expect(bodies(socket.sent)).toEqual([body, 'GET /next unread'])
      expect([connection.idle, socket.shut]).toEqual([true, false])
    }
  })

  test.each([
    ['another path', post('/other', 'Content-Length: 5'), 'POST /other unread'],
    ['GET', request('/read', 'Content-Length: 5'), 'GET /read unread'],
  ])('is not that of %s: the connection is closed after the response', (_name, head, body) => {
    const { socket, connection } = reading()
    receive(connection, `${head}hello`)
    expect([bodies(socket.sent), socket.shut]).toEqual([[body], true])
  })

  test('is awaited with 100 Continue, where the client wants that', () => {
    const { socket, connection } = reading()
    receive(connection, post('/read', 'Content-Length: 5', 'Expect: 100-continue'))
    expect(socket.sent).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    receive(connection, 'hello')
    expect(bodies(socket.sent)).toEqual(['POST /read hello'])
  })

  test.each([
    ['has arrived with its head', `${post('/read', 'Content-Length: 5', 'Expect: 100-continue')}hel`],
    ['is that of HTTP/1.0', 'POST /read HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n'],
    ['is not awaited', post('/read', 'Content-Length: 5', 'Expect: something')],
  ])('is not awaited with 100 Continue, where it %s', (_, text) => {
    const { socket, connection } = reading()
    receive(connection, text)
    expect(socket.sent).toBe('')
  })

  test.each([
    [
      'too long',
      post('/read', 'Content-Length: 101', 'Expect: 100-continue'),
      '',
      false,
      '{"kind":"content-too-large","max":100}',
    ],
    ['in chunks that are too long', post('/read', CHUNKED), '65\r\n', false, '{"kind":"content-too-large","max":100}'],
    ['in chunks that are none', post('/read', CHUNKED), 'hello\r\n', false, 'hexadecimal'],
    ['too short', post('/read', 'Content-Length: 5'), 'hell', true, 'the body ends before it is complete'],
  ])('is refused if it is %s, and the connection closed', (_name, head, text, ends, problem) => {
    const { socket, connection } = reading()
    receive(connection, head + text)
    if (ends) connection.endInput()
    expect(socket.sent).toStartWith('HTTP/1.1 400 Bad Request\r\n')
    expect(socket.sent).toContain(problem)
    expect([socket.sent.split('HTTP/1.1').length, socket.shut || socket.closed]).toEqual([2, true])
  })

  test('that does not arrive in time gets a response', () => {
    const { socket, connection } = reading()
    receive(connection, `${post('/read', 'Content-Length: 5')}he`)
    expect([connection.busy, connection.idle]).toEqual([true, false])
    connection.timeOut()
    expect(bodies(socket.sent)).toEqual(['{"kind":"request-timeout","seconds":15}'])
  })

  test('counts towards the budget while it is received', () => {
    const metrics = new Metrics()
    const handler = { ...newState().handler, maxBody: () => 100_000 }
    const connection = opened(new FakeSocket(), serverState(handler, { metrics }))
    receive(connection, post('/read', 'Content-Length: 90000') + 'a'.repeat(50_000))
    expect(metrics.unsentBytes).toBeWithin(50_000, 100_001)
    receive(connection, 'a'.repeat(40_000))
    expect(metrics.unsentBytes).toBe(0)
  })

  test.each([
    ['of a length', [post('/read', 'Content-Length: 300000'), LARGE_TEXT]],
    ['in chunks', [post('/read', CHUNKED), '493e0\r\n', LARGE_TEXT, '\r\n0\r\n\r\n']],
  ])('%s that is large is whole, although others wait to be read', async (_name, texts) => {
    const bodies: string[] = []
    const respond = ({ body = new Uint8Array() }: HttpRequest): HttpResponse => {
      bodies.push(Buffer.from(body).toString())
      return textResponse(200, {}, '')
    }
    const state = serverState({ ...newState().handler, respond, maxBody: () => LARGE.length })
    const text = texts.join('')
    const connections = [1, 2, 3].map(() => opened(new FakeSocket(), state))
    for (const cut of [0, 100_000, 200_000])
      for (const connection of connections)
        receive(connection, text.slice(cut, cut === 200_000 ? undefined : cut + 100_000))
    while (connections.some(({ busy }) => busy)) await Bun.sleep(1)
    expect(bodies.map((body) => body === LARGE_TEXT)).toEqual([true, true, true])
  })

  test('is refused when bodies fill half of the budget, those included that wait to be read', () => {
    const handler = { ...newState().handler, maxBody: () => 100_000 }
    const state = serverState(handler, { limits: { bytes: 100_000 } })
    const refused = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => {
      const socket = new FakeSocket(undefined, address)
      receive(opened(socket, state), post('/read', 'Content-Length: 90000') + 'a'.repeat(40_000))
      return socket.sent.includes('"kind":"overloaded"')
    })
    expect(refused).toEqual([false, false, true])
  })
})

describe('while responses are paused', () => {
  test.each([
    ['a client that waits', false],
    ['a client that has stopped sending', true],
  ])('the requests of %s are kept', (_name, stops) => {
    const state = newState()
    const socket = new FakeSocket()
    const connection = opened(socket, state)
    state.responsesPaused = true
    receive(connection, request('/a') + request('/b'))
    if (stops) connection.endInput()
    connection.drain()
    expect([socket.sent, socket.closed]).toEqual(['', false])
    state.responsesPaused = false
    connection.resumeResponses()
    expect(socket.sent).toBe(sentAtOnce(request('/a') + request('/b')))
    expect(socket.closed).toBe(stops)
  })

  test('so are those behind a response that the client takes meanwhile', () => {
    const state = newState()
    let takes = 0
    const socket = new FakeSocket(() => takes)
    const connection = opened(socket, state)
    receive(connection, request('/large') + request('/after'))
    state.responsesPaused = true
    takes = Number.POSITIVE_INFINITY
    connection.drain()
    expect(socket.sent).toBe(sentAtOnce(request('/large')))
    state.responsesPaused = false
    connection.resumeResponses()
    expect(socket.sent).toBe(sentAtOnce(request('/large') + request('/after')))
  })
})

describe('after the last response', () => {
  test('the socket is shut, and closed only when the client has closed it too', () => {
    const socket = new FakeSocket()
    const connection = opened(socket)
    receive(connection, request('/a', 'Connection: close'))
    expect([socket.shut, socket.closed]).toEqual([true, false])
    receive(connection, request('/b'))
    connection.endInput()
    expect([socket.sent.includes('/b'), socket.closed]).toEqual([false, true])
  })

  test('a client that does not close is timed out, without a reset that could lose what is on its way', () => {
    const socket = new FakeSocket()
    const connection = opened(socket)
    receive(connection, 'garbage\r\n\r\n')
    connection.timeOut()
    expect(socket.closed).toBe(true)
  })
})
