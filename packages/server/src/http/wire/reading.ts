// SocketReading from a client: paused while too much waits to be responded to, and while other large bodies have their turn.
import type { Socket } from 'bun'
import type { ReadQueue } from './read-queue.ts'

/** While responses are held up, no more is read from the client once this many bytes of requests wait. */
export const MAX_WAITING_BYTES = 1 << 14
/** A chunk of this size is part of a large body. */
export const LARGE_CHUNK_BYTES = 1 << 15

export class SocketReading {
  readonly #socket: Pick<Socket<unknown>, 'pause' | 'resume'>
  readonly #turns: ReadQueue
  #isPaused = false
  #waitsForTurn = false

  constructor(socket: Pick<Socket<unknown>, 'pause' | 'resume'>, turns: ReadQueue) {
    this.#socket = socket
    this.#turns = turns
  }

  /** True while responses are held up. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** True while it is the turn of other large bodies. */
  get waitsForTurn(): boolean {
    return this.#waitsForTurn
  }

  /** Goes on while few bytes wait, and else pauses. */
  limit(waitingBytes: number): void {
    if (waitingBytes < MAX_WAITING_BYTES) this.resume()
    else if (!this.#isPaused) {
      this.#isPaused = true
      this.#socket.pause()
    }
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (!this.#waitsForTurn) this.#socket.resume()
  }

  /**
   * Reads a large body a chunk at a time, so that small requests come in between: after a large chunk, `onTurn` is called in a later
   * turn, and reading goes on if it returns true. True if the chunk has to wait for those of others.
   */
  inTurn(onTurn: () => boolean): boolean {
    if (this.#waitsForTurn) return false
    this.#waitsForTurn = true
    this.#socket.pause()
    return this.#turns.add(() => {
      this.#waitsForTurn = false
      if (onTurn() && !this.#isPaused) this.#socket.resume()
    })
  }
}
