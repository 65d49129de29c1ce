// Cuts files into chunks by their content, so that unchanged bytes are the same chunk wherever they stand. A chunk is named by its
// digest and compressed.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { own } from '../../base/json.ts'
import { deltaFileOf, deltaForm, travelName } from '../../release/index/delta-form.ts'

/** A piece of a file of an entity. */
export type FileChunk = {
  readonly digest: string
  /** The name under which the file travels. */
  readonly file: string
  readonly start: number
  readonly size: number
}

/** Files that compress well get fewer and larger chunks. */
const MEAN_BYTES: Readonly<Record<string, number>> = { records: 1 << 19, facts: 1 << 19 }
const USUAL_MEAN_BYTES = 1 << 15
/** The greatest ratio between the size of a chunk and the mean, both ways. */
const SPREAD = 4
const BLOCK_BYTES = 1 << 22
/** Larger chunks of another machine are refused. */
export const MAX_CHUNK_BYTES = 1 << 22

export const sha256 = (bytes: Uint8Array | string): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** Yields the chunks of a file in order; the bytes of a chunk are valid until the next one. */
export function* chunksOf(directory: string, file: string): Generator<FileChunk & { readonly bytes: Uint8Array }> {
  using source = new ChunkSource(directory, travelName(file))
  const mean = own(MEAN_BYTES, file) ?? USUAL_MEAN_BYTES
  const block = new Uint8Array(Math.min(BLOCK_BYTES, source.size))
  for (let blockStart = 0; blockStart < source.size; ) {
    const filled = source.read(block, blockStart)
    const isLast = blockStart + filled >= source.size
    let at = 0
    while (at < filled && (isLast || filled - at >= mean * SPREAD)) {
      const bytes = block.subarray(at, endOfChunk(block.subarray(0, filled), at, mean))
      yield { file: source.name, digest: sha256(bytes), start: blockStart + at, size: bytes.length, bytes }
      at += bytes.length
    }
    if (at === 0) return
    blockStart += at
  }
}

/** The number of bytes before a position that decide if a chunk ends there. */
const WINDOW = 64
const FACTOR = 0x2c1b3c6d
/** The weight of a byte when it leaves the window. */
let FACTOR_AT_END = 1
for (let at = 0; at < WINDOW; at++) FACTOR_AT_END = Math.imul(FACTOR_AT_END, FACTOR)

/** A chunk ends at a position where the hash of the window begins with enough zeros; beyond the mean size fewer are enough. */
function endOfChunk(bytes: Uint8Array, start: number, mean: number): number {
  let at = start + mean / SPREAD
  if (at >= bytes.length) return bytes.length
  const max = Math.min(start + mean * SPREAD, bytes.length)
  const bits = 31 - Math.clz32(mean)
  let hash = 0
  for (let before = at - WINDOW; before < at; before++) hash = (Math.imul(hash, FACTOR) + (bytes[before] as number)) | 0
  for (const [end, zeros] of [
    [Math.min(start + mean, max), bits + 1],
    [max, bits - 2],
  ] as const)
    for (const shift = 32 - zeros; at < end; at++) {
      const left = Math.imul(bytes[at - WINDOW] as number, FACTOR_AT_END)
      hash = (Math.imul(hash, FACTOR) + (bytes[at] as number) - left) | 0
      if (hash >>> shift === 0) return at + 1
    }
  return max
}

/** A file of an entity in the form in which it travels. */
class ChunkSource implements Disposable {
  readonly name: string
  readonly size: number
  readonly #form: ReturnType<typeof deltaForm> | undefined
  readonly #descriptor: number | undefined

  constructor(directory: string, name: string) {
    const file = deltaFileOf(name)
    this.name = name
    this.#form = file === undefined ? undefined : deltaForm(join(directory, file))
    this.#descriptor = file === undefined ? openSync(join(directory, name), 'r') : undefined
    this.size = this.#form?.size ?? fstatSync(this.#descriptor as number).size
  }

  /** Reads until the target is full or the file ends, and returns how much was read. */
  read(target: Uint8Array, start: number): number {
    return this.#form?.read(target, start) ?? readFully(this.#descriptor as number, target, start)
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}

/** Reads until the buffer is full or the file ends, and returns how much was read. */
export function readFully(descriptor: number, buffer: Uint8Array, position: number): number {
  let size = 0
  while (size < buffer.length) {
    const read = readSync(descriptor, buffer, size, buffer.length - size, position + size)
    if (read === 0) break
    size += read
  }
  return size
}

/** Reads chunks of a local entity. Files stay open between chunks, since the collector counts each mapping as memory of the size of the file. */
export class ChunkReader implements Disposable {
  readonly #directory: string
  readonly #sources = new Map<string, ChunkSource>()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Returns undefined if the chunk is missing or damaged. */
  bytesOf({ file, start, size, digest }: FileChunk): Uint8Array | undefined {
    try {
      const source = this.#sources.get(file) ?? new ChunkSource(this.#directory, file)
      this.#sources.set(file, source)
      const bytes = new Uint8Array(size)
      return source.read(bytes, start) === size && sha256(bytes) === digest ? bytes : undefined
    } catch {
      return undefined
    }
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources.values()) source[Symbol.dispose]()
  }
}
