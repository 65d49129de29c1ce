// Texts of an index in the order of their keys, and those with the same key in their own.

export class SortedTexts {
  readonly #bytes: Buffer
  readonly #offsets: Uint32Array
  readonly #keyOf: (text: string) => string

  constructor(bytes: Buffer, offsets: Uint32Array, keyOf: (text: string) => string) {
    this.#bytes = bytes
    this.#offsets = offsets
    this.#keyOf = keyOf
  }

  get size(): number {
    return this.#offsets.length - 1
  }

  text(number: number): string {
    return this.#bytes.toString('utf8', this.#offsets[number], this.#offsets[number + 1])
  }

  /** How many bytes it takes. */
  lengthOf(number: number): number {
    return (this.#offsets[number + 1] as number) - (this.#offsets[number] as number)
  }

  find(text: string): number | undefined {
    const key = this.#keyOf(text)
    const number = this.#first((other) => {
      const otherKey = this.#keyOf(other)
      return otherKey > key || (otherKey === key && other >= text)
    })
    return number < this.size && this.text(number) === text ? number : undefined
  }

  /** From the first to just after the last whose key begins like the key of the prefix. */
  range(prefix: string): readonly [from: number, to: number] {
    const key = this.#keyOf(prefix)
    const from = this.#first((other) => this.#keyOf(other) >= key)
    const to = this.#first((other) => {
      const otherKey = this.#keyOf(other)
      return otherKey > key && !otherKey.startsWith(key)
    })
    return [from, to]
  }

  /** The number of the first text for which a condition holds that holds for all that follow. */
  #first(holds: (text: string) => boolean): number {
    let low = 0
    let high = this.size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (holds(this.text(middle))) high = middle
      else low = middle + 1
    }
    return low
  }
}
