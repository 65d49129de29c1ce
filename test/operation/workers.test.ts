// Several workers on one port: they die, are replaced, restarted and stopped while the service keeps running.
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { COLLECTOR_OPTIONS } from '../../packages/server/src/http/processes/worker-process.ts'
import {
  childrenOf,
  clientsOf,
  computeWorkersOf,
  environmentOf,
  eventually,
  isAlive,
  listenersOf,
  SAME_LINKS,
  Service,
  type ServiceOptions,
  startPages,
  TwoReleases,
  workersOf,
} from '../support/service.ts'
import { message, send } from '../support/wire.ts'
import { fairTrial, type PageTrafficReport } from '../torture/traffic.ts'

setDefaultTimeout(180_000)

const home = await TwoReleases.create()
const [first, second] = home.digests
const targets = await home.targets()
const CONNECTIONS = 64
afterAll(() => home[Symbol.dispose]())
beforeEach(() => home.store.activate(first))

const start = (...flags: string[]) => Service.over(home, { flags: ['--workers', '2', ...SAME_LINKS, ...flags] })
const loadOn = ({ url }: Service) => startPages(url, CONNECTIONS, targets)
const NOBODY_LISTENS = 'connection refused'
const noneFailed = { failed: 0, limited: 0, reasons: {} }

/** Waits until two workers listen, none of them one of these. */
async function twoOthers(service: Service, old: readonly number[]): Promise<number[]> {
  await eventually('two other workers listen', () => {
    const there = workersOf(service.pid)
    return there.length === 2 && !there.some((pid) => old.includes(pid)) && listenersOf(service.port) === 2
  })
  return workersOf(service.pid)
}

/** Waits until there is a worker that is none of these. */
const anotherThan = (service: Service, old: readonly number[]) =>
  eventually('another worker is there', () => workersOf(service.pid).some((pid) => !old.includes(pid)))

function oneOf(service: Service): number {
  const [pid] = workersOf(service.pid)
  if (pid === undefined) throw new Error('there is no worker')
  return pid
}

describe.skipIf(process.platform !== 'linux')('two workers', () => {
  test('one that is killed under load loses only its own clients, and is replaced', async () => {
    await using service = await start()
    await using load = await loadOn(service)
    await eventually('all clients are connected', () => {
      const clients = workersOf(service.pid).map((pid) => clientsOf(pid, service.port))
      return clients.reduce((sum, count) => sum + count, 0) === CONNECTIONS
    })
    const victim = oneOf(service)
    const [survivor] = workersOf(service.pid).filter((pid) => pid !== victim)
    const clients = clientsOf(victim, service.port)
    process.kill(victim, 'SIGKILL')
    const [, died] = await service.line(/^WORKER DIED: process (\d+), signal SIGKILL; starting another in 100 ms$/)
    expect(Number(died)).toBe(victim)
    expect(await twoOthers(service, [victim])).toContain(survivor as number)
    await load.more(CONNECTIONS * 10)
    const { failed, closedByServer, reasons } = await load.stop()
    expect(closedByServer).toBe(0)
    const ends = ['closed without a whole response', NOBODY_LISTENS]
    expect(Object.keys(reasons).filter((reason) => !ends.includes(reason))).toEqual([])
    expect(clients).toBeWithin(1, CONNECTIONS)
    // A client that reconnects at once may reach the dying worker a second time.
    expect(failed).toBeWithin(1, 2 * clients + 1)
    await using afterwards = await loadOn(service)
    await afterwards.more(CONNECTIONS * 4)
    expect(await afterwards.stop()).toMatchObject(noneFailed)
  })

  test('they exit when the supervisor is killed', async () => {
    await using service = await start()
    const workers = childrenOf(service.pid)
    expect(workers).toHaveLength(4)
    service.signal('SIGKILL')
    await eventually('the workers have exited', () => !workers.some(isAlive))
    await service.refuses()
  })

  test('they exit when the supervisor is killed while they start', async () => {
    await using service = new Service({ flags: ['--home', home.path, '--port', '0', '--workers', '2'] })
    await eventually('there is a worker', () => workersOf(service.pid).length > 0)
    const workers = workersOf(service.pid)
    service.signal('SIGKILL')
    await eventually('the workers have exited', () => !workers.some(isAlive))
  })

  test('both serve a release that is activated, no request fails and no response is of two releases', async () => {
    await using service = await start()
    const swapped = async (digest: string) => {
      home.store.activate(digest)
      const announced = new RegExp(`^\\[(\\d+)\\] Serving release ${digest.slice(0, 12)} from now on\\.$`)
      const pids = [await service.line(announced), await service.line(announced)].map(([, pid]) => Number(pid))
      expect(new Set(pids)).toEqual(new Set(workersOf(service.pid)))
    }
    const report = await fairTrial(async () => {
      await using load = await loadOn(service)
      for (const digest of [second, first, second, first]) {
        await swapped(digest)
        await load.more(CONNECTIONS * 4)
      }
      return await load.stop()
    })
    expect(report).toMatchObject({ ...noneFailed, closedByServer: 0 })
    expect(Math.min(...report.versions)).toBeGreaterThan(CONNECTIONS)
  })
})

test.skipIf(process.platform !== 'linux')(
  'with --workers 1 there are one page worker and one compute worker',
  async () => {
    await using service = await Service.over(home, { flags: ['--workers', '1'] })
    const [[worker = 0, ...others], [computeWorker = 0, ...more]] = [
      workersOf(service.pid),
      computeWorkersOf(service.pid),
    ]
    expect([others, more]).toEqual([[], []])
    expect([getPriority(worker), getPriority(computeWorker)]).toEqual([getPriority(), 10])
    for (const pid of [worker, computeWorker]) {
      const environment = environmentOf(pid)
      for (const [name, value] of Object.entries(COLLECTOR_OPTIONS)) expect(environment.get(name)).toBe(value)
    }
    // Pages would wait for a sweep at once.
    const sweeps = [worker, computeWorker].map((pid) => environmentOf(pid).get('BUN_JSC_sweepSynchronously'))
    expect(sweeps).toEqual([undefined, 'true'])
  },
)

/** Both wait for heartbeats most of the time. */
describe.skipIf(process.platform !== 'linux')('a worker that is stopped', () => {
  test.concurrent('is killed after five seconds and replaced; the other one is left alone', async () => {
    await using service = await start()
    const [victim = 0, other = 0] = workersOf(service.pid)
    process.kill(victim, 'SIGSTOP')
    const [, stuck] = await service.line(/^WORKER STUCK: process (\d+) has not reported for 5 s; killing it$/)
    expect(Number(stuck)).toBe(victim)
    await service.line(new RegExp(`^WORKER DIED: process ${victim}, signal SIGKILL; starting another in 100 ms$`))
    expect(await twoOthers(service, [victim])).toContain(other)
  })

  test.concurrent('together with its supervisor, as when the machine sleeps, is not', async () => {
    await using service = await start()
    const workers = workersOf(service.pid)
    const all = [service.pid, ...workers]
    for (const pid of all) process.kill(pid, 'SIGSTOP')
    await Bun.sleep(6_500)
    // The supervisor wakes first, and has heard of nobody for a long time.
    for (const pid of all) process.kill(pid, 'SIGCONT')
    await Bun.sleep(2_500)
    expect([workersOf(service.pid), service.said.err]).toEqual([workers, ''])
  })
})

describe.skipIf(process.platform !== 'linux')('SIGHUP', () => {
  test('under load replaces every worker, and no request fails', async () => {
    await using service = await start()
    const report = await fairTrial(async () => {
      await using load = await loadOn(service)
      const before = workersOf(service.pid)
      service.signal('SIGHUP')
      await service.line(/^All workers were restarted\.$/)
      expect(before.filter(isAlive)).toEqual([])
      await twoOthers(service, before)
      await load.more(CONNECTIONS * 4)
      return await load.stop()
    })
    expect(report).toMatchObject(noneFailed)
    expect(report.closedByServer).toBeGreaterThanOrEqual(CONNECTIONS)
    expect(service.said.err).not.toContain('WORKER DIED')
  })

  test('sent again during a restart does not change the number of workers', async () => {
    await using service = await start()
    const before = workersOf(service.pid)
    service.signal('SIGHUP')
    await anotherThan(service, before)
    service.signal('SIGHUP')
    for (const _ of ['first', 'second']) await service.line(/^All workers were restarted\.$/)
    await twoOthers(service, before)
  })

  test('when no worker can start, the old ones stay', async () => {
    await using service = await start()
    const before = workersOf(service.pid)
    using _damage = new Damage(first, second)
    service.signal('SIGHUP')
    await service.line(/^\[\d+\] nomenclator: the release is damaged: /)
    await service.line(
      /^WORKERS NOT RESTARTED: a worker could not start \(exit code 1\); its reason stands above; those/,
    )
    expect(workersOf(service.pid)).toEqual(before)
    expect((await send(service.url, message('GET', '/api/v1', 'Host: a'))).status).toBe(200)
  })
})

describe.skipIf(process.platform !== 'linux')('SIGTERM', () => {
  async function stoppedUnderLoad(sendSignals: (service: Service) => void): Promise<PageTrafficReport> {
    await using service = await start()
    await using load = await loadOn(service)
    await load.more(CONNECTIONS * 4)
    const workers = workersOf(service.pid)
    sendSignals(service)
    expect(await service.exited()).toBe(0)
    expect(workers.filter(isAlive)).toEqual([])
    expect(service.said.err).toBe('')
    const report = await load.stop()
    const { [NOBODY_LISTENS]: refused = 0, ...reasons } = report.reasons
    return { ...report, failed: report.failed - refused, reasons }
  }

  test('under load: no request fails', async () => {
    const report = await fairTrial(() => stoppedUnderLoad((service) => service.signal('SIGTERM')))
    expect(report).toMatchObject(noneFailed)
    expect(report.closedByServer).toBeGreaterThanOrEqual(CONNECTIONS)
  })

  test('under load, sent to all processes at once: no request fails', async () => {
    const report = await fairTrial(() =>
      stoppedUnderLoad((service) => {
        for (const pid of workersOf(service.pid)) process.kill(pid, 'SIGTERM')
        service.signal('SIGTERM')
      }),
    )
    expect(report).toMatchObject(noneFailed)
  })

  test('during a restart: all exit', async () => {
    await using service = await start()
    const before = workersOf(service.pid)
    service.signal('SIGHUP')
    await anotherThan(service, before)
    const workers = workersOf(service.pid)
    service.signal('SIGTERM')
    expect(await service.exited()).toBe(0)
    expect(workers.filter(isAlive)).toEqual([])
    // The restart may have been quicker than the signal.
    expect(['', 'All workers were restarted.\n']).toContain(service.said.err)
  })
})

describe.skipIf(process.platform !== 'linux')('an interrupt from the keyboard', () => {
  test('reaches every process, and stops the service once', async () => {
    await using service = await start()
    for (const pid of workersOf(service.pid)) process.kill(pid, 'SIGINT')
    service.signal('SIGINT')
    expect(await service.exited()).toBe(0)
    expect(service.said.err).toBe('')
  })

  test('is left to the supervisor', async () => {
    await using service = await start()
    const before = workersOf(service.pid)
    for (const pid of before) process.kill(pid, 'SIGINT')
    service.signal('SIGHUP')
    await service.line(/^All workers were restarted\.$/)
    await twoOthers(service, before)
    expect(service.said.err).toBe('All workers were restarted.\n')
  })
})

describe.skipIf(process.platform !== 'linux')('workers that cannot start', () => {
  async function refused(options: ServiceOptions) {
    await using service = new Service(options)
    const code = await service.exited()
    return { code, ...service.said }
  }

  test('end the service, with their reason', async () => {
    const flags = ['--home', home.path, '--workers', '2', '--host', '203.0.113.1', '--port', '0']
    const { code, out, err } = await refused({ flags })
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^nomenclator: cannot listen on 203\.0\.113\.1, port 0 \(\w+\); choose others with .*\n$/)
  })

  test('in place of one that died, are started again until they can', async () => {
    await using service = await start()
    const victim = oneOf(service)
    {
      using _damage = new Damage(first, second)
      process.kill(victim, 'SIGKILL')
      // Three processes, in any order.
      for (const line of [
        /^\[\d+\] nomenclator: the release is damaged: /m,
        /^WORKER DID NOT START: a worker could not start \(exit code 1\); .*; trying again in 200 ms$/m,
        /^\[\d+\] A DAMAGED RELEASE IS SERVED, and no other is sound: /m,
      ])
        await eventually(`it says ${line}`, () => line.test(service.said.err))
      expect((await send(service.url, message('GET', '/api/v1', 'Host: a'))).status).toBe(200)
    }
    await twoOthers(service, [victim])
  })
})

/** Truncates a file of each release until it is disposed of. The missing byte is one that no test reads. */
class Damage implements Disposable {
  readonly #files: readonly { readonly path: string; readonly whole: Buffer }[]

  constructor(...digests: readonly string[]) {
    this.#files = digests.map((digest) => {
      const path = home.fileOf(digest, 'area', 'records')
      return { path, whole: readFileSync(path) }
    })
    for (const { path, whole } of this.#files) truncateSync(path, whole.length - 1)
  }

  [Symbol.dispose](): void {
    for (const { path, whole } of this.#files) writeFileSync(path, whole)
  }
}
