// The keys of texts, one after the other in one buffer.
import type { FlatTexts } from './byte-order.ts'
import { NumberList } from './number-list.ts'

const LONGEST_CHARACTER = 4

export class KeyList {
  readonly #keyOf: (text: string) => string
  readonly #offsets = new NumberList()
  #bytes: Buffer
  #used = 0

  constructor(keyOf: (text: string) => string, expectedBytes: number) {
    this.#keyOf = keyOf
    this.#bytes = Buffer.allocUnsafeSlow(expectedBytes + 1_024)
    this.#offsets.push(0)
  }

  add(text: string): void {
    const key = this.#keyOf(text)
    const needed = this.#used + key.length * LONGEST_CHARACTER
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.ceil(this.#bytes.length * 1.5)))
      larger.set(this.#bytes.subarray(0, this.#used))
      this.#bytes = larger
    }
    this.#used += this.#bytes.write(key, this.#used)
    this.#offsets.push(this.#used)
  }

  get flat(): FlatTexts {
    return { bytes: this.#bytes, offsets: this.#offsets.array }
  }
}
