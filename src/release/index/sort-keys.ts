// The keys of texts in Spanish order, one after the other.
import { LATIN_KEY_GROWS, latinSortKey, sortKey } from '../../catalog/words.ts'
import { ByteList } from './byte-list.ts'
import type { FlatTexts } from './byte-order.ts'
import { NumberList } from './number-list.ts'

export class SortKeys {
  readonly #offsets = new NumberList()
  readonly #bytes: ByteList

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
  }

  #addAny(text: string): void {
    const key = Buffer.from(sortKey(text))
    this.#bytes.push(key, 0, key.length)
  }

  get flat(): FlatTexts {
    return { bytes: this.#bytes.array, offsets: this.#offsets.array }
  }
}
