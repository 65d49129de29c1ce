// The traces of every request: its id, its count, its line in the access log, and its event if it was slow or failed.
import { describe, expect, spyOn, test } from 'bun:test'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import type { LogEvent } from '../../base/log.ts'
import type { App } from '../app.ts'
import { emptyResponse, type HttpResponse, isStreamed, textResponse } from '../exchange.ts'
import { overloaded } from '../problem.ts'
import { ROUTE_LABELS, type RouteLabel } from '../routes.ts'
import { AccessLog } from './access-log.ts'
import { Metrics, STATUS_CLASSES } from './metrics.ts'
import { failureLog, type Observation, observed } from './observed-app.ts'

type Seen = Observation & { readonly events: LogEvent[] }

function watching(changes: Partial<Observation> = {}): Seen {
  const events: LogEvent[] = []
  return {
    metrics: new Metrics(),
    log: (event) => events.push(event),
    policy: { trustedProxies: undefined },
    accessLog: undefined,
    slowMilliseconds: 1_000,
    events,
    ...changes,
  }
}

const connection = { listeningUrl: '', peer: '192.0.2.1' }
const request = (path: string, method = 'GET', headers: Record<string, string> = {}) => ({
  method,
  path,
  query: '',
  headers: new Map(Object.entries(headers)),
})

const countOf = ({ metrics }: Seen, route: RouteLabel, status: (typeof STATUS_CLASSES)[number]) =>
  metrics.snapshot().requests[ROUTE_LABELS.indexOf(route) * STATUS_CLASSES.length + STATUS_CLASSES.indexOf(status)]
const bytesOf = ({ metrics }: Seen, route: RouteLabel) => metrics.snapshot().bodyBytes[ROUTE_LABELS.indexOf(route)]
const durationOf = ({ metrics }: Seen, route: RouteLabel) =>
  metrics.snapshot().durationSums[ROUTE_LABELS.indexOf(route)] as number

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

const streamed = (...texts: string[]): HttpResponse => ({
  status: 200,
  head: 'A: b\r\n',
  body: { length: undefined, chunks: () => chunks(...texts) },
})

async function bodyOf({ body }: HttpResponse): Promise<string> {
  let all = ''
  if (isStreamed(body)) for await (const chunk of body.chunks()) all += Buffer.from(chunk).toString()
  return all
}

describe('a response is counted', () => {
  const text = textResponse(200, {}, 'four')

  test.each<[string, HttpResponse, string, number]>([
    ['with its bytes', text, 'GET', 4],
    ['without bytes for HEAD', text, 'HEAD', 0],
    ['without bytes for a 304', { ...text, status: 304 }, 'GET', 0],
    ['without bytes if it has none', emptyResponse(200, {}), 'GET', 0],
  ])('%s', (_name, response, method, bytes) => {
    const seen = watching()
    observed(() => response, seen)(request('/api/v1/paises', method), connection)
    expect([countOf(seen, 'v1 page', response.status === 304 ? '3xx' : '2xx'), bytesOf(seen, 'v1 page')]).toEqual([
      1,
      bytes,
    ])
  })

  test('when it was promised', async () => {
    const seen = watching()
    await observed(() => Bun.sleep(20).then(() => text), seen)(request('/api/v2/search'), connection)
    expect([countOf(seen, 'v2 search', '2xx'), durationOf(seen, 'v2 search') > 0.015]).toEqual([1, true])
  })

  test('when all of it has been streamed', async () => {
    const seen = watching()
    const response = await observed(() => streamed('one', 'two!'), seen)(request('/api/v2/paises/all'), connection)
    expect(countOf(seen, 'v2 bulk', '2xx')).toBe(0)
    expect(await bodyOf(response)).toBe('onetwo!')
    expect([countOf(seen, 'v2 bulk', '2xx'), bytesOf(seen, 'v2 bulk')]).toEqual([1, 7])
  })

  test('when the client went away in the middle of it', async () => {
    const seen = watching()
    const { body } = await observed(() => streamed('one', 'two'), seen)(request('/api/v2/paises/all'), connection)
    if (isStreamed(body)) for await (const _ of body.chunks()) break
    expect([countOf(seen, 'v2 bulk', '2xx'), bytesOf(seen, 'v2 bulk')]).toEqual([1, 3])
  })

  test('at once if only its head is sent', () => {
    const seen = watching()
    observed(() => streamed('one'), seen)(request('/api/v2/paises/all', 'HEAD'), connection)
    expect([countOf(seen, 'v2 bulk', '2xx'), bytesOf(seen, 'v2 bulk')]).toEqual([1, 0])
  })

  test('by the time that it took to make, and not by how slowly the client reads', async () => {
    const seen = watching()
    const slow = async function* () {
      yield Buffer.from('a')
      await Bun.sleep(30)
      yield Buffer.from('b')
    }
    const body = { length: undefined, chunks: slow }
    const response = await observed(() => ({ status: 200, head: '', body }), seen)(
      request('/api/v2/changes'),
      connection,
    )
    const [started, readMilliseconds] = [performance.now(), 2 * 100]
    if (isStreamed(response.body)) for await (const _ of response.body.chunks()) await Bun.sleep(100)
    const elapsed = (performance.now() - started - readMilliseconds) / 1_000
    expect(durationOf(seen, 'v2 changes')).toBeWithin(0.025, elapsed + 0.01)
  })

  test('as invalid if there was no request', () => {
    const seen = watching()
    const response = observed(() => text, seen).refuse?.({ kind: 'bad-request', wrong: 'x' }, '/', connection)
    expect([response?.status, countOf(seen, 'invalid', '4xx')]).toEqual([400, 1])
  })

  test('under its route if there was too much to do for it', () => {
    const seen = watching()
    observed(() => text, seen).refuse?.(overloaded('bytes', 'all is used up'), '/api/v2/paises', connection)
    expect([countOf(seen, 'invalid', '5xx'), countOf(seen, 'v2 list', '5xx')]).toEqual([0, 1])
  })
})

describe('the id of a request', () => {
  const proxies = new BlockList()
  proxies.addAddress('192.0.2.1')
  const policy = { trustedProxies: proxies }
  const given = { 'x-request-id': 'from-the-proxy' }

  test.each(['/api/v2', '/api/v2/paises', '/api/v2/nothing/at/all', '/api/openapi.json'])(
    'is a header of API v2: %s',
    async (path) => {
      const app = observed(() => emptyResponse(304, { A: 'b' }), watching({ policy }))
      expect((await app(request(path, 'GET', given), connection)).head).toBe('A: b\r\nX-Request-Id: from-the-proxy\r\n')
    },
  )

  test.each(['/', '/api/v1', '/api/v1/paises', '/elsewhere'])('changes nothing elsewhere: %s', (path) => {
    const response = emptyResponse(200, { A: 'b' })
    expect(observed(() => response, watching({ policy }))(request(path, 'GET', given), connection)).toBe(response)
  })

  test('is a header also of what the wire refuses', () => {
    const refuse = (path: string) =>
      observed(() => emptyResponse(200, {}), watching()).refuse?.({ kind: 'bad-request', wrong: 'x' }, path)
    expect(refuse('/api/v2/paises')?.head).toMatch(/\r\nX-Request-Id: [0-9a-f]{12}-\w+\r\n$/)
    expect(refuse('/api/v1/paises')?.head).not.toContain('X-Request-Id')
  })

  test('is the same for the app, the response, the access log and the events', async () => {
    using directory = new TestDirectory()
    const path = join(directory.path, 'access.log')
    const metrics = new Metrics()
    const accessLog = new AccessLog({ path }, 'json', metrics, () => {})
    const seen = watching({ policy, accessLog, metrics, slowMilliseconds: 0 })
    const ids: (string | undefined)[] = []
    const app: App = (_request, _connection, id) => {
      ids.push(id?.value)
      return emptyResponse(200, {})
    }
    const { head } = await observed(app, seen)(request('/api/v2/paises', 'GET', given), connection)
    await accessLog.close()
    const line = JSON.parse(await Bun.file(path).text())
    expect([...ids, head.trim(), line.requestId, seen.events[0]?.requestId]).toEqual([
      'from-the-proxy',
      'X-Request-Id: from-the-proxy',
      'from-the-proxy',
      'from-the-proxy',
    ])
  })
})

describe('events', () => {
  test('a slow request is logged and counted, one that is not slow is neither', async () => {
    let milliseconds = 0
    using _clock = spyOn(Bun, 'nanoseconds').mockImplementation(() => milliseconds * 1e6)
    const seen = watching({ slowMilliseconds: 200 })
    const taking = (time: number) => async () => {
      milliseconds += time
      return emptyResponse(200, {})
    }
    await observed(taking(200), seen)({ ...request('/api/v2/search'), query: 'q=a' }, connection)
    await observed(taking(199), seen)(request('/api/v1/paises'), connection)
    expect([seen.events.length, seen.metrics.slowRequests]).toEqual([1, 1])
    expect(seen.events[0]).toMatchObject({
      level: 'warn',
      event: 'slow-request',
      route: 'v2 search',
      method: 'GET',
      path: '/api/v2/search',
      query: 'q=a',
      status: 200,
      milliseconds: 200,
      requestId: expect.stringMatching(/^[0-9a-f]{12}-/),
    })
    expect(seen.events[0]?.message).toMatch(/^SLOW REQUEST: GET \/api\/v2\/search\?q=a took \d+ ms \(200\)$/)
  })

  test('a body that fails is logged with the id that its head had', async () => {
    const seen = watching()
    const failing = Object.assign(() => streamed('one'), { failed: failureLog(seen) })
    const app = observed(failing, seen)
    const asked = request('/api/v2/paises/all')
    const { head } = await app(asked, connection)
    app.failed?.(new Error('broken'), asked)
    expect(seen.events).toEqual([
      {
        level: 'error',
        event: 'request-failed',
        message: 'GET /api/v2/paises/all failed: Error: broken',
        method: 'GET',
        path: '/api/v2/paises/all',
        requestId: /X-Request-Id: (.*)\r\n/.exec(head)?.[1],
        stack: expect.stringContaining('broken'),
      },
    ])
    expect(seen.metrics.errors).toBe(1)
  })
})
