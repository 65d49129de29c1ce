// The columns of an index while it is built: what each record has in one field.
import { sortKey } from '../../catalog/words.ts'
import { NumberList } from './number-list.ts'
import { streamNumbers } from './number-stream.ts'
import { orderTexts, ranksOf } from './ordered-texts.ts'
import { postingsOf } from './postings.ts'
import type { SectionWriter } from './sections.ts'
import { TextTable } from './text-table.ts'
import { tidyUp } from './tidy.ts'

/** Takes the value of one record after the other, and writes them in the end. */
export type ColumnBuild = { add(value: string | number): void; write(file: SectionWriter, field: string): void }

function writeValues(file: SectionWriter, field: string, values: Uint32Array, count: number): void {
  file.add(`${field}.values`, values)
  const { starts, positions } = postingsOf(values, count)
  file.add(`${field}.starts`, starts)
  file.add(`${field}.positions`, positions)
}

const PIECE = 1 << 20

/** The texts of a table in some order: their bytes one after the other, and where each begins. */
export function writeTexts(
  file: SectionWriter,
  name: string,
  offsets: string,
  table: TextTable,
  order: Uint32Array,
): void {
  file.addPieces(name, 'bytes', (put) => {
    let piece = Buffer.alloc(PIECE)
    let used = 0
    for (let place = 0; place < order.length; place++) {
      const number = order[place] as number
      const length = table.lengthOf(number)
      if (used + length > piece.length) {
        put(piece.subarray(0, used))
        used = 0
        if (length > piece.length) piece = Buffer.alloc(length)
      }
      table.copyTo(piece, used, number)
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

/** Texts in Spanish order. */
export class TextColumnBuild implements ColumnBuild {
  readonly table = new TextTable()
  readonly #numbers: NumberList

  constructor(expected: number | undefined) {
    this.#numbers = new NumberList(expected)
  }

  /** For each record the number of its text in the table. */
  get numbers(): Uint32Array {
    return this.#numbers.array
  }

  add(value: string | number): void {
    this.#numbers.push(this.table.add(value as string))
  }

  write(file: SectionWriter, field: string): void {
    const { order, groups } = orderTexts(this.table, sortKey)
    tidyUp(order.length)
    writeTexts(file, `${field}.texts`, `${field}.offsets`, this.table, order)
    file.add(`${field}.groups`, groups)
    const ranks = ranksOf(order)
    const values = new Uint32Array(this.numbers.length)
    for (let at = 0; at < values.length; at++) values[at] = ranks[this.#numbers.at(at)] as number
    writeValues(file, field, values, this.table.size)
  }
}

/** Numbers in ascending order. */
export class NumberColumnBuild implements ColumnBuild {
  readonly #numbers: NumberList

  constructor(expected: number | undefined) {
    this.#numbers = new NumberList(expected)
  }

  add(value: string | number): void {
    this.#numbers.push(value as number)
  }

  write(file: SectionWriter, field: string): void {
    const given = this.#numbers.array
    const numbers = given.slice().sort()
    let distinct = 0
    for (const number of numbers) if (distinct === 0 || number !== numbers[distinct - 1]) numbers[distinct++] = number
    const keys = numbers.subarray(0, distinct)
    const ranks = new Map(Array.from(keys, (number, rank) => [number, rank]))
    file.add(`${field}.numbers`, keys)
    writeValues(
      file,
      field,
      given.map((number) => ranks.get(number) as number),
      distinct,
    )
  }
}

/** Embedded records, each by its position among those of its own entity. */
export class EmbedColumnBuild implements ColumnBuild {
  readonly #positionOf: ReadonlyMap<number, number>
  readonly #positions: NumberList

  constructor(expected: number | undefined, positionOf: ReadonlyMap<number, number>) {
    this.#positionOf = positionOf
    this.#positions = new NumberList(expected)
  }

  add(value: string | number): void {
    this.#positions.push(this.#positionOf.get(value as number) as number)
  }

  write(file: SectionWriter, field: string): void {
    writeValues(file, field, this.#positions.array, this.#positionOf.size)
  }
}
