// Answers that are promised: given in the order of the requests, waited for, and never lost in silence.
import { afterEach, describe, expect, test } from 'bun:test'
import { everything, open } from '../../../test/support/wire.ts'
import { type App, type AppContext, promisedResponse } from '../app.ts'
import { type HttpResponse, textResponse } from '../exchange.ts'
import { serve } from '../serve.ts'
import { listenWire, type Timeouts } from './server.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** What starts with /later is promised, and given when the test says so. */
function start(timeouts?: Timeouts) {
  const promised = new Map<string, PromiseWithResolvers<HttpResponse>>()
  const called: string[] = []
  const failures: unknown[] = []
  const server = listenWire(
    {
      answer: ({ path }) => {
        called.push(path)
        if (!path.startsWith('/later')) return textResponse(200, {}, path)
        const answer = Promise.withResolvers<HttpResponse>()
        promised.set(path, answer)
        return answer.promise
      },
      refuse: ({ kind }) => textResponse(400, {}, kind),
      failed: (error, { path }) => failures.push([path, error]),
    },
    LOCAL,
    timeouts,
  )
  stops.push(server.terminate)
  return { server, called, failures, give: (path: string) => promised.get(path)?.resolve(textResponse(200, {}, path)) }
}

const get = (path: string, ...fields: string[]) => [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n')

function ask(server: { readonly url: string }, text: string) {
  const socket = open(server.url)
  socket.write(text)
  return { socket, all: everything(socket) }
}
const bodies = (all: string) => [...all.matchAll(/\r\n\r\n(\/[a-z0-9]*)/g)].map(([, body]) => body)
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo() && turn < 1_000; turn++) await Bun.sleep(2)
}

test('what is asked after it is answered after it, and not before it is asked for', async () => {
  const { server, called, give } = start()
  const { all, socket } = ask(server, get('/1') + get('/later1') + get('/2') + get('/later2'))
  await until(() => called.length === 2)
  socket.write(get('/3', 'Connection: close'))
  await until(() => server.heard === 2)
  expect([called, server.busy()]).toEqual([['/1', '/later1'], true])
  give('/later1')
  await until(() => called.length === 4)
  expect(called).toEqual(['/1', '/later1', '/2', '/later2'])
  give('/later2')
  expect(bodies(await all)).toEqual(['/1', '/later1', '/2', '/later2', '/3'])
})

test('more requests behind it than are taken in at once are all answered', async () => {
  const { server, give, called } = start()
  const { socket, all } = ask(server, get('/later'))
  await until(() => called.length === 1)
  socket.write(get('/a').repeat(20_000) + get('/end', 'Connection: close'))
  give('/later')
  expect(bodies(await all).length).toBe(20_002)
})

test('it may take longer than a client may', async () => {
  const { server, give } = start({ requestMilliseconds: 300, idleMilliseconds: 300 })
  const { all } = ask(server, get('/later', 'Connection: close'))
  await Bun.sleep(1_300)
  give('/later')
  expect(bodies(await all)).toEqual(['/later'])
})

test('a client that stops sending still gets it', async () => {
  const { server, called, give } = start()
  const socket = open(server.url, { allowHalfOpen: true })
  socket.end(get('/later'))
  const all = everything(socket)
  await until(() => called.length === 1)
  give('/later')
  expect(bodies(await all)).toEqual(['/later'])
})

test('a client that goes away before it is not answered, and harms nobody', async () => {
  const { server, called, failures, give } = start()
  const { socket } = ask(server, get('/later') + get('/after'))
  await until(() => called.length === 1)
  socket.resetAndDestroy()
  await server.empty()
  give('/later')
  expect(bodies(await ask(server, get('/other', 'Connection: close')).all)).toEqual(['/other'])
  expect([called, failures]).toEqual([['/later', '/other'], []])
})

describe('leaving', () => {
  test('waits for it, holds it back with all others, and makes it the last', async () => {
    const { server, called, give } = start()
    const { all, socket } = ask(server, get('/later') + get('/after'))
    await until(() => called.length === 1)
    server.leave()
    server.hold()
    server.endIdle()
    give('/later')
    await Bun.sleep(20)
    expect([socket.bytesRead, server.busy()]).toEqual([0, true])
    server.release()
    expect(await all).toEndWith('Connection: close\r\n\r\n/later')
  })
})

describe('on the service', () => {
  const logged: unknown[] = []
  const logError: AppContext['logError'] = (error, { path }) => logged.push([path, error])
  const secret = new Error('secret')
  function started(app: App) {
    logged.length = 0
    const server = serve(app, LOCAL)
    stops.push(() => server.stop(0))
    return server
  }

  test('what is rejected is logged, and becomes the problem that it would be if it were thrown', async () => {
    const context = { logError } as AppContext
    const server = started((request) => promisedResponse(context, request, Promise.reject(secret)))
    const answer = await ask(server, get('/a', 'Connection: close')).all
    expect(answer).toStartWith('HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/problem+json\r\n')
    expect(answer).toContain('"type":"urn:nomenclator:problem:internal-error"')
    expect([answer.includes('secret'), logged]).toEqual([false, [['/a', secret]]])
  })

  test('a problem that is promised is answered as one', async () => {
    const problem = Promise.resolve({ kind: 'not-found', known: [] } as const)
    const server = started((request) => promisedResponse({ logError }, request, problem))
    expect(await ask(server, get('/a', 'Connection: close')).all).toStartWith('HTTP/1.1 404 Not Found\r\n')
  })

  test('what fails when the answer has begun is logged', async () => {
    const chunks = async function* () {
      yield Buffer.from('a')
      throw secret
    }
    const app = (): HttpResponse => ({ status: 200, head: '', body: { length: 2, chunks } })
    await ask(started(Object.assign(app, { failed: logError })), get('/a')).all
    expect(logged).toEqual([['/a', secret]])
  })

  test('a server that stops lets a stream come to its end', async () => {
    let stopped: Promise<void> | undefined
    const chunks = async function* () {
      yield Buffer.from('a')
      stopped = server.stop(10_000)
      // Longer than a client that is given nothing more is waited for.
      await Bun.sleep(1_800)
      yield Buffer.from('b')
    }
    const server = started(() => ({ status: 200, head: '', body: { length: 2, chunks } }))
    const { socket, all } = ask(server, get('/a'))
    let reset = false
    socket.on('error', () => {
      reset = true
    })
    expect([(await all).endsWith('\r\n\r\nab'), reset]).toEqual([true, false])
    await stopped
  })
})
