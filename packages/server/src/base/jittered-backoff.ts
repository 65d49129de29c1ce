// Times to wait before a retry: twice as long each time, and random, so that not all machines retry at once.

export class JitteredBackoff {
  readonly #firstMilliseconds: number
  readonly #maxMilliseconds: number
  readonly #random: () => number
  #tries = 0

  constructor(firstMilliseconds: number, maxMilliseconds: number, random: () => number = Math.random) {
    this.#firstMilliseconds = firstMilliseconds
    this.#maxMilliseconds = maxMilliseconds
    this.#random = random
  }

  /** Random between zero and the whole wait, so that of a hundred nodes that lost the shelf few return together. */
  next(): number {
    return this.#random() * Math.min(this.#firstMilliseconds * 2 ** this.#tries++, this.#maxMilliseconds)
  }

  reset(): void {
    this.#tries = 0
  }
}
