// Rendered records in serving order, with their offsets and the ETag of every page; a slice of it is a page.
//
//   records  the pages, one a line: [record,record,…]⏎
//   offsets  where each record begins, and after the last one where the next would: 64-bit little-endian
//   etags    the entity tag of each page, quotes included, one a line
import { join } from 'node:path'
import { PER_PAGE } from '../../catalog/collections.ts'
import type { RecordSink } from '../../catalog/render.ts'
import { DurableFile, type FileSummary } from './durable-file.ts'
import { mapped } from './mapped-file.ts'

export const RECORD_FILES = ['records', 'offsets', 'etags'] as const
type RecordFileName = (typeof RECORD_FILES)[number]

const ETAG_LINE = 19
const CHUNK = 1 << 20
const OPEN = 0x5b
const COMMA = 0x2c
const CLOSE = 0x5d
const NEWLINE = 0x0a
/** Between the last record of a page and the first of the next stands `]⏎[`. */
const PAGE_GAP = 3
const COMMA_GAP = 1

/** The number of bytes between a record and the next one. */
function gapAfter(position: number, count: number): number {
  const next = position + 1
  return next % PER_PAGE === 0 || next === count ? PAGE_GAP : COMMA_GAP
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const QUOTE = 0x22
const BACKSLASH = 0x5c
const BLANK = 0x20
const ZERO = 0x30
const QUOTES = 2
const MAX_DIGITS = 10
/** The most bytes that are copied faster one by one. */
const SHORT = 24

/** Called with a copy of the JSON of each record. */
export type OnRecord = (json: Uint8Array) => void

export class RecordWriter implements RecordSink, Disposable {
  readonly #onRecord: OnRecord | undefined
  readonly #records: DurableFile
  readonly #offsets: DurableFile
  readonly #etags: DurableFile
  #chunk = Buffer.allocUnsafe(CHUNK)
  #used = 1
  #pageStart = 0
  #recordStart = 0
  #flushed = 0
  readonly #offset = new Uint32Array(2)
  readonly #offsetBytes = new Uint8Array(this.#offset.buffer)
  #count = 0

  constructor(directory: string, onRecord?: OnRecord) {
    this.#onRecord = onRecord
    const file = (name: RecordFileName) => new DurableFile(join(directory, name))
    this.#records = file('records')
    this.#offsets = file('offsets')
    this.#etags = file('etags')
    this.#chunk[0] = OPEN
  }

  /** The next record is what is then written, as text and bytes, until it ends. */
  begin(): void {
    if (this.#count > 0) this.#separate()
    this.#recordStart = this.#used
    this.#addOffset(this.#flushed + this.#used)
  }

  bytes(utf8: Uint8Array): void {
    this.#makeRoom(utf8.length)
    if (utf8.length > SHORT) {
      this.#chunk.set(utf8, this.#used)
      this.#used += utf8.length
    } else for (let at = 0; at < utf8.length; at++) this.#chunk[this.#used++] = utf8[at] as number
  }

  text(utf8: Uint8Array, start: number, end: number): void {
    this.#makeRoom(end - start + QUOTES)
    const chunk = this.#chunk
    let used = this.#used
    chunk[used++] = QUOTE
    for (let at = start; at < end; at++) {
      const byte = utf8[at] as number
      if (byte < BLANK || byte === QUOTE || byte === BACKSLASH) {
        this.bytes(encoder.encode(JSON.stringify(decoder.decode(utf8.subarray(start, end)))))
        return
      }
      chunk[used++] = byte
    }
    chunk[used++] = QUOTE
    this.#used = used
  }

  number(number: number): void {
    this.#makeRoom(MAX_DIGITS)
    let digits = 1
    for (let left = number; left >= 10; left = Math.floor(left / 10)) digits++
    this.#used += digits
    for (let at = this.#used - 1, left = number; digits > 0; digits--, at--) {
      this.#chunk[at] = ZERO + (left % 10)
      left = Math.floor(left / 10)
    }
  }

  end(): void {
    this.#count++
    this.#onRecord?.(Uint8Array.prototype.slice.call(this.#chunk, this.#recordStart, this.#used))
  }

  /** Writes what is left and hands the three files over, synced to disk. */
  finish(): Record<RecordFileName, FileSummary> {
    if (this.#count > 0) {
      this.#addOffset(this.#flushed + this.#used + PAGE_GAP)
      this.#closePage()
      this.#records.write(this.#chunk.subarray(0, this.#used))
    }
    return { records: this.#records.finish(), offsets: this.#offsets.finish(), etags: this.#etags.finish() }
  }

  [Symbol.dispose](): void {
    for (const file of [this.#records, this.#offsets, this.#etags]) file[Symbol.dispose]()
  }

  #separate(): void {
    if (this.#count % PER_PAGE !== 0) {
      this.#chunk[this.#used++] = COMMA
      return
    }
    this.#closePage()
    this.#pageStart = this.#used
    this.#chunk[this.#used++] = OPEN
  }

  #closePage(): void {
    this.#chunk[this.#used++] = CLOSE
    this.#etags.write(encoder.encode(`${entityTag(this.#chunk.subarray(this.#pageStart, this.#used))}\n`))
    this.#chunk[this.#used++] = NEWLINE
  }

  /** Only whole pages are flushed, so that a page can be hashed in one piece. */
  #makeRoom(length: number): void {
    // The end of a page always fits.
    const bytes = length + PAGE_GAP
    if (this.#used + bytes <= this.#chunk.length) return
    const open = this.#chunk.subarray(this.#pageStart, this.#used)
    this.#records.write(this.#chunk.subarray(0, this.#pageStart))
    this.#flushed += this.#pageStart
    const room = open.length + bytes > this.#chunk.length ? Buffer.alloc((open.length + bytes) * 2) : this.#chunk
    room.set(open)
    this.#chunk = room
    this.#used = open.length
    this.#recordStart -= this.#pageStart
    this.#pageStart = 0
  }

  #addOffset(offset: number): void {
    this.#offset[0] = offset % 0x1_0000_0000
    this.#offset[1] = offset / 0x1_0000_0000
    this.#offsets.write(this.#offsetBytes)
  }
}

const entityTag = (page: Uint8Array) => `"${Bun.hash.xxHash64(page).toString(16).padStart(16, '0')}"`

const EMPTY = encoder.encode('[]')
const EMPTY_TAG = entityTag(EMPTY)

/** A record file mapped into memory. Pages count from zero here; API v1 counts from one. */
export class RecordFile {
  readonly #records: Uint8Array
  /** The same, to copy from: a buffer copies faster, and a plain array is sliced faster. */
  readonly #buffer: Buffer
  readonly #offsets: Uint32Array
  readonly #etags: Buffer
  readonly count: number

  constructor(directory: string, count: number) {
    const map = (name: RecordFileName) => (count === 0 ? new Uint8Array() : mapped(join(directory, name)))
    this.#records = map('records')
    this.#buffer = Buffer.from(this.#records.buffer, this.#records.byteOffset, this.#records.byteLength)
    const offsets = map('offsets')
    this.#offsets = new Uint32Array(offsets.buffer, offsets.byteOffset, offsets.byteLength >> 2)
    const etags = map('etags')
    this.#etags = Buffer.from(etags.buffer, etags.byteOffset, etags.byteLength)
    this.count = count
  }

  get pages(): number {
    return Math.ceil(this.count / PER_PAGE)
  }

  /** The JSON array of one page, as it goes on the wire. */
  page(index: number): Uint8Array {
    if (this.count === 0) return EMPTY
    const page = this.#records.subarray(this.#pageStart(index), this.#pageEnd(index))
    if (page.length !== this.pageLength(index)) throw new Error('the offsets of a page lead out of its file')
    return page
  }

  #pageStart(index: number): number {
    return this.#offset(index * PER_PAGE) - 1
  }

  #pageEnd(index: number): number {
    return this.#offset(Math.min((index + 1) * PER_PAGE, this.count)) - PAGE_GAP + 1
  }

  etag(index: number): string {
    if (this.count === 0) return EMPTY_TAG
    return this.#etags.toString('latin1', index * ETAG_LINE, (index + 1) * ETAG_LINE - 1)
  }

  /** How long a page is; infinite where damaged offsets lead out of the file. */
  pageLength(index: number): number {
    if (this.count === 0) return EMPTY.length
    const start = this.#pageStart(index)
    const end = this.#pageEnd(index)
    return start >= 0 && start < end && end <= this.#records.length ? end - start : Number.POSITIVE_INFINITY
  }

  /** Copies a page of a file that is not empty. */
  copyPage(index: number, target: Uint8Array, at: number): void {
    this.#buffer.copy(target, at, this.#pageStart(index), this.#pageEnd(index))
  }

  /** Copies the entity tag of a page of a file that is not empty. */
  copyTag(index: number, target: Uint8Array, at: number): void {
    const start = index * ETAG_LINE
    for (let offset = 0; offset < ETAG_LINE - 1; offset++) target[at + offset] = this.#etags[start + offset] as number
  }

  /** True if some bytes are the entity tag of a page. */
  hasTag(index: number, bytes: Uint8Array, at: number): boolean {
    const start = index * ETAG_LINE
    for (let offset = 0; offset < ETAG_LINE - 1; offset++)
      if (bytes[at + offset] !== this.#etags[start + offset]) return false
    return true
  }

  /** The JSON of one record. */
  record(position: number): Uint8Array {
    return this.#records.subarray(this.#offset(position), this.#offset(position + 1) - gapAfter(position, this.count))
  }

  #offset(position: number): number {
    const low = this.#offsets[position * 2] as number
    const high = this.#offsets[position * 2 + 1] as number
    return high * 0x1_0000_0000 + low
  }
}
