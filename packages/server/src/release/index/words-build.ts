// Builds the words of one entity from its rows: which records have which words in their names and codes, and in which order.
import { type Batch, TextCursor } from '../../catalog/batch.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { hasNamesApart, languageOfNames, namingFields } from '../../catalog/languages/languages.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { FileSummary } from '../files/durable-file.ts'
import { byteOrder } from './byte-order.ts'
import { NAME_ENDS } from './index-file.ts'
import { NumberList } from './number-list.ts'
import { ranksOf, writeTexts } from './ordered-texts.ts'
import { postingsOfRecords } from './postings.ts'
import { SectionWriter } from './sections.ts'
import { TextTable } from './text-table.ts'
import { letterMask, soundsOfWords } from './word-keys.ts'

export class WordsBuild {
  readonly #language: Language
  readonly #table = new WordTable()
  readonly #names: WordsOfRecords
  readonly #codes: WordsOfRecords

  constructor(entity: Entity, expected: number | undefined) {
    this.#language = languageOfNames(entity)
    const names = namingFields(entity).map(({ field }) => field)
    const codes = Object.keys(entity.fields).filter((name) => entity.fields[name]?.kind === 'code')
    this.#names = new WordsOfRecords(this.#table, names, hasNamesApart(entity), expected)
    this.#codes = new WordsOfRecords(this.#table, codes, false, expected)
  }

  /** The next rows, each at the position after the last. */
  add(batch: Batch): void {
    this.#names.add(batch)
    this.#codes.add(batch)
  }

  /** Writes the file, synced to disk. */
  write(path: string): FileSummary {
    using file = new SectionWriter(path)
    const { words } = this.#table
    const order = byteOrder(words.flat)
    writeTexts(file, 'words', 'offsets', words, order)
    file.add(
      'masks',
      Uint32Array.from(order, (word) => letterMask(words.text(word))),
    )
    const textOf = (word: number) => words.text(order[word] as number)
    const { sounds, soundWords } = soundsOfWords(order.length, textOf, this.#language)
    file.add('sounds', sounds)
    file.add('soundWords', soundWords)
    const ranks = ranksOf(order)
    this.#names.write(file, ranks, ['names', 'nameStarts', 'starts', 'positions'])
    this.#codes.write(file, ranks, ['codes', 'codeStarts', 'codeOwnerStarts', 'codeOwners'])
    return file.finish()
  }
}

const BLANK = 0x20

/** The different words of all texts. */
class WordTable {
  readonly words = new TextTable()
  /** Texts between two blanks. Most names are made of pieces that came before, with the same words. */
  readonly #pieces = new TextTable()
  readonly #wordsOfPieces = new NumberList()
  readonly #starts = new NumberList()

  constructor() {
    this.#starts.push(0)
  }

  /** Adds the words of a text, which stands somewhere in some bytes, to a list. */
  addWords(list: NumberList, bytes: Uint8Array, from: number, to: number): void {
    for (let start = from, at = from; at <= to; at++) {
      if (at < to && bytes[at] !== BLANK) continue
      if (at > start) this.#addPiece(list, bytes, start, at)
      start = at + 1
    }
  }

  #addPiece(list: NumberList, bytes: Uint8Array, from: number, to: number): void {
    const piece = this.#pieces.add(bytes, from, to)
    if (piece + 1 === this.#starts.length) this.#learn(this.#pieces.text(piece))
    const end = this.#starts.at(piece + 1)
    for (let at = this.#starts.at(piece); at < end; at++) list.push(this.#wordsOfPieces.at(at))
  }

  #learn(piece: string): void {
    for (const word of wordsOf(piece)) {
      const bytes = Buffer.from(word)
      this.#wordsOfPieces.push(this.words.add(bytes, 0, bytes.length))
    }
    this.#starts.push(this.#wordsOfPieces.length)
  }
}

const USUAL_WORDS = 6

type SectionNames = readonly [words: string, wordStarts: string, starts: string, positions: string]

/** The words of one record after the other, in some of its fields. */
class WordsOfRecords {
  readonly #table: WordTable
  readonly #fields: readonly string[]
  readonly #words: NumberList
  readonly #starts: NumberList
  /** The places where the words of each field end, if they are kept apart. */
  readonly #ends: NumberList | undefined

  constructor(table: WordTable, fields: readonly string[], isApart: boolean, expected = 0) {
    this.#table = table
    this.#fields = fields
    this.#words = new NumberList(expected * USUAL_WORDS)
    this.#starts = new NumberList(expected + 1)
    this.#starts.push(0)
    this.#ends = isApart ? new NumberList(expected * fields.length) : undefined
  }

  add({ count, columns, facts }: Batch): void {
    const cursors = this.#fields.map((field) => new TextCursor((columns[field] ?? facts[field]) as Uint8Array))
    for (let record = 0; record < count; record++) {
      for (const cursor of cursors) {
        cursor.next()
        this.#table.addWords(this.#words, cursor.texts, cursor.start, cursor.end)
        this.#ends?.push(this.#words.length)
      }
      this.#starts.push(this.#words.length)
    }
  }

  /** The words of each record and where they begin, then the records of each word, by the ranks of the words. */
  write(file: SectionWriter, ranks: Uint32Array, [words, wordStarts, starts, positions]: SectionNames): void {
    const ranked = this.#words.array
    for (let at = 0; at < ranked.length; at++) ranked[at] = ranks[ranked[at] as number] as number
    file.add(words, ranked)
    file.add(wordStarts, this.#starts.array)
    if (this.#ends !== undefined) file.add(NAME_ENDS, this.#ends.array)
    const lists = postingsOfRecords(ranked, this.#starts.array, ranks.length)
    file.add(starts, lists.starts)
    file.add(positions, lists.positions)
  }
}
