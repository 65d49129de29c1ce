// A body in a file: the body, then a line of JSON about it, then the length of that line. It is written under another name and renamed
// when it is whole, so all workers of a home share it, and one that is cut short is never read.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { parseOwnJson } from '../../base/json.ts'
import { messageOf } from '../../base/operational-error.ts'
import { sha256OfFile } from '../../release/files/durable-file.ts'
import type { ContentCoding } from './negotiate.ts'

/** Raised whenever the files are laid out in another way. */
const FORMAT = 1
const LENGTH_DIGITS = 8
const MAX_DESCRIPTION_BYTES = 1 << 16
/** The end of the name of a file that is being written. */
export const UNFINISHED = '.part'

/** A body in a file, as the file describes it. */
export type BodyFile = {
  readonly path: string
  /** Tells it apart from another file that has its name later. */
  readonly inode: number
  readonly length: number
  /** Its SHA-256 in base64. */
  readonly sha256: string
  /** The content encoding of the bytes; undefined if they are not compressed. */
  readonly encoding?: ContentCoding
  /** The digests of the releases and entities that it was made from. */
  readonly madeFrom: readonly string[]
}

type Description = Omit<BodyFile, 'path' | 'inode'> & { readonly format: number }

/** A body that is about to be made. */
export type NewBody = {
  readonly madeFrom: readonly string[]
  readonly chunks: () => AsyncIterable<Uint8Array>
  /** Called after the last chunk. */
  readonly encoding: () => ContentCoding | undefined
}

/** No file can be written: the disk is full, or the directory is gone or read-only. */
export class CannotCache extends Error {}

/** The body at a path; undefined without a file that is whole and of this format: then it is made anew, or sent directly. */
export function bodyAt(path: string): BodyFile | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    const { size, ino: inode } = fstatSync(descriptor)
    const length = Number(endOf(descriptor, size, LENGTH_DIGITS))
    if (!(length > 0 && length <= MAX_DESCRIPTION_BYTES)) return undefined
    const { format, ...description } = parseOwnJson<Description>(endOf(descriptor, size - LENGTH_DIGITS, length))
    const isWhole = format === FORMAT && description.length + length + LENGTH_DIGITS === size
    return isWhole ? { path, inode, ...description } : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The last bytes of the first `size` of a file. */
function endOf(descriptor: number, size: number, bytes: number): string {
  const buffer = Buffer.alloc(Math.min(bytes, Math.max(size, 0)))
  readSync(descriptor, buffer, 0, buffer.length, size - buffer.length)
  return buffer.toString()
}

export type Sha256 = (path: string, bytes: number) => Promise<string>

/** True if the body has the digest that is written behind it. */
export async function isSound({ path, length, sha256 }: BodyFile, read: Sha256 = sha256OfFile): Promise<boolean> {
  return Buffer.from(await read(path, length), 'hex').toString('base64') === sha256
}

/** Turns a failure of the disk into CannotCache; a failure of the body itself is passed on. */
async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new CannotCache(messageOf(error))
  }
}

export async function writeBody(path: string, { madeFrom, chunks, encoding }: NewBody): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}${UNFINISHED}`
  const file = await onDisk(open(temporary, 'wx', 0o600))
  const hasher = new Bun.CryptoHasher('sha256')
  let length = 0
  try {
    for await (const chunk of chunks()) {
      hasher.update(chunk)
      length += chunk.length
      await onDisk(writeAll(file, chunk))
    }
    const coded = encoding()
    const facts = { length, sha256: hasher.digest('base64'), ...(coded === undefined ? {} : { encoding: coded }) }
    const line = Buffer.from(JSON.stringify({ format: FORMAT, ...facts, madeFrom } satisfies Description))
    await onDisk(writeAll(file, line))
    await onDisk(writeAll(file, Buffer.from(String(line.length).padStart(LENGTH_DIGITS))))
    // After a power cut, the name must not stand for bytes that never reached the disk.
    await onDisk(file.datasync())
    await onDisk(rename(temporary, path))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  } finally {
    await file.close().catch(() => {})
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten
}
