// Clients that leave before they have their response, over real sockets: it is noticed at once, and nothing of them stays.
import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { PassingTime } from '../../../../../test/support/passing-time.ts'
import { open, readUntilClosed } from '../../../../../test/support/wire.ts'
import { type HttpResponse, type Streamed, textResponse } from '../exchange.ts'
import { Metrics } from '../observation/metrics.ts'
import { serve } from '../processes/serve.ts'
import { listenWire, TIMEOUTS } from './server.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

type Promised = PromiseWithResolvers<HttpResponse> & { readonly signal: AbortSignal }

/** Every response is promised, and resolved by the test. */
function start() {
  const metrics = new Metrics()
  const requests: Promised[] = []
  const failures: unknown[] = []
  const server = listenWire(
    {
      respond: (_request, { signal }) => {
        const promised = { ...Promise.withResolvers<HttpResponse>(), signal: signal as AbortSignal }
        requests.push(promised)
        return promised.promise
      },
      maxBody: () => 100_000,
      refuse: ({ kind }) => textResponse(400, {}, kind),
      onFailure: (error) => failures.push(error),
    },
    { host: '127.0.0.1', port: 0, metrics },
  )
  stops.push(() => server.terminate())
  return { server, metrics, requests, failures }
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const GET_AND_CLOSE = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const OLD_GET = 'GET / HTTP/1.0\r\n\r\n'
/** Requests behind another, so many that reading stops until that has its response. */
const MANY = GET.repeat(1_000)

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1)
}

async function sent(server: ReturnType<typeof start>, text: string): Promise<{ socket: Socket; promised: Promised }> {
  const socket = open(server.server.url, { allowHalfOpen: true })
  socket.write(text)
  await until(() => server.requests.length === 1)
  return { socket, promised: server.requests[0] as Promised }
}

/** Counts the sockets of this process. */
const openSockets = () =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length

/** A body whose chunks the test hands out one by one. */
function body(length?: number) {
  const pulls: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>>[] = []
  const returned = Promise.withResolvers<void>()
  const iterator = {
    next: () => {
      const chunk = Promise.withResolvers<IteratorResult<Uint8Array, undefined>>()
      pulls.push(chunk)
      return chunk.promise
    },
    return: async () => {
      returned.resolve()
      return { done: true as const, value: undefined }
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  const streamed: Streamed = { length, chunks: () => iterator }
  const give = async (text: string | undefined) => {
    await until(() => pulls.length > 0)
    pulls
      .shift()
      ?.resolve(text === undefined ? { done: true, value: undefined } : { done: false, value: Buffer.from(text) })
  }
  return { streamed, give, isPulled: () => pulls.length > 0, returned: returned.promise }
}

const ways = {
  'closes its socket': (socket: Socket) => socket.destroy(),
  'resets the connection': (socket: Socket) => socket.resetAndDestroy(),
}

describe.each(Object.entries(ways))('a client that %s', (way, leave) => {
  test.each([
    ['while its response is promised', GET],
    ['with requests behind it', GET + GET],
    ['with more requests behind it than are read', GET + MANY],
    ['while its response is promised, with HTTP/1.0', OLD_GET],
  ])('%s: the signal is aborted, and nothing is left', async (_name, text) => {
    const started = start()
    const before = openSockets()
    const { socket, promised } = await sent(started, text)
    expect([promised.signal.aborted, started.metrics.connections, started.server.busy()]).toEqual([false, 1, true])
    const aborted = new Promise((resolve) => promised.signal.addEventListener('abort', resolve))
    leave(socket)
    await aborted
    expect([started.metrics.connections, started.server.busy()]).toEqual([0, false])
    await until(() => openSockets() <= before)
    promised.reject(new Error('abandoned'))
    await Bun.sleep(0)
    expect([started.requests.length, started.failures]).toEqual([1, []])
  })

  test.each([
    ['of unknown length', undefined],
    ['of known length', 100],
  ])('between chunks of a stream %s: its iterator is returned, without its next chunk', async (_name, length) => {
    const started = start()
    const { socket, promised } = await sent(started, GET)
    const { streamed, give, isPulled, returned } = body(length)
    promised.resolve({ status: 200, head: '', body: streamed })
    await give('abc')
    await until(isPulled)
    leave(socket)
    // Nothing can be sent between the bytes of a known length.
    if (length !== undefined && way === 'closes its socket') await give('def')
    await returned
    expect([promised.signal.aborted, started.metrics.connections]).toEqual([true, 0])
    await until(() => started.metrics.streams === 0)
  })

  test('while it is not read from: what is sent to it then leaves nothing behind', async () => {
    const started = start()
    const before = openSockets()
    const { socket, promised } = await sent(started, GET + MANY)
    leave(socket)
    const chunks = async function* () {
      for (;;) yield Buffer.from('abc')
    }
    promised.resolve({ status: 200, head: '', body: { length: undefined, chunks } })
    await until(() => openSockets() <= before)
    expect([started.metrics.connections, promised.signal.aborted]).toEqual([0, true])
  })

  test('does not keep a server from stopping', async () => {
    let requests = 0
    const server = serve(
      () => {
        requests++
        return new Promise<HttpResponse>(() => {})
      },
      { host: '127.0.0.1', port: 0 },
    )
    const socket = open(server.url)
    socket.write(GET)
    await until(() => requests === 1)
    leave(socket)
    const start = performance.now()
    await server.stop(30_000)
    expect(performance.now() - start).toBeLessThan(30_000)
  })
})

describe('a client that only stops sending gets its response', () => {
  /** Collects the text that the client receives, without dates. */
  function reading(socket: Socket) {
    let text = ''
    socket.on('data', (bytes) => {
      text = (text + bytes.toString('latin1')).replaceAll(/Date: .*\r\n/g, '')
    })
    return () => text
  }
  const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\n'

  test('whole', async () => {
    const started = start()
    const { socket, promised } = await sent(started, GET_AND_CLOSE)
    const received = reading(socket)
    socket.end()
    await until(() => received() === INTERIM)
    promised.resolve(textResponse(200, {}, 'whole'))
    await readUntilClosed(socket)
    expect(received()).toBe(`${INTERIM}HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nwhole`)
    expect(promised.signal.aborted).toBe(false)
  })

  const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n'
  test.each([
    ['before it begins', 0, `${INTERIM}${HEAD}3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n`],
    ['before the first chunk', 1, `${HEAD}03\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n`],
    ['between chunks', 2, `${HEAD}3\r\nabc\r\n03\r\ndef\r\n0\r\n\r\n`],
    ['before the last chunk', 3, `${HEAD}3\r\nabc\r\n3\r\ndef\r\n00\r\n\r\n`],
  ])('streamed: %s', async (_name, stepsBefore, expected) => {
    const started = start()
    const { socket, promised } = await sent(started, GET_AND_CLOSE)
    const received = reading(socket)
    const { streamed, give, isPulled } = body()
    const steps = [
      () => promised.resolve({ status: 200, head: '', body: streamed }),
      () => give('abc'),
      () => give('def'),
      () => give(undefined),
    ]
    for (const [at, step] of steps.entries()) {
      if (at > 0) await until(isPulled)
      if (at === stepsBefore) {
        socket.end()
        await until(() => /(?:^HTTP.*100 Continue\r\n\r\n|0)$/.test(received()))
      }
      await step()
    }
    await readUntilClosed(socket)
    expect(received()).toBe(expected)
    expect([started.failures, promised.signal.aborted]).toEqual([[], false])
  })

  test.each([
    ['a known length', GET_AND_CLOSE, 6, 'Content-Length: 6\r\nConnection: close\r\n\r\nabcdef'],
    ['an unknown length, with HTTP/1.0', OLD_GET, undefined, 'Connection: close\r\n\r\nabcdef'],
  ])('streamed, and nothing else between the bytes: of %s', async (_name, text, length, expected) => {
    const started = start()
    const { socket, promised } = await sent(started, text)
    const received = reading(socket)
    const { streamed, give, isPulled } = body(length)
    promised.resolve({ status: 200, head: '', body: streamed })
    await give('abc')
    await until(() => isPulled() && received().endsWith('abc'))
    socket.end()
    // A probe would have been sent by then.
    await Bun.sleep(30)
    await give('def')
    await give(undefined)
    await readUntilClosed(socket)
    expect(received()).toBe(`HTTP/1.1 200 OK\r\n${expected}`)
  })

  test('after that of the request before', async () => {
    const started = start()
    const { socket, promised } = await sent(started, GET + GET_AND_CLOSE)
    const received = reading(socket)
    socket.end()
    await until(() => received() === INTERIM)
    promised.resolve(textResponse(200, {}, 'first'))
    await until(() => started.requests.length === 2)
    started.requests[1]?.resolve(textResponse(200, {}, 'second'))
    await readUntilClosed(socket)
    expect(received().match(/first|second/g)).toEqual(['first', 'second'])
  })
})

test('a client is read from again as soon as what it had sent is taken', async () => {
  const started = start()
  const length = 50_000
  const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'a'.repeat(length)}`
  const { socket, promised } = await sent(started, GET + post)
  promised.resolve(textResponse(200, {}, 'first'))
  await until(() => started.requests.length === 2)
  const before = started.server.chunksReceived
  socket.write(GET)
  await until(() => started.server.chunksReceived > before)
  expect([started.requests.length, started.server.busy()]).toEqual([2, true])
  socket.destroy()
})

describe('the signal', () => {
  test('is another for each request, and not aborted once the response is sent', async () => {
    const started = start()
    const { socket, promised } = await sent(started, GET + GET)
    promised.resolve(textResponse(200, {}, 'first'))
    await until(() => started.requests.length === 2)
    socket.destroy()
    const second = started.requests[1] as Promised
    await until(() => second.signal.aborted)
    expect([promised.signal.aborted, second.signal === promised.signal]).toEqual([false, false])
  })

  test('is aborted when the server is terminated', async () => {
    const started = start()
    const { promised } = await sent(started, GET)
    started.server.terminate()
    expect([promised.signal.aborted, started.metrics.connections]).toEqual([true, 0])
  })

  test('is aborted when the client takes too long to read', async () => {
    using time = new PassingTime()
    const started = start()
    const { socket, promised } = await sent(started, GET)
    socket.pause()
    promised.resolve(textResponse(200, {}, 'a'.repeat(20_000_000)))
    await until(() => started.metrics.unsentBytes > 0)
    await time.passUntil(() => promised.signal.aborted, TIMEOUTS.requestMilliseconds + 1)
    expect(started.metrics.connections).toBe(0)
  })

  test('is aborted from the beginning where the client is gone already', async () => {
    let connection: { readonly signal?: AbortSignal } | undefined
    const server = listenWire(
      {
        respond: (_request, info) => {
          connection = info
          return new Promise<HttpResponse>(() => {})
        },
        refuse: ({ kind }) => textResponse(400, {}, kind),
      },
      { host: '127.0.0.1', port: 0 },
    )
    stops.push(() => server.terminate())
    const socket = open(server.url)
    socket.write(GET)
    await until(() => connection !== undefined)
    socket.resetAndDestroy()
    await server.allClosed()
    expect(connection?.signal?.aborted).toBe(true)
  })
})

test('whatever clients send, and however they leave, nothing of them stays', async () => {
  const large = Buffer.alloc(2_000_000)
  async function* chunks() {
    for (let count = 0; count < 20; count++) {
      if (count % 3 === 0) await Bun.sleep(1)
      yield large.subarray(0, count * 10_000)
    }
  }
  const bodies: Readonly<Record<string, HttpResponse['body']>> = {
    '/small': Buffer.from('small'),
    '/large': large,
    '/streamed': { length: undefined, chunks },
  }
  const metrics = new Metrics()
  const server = listenWire(
    {
      respond: ({ path, query }) => {
        const response: HttpResponse = { status: 200, head: '', body: bodies[path] }
        return query === '' ? response : Bun.sleep(Number(query)).then(() => response)
      },
      maxBody: () => 100_000,
      refuse: ({ kind }) => textResponse(400, {}, kind),
    },
    { host: '127.0.0.1', port: 0, metrics },
  )
  stops.push(() => server.terminate())

  const milliseconds = fc.nat(15)
  const target = fc
    .tuple(fc.constantFrom(...Object.keys(bodies)), fc.option(milliseconds, { nil: undefined }))
    .map(([path, wait]) => (wait === undefined ? path : `${path}?${wait}`))
  const request = fc.oneof(
    target.map((to) => `GET ${to} HTTP/1.1\r\nHost: a\r\n\r\n`),
    target.map((to) => `GET ${to} HTTP/1.0\r\n\r\n`),
    target.map((to) => `GET ${to} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(800)),
    target.map((to) => `POST ${to} HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n${'a'.repeat(30_000)}`),
  )
  const client = fc.record({
    requests: fc.array(fc.tuple(request, milliseconds), { minLength: 1, maxLength: 3 }),
    reads: fc.boolean(),
    way: fc.constantFrom('destroy' as const, 'resetAndDestroy' as const, 'end' as const),
    stays: milliseconds,
  })
  const before = openSockets()
  await fc.assert(
    fc.asyncProperty(fc.array(client, { minLength: 40, maxLength: 40 }), async (clients) => {
      const leaving = clients.map(async ({ requests, reads, way, stays }) => {
        const socket = open(server.url, { allowHalfOpen: true })
        if (reads) socket.resume()
        for (const [text, wait] of requests) {
          socket.write(text)
          await Bun.sleep(wait)
        }
        socket[way]()
        await Bun.sleep(stays)
        socket.destroy()
      })
      await Promise.all(leaving)
      await until(() => metrics.connections === 0 && openSockets() <= before)
      await until(() => metrics.streams === 0 && metrics.unsentBytes === 0)
    }),
    { numRuns: 6, endOnFailure: true },
  )
})
