// The words of texts, as numbers of a table that all fields share.
import { wordsOf } from '../../catalog/words.ts'
import { NumberList } from './number-list.ts'
import { TextTable } from './text-table.ts'

const BLANK = 0x20

export class WordTable {
  readonly table = new TextTable()
  /** What stands between two blanks. Most names are made of pieces that were met before, and whose words are known. */
  readonly #pieces = new TextTable()
  readonly #words = new NumberList()
  readonly #starts = new NumberList()

  constructor() {
    this.#starts.push(0)
  }

  /** Adds the words of a piece, which stands somewhere in some bytes, to a list. */
  addWords(list: NumberList, bytes: Uint8Array, from: number, to: number): void {
    const piece = this.#pieces.add(bytes, from, to)
    if (piece + 1 === this.#starts.length) this.#learn(this.#pieces.text(piece))
    const end = this.#starts.at(piece + 1)
    for (let at = this.#starts.at(piece); at < end; at++) list.push(this.#words.at(at))
  }

  #learn(piece: string): void {
    for (const word of wordsOf(piece)) {
      const bytes = Buffer.from(word)
      this.#words.push(this.table.add(bytes, 0, bytes.length))
    }
    this.#starts.push(this.#words.length)
  }
}

/** The words of one text after the other, and where those of each begin. */
export class WordLists {
  readonly #table: WordTable
  readonly #words = new NumberList()
  readonly #starts = new NumberList()

  constructor(table: WordTable) {
    this.#table = table
    this.#starts.push(0)
  }

  /** The words of a text that stands somewhere in some bytes. */
  add(bytes: Uint8Array, from: number, to: number): void {
    for (let start = from, at = from; at <= to; at++) {
      if (at < to && bytes[at] !== BLANK) continue
      if (at > start) this.#table.addWords(this.#words, bytes, start, at)
      start = at + 1
    }
    this.#starts.push(this.#words.length)
  }

  get words(): Uint32Array {
    return this.#words.array
  }

  get starts(): Uint32Array {
    return this.#starts.array
  }
}
