// Reads single records of an entity from disk, mostly one after the other, without mapping its files.
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { gapAfter } from './record-file.ts'

const OFFSET_BYTES = 8
const WINDOW = 1 << 16

/** The bytes of a file around the ones read last. */
class FileWindow implements Disposable {
  readonly #descriptor: number
  #bytes = Buffer.alloc(WINDOW)
  #start = 0
  #end = 0

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r')
  }

  /** A view, good until the next read. */
  read(from: number, to: number): Buffer {
    if (from < this.#start || to > this.#end) this.#move(from, to)
    return this.#bytes.subarray(from - this.#start, to - this.#start)
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }

  #move(from: number, to: number): void {
    if (to - from > this.#bytes.length) this.#bytes = Buffer.alloc(to - from)
    this.#start = from
    this.#end = from + readSync(this.#descriptor, this.#bytes, 0, this.#bytes.length, from)
  }
}

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
    const offsets = this.#offsets.read(position * OFFSET_BYTES, (position + 2) * OFFSET_BYTES)
    const start = Number(offsets.readBigUInt64LE(0))
    const next = Number(offsets.readBigUInt64LE(OFFSET_BYTES))
    return this.#records.read(start, next - gapAfter(position, this.#count))
  }

  [Symbol.dispose](): void {
    this.#records[Symbol.dispose]()
    this.#offsets[Symbol.dispose]()
  }
}
