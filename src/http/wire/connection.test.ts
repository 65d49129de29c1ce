// One connection over a fake socket: however the bytes come and go, the responses are the same.
import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import fc from 'fast-check'
import { FakeSocket } from '../../../test/support/fake-socket.ts'
import { serverState } from '../../../test/support/server-state.ts'
import { bytesOf } from '../../../test/support/wire.ts'
import { type HttpResponse, textResponse } from '../exchange.ts'
import { Connection } from './connection.ts'
import type { ServerState } from './server-state.ts'

const LARGE = new Uint8Array(300_000).fill(0x61)

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

  test('is not read from beyond 64 KiB and the last chunk, until it reads', () => {
    let takes = 0
    const socket = new FakeSocket(() => takes)
    const connection = opened(socket)
    receive(connection, ahead)
    expect(socket.paused).toBe(false)
    for (let turn = 0; !socket.paused && turn < 100; turn++) receive(connection, ahead)
    expect(socket.paused).toBe(true)
    takes = Number.POSITIVE_INFINITY
    connection.drain()
    expect([socket.paused, socket.sent.split('HTTP/1.1 200 OK').length > 2_000]).toEqual([false, true])
  })

  test('is read from again after the last response, and ignored', () => {
    let takes = 0
    const socket = new FakeSocket(() => takes)
    const connection = opened(socket)
    receive(connection, request('/a'))
    receive(connection, request('/last', 'Connection: close') + ahead.repeat(3))
    expect(socket.paused).toBe(true)
    takes = Number.POSITIVE_INFINITY
    connection.drain()
    expect([socket.paused, socket.shut, socket.sent.split('HTTP/1.1 200 OK').length - 1]).toEqual([false, true, 2])
  })

  test('is given at most a quarter of a megabyte and one response', () => {
    let requests = 0
    const state = newState()
    const respond = (): HttpResponse => {
      requests++
      return { status: 200, head: '', body: LARGE }
    }
    const connection = opened(new FakeSocket(() => 0), { ...state, handler: { ...state.handler, respond } })
    receive(connection, ahead)
    for (let turn = 0; turn < 10; turn++) connection.drain()
    expect(requests).toBe(1)
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
