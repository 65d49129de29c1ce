// A socket that is none: takes as much as it is told to, and keeps what a connection does to it.

export class MadeUpSocket {
  readonly remoteAddress = '192.0.2.1'
  readonly #sent: Buffer[] = []
  readonly #takes: () => number
  paused = false
  shut = false
  closed = false

  /** How many bytes it takes of each write. */
  constructor(takes: () => number = () => Number.POSITIVE_INFINITY) {
    this.#takes = takes
  }

  write(bytes: Buffer, start: number, length: number): number {
    if (this.shut || this.closed) throw new Error('written to after the end')
    const taken = Math.min(length, this.#takes())
    this.#sent.push(Buffer.from(bytes.subarray(start, start + taken)))
    return taken
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }

  shutdown(): void {
    this.shut = true
  }

  end(): void {
    this.closed = true
  }

  get sent(): string {
    return Buffer.concat(this.#sent).toString('latin1')
  }
}
