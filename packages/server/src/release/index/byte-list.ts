// Bytes that grow, flat in memory for millions of texts.

const SMALLEST = 1 << 16

export class ByteList {
  #bytes: Buffer
  #length = 0

  constructor(expected = 0) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(expected, SMALLEST))
  }

  get length(): number {
    return this.#length
  }

  /** Everything up to its length, and room after that; good until there is need of more room. */
  get array(): Buffer {
    return this.#bytes
  }

  push(bytes: Uint8Array, from: number, to: number): void {
    const target = this.room(to - from)
    const start = this.#length
    // They are a few each, for which a loop is faster than making a view of them.
    for (let at = from; at < to; at++) target[start + at - from] = bytes[at] as number
    this.#length = start + to - from
  }

  /** Like `array`, with room for so many more bytes; after they are written, `grewTo` makes them count. */
  room(more: number): Buffer {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return this.#bytes
    const larger = Buffer.allocUnsafeSlow(Math.ceil(Math.max(needed, this.#bytes.length * 1.5)))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
    return larger
  }

  grewTo(length: number): void {
    this.#length = length
  }
}
