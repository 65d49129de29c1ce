// Opens and reads files of a home without blocking: a FIFO in the place of one would hold its reader for ever.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { OperationalError } from '../../base/operational-error.ts'

/** Something else stands where a file should: a FIFO, a socket, a device, a directory, or a file that is far too large. */
export class NotAFile extends OperationalError {
  readonly wrong: string

  constructor(path: string, wrong = 'is not a regular file') {
    super(`${path} ${wrong}; move away what stands there`)
    this.wrong = wrong
  }
}

/** The greatest size of a text that is read whole, where its reader names no other. */
const MAX_TEXT_BYTES = 1 << 24

function checkSize(path: string, size: number, maxBytes: number): void {
  if (size > maxBytes) throw new NotAFile(path, `has ${size} bytes, and no more than ${maxBytes} are read`)
}

/** Without the second, opening a FIFO waits until another process writes to it. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Sockets cannot be opened at all. */
const openError = (path: string, error: unknown) => (codeOf(error) === 'ENXIO' ? new NotAFile(path) : error)

/** The descriptor of a file that is open for reading. */
export function openFileSync(path: string): number {
  let descriptor: number
  try {
    descriptor = openSync(path, FLAGS)
  } catch (error) {
    throw openError(path, error)
  }
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  throw new NotAFile(path)
}

/** Opens a file on another thread, so that a disk that does not respond does not block this one. */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS).catch((error: unknown) => {
    throw openError(path, error)
  })
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new NotAFile(path)
}

const MISSING: readonly unknown[] = ['ENOENT', 'ENOTDIR']

function undefinedIfMissing(error: unknown): undefined {
  if (!MISSING.includes(codeOf(error))) throw error
}

/** The content of a file; undefined where there is none. */
export const readTextSync = (path: string, maxBytes = MAX_TEXT_BYTES): string | undefined =>
  readBytesSync(path, maxBytes)?.toString('utf8')

/** The bytes of a file; undefined where there is none. */
export function readBytesSync(path: string, maxBytes: number): Buffer | undefined {
  try {
    const descriptor = openFileSync(path)
    try {
      checkSize(path, fstatSync(descriptor).size, maxBytes)
      return readFileSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    return undefinedIfMissing(error)
  }
}

/** The content of a file, read on another thread; undefined if there is none. */
export async function readText(path: string, maxBytes = MAX_TEXT_BYTES): Promise<string | undefined> {
  try {
    await using file = await openFile(path)
    checkSize(path, (await file.stat()).size, maxBytes)
    return await file.readFile('utf8')
  } catch (error) {
    return undefinedIfMissing(error)
  }
}

/** True if a file is there and has this content. */
export function hasText(path: string, text: string): boolean {
  try {
    return readTextSync(path, Buffer.byteLength(text)) === text
  } catch (error) {
    if (error instanceof NotAFile) return false
    throw error
  }
}
