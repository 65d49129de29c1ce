// A fake socket: takes as much of each write as the test wants, and records what a connection does to it.

export class FakeSocket {
  readonly remoteAddress: string
  readonly #sent: Buffer[] = []
  readonly #takes: () => number
  paused = false
  shut = false
  closed = false
  /** True once it was reset. */
  cut = false

  /** `takes` returns the number of bytes that it takes of the next write. */
  constructor(takes: () => number = () => Number.POSITIVE_INFINITY, remoteAddress = '192.0.2.1') {
    this.#takes = takes
    this.remoteAddress = remoteAddress
  }

  write(bytes: Buffer, start = 0, length = bytes.length): number {
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

  terminate(): void {
    this.cut = true
  }

  get sent(): string {
    return Buffer.concat(this.#sent).toString('latin1')
  }
}
