// Promised responses: sent in the order of the requests, waited for, and never lost silently.
import { afterEach, describe, expect, test } from 'bun:test'
import { PassingTime } from '../../../../../test/support/passing-time.ts'
import { open, readUntilClosed } from '../../../../../test/support/wire.ts'
import type { App, AppContext } from '../app.ts'
import { type HttpResponse, textResponse } from '../exchange.ts'
import { serve } from '../processes/serve.ts'
import { listenWire, TIMEOUTS } from './server.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** The response to a path that starts with /later is promised, and resolved when the test calls for it. */
function start() {
  const promised = new Map<string, PromiseWithResolvers<HttpResponse>>()
  const called: string[] = []
  const failures: unknown[] = []
  const server = listenWire(
    {
      respond: ({ path }) => {
        called.push(path)
        if (!path.startsWith('/later')) return textResponse(200, {}, path)
        const response = Promise.withResolvers<HttpResponse>()
        promised.set(path, response)
        return response.promise
      },
      refuse: ({ kind }) => textResponse(400, {}, kind),
      onFailure: (error, { path }) => failures.push([path, error]),
    },
    LOCAL,
  )
  stops.push(() => server.terminate())
  const resolve = (path: string) => promised.get(path)?.resolve(textResponse(200, {}, path))
  return { server, called, failures, resolve }
}

const get = (path: string, ...fields: string[]) => [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n')

function send(server: { readonly url: string }, text: string) {
  const socket = open(server.url)
  socket.write(text)
  return { socket, all: readUntilClosed(socket) }
}
const bodies = (all: string) => [...all.matchAll(/\r\n\r\n(\/[a-z0-9]*)/g)].map(([, body]) => body)
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1)
}

test('requests behind it are handled after it, and in order', async () => {
  const { server, called, resolve } = start()
  const { all, socket } = send(server, get('/1') + get('/later1') + get('/2') + get('/later2'))
  await until(() => called.length === 2)
  socket.write(get('/3', 'Connection: close'))
  await until(() => server.chunksReceived === 2)
  expect([called, server.busy()]).toEqual([['/1', '/later1'], true])
  resolve('/later1')
  await until(() => called.length === 4)
  expect(called).toEqual(['/1', '/later1', '/2', '/later2'])
  resolve('/later2')
  expect(bodies(await all)).toEqual(['/1', '/later1', '/2', '/later2', '/3'])
})

test('more requests behind it than are read at once all get a response', async () => {
  const { server, resolve, called } = start()
  const { socket, all } = send(server, get('/later'))
  await until(() => called.length === 1)
  socket.write(get('/a').repeat(20_000) + get('/end', 'Connection: close'))
  resolve('/later')
  expect(bodies(await all).length).toBe(20_002)
})

test('it may take longer than a client may take', async () => {
  using time = new PassingTime()
  const { server, called, resolve } = start()
  const { all } = send(server, get('/later', 'Connection: close'))
  await until(() => called.length === 1)
  for (let turn = 0; turn < 3; turn++) {
    time.pass(TIMEOUTS.idleMilliseconds + 1)
    await Bun.sleep(1)
  }
  resolve('/later')
  expect(bodies(await all)).toEqual(['/later'])
})

describe('a shutdown', () => {
  test('waits for it, pauses it like all others, and makes it the last', async () => {
    const { server, called, resolve } = start()
    const { all, socket } = send(server, get('/later') + get('/after'))
    await until(() => called.length === 1)
    server.startDraining()
    server.pauseResponses()
    server.closeIdle()
    resolve('/later')
    await Bun.sleep(20)
    expect([socket.bytesRead, server.busy()]).toEqual([0, true])
    server.resumeResponses()
    expect(await all).toEndWith('Connection: close\r\n\r\n/later')
  })
})

describe('of the app', () => {
  const logged: unknown[] = []
  const logError: AppContext['logError'] = (error, { path }) => logged.push([path, error])
  const secret = new Error('secret')
  function started(app: App) {
    logged.length = 0
    const server = serve(app, LOCAL)
    stops.push(() => server.stop(0))
    return server
  }

  test('a failure after the response has begun is logged', async () => {
    const chunks = async function* () {
      yield Buffer.from('a')
      throw secret
    }
    const app = (): HttpResponse => ({ status: 200, head: '', body: { length: 2, chunks } })
    await send(started(Object.assign(app, { failed: logError })), get('/a')).all
    expect(logged).toEqual([['/a', secret]])
  })

  test('a server that stops lets a stream end', async () => {
    let stopped: Promise<void> | undefined
    const chunks = async function* () {
      yield Buffer.from('a')
      stopped = server.stop(60_000)
      // Longer than the grace time of clients that have their last response.
      await Bun.sleep(1_800)
      yield Buffer.from('b')
    }
    const server = started(() => ({ status: 200, head: '', body: { length: 2, chunks } }))
    const { socket, all } = send(server, get('/a'))
    let reset = false
    socket.on('error', () => {
      reset = true
    })
    expect([(await all).endsWith('\r\n\r\nab'), reset]).toEqual([true, false])
    await stopped
  })
})
