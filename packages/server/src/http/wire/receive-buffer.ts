// The bytes that a client has sent and that are not handled yet: one request head after the other is taken from it.
import { freeMemory } from '../free-memory.ts'
import { HEAD_LIMITS, headLength } from './request-head.ts'

const EMPTY = Buffer.alloc(0)
/** A buffer longer than this mostly holds many requests, and not one with a long head. */
const USUAL_HEAD_BYTES = 1_024
const CR = 0x0d
const LF = 0x0a

export class ReceiveBuffer {
  #bytes: Buffer = EMPTY
  /** All bytes, valid for this turn only. */
  get bytes(): Buffer {
    return this.#bytes
  }

  /** Bytes of memory that `#bytes` keeps; 0 while they belong to the event loop. */
  #copied = 0

  get length(): number {
    return this.#bytes.length
  }

  get kept(): number {
    return this.#bytes.length === 0 ? 0 : Math.max(this.#bytes.length, this.#copied)
  }

  /** The data may be overwritten by the event loop after this turn, unless it is copied before. */
  add(data: Buffer): void {
    if (this.#bytes.length === 0) this.#bytes = data
    else this.#replace(Buffer.concat([this.#bytes, data]))
  }

  /** Copies bytes that would be overwritten, and those that are a small part of the memory that they keep. */
  copy(): void {
    const { length } = this.#bytes
    if (length === 0 || (this.#copied > 0 && length * 2 > this.#copied)) return
    this.#replace(Buffer.from(this.#bytes))
  }

  #replace(copy: Buffer): void {
    this.#free()
    this.#bytes = copy
    this.#copied = copy.length
  }

  #free(): void {
    if (this.#copied > 0) freeMemory(this.#bytes)
    this.#copied = 0
  }

  /** The next head or its beginning, as Latin-1, possibly with bytes after it. */
  peek(): string {
    this.#skipEmptyLines()
    if (this.#bytes.length > USUAL_HEAD_BYTES) {
      const beginning = this.#bytes.toString('latin1', 0, USUAL_HEAD_BYTES)
      if (headLength(beginning) !== undefined) return beginning
    }
    return this.#bytes.toString('latin1', 0, Math.min(this.#bytes.length, HEAD_LIMITS.bytes))
  }

  /** Removes this many bytes from the beginning. */
  consume(length: number): void {
    if (length === this.#bytes.length) this.clear()
    else this.#bytes = this.#bytes.subarray(length)
  }

  clear(): void {
    this.#free()
    this.#bytes = EMPTY
  }

  /** RFC 9112, section 2.2, wants empty lines before a request to be ignored: some clients send one after a body. */
  #skipEmptyLines(): void {
    let skipped = 0
    while (this.#bytes[skipped] === CR && this.#bytes[skipped + 1] === LF) skipped += 2
    if (skipped > 0) this.consume(skipped)
  }
}
