// Looks at the records that may be hits of a search, each of them once, and at no more than it takes to tell the best.
import type { Words } from '../release/index/index-file.ts'
import { BestScores } from './best-scores.ts'
import type { Hits, Search } from './hits.ts'
import { leastWithout, NO_MATCH, NOT_SEEN, ONE_EDIT, scoreOf, scoreOfOne, type TypedWord } from './score.ts'
import { type Scratch, scratchOf } from './scratch.ts'

/** Above this share of all records, looking at each of them in turn is cheaper than at some here and there. */
const MANY = 1 / 4
/** The same where most of them are passed over. */
const MANY_PASSED_OVER = 1 / 20

/** So many are looked at sooner than it is known which need not be. */
const FEW = 500

export class Candidates {
  readonly #words: Words
  readonly #typed: readonly TypedWord[]
  readonly #among: Uint32Array | undefined
  readonly #scratch: Scratch
  readonly #enough: number | undefined
  #best: BestScores | undefined
  #wanted: Uint8Array | undefined
  /** The grades of a single word that was typed and is in no code. */
  readonly #only: Uint8Array | undefined
  /** Words of which a name must have one, where the others may be above it. */
  readonly #own: Uint8Array | undefined
  #found = 0
  #inOrder = false

  constructor({ words, among, enough }: Search, typed: readonly TypedWord[]) {
    this.#words = words
    this.#typed = typed
    this.#among = among
    this.#scratch = scratchOf(words)
    this.#enough = enough
    const [word, ...others] = typed
    this.#only = others.length === 0 && word?.inCodes === 0 ? word.grades : undefined
    const isAbove = typed.some(({ above }) => above.length > 0)
    this.#own = isAbove && typed.every(({ inCodes }) => inCodes === 0) ? anyOf(words, typed) : undefined
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
    if (among !== undefined && among.length <= least) {
      this.#best?.begin(leastWithout(0), true)
      this.#look(among, 0, among.length)
      this.#inOrder = true
    } else {
      this.#wanted = among === undefined ? undefined : flagsOf(among, count)
      const rarest = this.#typed[sizes.indexOf(least)] as TypedWord
      if (this.#best === undefined) this.#lookForAll(rarest, least)
      else this.#lookForBest(this.#best, rarest, least)
    }
    return this.#hits()
  }

  #lookForAll(rarest: TypedWord, least: number): void {
    const count = this.#scratch.scores.length
    // Those below one record stand side by side already.
    this.#inOrder = least > count * MANY && rarest.above.length === 0
    if (!this.#inOrder) this.#lookAtHolders(rarest)
    else if (this.#only === undefined) this.#look(undefined, 0, count)
    else this.#lookForOne(this.#only)
  }

  /** At all positions for a single word, with nothing else to mind: so many are asked for in the slowest requests. */
  #lookForOne(grades: Uint8Array): void {
    const words = this.#words
    const wanted = this.#wanted
    const { scores, positions } = this.#scratch
    let found = 0
    for (let position = 0; position < scores.length; position++) {
      if (wanted !== undefined && wanted[position] === 0) continue
      const score = scoreOfOne(words, grades, position)
      if (score === NO_MATCH) continue
      scores[position] = score
      positions[found++] = position
    }
    this.#found = found
    this.#scratch.seeMany()
  }

  #lookForBest(best: BestScores, rarest: TypedWord, least: number): void {
    const missing = this.#lookAtWhole(best, least)
    const worse = this.#lookAtPlain(best, rarest, missing)
    // Every record with a single word is a hit, so that the best are soon found.
    const many = this.#only !== undefined || best.isStrict ? MANY_PASSED_OVER : MANY
    const inOrder = least > this.#scratch.scores.length * many && rarest.above.length === 0
    if (!best.begin(worse === 0 ? leastWithout(missing) : worse, inOrder, worse)) return
    if (inOrder) this.#lookAtPromising(best)
    else this.#lookAtHolders(rarest)
  }

  /**
   * At those that have a word whole that was typed, the rarest word first, unless there are few with some other: of the
   * rest it is then known that they are worse. Says how many of the words typed the rest have at most in part.
   */
  #lookAtWhole(best: BestScores, least: number): number {
    const { starts, positions } = this.#words.inNames
    const count = this.#scratch.scores.length
    const most = least > count * MANY_PASSED_OVER ? count : least
    if (this.#typed.some(({ above }) => above.length > 0)) return 0
    const lists = this.#typed
      .map(({ exact }) => (exact === undefined ? [0, 0] : [starts[exact], starts[exact + 1]]) as [number, number])
      .sort(([from, to], [otherFrom, otherTo]) => to - from - (otherTo - otherFrom))
    for (const [missing, [from, to]] of lists.entries()) {
      if (to - from > most || !best.begin(leastWithout(missing), true)) return missing
      this.#look(positions, from, to)
    }
    return lists.length
  }

  /** At those that have a single word without typing errors. Says how much worse the rest are at least. */
  #lookAtPlain(best: BestScores, { matching, plain }: TypedWord, missing: number): number {
    if (this.#only === undefined || plain === matching.length) return 0
    if (best.begin(leastWithout(missing), false)) this.#lookAtWords(matching.slice(0, plain))
    return ONE_EDIT
  }

  /** At all positions, in as few steps as can be for those that are not among the best. */
  #lookAtPromising(best: BestScores): void {
    const { names, nameStarts } = this.#words
    const count = nameStarts.length - 1
    let end = 0
    for (let position = 0; position < count && !best.isReached; position++) {
      const start = end
      end = nameStarts[position + 1] as number
      if (end - start > best.longestOfAll || !mayCount(best, names, start, end - start)) continue
      this.#look(undefined, position, position + 1)
    }
  }

  #lookAtWords(matching: readonly number[]): void {
    for (const { starts, positions } of [this.#words.inNames, this.#words.inCodes]) {
      for (let at = 0; at < matching.length; at++) {
        const word = matching[at] as number
        this.#look(positions, starts[word] as number, starts[word + 1] as number)
      }
    }
  }

  #lookAtHolders({ matching, above }: TypedWord): void {
    this.#lookAtWords(matching)
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
    const only = this.#only
    const own = this.#own
    for (let at = from; at < to; at++) {
      const position = list === undefined ? at : (list[at] as number)
      if (best !== undefined) {
        const start = nameStarts[position] as number
        const length = (nameStarts[position + 1] as number) - start
        // What stands farthest apart in memory is looked up last.
        if (length > best.longestOfAll || !mayCount(best, names, start, length)) continue
      }
      if (scores[position] !== NOT_SEEN || (wanted !== undefined && wanted[position] === 0)) continue
      if (own !== undefined && !hasAny(words, own, position)) continue
      const score = only === undefined ? scoreOf(words, typed, position) : scoreOfOne(words, only, position)
      if (score === NO_MATCH && list === undefined) continue
      scores[position] = score
      scratch.see(position)
      if (score === NO_MATCH) continue
      positions[this.#found++] = position
      if (best === undefined) continue
      best.add(score, position)
      if (best.isReached) return
    }
  }

  #hits(): Hits {
    const { positions, scores } = this.#scratch
    return { positions: positions.subarray(0, this.#found), scores, inOrder: this.#inOrder }
  }
}

/** Whether a name of so many words may be among the best, as far as its first two tell. */
function mayCount({ longest, first, second }: BestScores, names: Uint32Array, start: number, length: number): boolean {
  if (length > (longest[first[names[start] as number] as number] as number)) return false
  if (second === undefined || length === 1) return true
  return length <= (longest[second[names[start + 1] as number] as number] as number)
}

/** A flag for each word that matches one of those typed. */
function anyOf({ words }: Words, typed: readonly TypedWord[]): Uint8Array {
  const flags = new Uint8Array(words.size)
  for (const { matching } of typed) for (let at = 0; at < matching.length; at++) flags[matching[at] as number] = 1
  return flags
}

function hasAny({ names, nameStarts }: Words, flags: Uint8Array, position: number): boolean {
  const to = nameStarts[position + 1] as number
  for (let place = nameStarts[position] as number; place < to; place++) {
    if (flags[names[place] as number] === 1) return true
  }
  return false
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
