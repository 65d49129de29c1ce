// Lets the connections of a process read large bodies one after the other, one in each turn of the event loop.

export class ReadQueue {
  readonly #waiting: (() => void)[] = []
  #isScheduled = false

  /** Calls back in a later turn of the event loop. Returns true if others wait for theirs before it. */
  add(onTurn: () => void): boolean {
    this.#schedule()
    return this.#waiting.push(onTurn) > 1
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#waiting.shift()?.()
      if (this.#waiting.length > 0) this.#schedule()
    })
  }
}
