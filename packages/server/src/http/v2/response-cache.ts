// Bodies that are costly to make, each made once and kept in a file: rendered collections, compressed ones, lists of changes.
//
// A file is the body, then a line of JSON about it, then the length of that line. It is written under another name and
// renamed when it is whole, so all workers of a home share it, and one that is cut short is never read.
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  read,
  readSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { WorkStopped } from '../../base/checkpoint.ts'
import { parseOwnJson } from '../../base/json.ts'
import type { Log } from '../../base/log.ts'
import { sha256OfFile } from '../../release/files/durable-file.ts'
import { overloaded, ProblemError } from '../problem.ts'
import type { ContentCoding } from './negotiate.ts'

/** Raised whenever the files are laid out in another way. */
const FORMAT = 1
const LENGTH_DIGITS = 8
const MAX_DESCRIPTION_BYTES = 1 << 16
const UNFINISHED = '.part'

/** Bytes of a file in memory for each client that reads it. */
const READ_BYTES = 1 << 14
/** Files that are kept open although no one reads them. */
const MAX_OPEN = 16
const MAX_FILES = 1_000
const MAX_QUEUED = 16
const MAX_WAITING = 1_000
const RETRY_SECONDS = 10

const UNFINISHED_MILLISECONDS = 10 * 60_000
const TOUCH_MILLISECONDS = 60_000
const SWEEP_MILLISECONDS = 10 * 60_000

type Description = {
  readonly format: number
  readonly length: number
  /** Its SHA-256 in base64. */
  readonly sha256: string
  /** The content encoding of the bytes; undefined if they are not compressed. */
  readonly encoding?: ContentCoding
  /** The digests of the releases and entities that it was made from. */
  readonly madeFrom: readonly string[]
}

/** A body that is about to be made. */
export type NewBody = {
  readonly madeFrom: readonly string[]
  readonly chunks: () => AsyncIterable<Uint8Array>
  /** Called after the last chunk. */
  readonly encoding: () => ContentCoding | undefined
}

/** No file can be written: the disk is full, or the directory is gone or read-only. */
export class CannotCache extends Error {}

type CacheOptions = {
  readonly directory: string
  readonly maxBytes: number
  /** True if a release or an entity with this digest is still there; a body of one that is gone is removed. */
  readonly isOnDisk: (digest: string) => boolean
  readonly log: Log
}

export class ResponseCache {
  readonly #options: CacheOptions
  /** Open files by name, the least recently used first. */
  readonly #open = new Map<string, CachedFile>()
  readonly #checks = new Map<string, Promise<CachedFile | undefined>>()
  readonly #queue = new Map<string, Promise<CachedFile>>()
  /** Ends when the body that is being made is done. */
  #turn: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #unusableUntil = 0
  #sweeping: Promise<void> = Promise.resolve()

  constructor(options: CacheOptions) {
    this.#options = options
    this.sweep()
    setInterval(() => this.sweep(), SWEEP_MILLISECONDS).unref()
  }

  /** The body of this name, if it was made; a file that is not open yet is read first, and removed if its bytes have changed. */
  find(name: string): CachedFile | undefined | Promise<CachedFile | undefined> {
    const known = this.#open.get(name)
    if (known?.touch()) return this.#use(name, known)
    known?.close()
    this.#open.delete(name)
    const file = CachedFile.open(this.#path(name))
    return file && this.#checks.getOrInsertComputed(name, () => this.#check(name, file))
  }

  async #check(name: string, file: CachedFile): Promise<CachedFile | undefined> {
    try {
      if (await isSound(file.path, file)) return this.#use(name, file)
      file.close()
      await removeFile(file.path, this.#options.log)
      return undefined
    } catch {
      // It was removed meanwhile, or the disk cannot read it.
      file.close()
      return undefined
    } finally {
      this.#checks.delete(name)
    }
  }

  /** Keeps a file open, as the most recently used. */
  #use(name: string, file: CachedFile): CachedFile {
    this.#open.delete(name)
    this.#open.set(name, file)
    const [leastRecentlyUsed = ''] = this.#open.keys()
    if (this.#open.size > MAX_OPEN) this.#close(leastRecentlyUsed)
    return file
  }

  /**
   * Makes a body, or waits for it if it is being made. One is made at a time. If the client for which it is made leaves,
   * it is made anew for the next one that waits.
   */
  async make(name: string, body: NewBody): Promise<CachedFile> {
    if (this.#waiting >= MAX_WAITING)
      throw new ProblemError(overloaded('streams', 'too many requests wait for downloads', RETRY_SECONDS))
    this.#waiting++
    try {
      for (;;) {
        const ongoing = this.#queue.get(name)
        if (ongoing === undefined) return await this.#enqueue(name, body)
        const file = await ongoing.catch((error) => {
          if (!(error instanceof WorkStopped)) throw error
        })
        if (file !== undefined) return file
      }
    } finally {
      this.#waiting--
    }
  }

  #enqueue(name: string, body: NewBody): Promise<CachedFile> {
    if (this.#queue.size >= MAX_QUEUED)
      throw new ProblemError(overloaded('streams', 'too many downloads are being prepared', RETRY_SECONDS))
    if (performance.now() < this.#unusableUntil) throw new CannotCache('tried a moment ago')
    // Another worker may have made it meanwhile.
    const made = this.#turn
      .then(() => this.find(name))
      .then((found) => found ?? this.#make(name, body))
      .finally(() => this.#queue.delete(name))
    this.#turn = made.catch(() => {})
    this.#queue.set(name, made)
    return made
  }

  async #make(name: string, body: NewBody): Promise<CachedFile> {
    try {
      await writeBody(this.#path(name), body)
    } catch (error) {
      if (error instanceof CannotCache) this.#reportUnusable(error)
      throw error
    }
    const file = CachedFile.open(this.#path(name))
    this.sweep()
    if (file === undefined) throw new CannotCache(`${name} was removed as soon as it was there`)
    return this.#use(name, file)
  }

  #reportUnusable({ message }: CannotCache): void {
    this.#unusableUntil = performance.now() + RETRY_SECONDS * 1_000
    this.#options.log({
      level: 'warn',
      event: 'cache-unusable',
      message: `CACHE NOT USABLE: ${message}. Whole collections and changes are sent uncompressed, to few clients at a time.`,
      directory: this.#options.directory,
    })
  }

  /** Removes files that are unfinished or made from releases that are gone, then the least recently used. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweep()).catch(() => {})
    return this.#sweeping
  }

  async #sweep(): Promise<void> {
    const { directory, maxBytes, isOnDisk } = this.#options
    const files: { readonly path: string; readonly size: number; readonly used: number }[] = []
    for (const name of await readdir(directory)) {
      const path = join(directory, name)
      const found = await stat(path).catch(() => undefined)
      if (found === undefined || !found.isFile()) continue
      const isLeftOver = name.endsWith(UNFINISHED)
        ? Date.now() - found.mtimeMs > UNFINISHED_MILLISECONDS
        : !descriptionIn(path)?.madeFrom.every(isOnDisk)
      if (isLeftOver) await this.#remove(path)
      else files.push({ path, size: found.size, used: found.mtimeMs })
    }
    files.sort((a, b) => b.used - a.used)
    let bytes = 0
    for (const [at, { path, size }] of files.entries()) {
      bytes += size
      if ((bytes > maxBytes || at >= MAX_FILES) && !path.endsWith(UNFINISHED)) await this.#remove(path)
    }
    for (const [name, file] of this.#open) if (!file.isNamed) this.#close(name)
  }

  /** Readers of the file go on reading it. */
  #remove(path: string): Promise<void> {
    return rm(path, { force: true })
  }

  #close(name: string): void {
    this.#open.get(name)?.close()
    this.#open.delete(name)
  }

  #path(name: string): string {
    return join(this.#options.directory, name)
  }
}

/** A whole file of the cache. It stays readable when it is removed, as long as it is being read. */
export class CachedFile {
  readonly #path: string
  readonly #description: Description
  #descriptor: number | undefined
  #readers = 0
  #touched = Number.NEGATIVE_INFINITY

  private constructor(path: string, descriptor: number, description: Description) {
    this.#path = path
    this.#descriptor = descriptor
    this.#description = description
  }

  /** The file at a path; undefined if there is none. A damaged one is removed. */
  static open(path: string): CachedFile | undefined {
    const descriptor = openedFile(path)
    if (descriptor === undefined) return undefined
    const description = readDescription(descriptor)
    if (description !== undefined) return new CachedFile(path, descriptor, description)
    closeSync(descriptor)
    rmSync(path, { force: true })
    return undefined
  }

  get path(): string {
    return this.#path
  }

  get length(): number {
    return this.#description.length
  }

  get sha256(): string {
    return this.#description.sha256
  }

  get encoding(): ContentCoding | undefined {
    return this.#description.encoding
  }

  /** Marks the file as used, so that it is removed after others; false if it was removed already. */
  touch(): boolean {
    if (performance.now() - this.#touched < TOUCH_MILLISECONDS) return true
    this.#touched = performance.now()
    const now = Date.now() / 1_000
    try {
      utimesSync(this.#path, now, now)
      return true
    } catch {
      // A directory that has become read-only is no reason to do without the file.
      return this.isNamed
    }
  }

  /** True if it is still there under its name. */
  get isNamed(): boolean {
    const descriptor = openedFile(this.#path)
    if (descriptor === undefined) return false
    try {
      return this.#descriptor !== undefined && fstatSync(descriptor).ino === fstatSync(this.#descriptor).ino
    } finally {
      closeSync(descriptor)
    }
  }

  /** The bytes from one offset to just before another. A chunk is valid until the next one is pulled. */
  async *chunks(from: number, to: number): AsyncGenerator<Uint8Array> {
    this.#descriptor ??= openSync(this.#path, 'r')
    this.#readers++
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, to - from))
    try {
      for (let at = from; at < to; ) {
        const bytes = await readAt(this.#descriptor, buffer, Math.min(buffer.length, to - at), at)
        if (bytes === 0) throw new Error(`${this.#path} ends after ${at} bytes`)
        yield buffer.subarray(0, bytes)
        at += bytes
      }
    } finally {
      this.#readers--
      if (this.#closing) this.close()
    }
  }

  #closing = false

  /** Closes the file at once, or when the last reader is done. */
  close(): void {
    this.#closing = true
    if (this.#readers > 0 || this.#descriptor === undefined) return
    closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** The descriptor of a file; undefined if it is not there. */
function openedFile(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    // Without a descriptor to spare, or in a directory that is gone, the body is made anew or sent directly.
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

const readAt = (descriptor: number, buffer: Buffer, length: number, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    read(descriptor, buffer, 0, length, position, (error, bytes) => (error === null ? resolve(bytes) : reject(error)))
  })

/** The description of a file; undefined if the file is not whole, or has another format. */
function readDescription(descriptor: number): Description | undefined {
  const { size } = fstatSync(descriptor)
  const last = (bytes: number, before: number) => {
    const buffer = Buffer.alloc(Math.min(bytes, Math.max(size - before, 0)))
    readSync(descriptor, buffer, 0, buffer.length, size - before - buffer.length)
    return buffer.toString()
  }
  const length = Number(last(LENGTH_DIGITS, 0))
  if (!(length > 0 && length <= MAX_DESCRIPTION_BYTES)) return undefined
  try {
    const description = parseOwnJson<Description>(last(length, LENGTH_DIGITS))
    const isWhole = description.format === FORMAT && description.length + length + LENGTH_DIGITS === size
    return isWhole ? description : undefined
  } catch {
    return undefined
  }
}

function descriptionIn(path: string): Description | undefined {
  const descriptor = openedFile(path)
  if (descriptor === undefined) return undefined
  try {
    return readDescription(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

type Sha256 = (path: string, bytes: number) => Promise<string>

/** True if the body in a file has the digest that is written behind it. */
async function isSound(
  path: string,
  { length, sha256 }: Pick<Description, 'length' | 'sha256'>,
  read: Sha256 = sha256OfFile,
): Promise<boolean> {
  return Buffer.from(await read(path, length), 'hex').toString('base64') === sha256
}

/** The paths of the files of a cache whose bytes have changed since they were written. */
export async function damagedFiles(directory: string, read?: Sha256): Promise<string[]> {
  const damaged: string[] = []
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    const description = name.endsWith(UNFINISHED) ? undefined : descriptionIn(path)
    // Another process may remove it at any moment.
    if (description === undefined || (await isSound(path, description, read).catch(() => true))) continue
    damaged.push(path)
  }
  return damaged
}

export async function removeDamaged(directory: string, log: Log, read: Sha256): Promise<void> {
  for (const path of await damagedFiles(directory, read)) await removeFile(path, log)
}

async function removeFile(path: string, log: Log): Promise<void> {
  await rm(path, { force: true }).catch(() => {})
  const message = `DAMAGE FOUND: ${path} has other content than was written. It was removed, and is made anew.`
  log({ level: 'error', event: 'cache-damaged', message })
}

/** Turns a failure of the disk into CannotCache; a failure of the body itself is passed on. */
async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new CannotCache(error instanceof Error ? error.message : String(error))
  }
}

async function writeBody(path: string, { madeFrom, chunks, encoding }: NewBody): Promise<void> {
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
    const description: Description = { format: FORMAT, ...facts, madeFrom }
    const line = Buffer.from(JSON.stringify(description))
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

/** The cache of a home, where no other directory is given. */
export const cacheIn = (home: string): string => join(home, 'cache')

/**
 * A directory that can be written to: the given one; else one in the home; else one of our own in the system's directory
 * for temporary files. If none can be used, the reason why.
 */
export function cacheDirectory(home: string, given: string | undefined): string | CannotCache {
  if (given !== undefined) return usableDirectory(given)
  const inHome = usableDirectory(cacheIn(home))
  if (typeof inHome === 'string') return inHome
  const user = process.getuid?.() ?? 0
  const name = `nomenclator-${user}-${Bun.hash.xxHash64(resolve(home)).toString(16)}`
  return usableDirectory(join(tmpdir(), name), user)
}

/** With `owner`, it must belong to that user alone: anyone may make such a directory, and wait for us to use it. */
function usableDirectory(path: string, owner?: number): string | CannotCache {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(path)
    if (owner !== undefined && (uid !== owner || (mode & 0o077) !== 0))
      return new CannotCache(`${path} does not belong to this user alone`)
    const probe = join(path, `${crypto.randomUUID()}${UNFINISHED}`)
    writeFileSync(probe, '')
    rmSync(probe)
    return path
  } catch (error) {
    return new CannotCache(error instanceof Error ? error.message : String(error))
  }
}
