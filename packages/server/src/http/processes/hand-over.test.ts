// A request that is handed over to a compute worker, and its response; here both ends are in one process.
import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { checkpoint } from '../../base/checkpoint.ts'
import { type App, appOf } from '../app.ts'
import { MUCH, PAGE_WORTH } from '../cost.ts'
import {
  type ConnectionInfo,
  type HttpRequest,
  type HttpResponse,
  isStreamed,
  type Streamed,
  textResponse,
} from '../exchange.ts'
import { Metrics } from '../observation/metrics.ts'
import { HeaderText } from '../wire/header-text.ts'
import { type ComputeListener, listenForRequests } from './compute-worker.ts'
import { type ComputeLimits, HandOver, handingOver } from './hand-over.ts'

const LIMITS: ComputeLimits = { requests: 8, requestsPerClient: 4, bytes: 1_000, bytesPerClient: 500 }
const open: Disposable[] = []
afterEach(() => {
  for (const one of open.splice(0)) one[Symbol.dispose]()
})

type Options = {
  readonly limits?: Partial<ComputeLimits>
  readonly maxMilliseconds?: number
  readonly workers?: number
}

/** A hand-over to compute workers with this app. */
function handedTo(app: App, { limits = {}, maxMilliseconds = 60_000, workers = 1 }: Options = {}) {
  const directory = new TestDirectory()
  const metrics = new Metrics()
  const costs: [string, number][] = []
  const listeners = Array.from({ length: workers }, (_, at) =>
    listenForRequests(app, join(directory.path, `compute-${at}`)),
  )
  const handOver = new HandOver({
    directory: directory.path,
    limits: { ...LIMITS, ...limits },
    policy: { trustedProxies: undefined },
    metrics,
    maxMillisecondsOf: () => maxMilliseconds,
    onCost: (_request, client, milliseconds) => costs.push([client, milliseconds]),
  })
  handOver.use(listeners.map((_, at) => join(directory.path, `compute-${at}`)))
  open.push({
    [Symbol.dispose]: () => {
      handOver.stop()
      for (const one of listeners) void one.stop(0)
      directory[Symbol.dispose]()
    },
  })
  return { handOver, metrics, costs, listeners, directory }
}

const request = (path: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  path,
  query: 'a=1',
  headers: new HeaderText('Host: a\r\nX-Word: ñ\r\n\r\n'),
  ...more,
})
const from = (peer: string, signal?: AbortSignal): ConnectionInfo => ({
  peer,
  listeningUrl: 'http://127.0.0.1:1',
  ...(signal && { signal }),
})
const CLIENT = from('192.0.2.1')

/** An app whose requests all cost the same. */
const costing = (cost: number): App => appOf(() => ({ cost, respond: () => textResponse(200, {}, 'own') }), {})

async function bodyOf({ body }: HttpResponse): Promise<string> {
  if (!isStreamed(body)) return Buffer.from(body ?? []).toString()
  const chunks = await Array.fromAsync(body.chunks(), (chunk) => Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

const streamed = (chunks: Streamed['chunks'], length?: number): HttpResponse => ({
  status: 200,
  head: 'A: b\r\n',
  body: { length, chunks },
})

describe('a request', () => {
  test('arrives as it was received, with where it came from', async () => {
    const { handOver } = handedTo((request, { peer, listeningUrl }, id) =>
      textResponse(
        200,
        {},
        JSON.stringify([
          request.method,
          request.path,
          request.query,
          request.headers.get('x-word'),
          Buffer.from(request.body ?? []).toString(),
          peer,
          listeningUrl,
          id?.value,
        ]),
      ),
    )
    const posted = request('/b', { method: 'POST', body: Buffer.from('[1]') })
    const response = await handOver.respond(posted, CLIENT, { value: 'id-1' })
    expect(JSON.parse(await bodyOf(response))).toEqual([
      ...['POST', '/b', 'a=1', 'ñ', '[1]', '192.0.2.1', 'http://127.0.0.1:1', 'id-1'],
    ])
  })

  test('of the same number as one before is another', async () => {
    const { handOver } = handedTo(({ path }) => textResponse(200, {}, path), { limits: { requests: 1 } })
    for (let at = 0; at < 5; at++)
      expect(await bodyOf(await handOver.respond(request(`/${at}`), CLIENT))).toBe(`/${at}`)
  })

  test('goes to the process that has least to do', async () => {
    const hold = Promise.withResolvers<void>()
    let atOnce = 0
    let most = 0
    const app: App = async () => {
      most = Math.max(most, ++atOnce)
      await hold.promise
      atOnce--
      return textResponse(200, {}, '')
    }
    const { handOver } = handedTo(app, { workers: 2 })
    const all = [1, 2].map(() => handOver.respond(request('/'), CLIENT))
    while (most < 2) await Bun.sleep(1)
    hold.resolve()
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('a response', () => {
  test('has its status, head and body', async () => {
    const { handOver } = handedTo(() => textResponse(404, { 'X-Name': 'v' }, 'no'))
    const response = await handOver.respond(request('/'), CLIENT)
    expect([response.status, response.head, await bodyOf(response)]).toEqual([404, 'X-Name: v\r\n', 'no'])
  })

  test('without a body has none', async () => {
    const { handOver } = handedTo(() => ({ status: 304, head: '', body: undefined }))
    expect(await handOver.respond(request('/'), CLIENT)).toEqual({ status: 304, head: '', body: undefined })
  })

  test('that is streamed is pulled chunk by chunk, and no faster', async () => {
    let made = 0
    const { handOver, metrics } = handedTo(() =>
      streamed(async function* () {
        for (; made < 3; ) yield Buffer.from(String(++made))
      }),
    )
    const { body } = await handOver.respond(request('/'), CLIENT)
    if (!isStreamed(body)) throw new Error('not streamed')
    const chunks = body.chunks()[Symbol.asyncIterator]()
    expect(made).toBe(0)
    for (const at of [1, 2, 3]) {
      expect(Buffer.from((await chunks.next()).value).toString()).toBe(String(at))
      expect(made).toBe(at)
    }
    expect((await chunks.next()).done).toBe(true)
    expect(metrics.computing).toBe(0)
  })

  test('to HEAD is not made, and has its length', async () => {
    const { handOver, metrics } = handedTo(() => streamed(() => Promise.reject() as never, 7))
    const { body } = await handOver.respond(request('/', { method: 'HEAD' }), CLIENT)
    expect([body?.length, metrics.computing]).toEqual([7, 0])
  })

  test('that is in a file is read there by the process that serves', async () => {
    const { handOver, directory, metrics } = handedTo(() => ({
      ...streamed(() => Promise.reject() as never, 3),
      body: {
        length: 3,
        chunks: () => Promise.reject() as never,
        file: { path: join(directory.path, 'f'), from: 1, to: 4 },
      },
    }))
    await Bun.write(join(directory.path, 'f'), 'abcdef')
    const response = await handOver.respond(request('/'), CLIENT)
    expect([metrics.computing, response.body?.length, await bodyOf(response)]).toEqual([0, 3, 'bcd'])
  })

  test('whose body fails is cut off with the reason', async () => {
    const { handOver, metrics } = handedTo(() =>
      streamed(async function* () {
        yield Buffer.from('a')
        throw new Error('the disk is gone')
      }),
    )
    await expect(bodyOf(await handOver.respond(request('/'), CLIENT))).rejects.toThrow('the disk is gone')
    expect(metrics.computing).toBe(0)
  })

  test('costs what it took, whole or streamed', async () => {
    const spin = (milliseconds: number) => {
      const before = process.cpuUsage()
      for (let used = 0; used < milliseconds; ) {
        const { user, system } = process.cpuUsage(before)
        used = (user + system) / 1_000
      }
    }
    const { handOver, costs } = handedTo(({ path }) => {
      if (path === '/whole') spin(30)
      return path === '/whole'
        ? textResponse(200, {}, '')
        : streamed(async function* () {
            for (let at = 0; at < 3; at++) {
              spin(10)
              yield Buffer.from('a')
            }
          })
    })
    for (const path of ['/whole', '/streamed']) await bodyOf(await handOver.respond(request(path), CLIENT))
    expect(costs.map(([client]) => client)).toEqual(['192.0.2.1', '192.0.2.1'])
    for (const [, milliseconds] of costs) expect(milliseconds).toBeGreaterThanOrEqual(25)
  })
})

describe('a client that goes', () => {
  test('while its request is worked on stops the work, and the next gets its number', async () => {
    const abort = new AbortController()
    let stopped: unknown
    const begun = Promise.withResolvers<void>()
    const { handOver, metrics } = handedTo(async ({ path }, { work }) => {
      if (path !== '/long') return textResponse(200, {}, path)
      begun.resolve()
      try {
        for (;;) await work?.pause()
      } catch (error) {
        stopped = error
        throw error
      }
    })
    const abandoned = handOver.respond(request('/long'), from('192.0.2.1', abort.signal)).catch((error) => error)
    await begun.promise
    abort.abort()
    expect(String(await abandoned)).toContain('no one waits')
    expect(String(stopped)).toContain('no one waits')
    expect(metrics.computing).toBe(0)
    expect((await handOver.respond(request('/next'), CLIENT)).status).toBe(200)
  })

  test('while its body is made has it returned', async () => {
    const abort = new AbortController()
    const returned = Promise.withResolvers<void>()
    const { handOver, metrics } = handedTo(() =>
      streamed(async function* () {
        try {
          for (;;) yield Buffer.from('a')
        } finally {
          returned.resolve()
        }
      }),
    )
    const { body } = await handOver.respond(request('/'), from('192.0.2.1', abort.signal))
    if (!isStreamed(body)) throw new Error('not streamed')
    await body.chunks()[Symbol.asyncIterator]().next()
    abort.abort()
    await returned.promise
    while (metrics.computing > 0) await Bun.sleep(1)
  })

  test('before it has pulled anything, or that does not want the body, leaves nothing behind', async () => {
    const { handOver, metrics } = handedTo(() =>
      streamed(async function* () {
        yield Buffer.from('a')
      }),
    )
    const { body } = await handOver.respond(request('/'), CLIENT)
    expect(metrics.computing).toBe(1)
    if (isStreamed(body)) body.cancel?.()
    while (metrics.computing > 0) await Bun.sleep(1)
  })
})

describe('what is too much', () => {
  const holding = (options: Options) => {
    const hold = Promise.withResolvers<void>()
    const handed = handedTo(async () => {
      await hold.promise
      return textResponse(200, {}, '')
    }, options)
    return { ...handed, release: hold.resolve }
  }
  const body = (bytes: number) => ({ method: 'POST', body: Buffer.alloc(bytes) })
  test.each<[string, Partial<ComputeLimits>, peers: readonly string[], Partial<HttpRequest>, RegExp]>([
    ['requests in all', { requests: 2 }, ['1', '2', '3'], {}, /^2 requests for compute workers wait/],
    ['requests of a client', { requestsPerClient: 2 }, ['1', '1', '1'], {}, /^2 requests of your address/],
    ['bytes in all', { bytes: 10 }, ['1', '2'], body(6), /^the bodies of requests that wait/],
    ['bytes of a client', { bytesPerClient: 10 }, ['1', '1'], body(6), /^the bodies of requests of your/],
  ])('%s', async (_name, limits, peers, more, words) => {
    const { handOver, metrics, release } = holding({ limits })
    const responses = peers.map((peer) => handOver.respond(request('/', more), from(peer)))
    const problem = await responses.at(-1)?.catch(({ problem }) => problem)
    expect(problem).toMatchObject({ kind: 'overloaded', reason: 'compute', retryAfter: 1 })
    expect(problem.what).toMatch(words)
    expect(metrics.refused.compute).toBe(1)
    release()
    for (const accepted of responses.slice(0, -1)) expect((await accepted).status).toBe(200)
    expect((await handOver.respond(request('/', more), from('1'))).status).toBe(200)
  })

  test('one body is taken however large it is', async () => {
    const { handOver, release } = holding({ limits: { bytes: 1, bytesPerClient: 1 } })
    const response = handOver.respond(request('/', body(6)), CLIENT)
    release()
    expect((await response).status).toBe(200)
  })

  test('processor time: work that is not over in time is stopped', async () => {
    const { handOver } = handedTo(
      () =>
        streamed(async function* () {
          yield Buffer.from('a')
          for (;;) checkpoint()
        }),
      { maxMilliseconds: 50 },
    )
    await expect(bodyOf(await handOver.respond(request('/'), CLIENT))).rejects.toThrow('takes too long')
  })
})

describe('a process that is lost', () => {
  test('while it works on a request: another gets it', async () => {
    let calls = 0
    const lost: (() => void)[] = []
    const { handOver, listeners, metrics } = handedTo(
      () => {
        calls++
        if (calls > 1) return textResponse(200, {}, 'from the other')
        lost[0]?.()
        return new Promise(() => {})
      },
      { workers: 2 },
    )
    lost.push(() => void (listeners[0] as ComputeListener).stop(0))
    expect(await bodyOf(await handOver.respond(request('/'), CLIENT))).toBe('from the other')
    expect(metrics.computing).toBe(0)
  })

  test('twice: the problem says that the client may try again', async () => {
    const stops: (() => void)[] = []
    const { handOver, listeners } = handedTo(
      () => {
        stops.shift()?.()
        return new Promise(() => {})
      },
      { workers: 2 },
    )
    for (const one of listeners) stops.push(() => void one.stop(0))
    const app = handingOver(costing(MUCH), handOver)
    const response = await app(request('/explore'), CLIENT)
    expect([response.status, response.head.includes('Retry-After: ')]).toEqual([503, true])
  })
})

describe('the memory of a large body', () => {
  const LARGE = 200_000
  const posted = () => request('/api/v2/resolve', { method: 'POST', body: Buffer.alloc(LARGE, 'a') })
  const own = costing(MUCH)

  test('is free when the response has been made, and no sooner, though a process was lost before', async () => {
    const lost: (() => void)[] = []
    const handed: HttpRequest[] = []
    const { handOver, listeners } = handedTo(
      (request) => {
        if (handed.push(request) > 1)
          return streamed(async function* () {
            for (let at = 0; at < 3; at++) yield Buffer.from(`${request.body?.length} `)
          })
        lost[0]?.()
        return new Promise(() => {})
      },
      { workers: 2, limits: { bytes: LARGE, bytesPerClient: LARGE } },
    )
    lost.push(() => void (listeners[0] as ComputeListener).stop(0))
    const request = posted()
    expect(await bodyOf(await handingOver(own, handOver)(request, CLIENT))).toBe(`${LARGE} `.repeat(3))
    expect([request, handed[1]].map((each) => each?.body?.length)).toEqual([0, 0])
  })

  test('is free when the request is refused', async () => {
    const { handOver } = handedTo(() => new Promise(() => {}), { limits: { requestsPerClient: 0 } })
    const request = posted()
    expect((await handingOver(own, handOver)(request, CLIENT)).status).toBe(503)
    expect(request.body?.length).toBe(0)
  })
})

describe('the app of a process that serves', () => {
  test.each([
    ['costs nothing', 0, 'own'],
    ['costs as much as a page may', PAGE_WORTH, 'own'],
    ['costs more', PAGE_WORTH + 1, 'handed'],
    ['costs a lot', MUCH, 'handed'],
  ])('a request that %s', async (_, cost, by) => {
    const { handOver } = handedTo(() => textResponse(200, {}, 'handed'))
    expect(await bodyOf(await handingOver(costing(cost), handOver)(request('/a'), CLIENT))).toBe(by)
  })
  test('is the app in all else', () => {
    const { handOver } = handedTo(() => textResponse(200, {}, ''))
    const own = Object.assign(costing(0), { maxBody: () => 7 })
    expect(handingOver(own, handOver).maxBody).toBe(own.maxBody)
  })
})
