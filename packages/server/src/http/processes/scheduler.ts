// The jobs of a compute worker: one step at a time, of the job that has used the least processor time so far.
//
// A search never waits for more than one step of a table of thousands of rows, and no one has to guess what costs how
// much. Steps end where a job pauses; a job that is not to go on is stopped there, or at its next checkpoint.
import { type Checkpoint, type StopReason, WorkStopped, workOn } from '../../base/checkpoint.ts'
import type { RunningJob } from '../exchange.ts'
import { schedulerLife } from './life.ts'

/** A job that has more to do pauses after this time, if others wait. */
const STEP_MILLISECONDS = 4

/** Processor time from which the time of a whole job is estimated. */
const SAMPLE_MILLISECONDS = 500
/** The share of its time that a job may use before anything is estimated. */
const WARM_UP = 0.1

/** The work of one request: what it has used, and whether it is to go on. */
export class Job implements RunningJob {
  readonly #scheduler: Scheduler
  readonly #isGone: () => boolean
  readonly #isHeldUp: () => boolean
  readonly #maxMilliseconds: number
  /** Processor time of the steps that have ended. */
  #used = 0
  /** The beginning of the sample from which the rest is estimated. */
  #sample: { readonly used: number; readonly done: number } | undefined
  #isAbandoned = false
  /** When the running step began, by the clock and in processor time. */
  startedAt = 0
  #cpuAtStart = 0

  constructor(scheduler: Scheduler, maxMilliseconds: number, isGone: () => boolean, isHeldUp = () => false) {
    this.#scheduler = scheduler
    this.#maxMilliseconds = maxMilliseconds
    this.#isGone = isGone
    this.#isHeldUp = isHeldUp
  }

  /** True while its response cannot be sent further. */
  get isHeldUp(): boolean {
    return this.#isHeldUp()
  }

  /** Processor time in milliseconds, without the running step. */
  get used(): number {
    return this.#used
  }

  /** Processor time in milliseconds, with the running step. */
  get usedSoFar(): number {
    return this.#used + (this.#scheduler.running === this ? processorTime() - this.#cpuAtStart : 0)
  }

  /** The reason not to go on, if there is one. */
  get stopReason(): StopReason | undefined {
    if (this.#isAbandoned || this.#isGone()) return 'gone'
    return this.#used > this.#maxMilliseconds ? 'deadline' : undefined
  }

  beginStep(): void {
    this.startedAt = performance.now()
    this.#cpuAtStart = processorTime()
  }

  endStep(): void {
    this.#used += processorTime() - this.#cpuAtStart
  }

  /** Stops it, as nobody waits for it any more. */
  abandon(): void {
    this.#isAbandoned = true
    this.#scheduler.stopWaiting(this)
  }

  readonly check: Checkpoint = () => {
    if (this.#isGone()) throw new WorkStopped('gone')
    const left = this.#maxMilliseconds - this.#used
    // A process of low priority may have been waiting for most of that time.
    if (performance.now() - this.startedAt > left && processorTime() - this.#cpuAtStart > left)
      throw new WorkStopped('deadline')
  }

  pause(): Promise<void> | undefined {
    if (this.#scheduler.running === this && performance.now() - this.startedAt < STEP_MILLISECONDS) return undefined
    return new Promise((resolve, reject) => this.#scheduler.enqueue(this, resolve, reject))
  }

  /**
   * A job is judged by the speed of a sample, and the rest may well be faster. The first tenth of its time does not count:
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

type Step = { readonly job: Job; readonly run: () => void; readonly stop: (error: WorkStopped) => void }

export class Scheduler {
  readonly #waiting: Step[] = []
  /** The job whose step is running. */
  running: Job | undefined
  readonly #life = schedulerLife()

  /** Runs a step when it is the turn of its job. If the job is not to go on, the step is stopped instead. */
  enqueue(job: Job, run: () => void, stop: (error: WorkStopped) => void): void {
    this.#waiting.push({ job, run, stop })
    this.goOn()
  }

  /** Runs what waits. Called when there is a new step, or when a job is held up no longer. */
  goOn(): void {
    if (this.#life.on('work')) setImmediate(this.#next)
  }

  /** Stops the waiting steps of a job. */
  stopWaiting(job: Job): void {
    for (const step of this.#waiting.filter((step) => step.job === job)) {
      this.#waiting.splice(this.#waiting.indexOf(step), 1)
      step.stop(new WorkStopped('gone'))
    }
  }

  readonly #next = (): void => {
    const step = this.#take()
    this.#life.on(step === undefined ? 'nothing to do' : 'step')
    if (step === undefined) return
    const { job, run, stop } = step
    this.running = job
    job.beginStep()
    workOn(job.check)
    const { stopReason } = job
    if (stopReason === undefined) run()
    else stop(new WorkStopped(stopReason))
    // Promises that the step has resolved run before this.
    setImmediate(() => {
      workOn(undefined)
      job.endStep()
      this.running = undefined
      this.#life.on('step ended')
      this.#next()
    })
  }

  /** Takes the first step of the job that has used least; jobs that are held up do not count. */
  #take(): Step | undefined {
    let least: Step | undefined
    for (const step of this.#waiting)
      if (!step.job.isHeldUp && (least === undefined || step.job.used < least.job.used)) least = step
    if (least !== undefined) this.#waiting.splice(this.#waiting.indexOf(least), 1)
    return least
  }
}
