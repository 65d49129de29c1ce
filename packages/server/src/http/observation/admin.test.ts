// The listener for operators: every path, every state of the service, and whatever a client may send.
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { open, readUntilClosed } from '../../../../../test/support/wire.ts'
import { version } from '../../base/version.ts'
import type { ServingStatus, WorkerReport } from '../processes/serving-status.ts'
import { type AdminOptions, startAdmin } from './admin.ts'
import { Metrics } from './metrics.ts'

const DIGEST = 'a'.repeat(64)
const BUILT = '2026-01-01T00:00:00.000Z'
const worker = (pid: number, changes: Partial<ServingStatus> = {}): WorkerReport => ({
  status: { release: DIGEST, built: BUILT, degraded: [], draining: false, ...changes },
  metrics: { ...new Metrics().snapshot(), pid },
})

const followed = {
  isConnected: true,
  trouble: undefined,
  generation: 1,
  fetchedChunks: 0,
  fetchedBytes: 0,
  connects: 1,
}
let reports: AdminOptions['reports'] = async () => []
let stopping = false
let lagSeconds = 0
const admin = startAdmin({
  host: '127.0.0.1',
  port: 0,
  reports: () => reports(),
  restarts: () => 3,
  stopping: () => stopping,
  shelf: () => (lagSeconds === 0 ? undefined : { ...followed, lagSeconds }),
  maxLagSeconds: 60,
})
afterAll(() => admin[Symbol.asyncDispose]())

async function get(path: string, all: readonly WorkerReport[] = [worker(1), worker(2)], method = 'GET') {
  reports = async () => all
  const response = await fetch(`${admin.url}${path}`, { method })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
}

describe('/healthz', () => {
  test('is 200 as long as the process lives, whatever its workers do', async () => {
    const { status, json } = await get('/healthz', [])
    expect([status, json()]).toEqual([
      200,
      { status: 'ok', version, pid: process.pid, uptimeSeconds: expect.any(Number) },
    ])
  })
})

describe('/readyz', () => {
  test.each<[string, readonly WorkerReport[], number, object]>([
    ['workers that listen', [worker(1), worker(2)], 200, { ready: true, workers: 2, degraded: [] }],
    ['no worker', [], 503, { ready: false, reason: 'no worker listens' }],
    [
      'all workers stopping',
      [worker(1, { draining: true })],
      503,
      { ready: false, reason: 'all workers are stopping' },
    ],
    ['one worker stopping', [worker(1, { draining: true }), worker(2)], 200, { ready: true, workers: 2, degraded: [] }],
    [
      'workers that are degraded, each reason once',
      [worker(1, { degraded: ['a', 'b'] }), worker(2, { degraded: ['a'] })],
      200,
      { ready: true, workers: 2, degraded: ['a', 'b'] },
    ],
  ])('with %s', async (_name, all, status, body) => {
    const response = await get('/readyz', all)
    expect([response.status, response.json()]).toEqual([status, body])
  })

  test.each([
    [60, 200, undefined],
    [61.5, 503, 'it lacks the current release of the shelf for 61 s; --ready-lag is 60'],
  ])('with a home that lags for %p s', async (seconds, status, reason) => {
    lagSeconds = seconds
    const response = await get('/readyz')
    lagSeconds = 0
    expect([response.status, response.json().reason]).toEqual([status, reason])
  })

  test('while the service stops', async () => {
    stopping = true
    const { status, json } = await get('/readyz')
    stopping = false
    expect([status, json()]).toEqual([503, { ready: false, reason: 'the service is stopping' }])
  })

  test('when the workers cannot be asked', async () => {
    reports = () => Promise.reject(new Error('gone'))
    const response = await fetch(`${admin.url}/readyz`)
    expect([response.status, await response.json()]).toEqual([503, { ready: false, reason: 'no worker listens' }])
  })
})

describe('/release', () => {
  test('has what each worker serves, and what all do', async () => {
    const one = { release: DIGEST, built: BUILT, degraded: [], draining: false }
    expect((await get('/release')).json()).toEqual({
      release: DIGEST,
      built: BUILT,
      degraded: [],
      workers: [
        { pid: 1, ...one },
        { pid: 2, ...one },
      ],
    })
  })

  test('has no release of all while they differ, or while there is no worker', async () => {
    const { release, workers } = (await get('/release', [worker(1), worker(2, { release: 'b' })])).json()
    expect([release, workers.map((one: ServingStatus) => one.release)]).toEqual([null, [DIGEST, 'b']])
    expect((await get('/release', [])).json()).toEqual({ release: null, built: null, degraded: [], workers: [] })
  })
})

describe('/metrics', () => {
  test('are those of all workers, in the type that Prometheus wants', async () => {
    const { status, headers, text } = await get('/metrics')
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text).toContain('\nnomenclator_workers 2\n')
    expect(text).toContain('\nnomenclator_worker_restarts_total 3\n')
    expect(text).toContain('\nnomenclator_resident_memory_bytes{process="supervisor"')
  })

  test('are there without a worker too', async () => {
    const { status, text } = await get('/metrics', [])
    expect([status, text.includes('\nnomenclator_ready 0\n')]).toEqual([200, true])
  })
})

describe('requests', () => {
  const paths = ['/', '/healthz', '/readyz', '/metrics', '/release']

  test('for the root list what there is', async () => {
    const { status, json } = await get('/')
    expect([status, Object.keys(json().paths)]).toEqual([200, paths.slice(1)])
  })

  test.each(paths)('HEAD %s is GET without its body', async (path) => {
    const [whole, head] = [await get(path), await get(path, [worker(1), worker(2)], 'HEAD')]
    expect([head.status, head.text, head.headers.get('Content-Type')]).toEqual([
      whole.status,
      '',
      whole.headers.get('Content-Type'),
    ])
    expect(whole.headers.get('Cache-Control')).toBe('no-store')
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is 405', async (method) => {
    const { status, headers } = await get('/metrics', [], method)
    expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })

  test.each(['/nothing', '/healthz/', '/__proto__', '/constructor', '/HEALTHZ'])('%s is 404', async (path) =>
    expect((await get(path)).status).toBe(404),
  )

  test('with a query are like those without', async () => expect((await get('/healthz?a=1')).status).toBe(200))

  test.each([
    ['127.0.0.1', 200],
    ['127.0.0.1:8081', 200],
    ['192.0.2.7:80', 200],
    ['[::1]:8081', 200],
    ['[fe80::1]', 200],
    ['localhost', 200],
    ['LOCALHOST:1', 200],
    ['rebound.example', 421],
    ['rebound.example:8081', 421],
    ['127.0.0.1.rebound.example', 421],
    ['localhost.rebound.example:8081', 421],
    ['127.0.0.1@rebound.example', 421],
    ['[rebound.example]', 421],
  ])('with Host: %s are %i', async (Host, status) => {
    reports = async () => [worker(1)]
    for (const path of paths) {
      const response = await fetch(`${admin.url}${path}`, { headers: { Host } })
      expect([path, response.status]).toEqual([path, status])
      if (status === 421) expect(await response.json()).toEqual({ error: expect.stringMatching(/^Host must be/) })
    }
  })

  test('that are malformed never take it down', async () => {
    const lines = fc.constantFrom(
      'GET /healthz HTTP/1.1\r\nHost: <b>\r\nConnection: close\r\n\r\n',
      'GET http://[/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'GET \u0000 HTTP/1.1\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\nConnection: close\r\n\r\n',
      'garbage\r\n\r\n',
      '\r\n\r\n\r\n',
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(lines, fc.string({ unit: 'binary' })), async (text) => {
        const socket = open(admin.url)
        socket.on('error', () => {})
        socket.end(text, 'latin1')
        await readUntilClosed(socket).catch(() => '')
        expect((await get('/healthz')).status).toBe(200)
      }),
      { numRuns: 40 },
    )
  })
})

test('a port in use is a failure in words', () => {
  const port = Number(new URL(admin.url).port)
  expect(() => startAdmin({ host: '127.0.0.1', port, reports: async () => [] })).toThrow(
    `cannot listen for operators on 127.0.0.1, port ${port} (EADDRINUSE); choose another with --admin`,
  )
})
