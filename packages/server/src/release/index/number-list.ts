// A list of 32-bit numbers that grows, flat in memory for millions of them.

export class NumberList {
  #numbers: Uint32Array<ArrayBuffer>
  #length = 0

  constructor(expected = 0) {
    this.#numbers = new Uint32Array(Math.max(expected, 64))
  }

  get length(): number {
    return this.#length
  }

  at(position: number): number {
    return this.#numbers[position] as number
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Uint32Array(this.#length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = number
  }

  /** A view, good until the next push. */
  get array(): Uint32Array<ArrayBuffer> {
    return this.#numbers.subarray(0, this.#length)
  }
}
