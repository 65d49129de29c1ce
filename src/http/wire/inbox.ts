// What a client has sent and is not answered yet: bytes, out of which one request head after the other is taken.
import { HEAD_LIMITS, headLength } from './request-head.ts'

const NOTHING = Buffer.alloc(0)
/** Where more than this has come, it is mostly many requests and not a long one. */
const USUAL_HEAD = 1_024
const CR = 0x0d
const LF = 0x0a

export class Inbox {
  #bytes: Buffer = NOTHING

  get length(): number {
    return this.#bytes.length
  }

  add(data: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? data : Buffer.concat([this.#bytes, data])
  }

  /** What was added belongs to the event loop, which uses it again after this turn. */
  keep(): void {
    if (this.#bytes.length > 0) this.#bytes = Buffer.from(this.#bytes)
  }

  /** The next head, or as much of it as is read, as Latin-1, and maybe some of what follows it. */
  beginning(): string {
    this.#skipEmptyLines()
    if (this.#bytes.length > USUAL_HEAD) {
      const usual = this.#bytes.toString('latin1', 0, USUAL_HEAD)
      if (headLength(usual) !== undefined) return usual
    }
    return this.#bytes.toString('latin1', 0, Math.min(this.#bytes.length, HEAD_LIMITS.bytes))
  }

  take(length: number): void {
    this.#bytes = length === this.#bytes.length ? NOTHING : this.#bytes.subarray(length)
  }

  clear(): void {
    this.#bytes = NOTHING
  }

  /** RFC 9112 wants those before a request to be overlooked: some clients send one after a body. */
  #skipEmptyLines(): void {
    let skipped = 0
    while (this.#bytes[skipped] === CR && this.#bytes[skipped + 1] === LF) skipped += 2
    if (skipped > 0) this.take(skipped)
  }
}
