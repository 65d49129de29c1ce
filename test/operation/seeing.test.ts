// A running service for an operator: its log, its access log, its metrics, its limits.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../support/releases.ts'
import { eventually, Service, type ServiceOptions, TwoReleases, workersOf } from '../support/service.ts'
import { message, send } from '../support/wire.ts'

setDefaultTimeout(180_000)

const home = await TwoReleases.create()
const [first, second] = home.digests
const directory = new TestDirectory()
afterAll(() => {
  home[Symbol.dispose]()
  directory[Symbol.dispose]()
})

const ADMIN = ['--admin', '127.0.0.1:0']
const start = (workers: string, flags: readonly string[] = [], env: ServiceOptions['env'] = {}) =>
  Service.over(home, { flags: ['--workers', workers, ...flags], env })
const get = (url: string, target = '/api/v1/paises', ...fields: readonly string[]) =>
  send(url, message('GET', target, 'Host: a', 'Connection: close', ...fields))

/** The address of the listener for operators, from the log of the start. */
async function adminUrlOf(service: Service): Promise<string> {
  let url = ''
  await eventually('it says where operators are served', () => {
    url = /(?:served on|"url":") ?(http:[^\s"]+)/.exec(service.said.err)?.[1] ?? ''
    return url !== ''
  })
  return url
}

async function metricsOf(service: Service): Promise<Map<string, number>> {
  const text = await (await fetch(`${await adminUrlOf(service)}/metrics`)).text()
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(samples.map((line) => [line.replace(/ \S+$/, ''), Number(line.replace(/^.* /, ''))]))
}

/** Waits until a metric has a value: a worker that is slow to report is counted as it was at its last report. */
const counted = (service: Service, metric: string, value: number) =>
  eventually(`${metric} is ${value}`, async () => (await metricsOf(service)).get(metric) === value)

const eventsOf = ({ said }: Service) =>
  said.err
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe.each(['1', '2'])('with --workers %s', (workers) => {
  test('the listener for operators is ready with the service, and counts all that is requested', async () => {
    await using service = await start(workers, ADMIN)
    const admin = await adminUrlOf(service)
    const ready = await fetch(`${admin}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, workers: Number(workers), degraded: [] }])
    for (let count = 0; count < 20; count++) await get(service.url)
    await get(service.url, '/api/v2/paises/nothing')
    await send(service.url, 'garbage\r\n\r\n')
    await counted(service, 'nomenclator_requests_total{route="v1 page",status="2xx"}', 20)
    await counted(service, 'nomenclator_request_duration_seconds_count{route="v1 page"}', 20)
    await counted(service, 'nomenclator_requests_total{route="v2 record",status="4xx"}', 1)
    await counted(service, 'nomenclator_requests_total{route="invalid",status="4xx"}', 1)
    await counted(service, 'nomenclator_workers', Number(workers))
    await counted(service, `nomenclator_release_info{release="${first}"}`, Number(workers))
    const { release, workers: served } = (await (await fetch(`${admin}/release`)).json()) as {
      release: string
      workers: { pid: number }[]
    }
    expect(release).toBe(first)
    const pids = workersOf(service.pid)
    expect(served.map(({ pid }) => pid).sort()).toEqual(pids.sort())
  })

  test('a swap is an event and is counted, in JSON where nobody looks', async () => {
    home.store.activate(first)
    await using service = await start(workers, ADMIN, { LOG_FORMAT: 'auto' })
    home.store.activate(second)
    await eventually('all have swapped', () => service.said.err.split('"release-swapped"').length > Number(workers))
    const swaps = eventsOf(service).filter(({ event }) => event === 'release-swapped')
    expect(swaps[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'info',
      event: 'release-swapped',
      message: `Serving release ${second.slice(0, 12)} from now on.`,
      pid: expect.any(Number),
      release: second,
    })
    const pids = workersOf(service.pid)
    expect(new Set(swaps.map(({ pid }) => pid))).toEqual(new Set(pids))
    expect(service.said.out).toStartWith('Serving release ')
    await counted(service, 'nomenclator_release_swaps_total', Number(workers))
    home.store.activate(first)
  })

  test('the access log has a line for each response, is reopened by SIGUSR1 and whole at the end', async () => {
    const path = join(directory.path, `access-${workers}.log`)
    await using service = await start(workers, ['--access-log', path])
    await get(service.url, '/api/v1/paises?page=2', 'User-Agent: "quoted"')
    await eventually('the line is there', () => readFileSync(path, 'utf8') !== '')
    renameSync(path, `${path}.1`)
    service.signal('SIGUSR1')
    await eventually('it is opened anew', () => existsSync(path))
    for (let count = 0; count < 50; count++) await get(service.url)
    service.signal('SIGTERM')
    expect(await service.exited()).toBe(0)
    expect(readFileSync(`${path}.1`, 'utf8')).toMatch(
      /^127\.0\.0\.1 - - \[[^\]]+\] "GET \/api\/v1\/paises\?page=2 HTTP\/1\.1" 200 \d+ "-" "\\x22quoted\\x22"\n/,
    )
    const lines = (readFileSync(`${path}.1`, 'utf8') + readFileSync(path, 'utf8')).trimEnd().split('\n')
    expect(lines).toHaveLength(51)
  })

  test('the access log goes to standard output, as it is', async () => {
    await using service = await start(workers, ['--access-log', '-', '--access-log-format', 'json'])
    await get(service.url)
    await eventually('the line is there', () => service.said.out.includes('"requestId"'))
    const line = service.said.out.split('\n').find((one) => one.includes('"requestId"')) ?? ''
    expect(JSON.parse(line)).toMatchObject({
      client: '127.0.0.1',
      path: '/api/v1/paises',
      status: 200,
      route: 'v1 page',
    })
    expect(service.said.err).toBe('')
  })

  test('SIGUSR1 does no harm without an access log', async () => {
    await using service = await start(workers)
    for (const pid of [...workersOf(service.pid), service.pid]) process.kill(pid, 'SIGUSR1')
    expect((await get(service.url)).status).toBe(200)
    service.signal('SIGTERM')
    expect(await service.exited()).toBe(0)
  })

  test('a rate limit holds over all workers, and responses have it', async () => {
    await using service = await start(workers, ['--rate-limit', '20/m', ...ADMIN])
    const responses = []
    for (let count = 0; count < 40; count++) responses.push(await get(service.url, '/api/v2/paises'))
    const refused = responses.filter(({ status }) => status === 429)
    // Every three seconds one more is allowed.
    expect(refused.length).toBeWithin(5, 21)
    expect(refused[0]?.headers['Retry-After']).toMatch(/^[123]$/)
    expect(refused[0]?.headers.RateLimit).toMatch(/^"default";r=0;t=[123]$/)
    expect(responses[0]?.headers['RateLimit-Policy']).toBe('"default";q=20;w=60')
    expect(JSON.parse(refused[0]?.body ?? '')).toMatchObject({ requestId: refused[0]?.headers['X-Request-Id'] })
    await counted(service, 'nomenclator_refused_total{reason="rate"}', refused.length)
  })
})

describe('the log', () => {
  test('has what is slow, with the id that the client got', async () => {
    await using service = await start('2', ['--slow-request', '1'], { LOG_FORMAT: 'json' })
    // The first request of API v2 takes some time.
    const ids: (string | undefined)[] = []
    await eventually('a request was slow', async () => {
      ids.push((await get(service.url, '/api/v2/search?q=a')).headers['X-Request-Id'])
      return service.said.err.includes('"requestId"')
    })
    const [slow] = eventsOf(service)
    expect(slow).toMatchObject({ level: 'warn', event: 'slow-request', route: 'v2 search', status: 200, query: 'q=a' })
    expect(ids).toContain(slow.requestId)
    expect(workersOf(service.pid)).toContain(slow.pid)
  })

  test('takes the id of a trusted proxy', async () => {
    await using service = await start('1', ['--trust-proxy', '127.0.0.1'])
    const { headers } = await get(service.url, '/api/v2/paises', 'X-Request-Id: from-the-proxy')
    expect(headers['X-Request-Id']).toBe('from-the-proxy')
  })

  test('is JSON also for what keeps the service from starting, and for a worker that dies', async () => {
    using other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
    const flags = ['--home', home.path, '--port', String(other.port), '--log-format', 'json']
    await using refused = new Service({ flags })
    expect(await refused.exited()).toBe(1)
    expect(eventsOf(refused)).toMatchObject([{ level: 'error', event: 'start-failed' }])
    await using service = await start('2', ADMIN, { LOG_FORMAT: 'json' })
    const [victim = 0] = workersOf(service.pid)
    await get(service.url)
    process.kill(victim, 'SIGKILL')
    await service.line(/"event":"worker-died"/)
    expect(eventsOf(service).at(-1)).toMatchObject({ level: 'error', event: 'worker-died', pid: service.pid })
    await eventually('the death is counted', async () => {
      const metrics = await metricsOf(service)
      return metrics.get('nomenclator_worker_restarts_total') === 1 && metrics.get('nomenclator_workers') === 2
    })
  })
})

test('while it drains, it is alive and not ready', async () => {
  await using service = await start('2', ['--drain-timeout', '30', ...ADMIN])
  const admin = await adminUrlOf(service)
  // A request that does not end keeps the service from stopping.
  const socket = await Bun.connect({ hostname: '127.0.0.1', port: service.port, socket: { data: () => {} } })
  socket.write('GET / HTTP/1.1\r\n')
  await get(service.url)
  service.signal('SIGTERM')
  await eventually('it is not ready', async () => (await fetch(`${admin}/readyz`)).status === 503)
  expect(await (await fetch(`${admin}/readyz`)).json()).toEqual({ ready: false, reason: 'the service is stopping' })
  expect((await fetch(`${admin}/healthz`)).status).toBe(200)
  socket.end()
  expect(await service.exited()).toBe(0)
})

test('there is no listener for operators unless it is asked for', async () => {
  await using service = await start('1')
  expect(service.said.err).toBe('')
  expect((await get(service.url, '/metrics')).status).toBe(404)
  expect((await get(service.url, '/healthz')).status).toBe(404)
})
