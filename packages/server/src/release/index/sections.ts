// A file of named arrays, numbers or bytes, that is mapped into memory.
//
//   the arrays, each beginning at a multiple of eight bytes; numbers are 32-bit little-endian
//   a line of JSON that says what and where each array is
//   the length of that line in bytes, as 15 digits and a line feed

import { parseOwnJson } from '../../base/json.ts'
import { DurableFile, type FileSummary } from '../files/durable-file.ts'
import { mapped } from '../files/mapped-file.ts'

type SectionPlace = { readonly kind: 'numbers' | 'bytes'; readonly offset: number; readonly length: number }
export type SectionPlaces = Readonly<Record<string, SectionPlace>>

const ALIGNED = 8
const LENGTH_DIGITS = 15
/** With the bytes up to where the next array begins. */
export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNED) * ALIGNED

/** Takes the pieces of an array. */
type Put = (piece: Uint32Array | Uint8Array) => void

/** Writes one array after the other, and each in pieces if need be, so that little has to be in memory. */
export class SectionWriter implements Disposable {
  readonly #file: DurableFile
  readonly #places: Record<string, SectionPlace> = {}
  #size = 0

  constructor(path: string) {
    this.#file = new DurableFile(path)
  }

  add(name: string, section: Uint32Array | Uint8Array): void {
    this.addPieces(name, section instanceof Uint32Array ? 'numbers' : 'bytes', (put) => put(section))
  }

  /** Adds an array that a function writes in pieces. */
  addPieces(name: string, kind: SectionPlace['kind'], write: (put: Put) => void): void {
    const offset = this.#size
    write((piece) => {
      this.#file.write(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength))
      this.#size += piece.byteLength
    })
    const length = this.#size - offset
    this.#places[name] = { kind, offset, length }
    this.#file.write(new Uint8Array(aligned(length) - length))
    this.#size = offset + aligned(length)
  }

  /** Everything is on disk, whole, when this returns. */
  finish(): FileSummary {
    const line = Buffer.from(`${JSON.stringify(this.#places)}\n`)
    this.#file.write(line)
    this.#file.write(Buffer.from(`${String(line.length).padStart(LENGTH_DIGITS, '0')}\n`))
    return this.#file.finish()
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

/** The arrays of a mapped file, by name. Nothing of it is read before it is needed. */
export class SectionFile {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #places: SectionPlaces | undefined

  constructor(path: string) {
    this.#bytes = mapped(path)
  }

  has(name: string): boolean {
    this.#places ??= placesIn(this.#bytes)
    return name in this.#places
  }

  numbers(name: string): Uint32Array<ArrayBuffer> {
    const { offset, length } = this.#place(name)
    return new Uint32Array(this.#bytes.buffer, this.#bytes.byteOffset + offset, length >> 2)
  }

  bytes(name: string): Buffer<ArrayBuffer> {
    const { offset, length } = this.#place(name)
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + offset, length)
  }

  #place(name: string): SectionPlace {
    this.#places ??= placesIn(this.#bytes)
    const place = this.#places[name]
    if (place === undefined) throw new Error(`the index has no ${name}`)
    return place
  }
}

/** The places of the arrays, from the end of the file. */
export function placesIn(bytes: Uint8Array): SectionPlaces {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = text.length - LENGTH_DIGITS - 1
  return parseOwnJson(text.toString('utf8', end - Number(text.toString('latin1', end)), end))
}
