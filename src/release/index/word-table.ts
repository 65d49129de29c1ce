// The different words of all texts, and the words of each text as their numbers.
import { wordsOf } from '../../catalog/words.ts'
import { NumberList } from './number-list.ts'
import { TextTable } from './text-table.ts'

const BLANK = 0x20

export class WordTable {
  readonly words = new TextTable()
  /** What stands between two blanks. Most names are made of pieces that were met before, and whose words are known. */
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
