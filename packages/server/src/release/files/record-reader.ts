// Reads single records of an entity from disk, mostly one after the other, without mapping its files.
import { closeSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { gapAfter } from './record-file.ts'
import { openFileSync } from './regular-file.ts'

const NUMBER_BYTES = 8
const WINDOW = 1 << 16
/** Read where the last read was elsewhere: records in another order than on disk must not cost a window each. */
const FIRST_WINDOW = 1 << 12

/** The bytes of a file around the ones read last. */
class FileWindow implements Disposable {
  readonly #descriptor: number
  #bytes = Buffer.alloc(WINDOW)
  #start = 0
  #end = 0
  #window = FIRST_WINDOW

  constructor(path: string) {
    this.#descriptor = openFileSync(path)
  }

  /** A view, good until the next read. */
  read(from: number, to: number): Buffer {
    if (from < this.#start || to > this.#end) this.#move(from, to)
    return this.#bytes.subarray(from - this.#start, to - this.#start)
  }

  /** A number of eight bytes. It takes no view: a pass over millions of records would leave as many behind. */
  number(at: number): number {
    if (at < this.#start || at + NUMBER_BYTES > this.#end) this.#move(at, at + NUMBER_BYTES)
    const low = this.#bytes.readUInt32LE(at - this.#start)
    return this.#bytes.readUInt32LE(at - this.#start + NUMBER_BYTES / 2) * 0x1_0000_0000 + low
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }

  #move(from: number, to: number): void {
    if (to - from > this.#bytes.length) this.#bytes = Buffer.alloc(to - from)
    const goesOn = from >= this.#start && from <= this.#end
    this.#window = goesOn ? Math.min(this.#window * 2, WINDOW) : FIRST_WINDOW
    this.#start = from
    this.#end = from + readSync(this.#descriptor, this.#bytes, 0, Math.max(to - from, this.#window), from)
  }
}

/** A range of bytes: from the first to just after the last. */
type Extent = [from: number, to: number]

export class RecordReader implements Disposable {
  readonly #records: FileWindow
  readonly #offsets: FileWindow
  readonly #count: number

  constructor(directory: string, count: number) {
    this.#records = new FileWindow(join(directory, 'records'))
    this.#offsets = new FileWindow(join(directory, 'offsets'))
    this.#count = count
  }

  /** The JSON of one record: a view, good until the next is read. */
  record(position: number): Uint8Array {
    return this.#records.read(...this.#extent(position))
  }

  /** The JSON of records that follow each other, up to just before `next`: views, good until more is read. */
  records(first: number, next: number): Uint8Array[] {
    if (first === next) return []
    const extents = Array.from({ length: next - first }, (_, at) => this.#extent(first + at))
    const [start] = extents[0] as Extent
    const bytes = this.#records.read(start, (extents.at(-1) as Extent)[1])
    return extents.map(([from, to]) => bytes.subarray(from - start, to - start))
  }

  #extent(position: number): Extent {
    const start = this.#offsets.number(position * NUMBER_BYTES)
    return [start, this.#offsets.number((position + 1) * NUMBER_BYTES) - gapAfter(position, this.#count)]
  }

  [Symbol.dispose](): void {
    this.#records[Symbol.dispose]()
    this.#offsets[Symbol.dispose]()
  }
}
