// A download on disk: the newest whole file of an address, and what has arrived so far of the next one.
//
//   NAME               the whole file
//   NAME.json          its address, size and validators; without them the file is not used again
//   NAME.partial       what has arrived of the next one, only appended to
//   NAME.partial.json  the same as above of that one; written before its first byte
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { boundedJson } from '../base/json-bounds.ts'
import { objectOf, optional, readOrUndefined, text, wholeNumber } from '../base/schema.ts'

/** The headers that identify one version of a file on a server. */
export type FileVersion = {
  /** The number of bytes; undefined where the server does not say. */
  readonly size: number | undefined
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

/** The part of a version that has arrived. */
export type PartialFile = { readonly version: FileVersion; readonly length: number }

const MAX_NAME = 100
const MAX_VERSION_BYTES = 1 << 16

/** A validator is sent back as a header. */
const validator = text(1_000, /^[\t -~\x80-\xff]*$/, 'the value of a header')
export const savedVersion = objectOf({
  url: text(MAX_VERSION_BYTES),
  size: optional(wholeNumber()),
  etag: optional(validator),
  lastModified: optional(validator),
})

export class StoredDownload {
  readonly path: string
  readonly #directory: string
  readonly #url: string
  #arriving: { readonly descriptor: number; readonly version: FileVersion; length: number } | undefined

  constructor(directory: string, url: string) {
    const name = basename(new URL(url).pathname).replace(/[^\w.-]/g, '_')
    const hash = Bun.hash.xxHash64(url).toString(16).padStart(16, '0')
    this.path = join(directory, `${hash}-${name.slice(-MAX_NAME) || 'file'}`)
    this.#directory = directory
    this.#url = url
  }

  /** The version of the whole file, if it is there as it was downloaded. */
  whole(): FileVersion | undefined {
    const version = this.#readVersion(this.#versionPath)
    return version?.size !== undefined && version.size === lengthOf(this.path) ? version : undefined
  }

  partial(): PartialFile | undefined {
    const version = this.#readVersion(this.#partialVersionPath)
    const length = lengthOf(this.#partialPath)
    return version !== undefined && length > 0 ? { version, length } : undefined
  }

  /** Starts to receive a version from its first byte. */
  begin(version: FileVersion): void {
    this.discardPartial()
    writeSynced(this.#partialVersionPath, this.#versionText(version))
    this.#arriving = { descriptor: openSync(this.#partialPath, 'w'), version, length: 0 }
  }

  /** Continues to receive what is partly there. */
  resume({ version, length }: PartialFile): void {
    this.#arriving = { descriptor: openSync(this.#partialPath, 'a'), version, length }
  }

  append(bytes: Uint8Array): void {
    const arriving = this.#arriving
    if (arriving === undefined) throw new Error('nothing is being received')
    for (let written = 0; written < bytes.length; ) written += writeSync(arriving.descriptor, bytes, written)
    arriving.length += bytes.length
  }

  /** How much of the version that is being received is there. */
  get length(): number {
    return this.#arriving?.length ?? 0
  }

  /** How long it will be, if the server has said so. */
  get size(): number | undefined {
    return this.#arriving?.version.size
  }

  /** The first bytes of what is being received. */
  start(count: number): Uint8Array {
    const bytes = new Uint8Array(count)
    const descriptor = openSync(this.#partialPath, 'r')
    try {
      return bytes.subarray(0, readSync(descriptor, bytes, 0, count, 0))
    } finally {
      closeSync(descriptor)
    }
  }

  /** Makes what was received the whole file. Killed in between, the file is there but is downloaded again. */
  finish(): void {
    const { descriptor, version, length } = this.#arriving ?? {}
    if (descriptor === undefined || version === undefined || length === undefined)
      throw new Error('nothing is being received')
    if (version.size !== undefined && version.size !== length) throw new Error('finished before all has arrived')
    fsyncSync(descriptor)
    this.close()
    rmSync(this.#versionPath, { force: true })
    renameSync(this.#partialPath, this.path)
    this.#syncDirectory()
    writeSynced(this.#versionPath, this.#versionText({ ...version, size: length }))
    rmSync(this.#partialVersionPath, { force: true })
  }

  /** Stops receiving; what has arrived stays. */
  close(): void {
    if (this.#arriving !== undefined) closeSync(this.#arriving.descriptor)
    this.#arriving = undefined
  }

  discardPartial(): void {
    this.close()
    for (const path of [this.#partialPath, this.#partialVersionPath]) rmSync(path, { force: true })
  }

  discard(): void {
    this.discardPartial()
    for (const path of [this.#versionPath, this.path]) rmSync(path, { force: true })
  }

  #readVersion(path: string): FileVersion | undefined {
    try {
      if (lengthOf(path) > MAX_VERSION_BYTES) return undefined
      const { url, size, etag, lastModified } = readOrUndefined(savedVersion, boundedJson(readFileSync(path))) ?? {}
      return url === this.#url ? { size, etag, lastModified } : undefined
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  #versionText = (version: FileVersion) => `${JSON.stringify({ url: this.#url, ...version }, null, 2)}\n`

  #syncDirectory(): void {
    const descriptor = openSync(this.#directory, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }

  get #versionPath(): string {
    return `${this.path}.json`
  }

  get #partialPath(): string {
    return `${this.path}.partial`
  }

  get #partialVersionPath(): string {
    return `${this.path}.partial.json`
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** 0 when there is no such file. */
const lengthOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function writeSynced(path: string, text: string): void {
  const descriptor = openSync(path, 'w')
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
