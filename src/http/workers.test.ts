// How long the supervisor waits before it starts a worker again.
import { afterEach, describe, expect, test } from 'bun:test'
import { Backoff, startWorkers, type Workers } from './workers.ts'

const { STEADY_MILLISECONDS } = Backoff

describe('the backoff', () => {
  const after = (...lives: readonly number[]) => {
    const backoff = new Backoff()
    return lives.map((life) => {
      backoff.workerDied(life)
      const announced = backoff.milliseconds
      expect(backoff.take()).toBe(announced)
      return announced
    })
  }

  test.each<[name: string, lives: readonly number[], waits: readonly number[]]>([
    ['doubles from death to death', [0, 1, 2], [100, 200, 400]],
    ['doubles up to ten seconds', Array(9).fill(0), [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]],
    ['is the first again after a worker that ran steadily', [0, 0, STEADY_MILLISECONDS + 1, 0], [100, 200, 100, 200]],
    ['is not reset by one that ran just too short', [0, STEADY_MILLISECONDS, 0], [100, 200, 400]],
  ])('%s', (_name, lives, waits) => expect(after(...lives)).toEqual([...waits]))
})

/** A worker that prints a line when its supervisor knows that it is ready: the reply to `closed` comes after that. */
const WORKER = `
process.send({ ready: { port: 1 } })
process.send({ closed: true })
process.once('message', () => console.log('started'))
setInterval(() => {}, 60_000)
`

let running: Workers | undefined
afterEach(() => running?.kill())

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
  running = await startWorkers({
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
