// The jobs of a compute worker: the shortest goes first, and one that is not to go on stops.
import { describe, expect, spyOn, test } from 'bun:test'
import { checkpoint, WorkStopped } from '../../base/checkpoint.ts'
import { Job, Scheduler } from './scheduler.ts'

const never = () => false

/** Uses processor time, and asks again and again whether to go on. */
function spin(milliseconds: number): void {
  const before = process.cpuUsage()
  for (let used = 0; used < milliseconds; ) {
    checkpoint()
    const { user, system } = process.cpuUsage(before)
    used = (user + system) / 1_000
  }
}

/** A job in steps of some milliseconds each; it notes its name at every step. */
async function steps(job: Job, name: string, count: number, milliseconds: number, order: string[]): Promise<void> {
  for (let step = 0; step < count; step++) {
    await job.pause()
    order.push(name)
    spin(milliseconds)
  }
}

describe('the order', () => {
  test('is that of the processor time used so far, whichever came first', async () => {
    const scheduler = new Scheduler()
    const order: string[] = []
    const [long, short] = [new Job(scheduler, 10_000, never), new Job(scheduler, 10_000, never)]
    const ended = [steps(long, 'long', 4, 12, order)]
    await Bun.sleep(0)
    // The first step of the long one has begun or is over, and has used more than all of the short one will.
    while (order.length === 0) await Bun.sleep(1)
    ended.push(steps(short, 'short', 3, 0, order))
    await Promise.all(ended)
    expect(order.indexOf('short')).toBeLessThan(2)
    expect(order.lastIndexOf('short')).toBeLessThan(order.lastIndexOf('long'))
    expect(long.used).toBeGreaterThan(short.used)
  })

  test('of jobs that have used the same is that of their coming', async () => {
    const scheduler = new Scheduler()
    const order: number[] = []
    const ended = [0, 1, 2, 3].map((number) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      scheduler.enqueue(
        new Job(scheduler, 1_000, never),
        () => {
          order.push(number)
          resolve()
        },
        reject,
      )
      return promise
    })
    await Promise.all(ended)
    expect(order).toEqual([0, 1, 2, 3])
  })
})

describe('a job that is held up', () => {
  /** Tells a name when its turn comes, or that it was stopped. */
  const enqueue = (scheduler: Scheduler, job: Job, name: string, order: string[]) =>
    scheduler.enqueue(
      job,
      () => order.push(name),
      ({ reason }) => order.push(`${name} ${reason}`),
    )
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }

  test('lets others go first, and goes on when it is no more', async () => {
    const scheduler = new Scheduler()
    const order: string[] = []
    let isFull = true
    enqueue(scheduler, new Job(scheduler, 1_000, never, () => isFull), 'held up', order)
    await turns()
    enqueue(scheduler, new Job(scheduler, 1_000, never), 'other', order)
    await turns()
    expect(order).toEqual(['other'])
    isFull = false
    scheduler.goOn()
    await turns()
    expect(order).toEqual(['other', 'held up'])
  })

  test('is stopped at once when no one waits for it', () => {
    const scheduler = new Scheduler()
    const order: string[] = []
    const job = new Job(scheduler, 1_000, never, () => true)
    enqueue(scheduler, job, 'held up', order)
    job.abandon()
    expect(order).toEqual(['held up gone'])
  })
})

describe('a job goes on at once', () => {
  test('while its step is short, and not when the step was long', async () => {
    const scheduler = new Scheduler()
    const job = new Job(scheduler, 1_000, never)
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
    scheduler.enqueue(
      job,
      () => {
        // Whatever the clock says meanwhile, the step began in a minute, and then a minute ago.
        job.startedAt = performance.now() + 60_000
        const first = job.pause()
        job.startedAt -= 120_000
        resolve([first, job.pause() instanceof Promise])
      },
      reject,
    )
    expect(await promise).toEqual([undefined, true])
  })

  test('not outside of its step', () => {
    expect(new Job(new Scheduler(), 1_000, never).pause()).toBeInstanceOf(Promise)
  })
})

describe('a job stops', () => {
  const reasonOf = (error: unknown) => (error instanceof WorkStopped ? error.reason : error)

  test('at its next checkpoint when its client is gone', async () => {
    const scheduler = new Scheduler()
    let isGone = false
    const job = new Job(scheduler, 60_000, () => isGone)
    setTimeout(() => {}, 0)
    const stopped = (async () => {
      await job.pause()
      isGone = true
      spin(60_000)
    })()
    expect(await stopped.catch(reasonOf)).toBe('gone')
  })

  test('at its next pause when it is abandoned, even if it waits', async () => {
    const scheduler = new Scheduler()
    const job = new Job(scheduler, 60_000, never)
    const stopped = job.pause()?.catch(reasonOf)
    job.abandon()
    expect(await stopped).toBe('gone')
    expect(job.stopReason).toBe('gone')
  })

  test('when it has used its processor time, in one step or in many', async () => {
    for (const step of [1_000, 3]) {
      const scheduler = new Scheduler()
      const job = new Job(scheduler, 30, never)
      expect(await steps(job, '', 1_000, step, []).catch(reasonOf)).toBe('deadline')
      expect(job.used).toBeLessThan(500)
    }
  })

  test('when what is done shows that the rest would take far too long, and not before', async () => {
    let user = 0
    using _time = spyOn(process, 'cpuUsage').mockImplementation(() => ({ user, system: 0 }))
    const scheduler = new Scheduler()
    const job = new Job(scheduler, 20_000, never)
    const step = async () => {
      user += 520_000
      job.startedAt -= 520
      await job.pause()
    }
    await job.pause()
    job.expectEnd(0)
    // The first rows took what all others need.
    for (const done of [0.001, 0.002, 0.003, 0.004]) {
      await step()
      expect(() => job.expectEnd(done)).not.toThrow()
    }
    await step()
    expect(() => job.expectEnd(0.5)).not.toThrow()
    expect(() => job.expectEnd(0.01)).toThrow(WorkStopped)
  })

  test('not for the time that others use', async () => {
    const scheduler = new Scheduler()
    const [patient, busy] = [new Job(scheduler, 40, never), new Job(scheduler, 1_000, never)]
    await Promise.all([steps(busy, 'busy', 5, 20, []), steps(patient, 'patient', 5, 0, [])])
    expect(patient.stopReason).toBeUndefined()
  })

  test('and what is done for no one is not stopped', () => {
    expect(() => checkpoint()).not.toThrow()
  })
})
