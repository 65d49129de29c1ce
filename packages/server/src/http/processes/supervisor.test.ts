// When the supervisor starts workers again, after which wait, and what it knows of them.

import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { PassingTime } from '../../../../../test/support/passing-time.ts'
import { childrenOf } from '../../../../../test/support/service.ts'
import type { LogEvent } from '../../base/log.ts'
import { Metrics, type MetricsSnapshot } from '../observation/metrics.ts'
import { Backoff } from './life.ts'
import { Supervisor } from './supervisor.ts'

const { STEADY_MILLISECONDS } = Backoff

describe('the backoff', () => {
  const after = (lives: readonly number[], isAnyLeft: boolean) => {
    const backoff = new Backoff()
    return lives.map((life) => {
      backoff.workerDied(life)
      const announced = backoff.next(isAnyLeft)
      expect(backoff.take(isAnyLeft)).toBe(announced)
      return announced
    })
  }

  test.each<[name: string, lives: readonly number[], waits: readonly number[]]>([
    ['doubles from death to death', [0, 1, 2], [100, 200, 400]],
    ['doubles up to ten seconds', Array(9).fill(0), [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]],
    ['is the first again after a worker that ran steadily', [0, 0, STEADY_MILLISECONDS + 1, 0], [100, 200, 100, 200]],
    ['is not reset by one that ran just too short', [0, STEADY_MILLISECONDS, 0], [100, 200, 400]],
  ])('%s', (_name, lives, waits) => expect(after(lives, true)).toEqual([...waits]))

  test('is at most a second while no worker is left', () => {
    expect(after(Array(7).fill(0), false)).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000])
  })
})

/** A worker that prints a line when its supervisor knows that it is ready: the reply to `closed` comes after that. */
const WORKER = `
process.send({ ready: { port: 1 } })
process.send({ closed: true })
process.once('message', () => console.log('started'))
setInterval(() => {}, 60_000)
`

let running: Supervisor | undefined

async function started(options: ConstructorParameters<typeof Supervisor>[0]): Promise<Supervisor> {
  const supervisor = new Supervisor(options)
  await supervisor.start()
  return supervisor
}

afterEach(async () => {
  running?.kill()
  while (childrenOf(process.pid).length > 0) await Bun.sleep(5)
})

/** A worker with as much memory that is not touched as a release has, which then makes garbage and prints the most that it took. */
const WASTEFUL_WORKER = `
process.send({ ready: { port: 1 } })
const untouched = new Uint8Array(200 << 20)
let most = 0
for (let at = 0; at < 400; at++) {
  new Uint8Array(1 << 20).fill(1)
  most = Math.max(most, process.memoryUsage.rss() >> 20)
}
console.log(most, untouched.length)
`

test.each([8, 32])('the garbage of a worker stays small beside a large release, with %d GB', async (gigabytes) => {
  const took = Promise.withResolvers<number>()
  running = await started({
    count: 1,
    listening: { host: '127.0.0.1', port: 0 },
    command: () => ['env', `BUN_JSC_forceRAMSize=${gigabytes}000000000`, process.execPath, '-e', WASTEFUL_WORKER],
    drainMilliseconds: 0,
    log: ({ message }) => took.resolve(Number.parseInt(message, 10)),
  })
  // With the usual options it takes 400 MB.
  expect(await took.promise).toBeLessThan(200)
})

/** Their reports, however long they take. */
const reportsOf = async (workers: Supervisor) => {
  using _limit = spyOn(Bun, 'sleep').mockReturnValue(new Promise(() => {}))
  return await workers.reports()
}

describe('a worker that is silent is killed, but not too soon,', () => {
  const SILENT = 'process.send({ ready: { port: 1 } }); setInterval(() => {}, 60_000)'

  /** After how many checks it is killed, and what is said of it. */
  const checked = (time: PassingTime, events: readonly LogEvent[]) => {
    let checks = 0
    for (; events.length === 0 && checks < 1_000; checks++) time.pass(1_000)
    return [checks, events[0]?.message.replace(/\d+/, '1')]
  }

  test.each([
    ['if it has its core', 0, 6],
    ['if it waits for a core less than half of the time', 0.4, 6],
    ['if it waits for a core most of the time', 0.6, 51],
  ])('%s', async (_name, share, expected) => {
    using time = new PassingTime()
    const events: LogEvent[] = []
    let waited = 0
    running = await started({
      count: 1,
      listening: { host: '127.0.0.1', port: 0 },
      command: () => [process.execPath, '-e', SILENT],
      drainMilliseconds: 0,
      log: (event) => events.push(event),
      waitedForCore: () => {
        waited += 1_000 * share
        return waited
      },
    })
    expect(checked(time, events)).toEqual([expected, 'WORKER STUCK: process 1 has not reported for 5 s; killing it'])
  })

  test('counted from its last report', async () => {
    using time = new PassingTime()
    const { workers, events } = await reporting(1, { waitedForCore: () => 0 })
    for (let checks = 0; checks < 5; checks++) time.pass(1_000)
    await reportsOf(workers)
    expect(checked(time, events)[0]).toBe(6)
  })

  test('while it starts: later, and another is started', async () => {
    using time = new PassingTime()
    const scripts = [REPORTING, 'setInterval(() => {}, 60_000)', REPORTING]
    const { workers, events, times } = await reporting(1, {
      command: () => [process.execPath, '-e', scripts.shift() ?? ''],
      waitedForCore: () => 0,
    })
    process.kill(childrenOf(process.pid)[0] as number, 'SIGKILL')
    await times('no-worker-left', 1)
    while (scripts.length === 2) await Bun.sleep(1)
    events.length = 0
    expect(checked(time, events)).toEqual([11, 'WORKER STUCK: process 1 has not reported for 10 s; killing it'])
    await times('worker-not-started', 1)
    while ((await workers.reports()).length === 0) await Bun.sleep(1)
  })
})

test('the supervisor resets it when a worker has run steadily', async () => {
  let now = 0
  const lines: string[] = []
  let onLine = () => {}
  const nextMatch = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.shift()?.match(pattern)
      if (found) return found[1] ?? ''
      if (lines.length > 0) continue
      await new Promise<void>((resolve) => {
        onLine = resolve
      })
    }
  }
  running = await started({
    count: 1,
    listening: { host: '127.0.0.1', port: 0 },
    command: () => [process.execPath, '-e', WORKER],
    drainMilliseconds: 0,
    log: ({ message, pid }) => {
      lines.push(pid === undefined ? message : `[${pid}] ${message}`)
      onLine()
    },
    now: () => now,
  })
  const waitAfter = async (milliseconds: number): Promise<number> => {
    const pid = await nextMatch(/^\[(\d+)\] started$/m)
    now += milliseconds
    process.kill(Number(pid), 'SIGKILL')
    return Number(await nextMatch(/^WORKER DIED: .*; starting another in (\d+) ms$/m))
  }
  const waits: number[] = []
  for (const life of [0, STEADY_MILLISECONDS, STEADY_MILLISECONDS, STEADY_MILLISECONDS + 1])
    waits.push(await waitAfter(life))
  expect(waits).toEqual([100, 200, 400, 100])
})

function counted(): MetricsSnapshot {
  const metrics = new Metrics()
  Object.assign(metrics, { connections: 2, swaps: 1 })
  metrics.refused.connections = 3
  return metrics.snapshot()
}

/** A worker that reports when that is requested, and has swapped once more each time. */
const REPORTING = `
const metrics = ${JSON.stringify(counted())}
const report = () => process.send({ report: { status: { release: 'a', built: '', degraded: [], draining: false }, metrics } })
process.on('message', (message) => {
  if (message.wanted === 'report') metrics.swaps++, report()
  if (message.finish) process.exit(0)
})
process.on('SIGTERM', () => process.send({ closed: true }))
process.send({ ready: { port: 1 } })
setInterval(() => {}, 60_000)
`

async function reporting(count: number, more: Partial<Parameters<typeof started>[0]> = {}) {
  const events: LogEvent[] = []
  let onEvent = () => {}
  const workers = await started({
    count,
    listening: { host: '127.0.0.1', port: 0 },
    command: () => [process.execPath, '-e', REPORTING],
    drainMilliseconds: 5_000,
    log: (event) => {
      events.push(event)
      onEvent()
    },
    ...more,
  })
  running = workers
  const times = async (event: string, expected: number): Promise<void> => {
    while (events.filter((one) => one.event === event).length < expected)
      await new Promise<void>((resolve) => {
        onEvent = resolve
      })
  }
  return { workers, events, times }
}

test('50 restarts are one, and one more for those that were wanted meanwhile', async () => {
  const { workers, events, times } = await reporting(1)
  for (let wanted = 0; wanted < 50; wanted++) workers.restart()
  await times('workers-restarted', 2)
  // The next one is run alone, once nothing is left of the others.
  await Bun.sleep(0)
  workers.restart()
  await times('workers-restarted', 3)
  expect(events.map(({ event }) => event)).toEqual(Array(3).fill('workers-restarted'))
  expect(workers.restarts).toBe(0)
})

describe('reports', () => {
  const of = (swaps: number, connections = 2) => ({
    status: { release: 'a', built: '', degraded: [], draining: false },
    metrics: expect.objectContaining({ swaps, connections }),
  })

  test('are asked for, one of each worker', async () => {
    const { workers } = await reporting(2)
    expect(await reportsOf(workers)).toEqual([of(2), of(2)])
    expect(await reportsOf(workers)).toEqual([of(3), of(3)])
  })

  test('of a worker that does not respond are the last one, after half a second', async () => {
    const { workers, events } = await reporting(1)
    await reportsOf(workers)
    const [pid] = childrenOf(process.pid)
    process.kill(pid as number, 'SIGSTOP')
    const started = performance.now()
    expect(await workers.reports()).toEqual([of(2)])
    expect(performance.now() - started).toBeGreaterThan(450)
    expect(events).toEqual([])
  })

  test('have what workers counted that have ended, and nothing of what these held', async () => {
    const { workers, times } = await reporting(1)
    expect(await reportsOf(workers)).toEqual([of(2)])
    const [pid] = childrenOf(process.pid)
    process.kill(pid as number, 'SIGKILL')
    await times('worker-died', 1)
    expect([workers.restarts, await workers.reports()]).toEqual([1, []])
    while ((await workers.reports()).length === 0) await Bun.sleep(20)
    const [report] = await workers.reports()
    expect(report?.metrics.swaps).toBeGreaterThanOrEqual(4)
    expect([report?.metrics.connections, report?.metrics.refused.connections]).toEqual([2, 6])
  })
})

test.skipIf(process.platform !== 'linux')(
  'a worker that counts connections which the kernel does not have is replaced, and others are not',
  async () => {
    const leaking = REPORTING.replace('"connections":2', '"connections":20')
    expect(leaking).not.toBe(REPORTING)
    const scripts = [leaking, REPORTING, REPORTING]
    const { workers, events, times } = await reporting(2, {
      leakCheckMilliseconds: 20,
      command: () => [process.execPath, '-e', scripts.shift() ?? REPORTING],
    })
    await workers.reports()
    await times('connections-leaked', 1)
    const { message, ...event } = events[0] as LogEvent & { worker: number }
    expect(event).toEqual({
      level: 'error',
      event: 'connections-leaked',
      worker: event.worker,
      counted: 20,
      connected: 0,
    })
    expect(message).toBe(`CONNECTIONS LEAKED: process ${event.worker} counts 20, and the system has 0; replacing it`)
    while (childrenOf(process.pid).includes(event.worker) || (await workers.reports()).length !== 2) await Bun.sleep(5)
    expect([workers.restarts, (await workers.reports()).map(({ metrics }) => metrics.connections)]).toEqual([1, [2, 2]])
  },
)

test.each<[signal: NodeJS.Signals, looks: number]>([
  ['SIGBUS', 1],
  ['SIGSEGV', 1],
  ['SIGKILL', 0],
])('after %s the contents are looked at before another worker starts: %i times', async (signal, looks) => {
  let looked = 0
  const onFailure = async () => {
    looked++
  }
  const { workers, events, times } = await reporting(1, { onFailure })
  const [pid] = childrenOf(process.pid)
  process.kill(pid as number, signal)
  await times('worker-died', 1)
  expect(events.map(({ event }) => event)).toContain('no-worker-left')
  while ((await workers.reports()).length === 0) await Bun.sleep(20)
  expect(looked).toBe(looks)
})
