// The words of one record after the other, in some of its fields.
import { type Batch, TextCursor } from '../../catalog/batch.ts'
import { NumberList } from './number-list.ts'
import type { SectionWriter } from './sections.ts'
import type { WordTable } from './word-table.ts'

const USUAL_WORDS = 6

export class WordsOfRecords {
  readonly #table: WordTable
  readonly #fields: readonly string[]
  readonly #words: NumberList
  readonly #starts: NumberList

  constructor(table: WordTable, fields: readonly string[], expected = 0) {
    this.#table = table
    this.#fields = fields
    this.#words = new NumberList(expected * USUAL_WORDS)
    this.#starts = new NumberList(expected + 1)
    this.#starts.push(0)
  }

  add({ count, columns }: Batch): void {
    const cursors = this.#fields.map((field) => new TextCursor(columns[field] as Uint8Array))
    for (let record = 0; record < count; record++) {
      for (const cursor of cursors) {
        cursor.next()
        this.#table.addWords(this.#words, cursor.texts, cursor.start, cursor.end)
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
    this.#writePostings(file, starts, positions, ranks.length)
  }

  /** A record that has a word twice stands once in its list. */
  #writePostings(file: SectionWriter, startsName: string, positionsName: string, words: number): void {
    const starts = new Uint32Array(words + 1)
    this.#forEachWord(words, (word) => {
      starts[word + 1] = (starts[word + 1] as number) + 1
    })
    for (let word = 0; word < words; word++) starts[word + 1] = (starts[word + 1] as number) + (starts[word] as number)
    file.add(startsName, starts)
    const next = starts.slice(0, words)
    const positions = new Uint32Array(starts[words] as number)
    this.#forEachWord(words, (word, position) => {
      const place = next[word] as number
      positions[place] = position
      next[word] = place + 1
    })
    file.add(positionsName, positions)
  }

  #forEachWord(count: number, call: (word: number, position: number) => void): void {
    const words = this.#words.array
    const starts = this.#starts.array
    /** The last record that had each word, counted from one. */
    const last = new Uint32Array(count)
    for (let position = 0; position < starts.length - 1; position++) {
      const end = starts[position + 1] as number
      for (let at = starts[position] as number; at < end; at++) {
        const word = words[at] as number
        if (last[word] === position + 1) continue
        last[word] = position + 1
        call(word, position)
      }
    }
  }
}

export type SectionNames = readonly [words: string, wordStarts: string, starts: string, positions: string]
