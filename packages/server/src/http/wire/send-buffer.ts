// Sends bytes to a client: keeps those that its socket does not take yet, and pulls a streamed body at the client's pace.
import type { Socket } from 'bun'
import type { Streamed } from '../exchange.ts'
import { freeMemory } from '../free-memory.ts'
import type { Turns } from './turns.ts'

const EMPTY = Buffer.alloc(0)
const NO_WAITER = () => {}

export class SendBuffer {
  readonly #socket: Pick<Socket<unknown>, 'write'>
  readonly #connection: { readonly terminate: () => void }
  #unsent: Uint8Array = EMPTY
  /** Bytes that follow `#unsent`. */
  #then: Uint8Array = EMPTY
  #kept = 0
  /** Memory to be freed when all is sent. */
  #owned: Uint8Array = EMPTY
  #closed = false
  #wakeWaiter = NO_WAITER

  /** The connection is terminated when its client is found to be gone. */
  constructor(socket: Pick<Socket<unknown>, 'write'>, connection: { readonly terminate: () => void }) {
    this.#socket = socket
    this.#connection = connection
  }

  /** Bytes that the socket has not taken yet. */
  get length(): number {
    return this.#unsent.length + this.#then.length
  }

  /** Bytes of memory that are kept until the socket has taken the rest. */
  get kept(): number {
    return this.#kept
  }

  /** The socket is closed, and nothing more can be sent. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * Sends the first bytes of a buffer, which the caller may then use again, and after them a body, which must not change
   * and is not copied. If it owns the body, that is freed when it is sent. Only for when nothing is unsent.
   */
  send(bytes: Uint8Array, length: number, body: Uint8Array = EMPTY, ownsBody = false): void {
    const sent = this.#write(bytes, length)
    if (ownsBody) this.#owned = body
    if (sent === length) {
      if (body.length > 0) this.sendKept(body)
    } else if (!this.#closed) {
      this.#unsent = Buffer.from(bytes.subarray(sent, length))
      this.#then = body
      this.#kept = this.length
    }
    if (this.#closed || this.length === 0) this.#freeOwned()
  }

  #freeOwned(): void {
    freeMemory(this.#owned)
    this.#owned = EMPTY
  }

  /** Sends bytes that must not change, and are not copied. Only for when nothing is unsent. */
  sendKept(bytes: Uint8Array): void {
    const sent = this.#write(bytes, bytes.length)
    if (sent === bytes.length || this.#closed) return
    this.#unsent = bytes.subarray(sent)
    this.#kept = bytes.length
  }

  sendRest(): void {
    while (this.#unsent.length > 0) {
      const sent = this.#write(this.#unsent, this.#unsent.length)
      if (this.#closed) return
      this.#unsent = this.#unsent.subarray(sent)
      if (this.#unsent.length > 0) return
      this.#unsent = this.#then
      this.#then = EMPTY
    }
    this.#kept = 0
    this.#freeOwned()
  }

  #write(bytes: Uint8Array, length: number): number {
    const sent = this.#socket.write(bytes, 0, length)
    if (sent < 0) this.#connection.terminate()
    return sent
  }

  close(): void {
    this.#closed = true
    this.#unsent = EMPTY
    this.#then = EMPTY
    this.#kept = 0
    this.#freeOwned()
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

  /** Resolves to the promised value, or to undefined when the socket is closed before. Only one caller may wait at a time. */
  async unlessClosed<T>(promised: Promise<T>): Promise<T | undefined> {
    let isSettled = false
    const settle = () => {
      isSettled = true
      this.#wakeWaiter()
    }
    promised.then(settle, settle)
    return (await this.waitUntil(() => isSettled)) ? promised : undefined
  }
}

/** At most this much of a body is kept for a client that does not read. */
const MAX_SLICE = 1 << 16
/** A slice with the lines before and after it. It is filled and sent within one turn, so all streams can share it. */
const frame = Buffer.allocUnsafe(MAX_SLICE + 32)
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** Sends a stream: each call resolves when the client has taken the bytes, or to false when it is gone. */
type StreamWriter = {
  /** The buffer may be used again as soon as the call returns. */
  readonly send: (bytes: Uint8Array, length: number) => Promise<boolean>
  /** The bytes are not copied. */
  readonly sendKept: (bytes: Uint8Array) => Promise<boolean>
  /** Resolves to the promised value, or to undefined when the client is gone. */
  readonly unlessClosed: <T>(promised: Promise<T>) => Promise<T | undefined>
}

/** Sends a body slice by slice. When the client is gone, the iterator is returned at once, while it may still make a chunk. */
export async function sendStream(body: Streamed, chunked: boolean, writer: StreamWriter, turns: Turns): Promise<void> {
  const { length } = body
  const chunks = body.chunks()[Symbol.asyncIterator]()
  let sent = 0
  for (;;) {
    const next = await writer.unlessClosed(chunks.next())
    if (next === undefined) return leave(chunks)
    if (next.done) break
    const chunk = next.value
    sent += chunk.length
    if (length !== undefined && sent > length) {
      leave(chunks)
      throw new Error(`a body of ${length} bytes has ${sent} or more`)
    }
    // An empty chunk would end the body.
    for (let start = 0; start < chunk.length; start += MAX_SLICE) {
      const slice = chunk.subarray(start, start + MAX_SLICE)
      if (!(await (chunked ? writer.send(frame, fillFrame(slice)) : writer.sendKept(slice)))) return leave(chunks)
      await turns.timeForMore()
    }
  }
  if (length !== undefined && sent < length) throw new Error(`a body of ${length} bytes has only ${sent}`)
  if (chunked) await writer.send(LAST_CHUNK, LAST_CHUNK.length)
}

/** Lets the source clean up; no client is left to get an error. */
function leave(chunks: AsyncIterator<Uint8Array>): void {
  chunks.return?.().catch(() => {})
}

function fillFrame(slice: Uint8Array): number {
  const start = frame.write(`${slice.length.toString(16)}\r\n`, 'latin1')
  frame.set(slice, start)
  return start + slice.length + frame.write('\r\n', start + slice.length, 'latin1')
}
