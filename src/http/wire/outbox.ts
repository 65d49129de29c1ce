// What goes to a client: sent at once as far as the socket takes it, and kept as far as it does not.
import type { Socket } from 'bun'

const NOTHING = Buffer.alloc(0)
const NOBODY = () => {}

export class Outbox {
  readonly #socket: Pick<Socket<unknown>, 'write'>
  #unsent: Uint8Array = NOTHING
  #gone = false
  #wake = NOBODY

  constructor(socket: Pick<Socket<unknown>, 'write'>) {
    this.#socket = socket
  }

  /** How much the socket has not taken yet. */
  get length(): number {
    return this.#unsent.length
  }

  /** Nothing more can be sent. */
  get gone(): boolean {
    return this.#gone
  }

  /** Sends the first bytes of a buffer, which may then be used again. */
  send(bytes: Uint8Array, length: number): void {
    const sent = this.#socket.write(bytes, 0, length)
    if (sent < 0) this.close()
    if (sent === length || sent < 0) this.#unsent = NOTHING
    else this.#unsent = bytes === this.#unsent ? bytes.subarray(sent) : Buffer.from(bytes.subarray(sent, length))
  }

  sendRest(): void {
    this.send(this.#unsent, this.#unsent.length)
  }

  /** The socket is closed. */
  close(): void {
    this.#gone = true
    this.#wake()
  }

  /** Lets who waits look again. */
  wake(): void {
    this.#wake()
  }

  /** Waits until it is so, for one at a time; to whether it came to that, and the client did not go away before. */
  async until(isSo: () => boolean): Promise<boolean> {
    while (!this.#gone && !isSo()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
    this.#wake = NOBODY
    return !this.#gone
  }
}
