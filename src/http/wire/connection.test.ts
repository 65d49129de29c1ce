// One connection over a socket that is made up: however the bytes come and go, the answers are the same.
import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import fc from 'fast-check'
import { MadeUpSocket } from '../../../test/support/made-up-socket.ts'
import { bytesOf } from '../../../test/support/wire.ts'
import { type HttpResponse, textResponse } from '../exchange.ts'
import { Connection } from './connection.ts'
import type { ServerState } from './server-state.ts'

const LARGE = new Uint8Array(300_000).fill(0x61)

const hostOf = (): ServerState => ({
  handler: {
    answer: ({ method, path, query }): HttpResponse =>
      path === '/large' ? { status: 200, head: '', body: LARGE } : textResponse(200, {}, `${method} ${path} ${query}`),
    refuse: (problem) => textResponse(400, {}, JSON.stringify(problem)),
  },
  own: 'http://127.0.0.1:80',
  clock: { milliseconds: 0, date: 'now' },
  leaving: false,
  holding: false,
  heard: 0,
})

function opened(socket: MadeUpSocket, host = hostOf()): Connection {
  return new Connection(host, socket as unknown as Socket<Connection>)
}

/** Says the text, in bytes that are used for something else after each turn. */
function say(connection: Connection, text: string): void {
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

/** All that is sent when the whole stream is there at once, and the client takes all of it. */
function atOnce(stream: string): string {
  const socket = new MadeUpSocket()
  const connection = opened(socket)
  if (stream !== '') say(connection, stream)
  connection.heardAll()
  expect(socket.closed).toBe(true)
  return socket.sent
}

describe('the answers are the same', () => {
  test('in whatever pieces the requests come', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(streams, cuts, (stream, sizes) => {
        const socket = new MadeUpSocket()
        const connection = opened(socket)
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          // Small pieces at first, then all the rest.
          const size = sizes[turn] ?? stream.length
          say(connection, stream.slice(at, at + size))
          at += size
        }
        connection.heardAll()
        expect(socket.sent).toBe(atOnce(stream))
        expect(socket.closed).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('in whatever pieces they are taken', () => {
    const amounts = fc.infiniteStream(fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constant(200_000)))
    fc.assert(
      fc.property(streams, amounts, fc.boolean(), (stream, taken, stopsSending) => {
        const socket = new MadeUpSocket(() => taken.next().value)
        const connection = opened(socket)
        if (stream !== '') say(connection, stream)
        if (stopsSending) connection.heardAll()
        for (let turn = 0; turn < 5_000; turn++) connection.drain()
        if (!stopsSending) connection.heardAll()
        for (let turn = 0; turn < 5_000; turn++) connection.drain()
        expect(socket.sent).toBe(atOnce(stream))
        expect(socket.closed).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe('of a client that does not read', () => {
  const ahead = request('/a').repeat(1_000)

  test('no more is taken in than 64 KiB and what has just come, until it reads', () => {
    let takes = 0
    const socket = new MadeUpSocket(() => takes)
    const connection = opened(socket)
    say(connection, ahead)
    expect(socket.paused).toBe(false)
    for (let turn = 0; !socket.paused && turn < 100; turn++) say(connection, ahead)
    expect(socket.paused).toBe(true)
    takes = Number.POSITIVE_INFINITY
    connection.drain()
    expect([socket.paused, socket.sent.split('HTTP/1.1 200 OK').length > 2_000]).toEqual([false, true])
  })

  test('what it says after the last answer is read again, and not looked at', () => {
    let takes = 0
    const socket = new MadeUpSocket(() => takes)
    const connection = opened(socket)
    say(connection, request('/a'))
    say(connection, request('/last', 'Connection: close') + ahead.repeat(3))
    expect(socket.paused).toBe(true)
    takes = Number.POSITIVE_INFINITY
    connection.drain()
    expect([socket.paused, socket.shut, socket.sent.split('HTTP/1.1 200 OK').length - 1]).toEqual([false, true, 2])
  })

  test('no more is answered than a quarter of a megabyte and one answer', () => {
    let request = 0
    const host = hostOf()
    const answer = (): HttpResponse => {
      request++
      return { status: 200, head: '', body: LARGE }
    }
    const connection = opened(new MadeUpSocket(() => 0), { ...host, handler: { ...host.handler, answer } })
    say(connection, ahead)
    for (let turn = 0; turn < 10; turn++) connection.drain()
    expect(request).toBe(1)
  })
})

describe('held back', () => {
  test.each([
    ['by a client that waits', false],
    ['by a client that has stopped sending', true],
  ])('is what is asked %s, and not lost', (_name, stops) => {
    const host = hostOf()
    const socket = new MadeUpSocket()
    const connection = opened(socket, host)
    host.holding = true
    say(connection, request('/a') + request('/b'))
    if (stops) connection.heardAll()
    connection.drain()
    expect([socket.sent, socket.closed]).toEqual(['', false])
    host.holding = false
    connection.release()
    expect(socket.sent).toBe(atOnce(request('/a') + request('/b')))
    expect(socket.closed).toBe(stops)
  })

  test('is also what waits behind an answer that is only now taken', () => {
    const host = hostOf()
    let takes = 0
    const socket = new MadeUpSocket(() => takes)
    const connection = opened(socket, host)
    say(connection, request('/large') + request('/after'))
    host.holding = true
    takes = Number.POSITIVE_INFINITY
    connection.drain()
    expect(socket.sent).toBe(atOnce(request('/large')))
    host.holding = false
    connection.release()
    expect(socket.sent).toBe(atOnce(request('/large') + request('/after')))
  })
})

describe('after the last answer', () => {
  test('the socket is shut, and closed only when the client has closed it too', () => {
    const socket = new MadeUpSocket()
    const connection = opened(socket)
    say(connection, request('/a', 'Connection: close'))
    expect([socket.shut, socket.closed]).toEqual([true, false])
    say(connection, request('/b'))
    connection.heardAll()
    expect([socket.sent.includes('/b'), socket.closed]).toEqual([false, true])
  })

  test('it is not waited for the client for ever, and nothing is taken from it that is on its way', () => {
    const socket = new MadeUpSocket()
    const connection = opened(socket)
    say(connection, 'garbage\r\n\r\n')
    connection.giveUp()
    expect(socket.closed).toBe(true)
  })
})
