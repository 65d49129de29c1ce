// Bodies that are costly to make, each made once and kept in a file: rendered collections, compressed ones, lists of changes.
import { statSync, utimesSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { WorkStopped } from '../../base/checkpoint.ts'
import type { Log } from '../../base/log.ts'
import { overloaded, ProblemError } from '../problem.ts'
import { type BodyFile, bodyAt, CannotCache, isSound, type NewBody, UNFINISHED, writeBody } from './body-file.ts'
import { removeFile } from './cache-directory.ts'

const MAX_FILES = 1_000
const MAX_QUEUED = 16
const MAX_WAITING = 1_000
const RETRY_SECONDS = 10

const UNFINISHED_MILLISECONDS = 10 * 60_000
const TOUCH_MILLISECONDS = 60_000
const SWEEP_MILLISECONDS = 10 * 60_000

type CacheOptions = {
  readonly directory: string
  readonly maxBytes: number
  /** True if a release or an entity with this digest is still there; a body of one that is gone is removed. */
  readonly isOnDisk: (digest: string) => boolean
  readonly log: Log
}

export class ResponseCache {
  readonly #options: CacheOptions
  /** Bodies that were made or read here, by name. */
  readonly #known = new Map<string, BodyFile>()
  readonly #checks = new Map<string, Promise<BodyFile | undefined>>()
  readonly #queue = new Map<string, Promise<BodyFile>>()
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

  /** The body of this name, if it was made; a file that is not known yet is read first, and removed if its bytes have changed. */
  find(name: string): BodyFile | undefined | Promise<BodyFile | undefined> {
    const path = this.#path(name)
    const known = this.#known.get(name)
    if (known !== undefined && touched(known)) return known
    this.#known.delete(name)
    const body = bodyAt(path)
    return body && this.#checks.getOrInsertComputed(name, () => this.#check(name, body))
  }

  async #check(name: string, body: BodyFile): Promise<BodyFile | undefined> {
    try {
      if (await isSound(body)) {
        this.#known.set(name, body)
        return body
      }
      await removeFile(body.path, this.#options.log)
      return undefined
    } catch {
      // It was removed meanwhile, or the disk cannot read it.
      return undefined
    } finally {
      this.#checks.delete(name)
    }
  }

  /**
   * Makes a body, or waits for it if it is being made. One is made at a time. If the client for which it is made leaves,
   * it is made anew for the next one that waits.
   */
  async make(name: string, body: NewBody): Promise<BodyFile> {
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

  #enqueue(name: string, body: NewBody): Promise<BodyFile> {
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

  async #make(name: string, body: NewBody): Promise<BodyFile> {
    try {
      await writeBody(this.#path(name), body)
    } catch (error) {
      if (error instanceof CannotCache) this.#reportUnusable(error)
      throw error
    }
    const made = bodyAt(this.#path(name))
    this.sweep()
    if (made === undefined) throw new CannotCache(`${name} was removed as soon as it was there`)
    this.#known.set(name, made)
    return made
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

  /** Removes files that are unfinished or made from releases that are gone, then the least recently used; readers read them to the end. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweep()).catch(() => {})
    return this.#sweeping
  }

  async #sweep(): Promise<void> {
    const { directory, maxBytes, isOnDisk } = this.#options
    const files: { readonly path: string; readonly size: number; readonly used: number }[] = []
    for (const name of await readdir(directory)) {
      const path = this.#path(name)
      const found = await stat(path).catch(() => undefined)
      if (found === undefined || !found.isFile()) continue
      const isLeftOver = name.endsWith(UNFINISHED)
        ? Date.now() - found.mtimeMs > UNFINISHED_MILLISECONDS
        : !bodyAt(path)?.madeFrom.every(isOnDisk)
      if (isLeftOver) await rm(path, { force: true })
      else files.push({ path, size: found.size, used: found.mtimeMs })
    }
    files.sort((a, b) => b.used - a.used)
    let bytes = 0
    for (const [at, { path, size }] of files.entries()) {
      bytes += size
      if ((bytes > maxBytes || at >= MAX_FILES) && !path.endsWith(UNFINISHED)) await rm(path, { force: true })
    }
    for (const [name, body] of this.#known) if (fileOf(body) === undefined) this.#known.delete(name)
  }

  #path(name: string): string {
    return join(this.#options.directory, name)
  }
}

/** The file of a body; undefined if it is gone, or another has its name. */
function fileOf({ path, inode }: BodyFile) {
  const file = statSync(path, { throwIfNoEntry: false })
  return file?.ino === inode ? file : undefined
}

/** Marks a body as used, so that it is removed after others; false if it was removed already. */
function touched(body: BodyFile): boolean {
  try {
    const file = fileOf(body)
    const now = Date.now()
    if (file !== undefined && now - file.mtimeMs > TOUCH_MILLISECONDS) utimesSync(body.path, now / 1_000, now / 1_000)
    return file !== undefined
  } catch {
    // A directory that has become read-only is no reason to do without the file.
    return fileOf(body) !== undefined
  }
}
