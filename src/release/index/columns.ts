// The columns of an index while it is built: what each record has in one field.
import { sortKey } from '../../catalog/words.ts'
import { KeyList } from './key-list.ts'
import { NumberList } from './number-list.ts'
import { orderTexts, ranksOf } from './ordered-texts.ts'
import { postingsOf } from './postings.ts'
import type { SectionWriter } from './sections.ts'
import { writeTexts } from './text-sections.ts'
import { TextTable } from './text-table.ts'
import { tidyAfter, tidyUp } from './tidy.ts'
import { WordLists, type WordTable } from './word-lists.ts'
import type { Texts } from './word-sections.ts'

/** Takes the value of one record after the other, and writes them in the end. */
export type ColumnBuild = { add(value: string | number): void; write(file: SectionWriter, field: string): void }

function writeValues(file: SectionWriter, field: string, values: Uint32Array, count: number): void {
  file.add(`${field}.values`, values)
  const { starts, positions } = postingsOf(values, count)
  file.add(`${field}.starts`, starts)
  file.add(`${field}.positions`, positions)
}

/** Keys and words are worked out while rows still come, which costs no time then, unless they would fill the memory. */
const MOST_BYTES_EARLY = 24 << 20

/** Texts in Spanish order. */
export class TextColumnBuild implements ColumnBuild {
  readonly #table = new TextTable()
  readonly #numbers: NumberList
  readonly #wordTable: WordTable
  #keys: KeyList | undefined
  #words: WordLists | undefined
  /** How many different texts there were. */
  #met = 0

  constructor(expected: number | undefined, wordTable: WordTable) {
    this.#numbers = new NumberList(expected)
    this.#wordTable = wordTable
    this.#keys = new KeyList(sortKey, 0)
    this.#words = new WordLists(wordTable)
  }

  add(value: string | number): void {
    const number = this.#table.add(value as string)
    // A number that was not given before is the last one.
    const isNew = number === this.#met
    this.#numbers.push(number)
    if (isNew) this.#meet(value as string)
  }

  #meet(text: string): void {
    this.#met++
    this.#keys?.add(text)
    this.#words?.add(text)
    if (this.#table.bytes < MOST_BYTES_EARLY) return
    this.#keys = undefined
    this.#words = undefined
  }

  write(file: SectionWriter, field: string): void {
    const { order, groups } = orderTexts(this.#table, this.#allKeys().flat)
    tidyUp(order.length)
    writeTexts(file, `${field}.texts`, `${field}.offsets`, this.#table, order)
    file.add(`${field}.groups`, groups)
    const ranks = ranksOf(order)
    const values = new Uint32Array(this.#numbers.length)
    for (let at = 0; at < values.length; at++) values[at] = ranks[this.#numbers.at(at)] as number
    writeValues(file, field, values, this.#table.size)
  }

  /** The words of each text, and the number of the text at each position. */
  words(): Texts {
    const { words, starts } = this.#words ?? this.#filled(new WordLists(this.#wordTable))
    return { numbers: this.#numbers.array, words, starts }
  }

  #allKeys(): KeyList {
    const keys = this.#keys ?? this.#filled(new KeyList(sortKey, this.#table.bytes))
    this.#keys = undefined
    return keys
  }

  #filled<L extends { add(text: string): void }>(list: L): L {
    for (let number = 0; number < this.#table.size; number++) {
      list.add(this.#table.text(number))
      tidyAfter(number)
    }
    return list
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
    const rankOf = rankFinder(keys)
    file.add(`${field}.numbers`, keys)
    writeValues(file, field, given.map(rankOf), distinct)
  }
}

/** A table as long as the largest number is the fastest way, if it is not too long. */
const LONGEST_TABLE = 1 << 22

function rankFinder(ascending: Uint32Array): (number: number) => number {
  const largest = ascending.at(-1) ?? 0
  if (largest > LONGEST_TABLE) {
    const ranks = new Map(Array.from(ascending, (number, rank) => [number, rank]))
    return (number) => ranks.get(number) as number
  }
  const table = new Uint32Array(largest + 1)
  for (let rank = 0; rank < ascending.length; rank++) table[ascending[rank] as number] = rank
  return (number) => table[number] as number
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
