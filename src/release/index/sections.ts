// A file of named arrays, numbers or bytes, that is mapped into memory.
//
//   a line of JSON that says where each array begins and ends, padded with blanks to a multiple of eight bytes;
//   then the arrays, each beginning at a multiple of eight bytes; numbers are 32-bit little-endian
import { durableFile, type FileFacts } from '../durable-file.ts'
import { mapped } from '../mapped-file.ts'
import type { Sections } from './columns.ts'

type Place = { readonly kind: 'numbers' | 'bytes'; readonly offset: number; readonly length: number }
type Head = Readonly<Record<string, Place>>

const ALIGNED = 8
const NEWLINE = 0x0a
const aligned = (bytes: number) => Math.ceil(bytes / ALIGNED) * ALIGNED

export function writeSections(path: string, sections: Sections): FileFacts {
  const head: Record<string, Place> = {}
  let offset = 0
  for (const [name, section] of Object.entries(sections)) {
    head[name] = {
      kind: section instanceof Uint32Array ? 'numbers' : 'bytes',
      offset,
      length: section.byteLength,
    }
    offset += aligned(section.byteLength)
  }
  const line = Buffer.from(JSON.stringify(head))
  const file = durableFile(path)
  try {
    file.write(Buffer.concat([line, Buffer.alloc(aligned(line.length + 1) - line.length - 1, ' '), Buffer.of(NEWLINE)]))
    for (const section of Object.values(sections)) {
      file.write(new Uint8Array(section.buffer, section.byteOffset, section.byteLength))
      file.write(new Uint8Array(aligned(section.byteLength) - section.byteLength))
    }
    return file.finish()
  } finally {
    file.close()
  }
}

/** The arrays of a mapped file, by name. Nothing of it is read before it is asked for. */
export class SectionFile {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #head: { readonly places: Head; readonly end: number } | undefined

  constructor(path: string) {
    this.#bytes = mapped(path)
  }

  numbers(name: string): Uint32Array<ArrayBuffer> {
    const [offset, length] = this.#place(name)
    return new Uint32Array(this.#bytes.buffer, offset, length >> 2)
  }

  bytes(name: string): Buffer<ArrayBuffer> {
    const [offset, length] = this.#place(name)
    return Buffer.from(this.#bytes.buffer, offset, length)
  }

  #place(name: string): readonly [offset: number, length: number] {
    this.#head ??= this.#readHead()
    const place = this.#head.places[name]
    if (place === undefined) throw new Error(`the index has no ${name}`)
    return [this.#bytes.byteOffset + this.#head.end + place.offset, place.length]
  }

  #readHead() {
    const newline = this.#bytes.indexOf(NEWLINE)
    return { places: JSON.parse(new TextDecoder().decode(this.#bytes.subarray(0, newline))), end: newline + 1 }
  }
}
