// Distinct texts, numbered as they come and then put in order, flat in memory for millions of them.
import { NumberList } from './number-list.ts'

/** As long as there are few, they are also kept as they are, and that is all that is looked at for most. */
const REMEMBERED = 20_000
const SMALLEST = 1_024
const FULLEST = 0.7
const LONGEST_CHARACTER = 3

export class TextTable {
  #bytes: Buffer = Buffer.allocUnsafeSlow(1 << 16)
  readonly #offsets = new NumberList()
  readonly #hashes = new NumberList()
  #recent: Map<string, number> | undefined = new Map()
  /** Open addressing: the number of a text plus one, or zero. */
  #slots = new Uint32Array(SMALLEST)

  constructor() {
    this.#offsets.push(0)
  }

  get size(): number {
    return this.#hashes.length
  }

  /** How many bytes all of them take in UTF-8. */
  get bytes(): number {
    return this.#offsets.at(this.size)
  }

  /** The number of a text: the one that it has, or the next. */
  add(text: string): number {
    const known = this.#recent?.get(text)
    if (known !== undefined) return known
    const number = this.#enter(text)
    if (this.#recent !== undefined && this.#recent.set(text, number).size === REMEMBERED) this.#recent = undefined
    return number
  }

  #enter(text: string): number {
    const start = this.#offsets.at(this.size)
    this.#makeRoom(start + text.length * LONGEST_CHARACTER)
    const end = start + this.#bytes.write(text, start)
    const hash = Bun.hash.xxHash32(text)
    const slots = this.#slots
    let slot = hash % slots.length
    for (let held = slots[slot] as number; held !== 0; held = slots[slot] as number) {
      if (this.#hashes.at(held - 1) === hash && this.#isSame(held - 1, start, end)) return held - 1
      slot = slot + 1 === slots.length ? 0 : slot + 1
    }
    this.#offsets.push(end)
    this.#hashes.push(hash)
    slots[slot] = this.size
    if (this.size > slots.length * FULLEST) this.#grow()
    return this.size - 1
  }

  text(number: number): string {
    return this.#bytes.toString('utf8', this.#offsets.at(number), this.#offsets.at(number + 1))
  }

  /** In bytes of UTF-8. */
  lengthOf(number: number): number {
    return this.#offsets.at(number + 1) - this.#offsets.at(number)
  }

  copyTo(target: Uint8Array, at: number, number: number): void {
    this.#bytes.copy(target, at, this.#offsets.at(number), this.#offsets.at(number + 1))
  }

  #isSame(number: number, start: number, end: number): boolean {
    const from = this.#offsets.at(number)
    const to = this.#offsets.at(number + 1)
    return to - from === end - start && this.#bytes.compare(this.#bytes, from, to, start, end) === 0
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, Math.ceil(this.#bytes.length * 1.5)))
    larger.set(this.#bytes.subarray(0, this.bytes))
    this.#bytes = larger
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const hashes = this.#hashes.array
    for (let number = 0; number < hashes.length; number++) {
      let slot = (hashes[number] as number) % slots.length
      while (slots[slot] !== 0) slot = slot + 1 === slots.length ? 0 : slot + 1
      slots[slot] = number + 1
    }
    this.#slots = slots
  }
}
