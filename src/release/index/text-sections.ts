// Texts of an index as they are written: their bytes one after the other, and where each begins.
import type { SectionWriter } from './sections.ts'
import type { TextTable } from './text-table.ts'

const PIECE = 1 << 20

/** The texts of a table in some order: their bytes one after the other, and where each begins. */
export function writeTexts(
  file: SectionWriter,
  name: string,
  offsetsName: string,
  table: TextTable,
  order: Uint32Array,
): void {
  const { bytes, offsets } = table.flat
  const ordered = new Uint32Array(order.length + 1)
  file.addPieces(name, 'bytes', (put) => {
    let piece = Buffer.alloc(PIECE)
    let used = 0
    for (let place = 0; place < order.length; place++) {
      const number = order[place] as number
      const start = offsets[number] as number
      const length = (offsets[number + 1] as number) - start
      ordered[place + 1] = (ordered[place] as number) + length
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
  file.add(offsetsName, ordered)
}
