// The words of texts, as numbers of a table that all fields share.
import { wordsOf } from '../../catalog/words.ts'
import { NumberList } from './number-list.ts'
import { TextTable } from './text-table.ts'

/** Most names are made of pieces that were met before. */
const PIECES_REMEMBERED = 200_000

export class WordTable {
  readonly table = new TextTable()
  readonly #pieces = new Map<string, readonly number[]>()

  /** The words of what stands between two blanks. */
  wordsOf(piece: string): readonly number[] {
    let words = this.#pieces.get(piece)
    if (words === undefined) {
      words = wordsOf(piece).map((word) => this.table.add(word))
      if (this.#pieces.size === PIECES_REMEMBERED) this.#pieces.clear()
      this.#pieces.set(piece, words)
    }
    return words
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

  add(text: string): void {
    for (const piece of text.split(' ')) for (const word of this.#table.wordsOf(piece)) this.#words.push(word)
    this.#starts.push(this.#words.length)
  }

  get words(): Uint32Array {
    return this.#words.array
  }

  get starts(): Uint32Array {
    return this.#starts.array
  }
}
