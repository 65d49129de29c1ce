// Files that are hashed while they are written and synced before they count.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { NotAFile } from './regular-file.ts'

export type FileSummary = { readonly size: number; readonly sha256: string }

/** The calls that make files last through a power cut, in one place so that a test can trace them. */
export const disk = { open: openSync, write: writeSync, fsync: fsyncSync, close: closeSync, rename: renameSync }

const BUFFER = 1 << 16

/** Small writes are gathered; the owner may reuse the bytes as soon as `write` returns. */
export class DurableFile implements Disposable {
  readonly #hasher = new Bun.CryptoHasher('sha256')
  readonly #buffer = new Uint8Array(BUFFER)
  #descriptor: number | undefined
  #buffered = 0
  #size = 0

  constructor(path: string) {
    this.#descriptor = disk.open(path, 'wx')
  }

  write(bytes: Uint8Array): void {
    if (this.#buffered + bytes.length > BUFFER) this.#flush()
    if (bytes.length > BUFFER) {
      this.#put(bytes)
      return
    }
    this.#buffer.set(bytes, this.#buffered)
    this.#buffered += bytes.length
  }

  finish(): FileSummary {
    this.#flush()
    if (this.#descriptor === undefined) throw new Error('finished twice')
    disk.fsync(this.#descriptor)
    this[Symbol.dispose]()
    return { size: this.#size, sha256: this.#hasher.digest('hex') }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) disk.close(this.#descriptor)
    this.#descriptor = undefined
  }

  #flush(): void {
    this.#put(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  #put(bytes: Uint8Array): void {
    if (this.#descriptor === undefined) throw new Error('written to after it was closed')
    for (let written = 0; written < bytes.length; ) written += disk.write(this.#descriptor, bytes, written)
    this.#hasher.update(bytes)
    this.#size += bytes.length
  }
}

/** Writes a small file that is on disk, whole, when this returns. */
export function writeDurably(path: string, content: string | Uint8Array): FileSummary {
  using file = new DurableFile(path)
  file.write(typeof content === 'string' ? new TextEncoder().encode(content) : content)
  return file.finish()
}

/** Makes names created in, renamed into or removed from a directory last through a power cut. */
export function syncDirectory(path: string): void {
  const descriptor = disk.open(path, 'r')
  try {
    disk.fsync(descriptor)
  } finally {
    disk.close(descriptor)
  }
}

/** Gives a file or a directory its name for good. */
export function renameDurably(from: string, to: string): void {
  disk.rename(from, to)
  syncDirectory(dirname(to))
}

const nextOf = (path: string) => `${path}.next`

/** Replaces a file. A process that reads it meanwhile gets the old or the new one, never a part. */
export function replaceDurably(path: string, content: string | Uint8Array): void {
  discardReplacement(path)
  try {
    writeDurably(nextOf(path), content)
  } catch (error) {
    // A disk that is full has no room for half a file either.
    discardReplacement(path)
    throw error
  }
  renameDurably(nextOf(path), path)
}

/** Removes what a replacement that was cut short has left. */
export const discardReplacement = (path: string): void => rmSync(nextOf(path), { force: true })

/** The digest of a file already on disk, or of so many bytes at its beginning. */
export async function sha256OfFile(path: string, bytes?: number): Promise<string> {
  if (!(await stat(path)).isFile()) throw new NotAFile(path)
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).slice(0, bytes).stream()) hasher.update(chunk)
  return hasher.digest('hex')
}
