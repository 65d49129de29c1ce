// The messages of workers over a Unix socket: frames with a kind, the number of a request, and bytes.
import type { Socket } from 'bun'
import { parseOwnJson } from '../../base/json.ts'
import { freeMemory } from '../free-memory.ts'

/** The kinds of frames: first those that a page worker sends, then those that a compute worker sends. */
export const FRAME = { hello: 0, request: 1, pull: 2, cancel: 3, response: 4, chunk: 5, end: 6, failure: 7 } as const

type FrameKind = (typeof FRAME)[keyof typeof FRAME]

export type Frame = { readonly kind: number; readonly id: number; readonly bytes: Buffer }

/** The beginning of the name of a socket that is no file; the system has a zero byte in its place. */
export const NO_FILE = '@'

export const unixAddress = (socket: string): string =>
  socket.startsWith(NO_FILE) ? `\0${socket.slice(NO_FILE.length)}` : socket

const HEADER_BYTES = 9
const EMPTY = Buffer.alloc(0)
/** Longer than the chunks of a body, which are overwritten when the next one is pulled. */
const LARGE_BYTES = 1 << 17

/** With more than this unsent, the other end counts as slow. */
const MAX_UNSENT_BYTES = 1 << 20

/** An end of the socket: cuts what arrives into frames, and sends frames in order, however much the other end takes at a time. */
export class FrameSocket {
  readonly #socket: Pick<Socket<unknown>, 'write' | 'end'>
  readonly #onFrame: (frame: Frame) => void
  /** The frame that is arriving: its header, its bytes once the header is complete, and how much of the one or the other has arrived. */
  readonly #header = Buffer.allocUnsafe(HEADER_BYTES)
  #body: Buffer | undefined
  #filled = 0
  readonly #unsent: Uint8Array[] = []
  /** The unsent bytes that are freed when they are sent. */
  readonly #owned = new Set<Uint8Array>()
  #unsentStart = 0
  #unsentBytes = 0

  constructor(socket: Pick<Socket<unknown>, 'write' | 'end'>, onFrame: (frame: Frame) => void) {
    this.#socket = socket
    this.#onFrame = onFrame
  }

  /** True while the other end should take what is unsent before more is made. */
  get isFull(): boolean {
    return this.#unsentBytes > MAX_UNSENT_BYTES
  }

  /** The bytes must stay as they are until the other end has them. */
  send(kind: FrameKind, id: number, ...parts: readonly Uint8Array[]): void {
    const header = Buffer.allocUnsafe(HEADER_BYTES)
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const isIdle = this.#unsent.length === 0
    header.writeUInt8(kind, 0)
    header.writeUInt32LE(id, 1)
    header.writeUInt32LE(length, 5)
    // Small frames go out in one piece, since each write is a call of the system; large ones are not copied.
    if (length < LARGE_BYTES) {
      const copy = Buffer.concat([header, ...parts])
      this.#owned.add(copy)
      this.#unsent.push(copy)
    } else this.#unsent.push(header, ...parts)
    this.#unsentBytes += HEADER_BYTES + length
    if (isIdle) this.sendRest()
  }

  /** Sends a frame, and frees the memory of its last part when it is sent. */
  sendOwned(kind: FrameKind, id: number, first: Uint8Array, last: Uint8Array): void {
    this.#owned.add(last)
    this.send(kind, id, first, last)
    if (!this.#unsent.includes(last)) this.#freeOwned(last)
  }

  #freeOwned(sent: Uint8Array): void {
    if (this.#owned.delete(sent)) freeMemory(sent)
  }

  /** Called when the socket can take more. */
  sendRest(): void {
    for (let [next] = this.#unsent; next !== undefined; [next] = this.#unsent) {
      const taken = this.#socket.write(next, this.#unsentStart, next.length - this.#unsentStart)
      if (taken < 0) return
      this.#unsentStart += taken
      this.#unsentBytes -= taken
      if (this.#unsentStart < next.length) return
      this.#unsent.shift()
      this.#freeOwned(next)
      this.#unsentStart = 0
    }
  }

  /** The bytes may be overwritten after this call. */
  receive(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const part = this.#body ?? this.#header
      const taken = bytes.copy(part, this.#filled, at)
      at += taken
      this.#filled += taken
      if (this.#filled === part.length) this.#endPart()
    }
  }

  /** Called when the header of the arriving frame is complete, or its body. */
  #endPart(): void {
    this.#filled = 0
    const length = this.#header.readUInt32LE(5)
    if (this.#body === undefined && length > 0) {
      this.#body = Buffer.allocUnsafe(length)
      return
    }
    const bytes = this.#body ?? EMPTY
    this.#body = undefined
    this.#onFrame({ kind: this.#header.readUInt8(0), id: this.#header.readUInt32LE(1), bytes })
  }

  end(): void {
    this.#socket.end()
  }
}

/** Returns a value as JSON, with its length before it; bytes may follow. */
export function packed(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32LE(json.length, 0)
  return Buffer.concat([length, json])
}

/** Returns the value at the beginning of a frame, and the bytes after it. */
export function unpacked<T>(frame: Buffer): { readonly value: T; readonly bytes: Buffer } {
  const end = 4 + frame.readUInt32LE(0)
  return { value: parseOwnJson(frame.toString('utf8', 4, end)), bytes: frame.subarray(end) }
}
