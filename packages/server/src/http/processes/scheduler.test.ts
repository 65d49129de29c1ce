// Works of a process that thinks: the shortest goes first, and one that is not to go on stops.
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

/** A work in steps of some milliseconds each; it tells its name at every step. */
async function steps(work: Job, name: string, count: number, milliseconds: number, order: string[]): Promise<void> {
  for (let step = 0; step < count; step++) {
    await work.pause()
    order.push(name)
    spin(milliseconds)
  }
}

describe('the order', () => {
  test('is that of the processor time used so far, whoever came first', async () => {
    const works = new Scheduler()
    const order: string[] = []
    const [long, short] = [new Job(works, 10_000, never), new Job(works, 10_000, never)]
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

  test('of works that have used the same is that of their coming', async () => {
    const works = new Scheduler()
    const order: number[] = []
    const ended = [0, 1, 2, 3].map((number) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      works.enqueue(
        new Job(works, 1_000, never),
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

describe('a work that is held up', () => {
  /** Tells a name when its turn comes, or that it was stopped. */
  const enqueue = (works: Scheduler, work: Job, name: string, order: string[]) =>
    works.enqueue(
      work,
      () => order.push(name),
      ({ reason }) => order.push(`${name} ${reason}`),
    )
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }

  test('lets others go first, and goes on when it is no more', async () => {
    const works = new Scheduler()
    const order: string[] = []
    let isFull = true
    enqueue(works, new Job(works, 1_000, never, () => isFull), 'held up', order)
    await turns()
    enqueue(works, new Job(works, 1_000, never), 'other', order)
    await turns()
    expect(order).toEqual(['other'])
    isFull = false
    works.goOn()
    await turns()
    expect(order).toEqual(['other', 'held up'])
  })

  test('is stopped at once when no one waits for it', () => {
    const works = new Scheduler()
    const order: string[] = []
    const work = new Job(works, 1_000, never, () => true)
    enqueue(works, work, 'held up', order)
    work.abandon()
    expect(order).toEqual(['held up gone'])
  })
})

describe('a work goes on at once', () => {
  test('while its step is short, and not when the step was long', async () => {
    const works = new Scheduler()
    const work = new Job(works, 1_000, never)
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
    works.enqueue(
      work,
      () => {
        // Whatever the clock says meanwhile, the step began in a minute, and then a minute ago.
        work.startedAt = performance.now() + 60_000
        const first = work.pause()
        work.startedAt -= 120_000
        resolve([first, work.pause() instanceof Promise])
      },
      reject,
    )
    expect(await promise).toEqual([undefined, true])
  })

  test('not outside of its step', () => {
    expect(new Job(new Scheduler(), 1_000, never).pause()).toBeInstanceOf(Promise)
  })
})

describe('a work stops', () => {
  const reasonOf = (error: unknown) => (error instanceof WorkStopped ? error.reason : error)

  test('at its next checkpoint when its client is gone', async () => {
    const works = new Scheduler()
    let isGone = false
    const work = new Job(works, 60_000, () => isGone)
    setTimeout(() => {}, 0)
    const stopped = (async () => {
      await work.pause()
      isGone = true
      spin(60_000)
    })()
    expect(await stopped.catch(reasonOf)).toBe('gone')
  })

  test('at its next pause when it is abandoned, even if it waits', async () => {
    const works = new Scheduler()
    const work = new Job(works, 60_000, never)
    const stopped = work.pause()?.catch(reasonOf)
    work.abandon()
    expect(await stopped).toBe('gone')
    expect(work.stopReason).toBe('gone')
  })

  test('when it has used its processor time, in one step or in many', async () => {
    for (const step of [1_000, 3]) {
      const works = new Scheduler()
      const work = new Job(works, 30, never)
      expect(await steps(work, '', 1_000, step, []).catch(reasonOf)).toBe('deadline')
      expect(work.used).toBeLessThan(500)
    }
  })

  test('when what is done shows that the rest would take far too long, and not before', async () => {
    let user = 0
    using _time = spyOn(process, 'cpuUsage').mockImplementation(() => ({ user, system: 0 }))
    const works = new Scheduler()
    const work = new Job(works, 20_000, never)
    const step = async () => {
      user += 520_000
      work.startedAt -= 520
      await work.pause()
    }
    await work.pause()
    work.expectEnd(0)
    // The first rows took what all others need.
    for (const done of [0.001, 0.002, 0.003, 0.004]) {
      await step()
      expect(() => work.expectEnd(done)).not.toThrow()
    }
    await step()
    expect(() => work.expectEnd(0.5)).not.toThrow()
    expect(() => work.expectEnd(0.01)).toThrow(WorkStopped)
  })

  test('not for the time that others use', async () => {
    const works = new Scheduler()
    const [patient, busy] = [new Job(works, 40, never), new Job(works, 1_000, never)]
    await Promise.all([steps(busy, 'busy', 5, 20, []), steps(patient, 'patient', 5, 0, [])])
    expect(patient.stopReason).toBeUndefined()
  })

  test('and what is done for no one is not stopped', () => {
    expect(() => checkpoint()).not.toThrow()
  })
})
