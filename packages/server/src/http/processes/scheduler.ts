// The works of a process that thinks: one step at a time, of the work that has taken the least processor time so far.
//
// So a search never waits for more than one step of a table of thousands of rows, and no one has to guess what costs how
// much. Steps end where a work pauses; a work that is not to go on is stopped there, or at its next checkpoint.
import { type Checkpoint, type StopReason, WorkStopped, workOn } from '../../base/checkpoint.ts'
import type { WorkAtHand } from '../exchange.ts'

/** A work that has more to do pauses after this time, if others wait. */
const STEP_MILLISECONDS = 4

/** After this time it can be told how long a work will take in all. */
const SAMPLE_MILLISECONDS = 500
/** The share of the time that a work may take in which nothing is told. */
const WARM_UP = 0.1

/** One work: what it has used, and whether it is to go on. */
export class Job implements WorkAtHand {
  readonly #works: Scheduler
  readonly #isGone: () => boolean
  readonly #isHeldUp: () => boolean
  readonly #maxMilliseconds: number
  /** Processor time of the steps that have ended. */
  #used = 0
  /** Where the time began by which it is told how long the rest will take. */
  #sample: { readonly used: number; readonly done: number } | undefined
  #isGoneForGood = false
  /** When the step at hand began, by the clock and in processor time. */
  startedAt = 0
  #cpuAtStart = 0

  constructor(works: Scheduler, maxMilliseconds: number, isGone: () => boolean, isHeldUp = () => false) {
    this.#works = works
    this.#maxMilliseconds = maxMilliseconds
    this.#isGone = isGone
    this.#isHeldUp = isHeldUp
  }

  /** Whether it waits until more can be sent to where its response goes. */
  get isHeldUp(): boolean {
    return this.#isHeldUp()
  }

  /** Processor time in milliseconds, without the step at hand. */
  get used(): number {
    return this.#used
  }

  /** The same with the step at hand. */
  get usedSoFar(): number {
    return this.#used + (this.#works.atHand === this ? processorTime() - this.#cpuAtStart : 0)
  }

  /** Why it is not to go on; undefined while it is. */
  get stopReason(): StopReason | undefined {
    if (this.#isGoneForGood || this.#isGone()) return 'gone'
    return this.#used > this.#maxMilliseconds ? 'deadline' : undefined
  }

  beginStep(): void {
    this.startedAt = performance.now()
    this.#cpuAtStart = processorTime()
  }

  endStep(): void {
    this.#used += processorTime() - this.#cpuAtStart
  }

  /** No one waits for it any more. */
  abandon(): void {
    this.#isGoneForGood = true
    this.#works.stopWaiting(this)
  }

  readonly check: Checkpoint = () => {
    if (this.#isGone()) throw new WorkStopped('gone')
    const left = this.#maxMilliseconds - this.#used
    // A process of low priority may have been waiting for most of that time.
    if (performance.now() - this.startedAt > left && processorTime() - this.#cpuAtStart > left)
      throw new WorkStopped('deadline')
  }

  pause(): Promise<void> | undefined {
    if (this.#works.atHand === this && performance.now() - this.startedAt < STEP_MILLISECONDS) return undefined
    return new Promise((resolve, reject) => this.#works.enqueue(this, resolve, reject))
  }

  /**
   * What is done so far says little before it has taken some time, and the rest may well be faster. What is done first does not count:
   * in a process that has just started, each of the first rows computes what the rest needs too.
   */
  expectEnd(done: number): void {
    if (done === 0 || this.#used < this.#maxMilliseconds * WARM_UP) return
    this.#sample ??= { used: this.#used, done }
    const used = this.#used - this.#sample.used
    if (used > SAMPLE_MILLISECONDS && used / (done - this.#sample.done) > 2 * this.#maxMilliseconds)
      throw new WorkStopped('deadline')
  }
}

/** Processor time of this process so far, in milliseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

type Step = { readonly work: Job; readonly run: () => void; readonly stop: (error: WorkStopped) => void }

export class Scheduler {
  readonly #waiting: Step[] = []
  #atHand: Job | undefined
  #isGoingOn = false

  /** The work whose step is under way. */
  get atHand(): Job | undefined {
    return this.#atHand
  }

  /** Has a step run when it is the turn of its work. If the work is not to go on, it is stopped instead. */
  enqueue(work: Job, run: () => void, stop: (error: WorkStopped) => void): void {
    this.#waiting.push({ work, run, stop })
    this.goOn()
  }

  /** Goes on with what waits, where there is something new, or nothing was left that was not held up. */
  goOn(): void {
    if (this.#isGoingOn) return
    this.#isGoingOn = true
    setImmediate(this.#next)
  }

  /** Stops what waits of a work. */
  stopWaiting(work: Job): void {
    for (const step of this.#waiting.filter((step) => step.work === work)) {
      this.#waiting.splice(this.#waiting.indexOf(step), 1)
      step.stop(new WorkStopped('gone'))
    }
  }

  readonly #next = (): void => {
    const step = this.#take()
    this.#isGoingOn = step !== undefined
    if (step === undefined) return
    const { work, run, stop } = step
    this.#atHand = work
    work.beginStep()
    workOn(work.check)
    const { stopReason } = work
    if (stopReason === undefined) run()
    else stop(new WorkStopped(stopReason))
    // What the step goes on with in promises that are resolved runs before this.
    setImmediate(() => {
      workOn(undefined)
      work.endStep()
      this.#atHand = undefined
      this.#next()
    })
  }

  /** The first of those that have used least, of those that are not held up. */
  #take(): Step | undefined {
    let least: Step | undefined
    for (const step of this.#waiting)
      if (!step.work.isHeldUp && (least === undefined || step.work.used < least.work.used)) least = step
    if (least !== undefined) this.#waiting.splice(this.#waiting.indexOf(least), 1)
    return least
  }
}
