// The keys of texts in Spanish order, one after the other.
import { LATIN_KEY_GROWS, latinSortKey, sortKey } from '../../catalog/words.ts'
import { ByteList } from './byte-list.ts'
import { byteOrder, type FlatTexts, mergedOrder } from './byte-order.ts'
import { NumberList } from './number-list.ts'

/** So many keys are put in order as soon as they are there, while they are still at hand. */
const RUN = 1 << 15

export class SortKeys {
  readonly #runs: Uint32Array[] = []
  readonly #offsets = new NumberList()
  readonly #bytes: ByteList
  #ordered = 0

  /** Of texts of so many bytes in all. Room that is reserved and never used takes no memory. */
  constructor(textBytes: number) {
    this.#bytes = new ByteList(Math.ceil(textBytes * LATIN_KEY_GROWS))
    this.#offsets.push(0)
  }

  /** The key of a text that stands somewhere in some bytes. */
  add(bytes: Uint8Array, from: number, to: number): void {
    const room = this.#bytes.room((to - from) * LATIN_KEY_GROWS)
    const end = latinSortKey(bytes, from, to, room, this.#bytes.length)
    if (end === undefined) this.#addAny(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString())
    else this.#bytes.grewTo(end)
    this.#offsets.push(this.#bytes.length)
    if (this.#size - this.#ordered === RUN) this.#orderRun()
  }

  /** The numbers of the keys in their order; equal ones in the order in which they came. */
  order(): Uint32Array {
    this.#orderRun()
    let runs = this.#runs
    while (runs.length > 1) {
      const pairs = runs
      runs = []
      for (let at = 0; at < pairs.length; at += 2) {
        const [left, right] = [pairs[at] as Uint32Array, pairs[at + 1]]
        runs.push(right === undefined ? left : mergedOrder(this.flat, left, right))
      }
    }
    return runs[0] as Uint32Array
  }

  #orderRun(): void {
    this.#runs.push(byteOrder(this.flat, this.#ordered, this.#size))
    this.#ordered = this.#size
  }

  get #size(): number {
    return this.#offsets.length - 1
  }

  #addAny(text: string): void {
    const key = Buffer.from(sortKey(text))
    this.#bytes.push(key, 0, key.length)
  }

  get flat(): FlatTexts {
    return { bytes: this.#bytes.array, offsets: this.#offsets.array }
  }
}
