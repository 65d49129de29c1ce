// Files that are hashed while they are written and synced before they count.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

export type FileFacts = { readonly size: number; readonly sha256: string }

const BUFFER = 1 << 16

/** Small writes are gathered; the owner may reuse the bytes as soon as `write` returns. */
export class DurableFile {
  readonly #hasher = new Bun.CryptoHasher('sha256')
  readonly #buffer = new Uint8Array(BUFFER)
  #descriptor: number | undefined
  #buffered = 0
  #size = 0

  constructor(path: string) {
    this.#descriptor = openSync(path, 'wx')
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

  finish(): FileFacts {
    this.#flush()
    if (this.#descriptor === undefined) throw new Error('finished twice')
    fsyncSync(this.#descriptor)
    this.close()
    return { size: this.#size, sha256: this.#hasher.digest('hex') }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #flush(): void {
    this.#put(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  #put(bytes: Uint8Array): void {
    if (this.#descriptor === undefined) throw new Error('written to after it was closed')
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written)
    this.#hasher.update(bytes)
    this.#size += bytes.length
  }
}

/** Writes a small file that is on disk, whole, when this returns. */
export function writeDurably(path: string, text: string): FileFacts {
  const file = new DurableFile(path)
  try {
    file.write(new TextEncoder().encode(text))
    return file.finish()
  } finally {
    file.close()
  }
}

/** Makes names created in, renamed into or removed from a directory last through a power cut. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The digest of a file already on disk. */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest('hex')
}
