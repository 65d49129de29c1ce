// The pages of one collection on disk, in the order in which they came: appended to, and readable after a kill.
//
//   {"format":1,"url":…}                       what was harvested; another first line is another harvest
//   <page> <length> <hash> <check>             of the body, and of what stands before the check; of fixed width
//   <body>                                     as it came; then the next page
import { closeSync, constants, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { Facts } from './page.ts'

const FORMAT = 1
const HEAD = /^(([0-9]{10}) ([0-9]{10}) ([0-9a-f]{16})) ([0-9a-f]{8})\n$/
const HEAD_LENGTH = 48
const NEWLINE = 0x0a

const hashOf = (body: Uint8Array) => Bun.hash.xxHash64(body).toString(16).padStart(16, '0')
const padded = (number: number) => String(number).padStart(10, '0')
const checkOf = (head: string) => Bun.hash.crc32(head).toString(16).padStart(8, '0')

export class PageFile {
  readonly path: string
  readonly facts: Facts
  readonly #firstLine: Buffer
  readonly #offsets: Float64Array
  readonly #lengths: Uint32Array
  readonly #pageOfHash = new Map<string, number>()
  #descriptor: number | undefined
  #end = 0

  /** Keeps what the file already holds of the same harvest; whatever follows the last whole page is cut off. */
  constructor(path: string, url: string, facts: Facts) {
    this.path = path
    this.facts = facts
    this.#firstLine = Buffer.from(`${JSON.stringify({ format: FORMAT, url, ...facts })}\n`)
    this.#offsets = new Float64Array(facts.totalPages + 1)
    this.#lengths = new Uint32Array(facts.totalPages + 1)
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
    for (let page = 1; page <= this.facts.totalPages; page++) if (!this.has(page)) yield page
  }

  add(page: number, body: Uint8Array): void {
    const hash = hashOf(body)
    const head = `${padded(page)} ${padded(body.length)} ${hash}`
    this.#append(Buffer.concat([Buffer.from(`${head} ${checkOf(head)}\n`), body, Buffer.of(NEWLINE)]))
    this.#note(page, this.#end - body.length - 1, body.length, hash)
  }

  /** All pages in their order; each body is good until the next one is asked for. */
  *read(): Generator<readonly [page: number, body: Uint8Array]> {
    const descriptor = openSync(this.path, 'r')
    try {
      let buffer = new Uint8Array(1 << 16)
      for (let page = 1; page <= this.facts.totalPages; page++) {
        const length = this.#lengths[page] as number
        if (length > buffer.length) buffer = new Uint8Array(length * 2)
        const body = buffer.subarray(0, length)
        if (length === 0 || !fill(descriptor, body, this.#offsets[page] as number))
          throw new Error(`${this.path} has lost page ${page}`)
        yield [page, body]
      }
    } finally {
      closeSync(descriptor)
    }
  }

  /** Forgets every page. */
  restart(): void {
    if (this.#descriptor === undefined) throw new Error('restarted after it was closed')
    ftruncateSync(this.#descriptor, 0)
    this.#end = 0
    this.#lengths.fill(0)
    this.#pageOfHash.clear()
    this.#append(this.#firstLine)
  }

  /** Nothing can be added any more. */
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

  #note(page: number, offset: number, length: number, hash: string): void {
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
      this.#note(Number(page), offset, Number(length), hash)
      this.#end = offset + Number(length) + 1
    }
    ftruncateSync(descriptor, this.#end)
  }
}

/** Whether all of a body is there, with the newline behind it, and is what was written. */
function isWhole(descriptor: number, offset: number, length: number, hash: string): boolean {
  const bytes = new Uint8Array(length + 1)
  return fill(descriptor, bytes, offset) && bytes[length] === NEWLINE && hashOf(bytes.subarray(0, length)) === hash
}

/** Reads until the bytes are full; says whether there were enough. */
function fill(descriptor: number, bytes: Uint8Array, offset: number): boolean {
  for (let filled = 0; filled < bytes.length; ) {
    const read = readSync(descriptor, bytes, filled, bytes.length - filled, offset + filled)
    if (read === 0) return false
    filled += read
  }
  return true
}
