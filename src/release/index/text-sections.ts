// Texts of an index as they are written: their bytes one after the other, and where each begins.
import { streamNumbers } from './number-stream.ts'
import type { SectionWriter } from './sections.ts'
import type { TextTable } from './text-table.ts'

const PIECE = 1 << 20

/** The texts of a table in some order: their bytes one after the other, and where each begins. */
export function writeTexts(
  file: SectionWriter,
  name: string,
  offsets: string,
  table: TextTable,
  order: Uint32Array,
): void {
  const { bytes, offsets: starts } = table.flat
  file.addPieces(name, 'bytes', (put) => {
    let piece = Buffer.alloc(PIECE)
    let used = 0
    for (let place = 0; place < order.length; place++) {
      const number = order[place] as number
      const start = starts[number] as number
      const length = table.lengthOf(number)
      if (used + length > piece.length) {
        put(piece.subarray(0, used))
        used = 0
        if (length > piece.length) piece = Buffer.alloc(length)
      }
      for (let at = 0; at < length; at++) piece[used + at] = bytes[start + at] as number
      used += length
    }
    put(piece.subarray(0, used))
  })
  file.addPieces(offsets, 'numbers', (put) =>
    streamNumbers(put, (take) => {
      let offset = 0
      take(offset)
      for (let place = 0; place < order.length; place++) {
        offset += table.lengthOf(order[place] as number)
        take(offset)
      }
    }),
  )
}
