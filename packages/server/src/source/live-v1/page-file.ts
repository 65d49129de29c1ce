// The pages of one collection on disk, in the order in which they arrived: only appended to, and readable after a crash.
//
//   {"format":1,"url":…}              what is harvested; with another first line, it is another harvest
//   <page> <length> <hash> <check>    of the body; the check is the CRC of what precedes it; all of fixed width
//   <body>                            as it was sent, then a line feed and the next page
import { closeSync, constants, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { CollectionSize } from './page.ts'

const FORMAT = 1
const HEAD = /^(([0-9]{10}) ([0-9]{10}) ([0-9a-f]{16})) ([0-9a-f]{8})\n$/
const HEAD_LENGTH = 48
const NEWLINE = 0x0a

const hashOf = (body: Uint8Array) => Bun.hash.xxHash64(body).toString(16).padStart(16, '0')
const padded = (number: number) => String(number).padStart(10, '0')
const checkOf = (head: string) => Bun.hash.crc32(head).toString(16).padStart(8, '0')

export class PageFile {
  readonly path: string
  readonly size: CollectionSize
  readonly #firstLine: Buffer
  readonly #offsets: Float64Array
  readonly #lengths: Uint32Array
  readonly #pageOfHash = new Map<string, number>()
  #descriptor: number | undefined
  #end = 0

  /** Reuses the pages of the same harvest that the file has; what follows the last whole page is truncated. */
  constructor(path: string, url: string, size: CollectionSize) {
    this.path = path
    this.size = size
    this.#firstLine = Buffer.from(`${JSON.stringify({ format: FORMAT, url, ...size })}\n`)
    this.#offsets = new Float64Array(size.totalPages + 1)
    this.#lengths = new Uint32Array(size.totalPages + 1)
    this.#descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT)
    this.#recover(this.#descriptor)
  }

  get count(): number {
    return this.#pageOfHash.size
  }

  has(page: number): boolean {
    return (this.#lengths[page] ?? 0) > 0
  }

  /** The page that has this very body. */
  pageWith(body: Uint8Array): number | undefined {
    return this.#pageOfHash.get(hashOf(body))
  }

  *missing(): Generator<number> {
    for (let page = 1; page <= this.size.totalPages; page++) if (!this.has(page)) yield page
  }

  add(page: number, body: Uint8Array): void {
    const hash = hashOf(body)
    const head = `${padded(page)} ${padded(body.length)} ${hash}`
    this.#append(Buffer.concat([Buffer.from(`${head} ${checkOf(head)}\n`), body, Buffer.of(NEWLINE)]))
    this.#register(page, this.#end - body.length - 1, body.length, hash)
  }

  /** All pages in order; each body is valid until the next one is read. */
  *read(): Generator<readonly [page: number, body: Uint8Array]> {
    const descriptor = openSync(this.path, 'r')
    try {
      let buffer = new Uint8Array(1 << 16)
      for (let page = 1; page <= this.size.totalPages; page++) {
        const length = this.#lengths[page] as number
        if (length > buffer.length) buffer = new Uint8Array(length * 2)
        const body = buffer.subarray(0, length)
        if (length === 0 || !fill(descriptor, body, this.#offsets[page] as number))
          throw new Error(`${this.path} lacks page ${page}`)
        yield [page, body]
      }
    } finally {
      closeSync(descriptor)
    }
  }

  /** Drops every page. */
  restart(): void {
    if (this.#descriptor === undefined) throw new Error('restarted after it was closed')
    ftruncateSync(this.#descriptor, 0)
    this.#end = 0
    this.#lengths.fill(0)
    this.#pageOfHash.clear()
    this.#append(this.#firstLine)
  }

  /** After this, nothing can be added. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  remove(): void {
    this.close()
    rmSync(this.path, { force: true })
  }

  #append(bytes: Uint8Array): void {
    if (this.#descriptor === undefined) throw new Error('added to after it was closed')
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, this.#end + written)
    this.#end += bytes.length
  }

  #register(page: number, offset: number, length: number, hash: string): void {
    this.#offsets[page] = offset
    this.#lengths[page] = length
    this.#pageOfHash.set(hash, page)
  }

  #recover(descriptor: number): void {
    const line = Buffer.alloc(this.#firstLine.length)
    if (!fill(descriptor, line, 0) || !line.equals(this.#firstLine)) {
      this.restart()
      return
    }
    this.#end = line.length
    const bytes = Buffer.alloc(HEAD_LENGTH)
    while (fill(descriptor, bytes, this.#end)) {
      const [, head = '', page, length, hash = '', check] = HEAD.exec(bytes.toString('latin1')) ?? []
      const offset = this.#end + HEAD_LENGTH
      if (checkOf(head) !== check || !isWhole(descriptor, offset, Number(length), hash)) break
      this.#register(Number(page), offset, Number(length), hash)
      this.#end = offset + Number(length) + 1
    }
    ftruncateSync(descriptor, this.#end)
  }
}

/** True if a body is there in full, unchanged and with its line feed. */
function isWhole(descriptor: number, offset: number, length: number, hash: string): boolean {
  const bytes = new Uint8Array(length + 1)
  return fill(descriptor, bytes, offset) && bytes[length] === NEWLINE && hashOf(bytes.subarray(0, length)) === hash
}

/** Reads until the bytes are full; returns whether there were enough. */
function fill(descriptor: number, bytes: Uint8Array, offset: number): boolean {
  for (let filled = 0; filled < bytes.length; ) {
    const read = readSync(descriptor, bytes, filled, bytes.length - filled, offset + filled)
    if (read === 0) return false
    filled += read
  }
  return true
}
