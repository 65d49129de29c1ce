// The columns of an index while it is built: what each record has in one field.
import { sortKey } from '../../catalog/words.ts'
import { NumberList } from './number-list.ts'
import { orderTexts } from './ordered-texts.ts'
import { postingsOf } from './postings.ts'
import { TextTable } from './text-table.ts'

export type Sections = Record<string, Uint32Array | Uint8Array>

/** Takes the value of one record after the other, and lays them out in the end. */
export type ColumnBuild = { add(value: string | number): void; sections(): Sections }

const valueSections = (values: Uint32Array, count: number): Sections => ({ values, ...postingsOf(values, count) })

/** Texts in Spanish order. */
export class TextColumnBuild implements ColumnBuild {
  readonly #table = new TextTable()
  readonly #numbers: NumberList

  constructor(expected: number | undefined) {
    this.#numbers = new NumberList(expected)
  }

  add(value: string | number): void {
    this.#numbers.push(this.#table.add(value as string))
  }

  sections(): Sections {
    const { ranks, bytes, offsets, groups } = orderTexts(this.#table, sortKey)
    const values = this.#numbers.array.map((number) => ranks[number] as number)
    return { texts: bytes, offsets, groups, ...valueSections(values, this.#table.size) }
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

  sections(): Sections {
    const given = this.#numbers.array
    const numbers = given.slice().sort()
    let distinct = 0
    for (const number of numbers) if (distinct === 0 || number !== numbers[distinct - 1]) numbers[distinct++] = number
    const keys = numbers.subarray(0, distinct)
    const ranks = new Map(Array.from(keys, (number, rank) => [number, rank]))
    const values = given.map((number) => ranks.get(number) as number)
    return { numbers: keys, ...valueSections(values, distinct) }
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

  sections(): Sections {
    return valueSections(this.#positions.array, this.#positionOf.size)
  }
}
