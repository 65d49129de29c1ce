// Finds the hits of a search: posting lists name the candidates, and each is scored once, unless it can be pruned.
//
// A hit has every typed word, so all hits are among the records with the rarest of them. Where records are filtered and
// fewer pass the filters than have that word, those are the candidates.
import type { Words } from '../release/index/index-file.ts'
import type { MatchAncestors } from './ancestor-match.ts'
import { emptyHits, type Hits } from './hits.ts'
import { NO_MATCH, scoreOf, scoreOfSingle, type TypedWord } from './score.ts'
import { TopScores } from './top-scores.ts'

/** Where to search. */
export type SearchSpace = {
  readonly words: Words
  /** The positions of the records that pass the filters, ascending; undefined stands for all. */
  readonly among: Uint32Array | undefined
  readonly matchAncestors: MatchAncestors
  /** So many of the best hits are wanted, and others may be left out; undefined stands for all. */
  readonly wanted?: number | undefined
}

/** Above this share of all records, a pass over all of them is cheaper than going through posting lists. */
const MANY = 1 / 4
/** The same where most of them are pruned. */
const MANY_PRUNED = 1 / 20

export const findHits = (space: SearchSpace, typed: readonly TypedWord[]): Hits => new Scan(space, typed).run()

class Scan {
  readonly #words: Words
  readonly #typed: readonly TypedWord[]
  readonly #among: Uint32Array | undefined
  readonly #hits: Hits
  /** Where candidates are pruned. */
  readonly #top: TopScores | undefined
  readonly #hasAncestors: boolean
  /** The grades of a single typed word that is in no code. */
  readonly #single: Uint8Array | undefined
  /** A flag for each word of which a name must have one, where the other typed words may be those of ancestors. */
  readonly #ownWords: Uint8Array | undefined
  /** A flag for each record that passes the filters, where they are tested one by one. */
  #passes: Uint8Array | undefined

  constructor({ words, among, wanted }: SearchSpace, typed: readonly TypedWord[]) {
    const inCodes = typed.some((word) => word.inCodes > 0)
    const isRepeated = new Set(typed.map(({ text }) => text)).size < typed.length
    this.#words = words
    this.#typed = typed
    this.#among = among
    this.#hits = emptyHits(words)
    this.#top = wanted === undefined || inCodes || isRepeated ? undefined : new TopScores(wanted, typed)
    this.#hasAncestors = typed.some(({ ancestors }) => ancestors.length > 0)
    this.#single = typed.length === 1 && !inCodes ? typed[0]?.grades : undefined
    this.#ownWords = this.#hasAncestors && !inCodes ? matchingAny(words, typed) : undefined
  }

  run(): Hits {
    const sizes = this.#typed.map(candidatesOf)
    const size = Math.min(...sizes)
    const rarest = this.#typed[sizes.indexOf(size)] as TypedWord
    const among = this.#among
    if (among !== undefined && among.length <= size) {
      this.#top?.beginScan({ isAscending: true })
      this.#scan(among, 0, among.length)
      return this.#hits
    }
    if (among !== undefined) this.#passes = flagsOf(among, this.#hits.scores.length)
    if (this.#top === undefined) this.#scanAll(rarest, size)
    else this.#scanPruned(this.#top, rarest, size)
    return this.#hits
  }

  /** All records with the rarest word, of which there are so many. */
  #scanAll(rarest: TypedWord, size: number): void {
    const count = this.#hits.scores.length
    // The records of one parent stand side by side, so their posting lists are as good as a pass over all records.
    if (size > count * MANY && rarest.ancestors.length === 0) this.#scan(undefined, 0, count)
    else this.#scanPostings(rarest)
  }

  /** The same, the most promising first: once the best have been found, most of the others are pruned. */
  #scanPruned(top: TopScores, rarest: TypedWord, size: number): void {
    const count = this.#hits.scores.length
    const isSingle = this.#typed.length === 1
    const inexact = this.#hasAncestors ? 0 : this.#scanExact(top, size > count * MANY_PRUNED ? count : size)
    const edits = isSingle ? this.#scanWithoutEdits(top, rarest, inexact) : 0
    const isAscending = size > count * (isSingle ? MANY_PRUNED : MANY) && rarest.ancestors.length === 0
    top.beginScan({ inexact, edits, isAscending })
    if (isAscending) this.#scan(undefined, 0, count)
    else this.#scanPostings(rarest)
  }

  /**
   * The records with a typed word itself, the rarest word first, as long as there are at most `max` of them. Returns how
   * many typed words all other records have only in part or with an edit.
   */
  #scanExact(top: TopScores, max: number): number {
    const { starts, positions } = this.#words.inNames
    const lists = this.#typed
      .map(({ exact }) => (exact === undefined ? [0, 0] : [starts[exact], starts[exact + 1]]) as [number, number])
      .sort(([from, to], [otherFrom, otherTo]) => to - from - (otherTo - otherFrom))
    for (const [inexact, [from, to]] of lists.entries()) {
      if (to - from > max) return inexact
      top.beginScan({ inexact, isAscending: true })
      this.#scan(positions, from, to)
    }
    return lists.length
  }

  /** The records with a single typed word without edits. Returns how many edits all others have at least. */
  #scanWithoutEdits(top: TopScores, { matching, withoutEdits }: TypedWord, inexact: number): number {
    if (withoutEdits === matching.length) return 0
    top.beginScan({ inexact })
    this.#scanWords(matching.slice(0, withoutEdits))
    return 1
  }

  #scanPostings({ matching, ancestors }: TypedWord): void {
    this.#scanWords(matching)
    for (const { grades, children } of ancestors) {
      const { starts, positions } = children
      for (let parent = 0; parent < grades.length; parent++) {
        if (grades[parent] !== 0) this.#scan(positions, starts[parent] as number, starts[parent + 1] as number)
      }
    }
  }

  #scanWords(words: readonly number[]): void {
    for (const { starts, positions } of [this.#words.inNames, this.#words.inCodes]) {
      for (let at = 0; at < words.length; at++) {
        const word = words[at] as number
        this.#scan(positions, starts[word] as number, starts[word + 1] as number)
      }
    }
  }

  /** The records at the places `from` to `to` of a posting list, or at these positions if there is no list. */
  #scan(list: Uint32Array | undefined, from: number, to: number): void {
    const words = this.#words
    const typed = this.#typed
    const top = this.#top
    const hits = this.#hits
    const single = this.#single
    const ownWords = this.#ownWords
    const passes = this.#passes
    const { names, nameStarts } = words
    const { scores } = hits
    if (top?.isComplete) return
    for (let at = from; at < to; at++) {
      const position = list === undefined ? at : (list[at] as number)
      if (top !== undefined) {
        const start = nameStarts[position] as number
        if (!top.mayCount(names, start, (nameStarts[position + 1] as number) - start)) continue
      }
      const isKnown = scores[position] !== NO_MATCH
      if (isKnown || (passes !== undefined && passes[position] === 0)) continue
      if (ownWords !== undefined && !hasAny(words, ownWords, position)) continue
      const score = single === undefined ? scoreOf(words, typed, position) : scoreOfSingle(words, single, position)
      if (score === NO_MATCH) continue
      hits.add(position, score)
      if (top === undefined) continue
      top.add(score, position)
      if (top.isComplete) return
    }
  }
}

/** How many entries the posting lists of a typed word have, its own and those of the ancestors with it. */
function candidatesOf({ inNames, inCodes, ancestors }: TypedWord): number {
  let entries = inNames + inCodes
  for (const { grades, children } of ancestors) {
    const { starts } = children
    for (let parent = 0; parent < grades.length; parent++) {
      if (grades[parent] !== 0) entries += (starts[parent + 1] as number) - (starts[parent] as number)
    }
  }
  return entries
}

/** A flag for each word that matches a typed one. */
function matchingAny({ words }: Words, typed: readonly TypedWord[]): Uint8Array {
  const flags = new Uint8Array(words.size)
  for (const { matching } of typed) for (let at = 0; at < matching.length; at++) flags[matching[at] as number] = 1
  return flags
}

/** Whether the name of a record has a word with a flag. */
function hasAny({ names, nameStarts }: Words, flags: Uint8Array, position: number): boolean {
  const to = nameStarts[position + 1] as number
  for (let place = nameStarts[position] as number; place < to; place++) {
    if (flags[names[place] as number] === 1) return true
  }
  return false
}

function flagsOf(positions: Uint32Array, count: number): Uint8Array {
  const flags = new Uint8Array(count)
  for (let at = 0; at < positions.length; at++) flags[positions[at] as number] = 1
  return flags
}
