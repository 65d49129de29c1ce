// Sends bytes to a client: keeps what its socket does not take yet, and pulls a streamed body at the client's pace.
import type { Socket } from 'bun'
import { headerLines } from '../../page/page-headers.ts'
import type { Streamed } from '../exchange.ts'

const EMPTY = Buffer.alloc(0)
const NO_WAITER = () => {}

export class SendBuffer {
  readonly #socket: Pick<Socket<unknown>, 'write'>
  #unsent: Uint8Array = EMPTY
  #closed = false
  #wakeWaiter = NO_WAITER

  constructor(socket: Pick<Socket<unknown>, 'write'>) {
    this.#socket = socket
  }

  /** How many bytes the socket has not taken yet. */
  get length(): number {
    return this.#unsent.length
  }

  /** The socket is closed, and nothing more can be sent. */
  get closed(): boolean {
    return this.#closed
  }

  /** Sends the first bytes of a buffer, which the caller may then use again. Only for when nothing is unsent. */
  send(bytes: Uint8Array, length: number): void {
    const sent = this.#socket.write(bytes, 0, length)
    if (sent < 0) this.close()
    if (sent === length || sent < 0) this.#unsent = EMPTY
    else this.#unsent = bytes === this.#unsent ? bytes.subarray(sent) : Buffer.from(bytes.subarray(sent, length))
  }

  sendRest(): void {
    this.send(this.#unsent, this.#unsent.length)
  }

  close(): void {
    this.#closed = true
    this.#wakeWaiter()
  }

  /** Lets the caller of waitUntil check its condition again. */
  wake(): void {
    this.#wakeWaiter()
  }

  /** Resolves to true when the condition holds, or to false when the socket is closed. Only one caller may wait at a time. */
  async waitUntil(condition: () => boolean): Promise<boolean> {
    while (!this.#closed && !condition()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wakeWaiter = resolve
      await promise
    }
    this.#wakeWaiter = NO_WAITER
    return !this.#closed
  }
}

/** Resolves when the client has taken the bytes, or to false when it is gone. */
type Write = (bytes: Uint8Array) => Promise<boolean>

/** Sends a body chunk by chunk. When the client is gone the loop is left, which tells the source to clean up. */
export async function sendStream(body: Streamed, chunked: boolean, write: Write): Promise<void> {
  const { length } = body
  let sent = 0
  for await (const chunk of body.chunks()) {
    sent += chunk.length
    if (length !== undefined && sent > length) throw new Error(`a body of ${length} bytes has ${sent} or more`)
    if (!(await write(chunked ? framed(chunk) : chunk))) return
  }
  if (length !== undefined && sent < length) throw new Error(`a body of ${length} bytes has only ${sent}`)
  if (chunked) await write(Buffer.from(`0\r\n${headerLines(body.trailers?.() ?? {})}\r\n`, 'latin1'))
}

const LINE_END = Buffer.from('\r\n')

function framed(chunk: Uint8Array): Uint8Array {
  // An empty chunk would end the body.
  if (chunk.length === 0) return chunk
  return Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, LINE_END])
}
