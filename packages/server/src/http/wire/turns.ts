// Shares the turns of the event loop: a client that sends many requests at once does not keep the others waiting.

/** How long pipelined requests and streams may occupy one turn. */
const MAX_MILLISECONDS = 3

/** Returns true if it goes on after the call: then nothing more is started in this turn. */
type Task = () => boolean

export class Turns {
  readonly #queue: Task[] = []
  #isOpen = false
  #startedAt = 0
  readonly #maxMilliseconds: number

  constructor(maxMilliseconds = MAX_MILLISECONDS) {
    this.#maxMilliseconds = maxMilliseconds
  }

  /** True if this turn has time for more than the first request of a client. The turn counts from the first such call. */
  hasTime(): boolean {
    const now = performance.now()
    if (this.#isOpen) return now - this.#startedAt < this.#maxMilliseconds
    this.#isOpen = true
    this.#startedAt = now
    setImmediate(this.#next)
    return true
  }

  /** Has the task run in one of the next turns, first come, first served. */
  enqueue(task: Task): void {
    this.#queue.push(task)
    if (!this.#isOpen) this.hasTime()
  }

  /** Resolves at once while there is time, or else in one of the next turns. */
  async timeForMore(): Promise<void> {
    if (this.hasTime()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.enqueue(() => {
      resolve()
      return true
    })
    await promise
  }

  readonly #next = (): void => {
    this.#isOpen = false
    for (let goesOn = false; this.#queue.length > 0 && !goesOn && this.hasTime(); )
      goesOn = this.#queue.shift()?.() ?? false
  }
}
