// Searches the names and codes of one entity: every word typed must be in a record, in any order; the best come first.
import type { Words } from '../release/index/index-file.ts'
import { BestScores } from './best-scores.ts'
import { type Above, NO_MATCH, NOT_SEEN, scoreOf, type TypedWord } from './score.ts'
import { type Scratch, scratchOf } from './scratch.ts'
import { matchWord, recordsOf } from './word-match.ts'

/** What was found, not yet in order. Both are views, good until the next search of the same entity. */
export type Hits = {
  readonly positions: Uint32Array
  /** For each position of the entity; the lower, the better. */
  readonly scores: Uint16Array
}

/** With fewer hits than this, more is forgiven. */
export const TOO_LITTLE = 5

export type WordAbove = (typed: string, forgiving: boolean) => readonly Above[]

const nothingAbove: WordAbove = () => []

/** Where to search, and which records count: those at positions that ascend, or all. */
export type Search = {
  readonly words: Words
  readonly among: Uint32Array | undefined
  readonly above: WordAbove
  /** Only so many of the best are wanted, and others may be left out; without it, all are. */
  readonly enough?: number
}

/** Words as folded. Where few are found as they were typed, words with typing errors count too. */
export function search(where: Search, typed: readonly string[]): Hits {
  const plain = searchPlainly(where, typed)
  return plain.positions.length >= TOO_LITTLE ? plain : searchForgivingly(where, typed)
}

/** Where few have all the words themselves, some of the words may be those of a record above. */
export function searchPlainly(where: Search, typed: readonly string[]): Hits {
  const { words, above } = where
  const own = typed.map((word) => typedWord(words, word, nothingAbove, false))
  const hits = new Candidates(where, own).hits()
  if (hits.positions.length >= TOO_LITTLE || typed.length === 1) return hits
  const wider = own.map((word, at) => ({ ...word, above: above(typed[at] as string, false) }))
  return wider.some((word) => word.above.length > 0) ? new Candidates(where, wider).hits() : hits
}

const NOTHING: Hits = { positions: new Uint32Array(), scores: new Uint16Array() }

/** With typing errors, in the words themselves and in those of records above. */
export function searchForgivingly(where: Search, typed: readonly string[]): Hits {
  const above = typed.length === 1 ? nothingAbove : where.above
  const forgiven = new Map<string, TypedWord>()
  // The longest are the rarest, and one that is nowhere spares looking for the others.
  for (const word of typed.toSorted((a, b) => b.length - a.length)) {
    const known = typedWord(where.words, word, above, true)
    if (known.matching.length === 0 && known.above.length === 0) return NOTHING
    forgiven.set(word, known)
  }
  return new Candidates(
    where,
    typed.map((word) => forgiven.get(word) as TypedWord),
  ).hits()
}

function typedWord(words: Words, typed: string, above: WordAbove, forgiving: boolean): TypedWord {
  const match = matchWord(words, typed, forgiving)
  return {
    ...match,
    text: typed,
    inNames: recordsOf(match, words.inNames),
    inCodes: recordsOf(match, words.inCodes),
    above: above(typed, forgiving),
  }
}

/** Above this share of all records, looking at each of them in turn is cheaper than at some here and there. */
const MANY = 1 / 4
/** The same where most of them are passed over. */
const MANY_PASSED_OVER = 1 / 20

/** So many are looked at sooner than it is known which need not be. */
const FEW = 500

/** Looks at records that may be hits, each of them once. */
class Candidates {
  readonly #words: Words
  readonly #typed: readonly TypedWord[]
  readonly #among: Uint32Array | undefined
  readonly #scratch: Scratch
  readonly #enough: number | undefined
  #best: BestScores | undefined
  #wanted: Uint8Array | undefined
  #found = 0

  constructor({ words, among, enough }: Search, typed: readonly TypedWord[]) {
    this.#words = words
    this.#typed = typed
    this.#among = among
    this.#scratch = scratchOf(words)
    this.#enough = enough
  }

  /** Where only the best are wanted; but a code, or a word typed twice, may make any record the best. */
  #bestScores(): BestScores | undefined {
    const typed = this.#typed
    const isTwice = new Set(typed.map(({ text }) => text)).size < typed.length
    if (this.#enough === undefined || isTwice || typed.some(({ inCodes }) => inCodes > 0)) return undefined
    return new BestScores(this.#enough, typed)
  }

  /** The fewest that can be told to hold all hits: those with the rarest word, or those that count at all. */
  hits(): Hits {
    const sizes = this.#typed.map(sizeOf)
    const least = Math.min(...sizes)
    const among = this.#among
    const count = this.#scratch.scores.length
    if (least > FEW) this.#best = this.#bestScores()
    if (among !== undefined && among.length <= least) this.#lookInOrder(among, among.length)
    else {
      this.#wanted = among === undefined ? undefined : flagsOf(among, count)
      const rarest = this.#typed[sizes.indexOf(least)] as TypedWord
      // Those below one record stand side by side already.
      const many = count * (this.#best === undefined ? MANY : MANY_PASSED_OVER)
      if (least > many && rarest.above.length === 0) this.#lookInOrder(undefined, count)
      else this.#lookAtHolders(rarest)
    }
    return this.#hits()
  }

  #lookInOrder(list: Uint32Array | undefined, count: number): void {
    this.#best?.ascending()
    if (list === undefined && this.#best !== undefined) this.#lookAtPromising(this.#best)
    else this.#look(list, 0, count)
  }

  /** At all positions, in as few steps as can be for those that are not among the best. */
  #lookAtPromising({ longest, first, second }: BestScores): void {
    const { names, nameStarts } = this.#words
    const count = nameStarts.length - 1
    let end = 0
    for (let position = 0; position < count; position++) {
      const start = end
      end = nameStarts[position + 1] as number
      if (end - start > (longest[first[names[start] as number] as number] as number)) continue
      if (second !== undefined && end - start > 1) {
        if (end - start > (longest[second[names[start + 1] as number] as number] as number)) continue
      }
      this.#look(undefined, position, position + 1)
    }
  }

  #lookAtHolders({ matching, above }: TypedWord): void {
    for (const { starts, positions } of [this.#words.inNames, this.#words.inCodes]) {
      for (let at = 0; at < matching.length; at++) {
        const word = matching[at] as number
        this.#look(positions, starts[word] as number, starts[word + 1] as number)
      }
    }
    for (const { starts, positions, grades } of above) {
      for (let value = 0; value < grades.length; value++) {
        if (grades[value] !== 0) this.#look(positions, starts[value] as number, starts[value + 1] as number)
      }
    }
  }

  /** At the positions of a list, or at all positions from one to another. */
  #look(list: Uint32Array | undefined, from: number, to: number): void {
    const words = this.#words
    const typed = this.#typed
    const wanted = this.#wanted
    const best = this.#best
    const scratch = this.#scratch
    const { names, nameStarts } = words
    const { scores, positions } = scratch
    const longest = best?.longest
    const first = best?.first
    const second = best?.second
    for (let at = from; at < to; at++) {
      const position = list === undefined ? at : (list[at] as number)
      if (scores[position] !== NOT_SEEN || (wanted !== undefined && wanted[position] === 0)) continue
      if (longest !== undefined && first !== undefined) {
        const start = nameStarts[position] as number
        const length = (nameStarts[position + 1] as number) - start
        if (length > (longest[first[names[start] as number] as number] as number)) continue
        if (
          second !== undefined &&
          length > 1 &&
          length > (longest[second[names[start + 1] as number] as number] as number)
        )
          continue
      }
      const score = scoreOf(words, typed, position)
      scores[position] = score
      scratch.see(position)
      if (score === NO_MATCH) continue
      positions[this.#found++] = position
      best?.add(score)
    }
  }

  #hits(): Hits {
    return { positions: this.#scratch.positions.subarray(0, this.#found), scores: this.#scratch.scores }
  }
}

/** A flag for each position that counts. */
function flagsOf(among: Uint32Array, count: number): Uint8Array {
  const flags = new Uint8Array(count)
  for (let at = 0; at < among.length; at++) flags[among[at] as number] = 1
  return flags
}

/** How many records have a word, or a record above that has it. */
function sizeOf({ inNames, inCodes, above }: TypedWord): number {
  let size = inNames + inCodes
  for (const { starts, grades } of above) {
    for (let value = 0; value < grades.length; value++) {
      if (grades[value] !== 0) size += (starts[value + 1] as number) - (starts[value] as number)
    }
  }
  return size
}
