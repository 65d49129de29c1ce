// The hits of a search: collected with their scores in arrays that searches use again, and ranked.
import { memoized } from '../../base/memoized.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import { stableSort } from '../sort.ts'
import { NO_MATCH, SCORES } from './score.ts'

/** Above this share of all records, one pass over all of them is cheaper than dealing with each hit. */
const MANY = 1 / 16
/** Score and position as one number that sorts by both. */
const KEY = 0x1_0000_0000

/** The hits of one search, until the next search of the same index clears them. */
export class Hits {
  /** For each record its score, or NO_MATCH. */
  readonly scores: Uint16Array
  readonly #positions: Uint32Array
  #count = 0
  /** The scores of the best so far, ascending, where only so many are wanted. */
  #top: Uint16Array | undefined
  /** The score of the last of the wanted best; NO_MATCH while there are fewer, or if all are wanted. */
  threshold = NO_MATCH

  constructor(records: number) {
    this.scores = new Uint16Array(records).fill(NO_MATCH)
    this.#positions = new Uint32Array(records)
  }

  get count(): number {
    return this.#count
  }

  /** A record that is a hit already keeps the better score. */
  offer(position: number, score: number): void {
    const before = this.scores[position] as number
    if (score >= before) return
    this.scores[position] = score
    if (before === NO_MATCH) this.#positions[this.#count++] = position
    const top = this.#top
    if (top === undefined || score >= (top[top.length - 1] as number)) return
    let place = top.indexOf(before)
    if (place === -1 || before === NO_MATCH) place = top.length - 1
    for (; place > 0 && (top[place - 1] as number) > score; place--) top[place] = top[place - 1] as number
    top[place] = score
    this.threshold = top[top.length - 1] as number
  }

  /** Whether only so many of the best are wanted. */
  get isBounded(): boolean {
    return this.#top !== undefined
  }

  /** Where only so many of the best are wanted, others may be left out; the scores of other hits count among the best too. */
  clear(wanted?: number, otherScores: readonly number[] = []): void {
    const { scores } = this
    this.#top = wanted === undefined ? undefined : new Uint16Array(wanted).fill(NO_MATCH)
    this.#top?.set(otherScores.toSorted((a, b) => a - b).slice(0, wanted))
    this.threshold = this.#top?.at(-1) ?? NO_MATCH
    if (this.#isMany) scores.fill(NO_MATCH)
    else for (let at = 0; at < this.#count; at++) scores[this.#positions[at] as number] = NO_MATCH
    this.#count = 0
  }

  /** The positions of all hits, ascending. */
  ascending(): Uint32Array {
    if (!this.#isMany) return this.#positions.slice(0, this.#count).sort()
    const { scores } = this
    const positions = new Uint32Array(this.#count)
    for (let position = 0, used = 0; used < positions.length; position++) {
      if (scores[position] !== NO_MATCH) positions[used++] = position
    }
    return positions
  }

  /** The positions of all hits, the best first, and those with the same score by position. */
  ranked(): Uint32Array {
    const { scores } = this
    const positions = this.ascending()
    const keys = new Uint32Array(positions.length)
    for (let at = 0; at < keys.length; at++) keys[at] = scores[positions[at] as number] as number
    return stableSort(positions, keys, SCORES)
  }

  /** The positions of the best hits, so many, best first; those with the same score by position. */
  best(wanted: number): number[] {
    const keys = new Float64Array(Math.min(wanted, this.#count)).fill(Number.POSITIVE_INFINITY)
    const { scores } = this
    let last = Number.POSITIVE_INFINITY
    for (let at = 0; at < this.#count; at++) {
      const position = this.#positions[at] as number
      const key = (scores[position] as number) * KEY + position
      if (key >= last) continue
      let place = keys.length - 1
      for (; place > 0 && (keys[place - 1] as number) > key; place--) keys[place] = keys[place - 1] as number
      keys[place] = key
      last = keys[keys.length - 1] as number
    }
    return Array.from(keys, (key) => key % KEY)
  }

  get #isMany(): boolean {
    return this.#count > this.scores.length * MANY
  }
}

const hitsOf = memoized((words: WordIndex) => new Hits(words.nameStarts.length - 1))

/** No hits yet, in the arrays that belong to an index: to allocate new ones takes longer than many a search. */
export function emptyHits(words: WordIndex, wanted?: number, otherScores?: readonly number[]): Hits {
  const hits = hitsOf(words)
  hits.clear(wanted, otherScores)
  return hits
}
