// Which typed words a record has, in its names, its codes or those of its ancestors: sooner known than how well they match.
import { memoized } from '../../base/memoized.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import { type AncestorLevel, ancestorAt, type LevelMatch } from './ancestor-match.ts'
import type { ScoredNames } from './score.ts'
import type { TypedWord } from './typed-words.ts'

/** The bit of a typed word by its number. Those of very long queries share one, which tells that any of them is there. */
export const bitOf = (number: number): number => 1 << number

/** Of an ancestor that was not met yet, and of one with all words, which is looked at again. */
const UNKNOWN = -1

/** For each word of an index the typed words that it matches, in an array that searches use again: to allocate one takes long. */
type Bits = { readonly ofWord: Int32Array; filled: readonly TypedWord[] }
const bitsIn = memoized(({ words }: WordIndex): Bits => ({ ofWord: new Int32Array(words.size), filled: [] }))

type LevelBits = {
  readonly level: AncestorLevel
  readonly matches: readonly (LevelMatch | undefined)[]
  readonly ofAncestor: Int32Array
}

/** The typed words of records, as bits, until another presence in the same index is made. */
export class Presence {
  readonly #words: WordIndex
  readonly #hasCodes: boolean
  readonly #ofWord: Int32Array
  readonly #levels: readonly LevelBits[]

  constructor({ words, levels }: ScoredNames, typed: readonly TypedWord[]) {
    const bits = bitsIn(words)
    for (const { matching } of bits.filled)
      for (let at = 0; at < matching.length; at++) bits.ofWord[matching[at] as number] = 0
    bits.filled = typed
    for (const [number, { matching }] of typed.entries())
      for (let at = 0; at < matching.length; at++) (bits.ofWord[matching[at] as number] as number) |= bitOf(number)
    this.#words = words
    this.#hasCodes = typed.some(({ inCodes }) => inCodes > 0)
    this.#ofWord = bits.ofWord
    this.#levels = levels.flatMap((level, at) => {
      const matches = typed.map((word) => word.levels[at])
      if (matches.every((match) => match === undefined)) return []
      return [{ level, matches, ofAncestor: new Int32Array(level.none + 1).fill(UNKNOWN) }]
    })
  }

  /** The typed words in the names and codes of a record. */
  own(position: number): number {
    const { names, nameStarts, codes, codeStarts } = this.#words
    const ofWord = this.#ofWord
    let bits = 0
    for (let place = nameStarts[position] as number; place < (nameStarts[position + 1] as number); place++)
      bits |= ofWord[names[place] as number] as number
    if (this.#hasCodes)
      for (let place = codeStarts[position] as number; place < (codeStarts[position + 1] as number); place++)
        bits |= ofWord[codes[place] as number] as number
    return bits
  }

  /** The typed words in the names of the ancestors of a record. */
  above(record: number): number {
    let bits = 0
    for (let at = 0; at < this.#levels.length; at++) {
      const { level, matches, ofAncestor } = this.#levels[at] as LevelBits
      const ancestor = ancestorAt(level, record)
      let known = ofAncestor[ancestor] as number
      if (known === UNKNOWN) {
        known = bitsAt(matches, ancestor)
        ofAncestor[ancestor] = known
      }
      bits |= known
    }
    return bits
  }
}

function bitsAt(matches: readonly (LevelMatch | undefined)[], ancestor: number): number {
  let bits = 0
  for (let at = 0; at < matches.length; at++) {
    const grades = matches[at]?.grades
    if (grades !== undefined && grades[ancestor] !== 0) bits |= bitOf(at)
  }
  return bits
}
