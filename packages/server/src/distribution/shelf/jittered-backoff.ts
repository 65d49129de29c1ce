// How long to wait before something is tried again: twice as long each time, and never all at the same moment.

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

  /** Anything from nothing to the whole wait: of a hundred nodes that lost the shelf at once, few return together. */
  next(): number {
    return this.#random() * Math.min(this.#firstMilliseconds * 2 ** this.#tries++, this.#maxMilliseconds)
  }

  reset(): void {
    this.#tries = 0
  }
}
