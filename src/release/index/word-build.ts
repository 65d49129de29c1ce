// The words of names and codes while an index is built: which records have them, and in which order.
import { wordsOf } from '../../catalog/words.ts'
import type { Sections } from './columns.ts'
import { letterMask } from './letters.ts'
import { NumberList } from './number-list.ts'
import { orderTexts } from './ordered-texts.ts'
import { postingsOf } from './postings.ts'
import { TextTable } from './text-table.ts'

/** Most names are made of pieces that were met before. */
const PIECES_REMEMBERED = 200_000

export class WordBuild {
  readonly #table = new TextTable()
  readonly #pieces = new Map<string, readonly number[]>()
  /** The words of the names of each record in order, one record after the other. */
  readonly #names = new NumberList()
  readonly #nameStarts = new NumberList()
  /** Likewise the codes. */
  readonly #codes = new NumberList()
  readonly #codeStarts = new NumberList()

  /** So many records: for each field of names the name of each, and likewise the codes. */
  add(count: number, names: readonly (readonly string[])[], codes: readonly (readonly string[])[]): void {
    for (let at = 0; at < count; at++) {
      this.#nameStarts.push(this.#names.length)
      for (const field of names) {
        for (const piece of (field[at] as string).split(' ')) {
          for (const word of this.#wordsOf(piece)) this.#names.push(word)
        }
      }
      this.#codeStarts.push(this.#codes.length)
      for (const field of codes) for (const word of this.#wordsOf(field[at] as string)) this.#codes.push(word)
    }
  }

  #wordsOf(piece: string): readonly number[] {
    const known = this.#pieces.get(piece)
    if (known !== undefined) return known
    const words = wordsOf(piece).map((word) => this.#table.add(word))
    if (this.#pieces.size === PIECES_REMEMBERED) this.#pieces.clear()
    this.#pieces.set(piece, words)
    return words
  }

  sections(): Sections {
    const { ranks, bytes, offsets } = orderTexts(this.#table, (word) => word)
    const inOrder = (numbers: NumberList) => numbers.array.map((number) => ranks[number] as number)
    const names = inOrder(this.#names)
    const codes = inOrder(this.#codes)
    const nameStarts = closed(this.#nameStarts, names.length)
    const codeStarts = closed(this.#codeStarts, codes.length)
    const { starts, positions } = distinctPostings(names, nameStarts, this.#table.size)
    const byCode = distinctPostings(codes, codeStarts, this.#table.size)
    const masks = new Uint32Array(this.#table.size)
    for (let number = 0; number < masks.length; number++) {
      masks[ranks[number] as number] = letterMask(this.#table.text(number))
    }
    return {
      words: bytes,
      offsets,
      masks,
      names,
      nameStarts,
      starts,
      positions,
      codes,
      codeStarts,
      codeOwnerStarts: byCode.starts,
      codeOwners: byCode.positions,
    }
  }
}

function closed(starts: NumberList, end: number): Uint32Array {
  starts.push(end)
  return starts.array
}

/** A record that has a word twice stands once in its list. */
function distinctPostings(words: Uint32Array, starts: Uint32Array, count: number) {
  const distinct = new NumberList(words.length)
  const owners = new NumberList(words.length)
  for (let position = 0; position + 1 < starts.length; position++) {
    const from = starts[position] as number
    const to = starts[position + 1] as number
    for (let at = from; at < to; at++) {
      const word = words[at] as number
      if (words.indexOf(word, from) < at) continue
      distinct.push(word)
      owners.push(position)
    }
  }
  return postingsOf(distinct.array, count, (entry) => owners.at(entry))
}
