// Files in chunks: cut where they are published, compressed, and told apart by their digest.
import { closeSync, openSync, readSync } from 'node:fs'

/** A piece of a file. */
export type Chunk = { readonly digest: string; readonly start: number; readonly size: number }

const CHUNK_BYTES = 1 << 20
/** Larger ones are taken from nobody. */
export const MAX_CHUNK_BYTES: number = 4 * CHUNK_BYTES
const ZSTD_LEVEL = 3

export const sha256 = (bytes: Uint8Array | string): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** The chunks of a file, one after the other, with their bytes, which are valid until the next one. */
export function* chunksOf(path: string): Generator<Chunk & { readonly bytes: Uint8Array }> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const descriptor = openSync(path, 'r')
  try {
    for (let start = 0; ; ) {
      const size = readFully(descriptor, buffer, start)
      if (size === 0) return
      const bytes = buffer.subarray(0, size)
      yield { digest: sha256(bytes), start, size, bytes }
      start += size
    }
  } finally {
    closeSync(descriptor)
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

/** Some bytes of a file; undefined where it does not have them or cannot be read. */
export function bytesAt(path: string, start: number, size: number): Buffer | undefined {
  try {
    const descriptor = openSync(path, 'r')
    try {
      const bytes = Buffer.allocUnsafe(size)
      return readFully(descriptor, bytes, start) === size ? bytes : undefined
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

export const pack = (bytes: Uint8Array): Promise<Uint8Array> =>
  Bun.zstdCompress(bytes as Uint8Array<ArrayBuffer>, { level: ZSTD_LEVEL })

/** The bytes of a chunk; throws where there are more than there should be, before they are all made. */
export async function unpack(packed: Uint8Array, size: number): Promise<Uint8Array> {
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('zstd'))
  const bytes = new Uint8Array(size)
  let at = 0
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes.subarray(0, at)
}
