// Finds the hits of a search: posting lists name the candidates, and each is scored once.
//
// Where no typed word may be dropped, all hits are among the records that have the rarest of them, or whose ancestors have it.
// Where words may be dropped, a hit has at least one in its own name, so that the lists of the rarest words are gone through,
// as many as the budget allows. Where records are filtered and fewer pass than would be candidates, those are.

import { indexInAscending } from '../../base/binary-search.ts'
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { Postings } from '../../release/index/postings.ts'
import { type AncestorLevel, ancestorAt, type LevelMatch } from './ancestor-match.ts'
import type { Hits } from './hits.ts'
import { MAX_IMPORTANCE } from './importance.ts'
import { bitOf, Presence } from './presence.ts'
import { ALL_WORDS, minImportance, NO_MATCH, type ScoredNames, type Scorer } from './score.ts'
import { mayBeDropped, type TypedWord } from './typed-words.ts'
import { COSTS } from './word-match.ts'

/** Whether to go on is asked once for so many records and one more: that many are scored in less than a millisecond. */
const CHECKED_EVERY = 0xff

/** How many typed words are looked for in candidates, where words may be dropped; this bounds the time of a search. */
const MAX_LOOKS = 400_000
/** Where only the best are wanted, records from this importance on are scored before the rest. */
const NOTABLE = 20
/**
 * What looking at a record costs: at its importance and how long its name is, at its words, and at its score. So much is spent on
 * notable ones, and on the rest, those that match best first: nobody can tell further ones by so few letters.
 */
const WORDS_COST = 4
const MIN_SCORE_COST = 16
const MAX_COST = 60_000
/** What looking at the words of any record costs, where going on in a posting list costs 1. */
const LOOK_COST = 4
/** So few records with a word itself are scored before all others; and where no more have the rarest word, no others are. */
const FEW = 3_000

/** Adds the records whose names match, as far as it goes. */
export const scanNames = (scorer: Scorer, among: Uint32Array | undefined, hits: Hits, work: SearchBudget): void =>
  new Scan(scorer, among, hits, work).run()

/** Which records of an index were looked at, by the number of the scan, in an array that scans use again. */
const visitsIn = memoized(({ nameStarts }: WordIndex) => ({ marks: new Uint32Array(nameStarts.length), latest: 0 }))

/** How much a search may still spend on candidates: this bounds its time, however long the query is. */
export type SearchBudget = { left: number }

class Scan {
  readonly #names: ScoredNames
  readonly #typed: readonly TypedWord[]
  readonly #among: Uint32Array | undefined
  readonly #hits: Hits
  readonly #work: SearchBudget
  readonly #scorer: Scorer
  /** The typed words that a hit must have, the rarest first, and how many candidates that one has. */
  readonly #required: readonly TypedWord[]
  readonly #rarestSize: number
  /** Where candidates are pruned: an upper bound of their quality, and how important they must be to be among the best. */
  #maxQuality = 1
  #minImportance = 0
  #threshold = NO_MATCH
  /** The group of records that is scored: how important they are, and how many words their names have. */
  #from = 0
  #to = MAX_IMPORTANCE
  #fewest = 0
  #most = Number.POSITIVE_INFINITY
  /** The records that were looked at have this mark, where several words were typed. */
  readonly #marks: Uint32Array | undefined
  readonly #mark: number
  readonly #scoreCost: number
  /** How much more may be spent on it. */
  #budget = Number.POSITIVE_INFINITY
  /** Which typed words records have, where several were typed; all of these as bits, and those that a hit must have. */
  readonly #presence: Presence | undefined
  readonly #allBits: number
  readonly #requiredBits: number
  /** A flag for each record that passes the filters, where they are tested one by one. */
  #passes: Uint8Array | undefined

  constructor(scorer: Scorer, among: Uint32Array | undefined, hits: Hits, work: SearchBudget) {
    const { names, typed, drop } = scorer
    const visits = visitsIn(names.words)
    this.#marks = typed.length > 1 ? visits.marks : undefined
    this.#mark = ++visits.latest
    // Every typed word is looked for in a name.
    this.#scoreCost = Math.max(MIN_SCORE_COST, typed.length)
    this.#work = work
    this.#names = names
    this.#typed = typed
    this.#among = among
    this.#hits = hits
    this.#scorer = scorer
    this.#presence = typed.length > 1 ? new Presence(names, typed) : undefined
    const bitsOf = (wanted: (word: TypedWord) => boolean) =>
      typed.reduce((bits, word, at) => (wanted(word) ? bits | bitOf(at) : bits), 0)
    this.#allBits = bitsOf(() => true)
    this.#requiredBits = bitsOf((word) => !mayBeDropped(word, drop))
    const required = typed.filter((word) => !mayBeDropped(word, drop))
    const distinct = required.filter(({ text }, at) => required.findIndex((other) => other.text === text) === at)
    const sized = distinct.map((word) => ({ word, size: this.#candidatesOf(word) })).sort((a, b) => a.size - b.size)
    this.#required = sized.map(({ word }) => word)
    this.#rarestSize = sized[0]?.size ?? Number.POSITIVE_INFINITY
  }

  run(): void {
    const { words, records } = this.#names
    const count = words.nameStarts.length - 1
    const among = this.#among
    if (records !== undefined) {
      this.#scanAliases(records)
      return
    }
    const [rarest] = this.#required
    /** How many entries the posting lists of the typed words have. */
    const own = this.#typed.reduce((sum, { inNames, inCodes }) => sum + inNames + inCodes, 0)
    const size = Math.min(this.#rarestSize, own)
    if (size === 0) return
    if (among !== undefined && among.length <= size) {
      this.#scan(among, 0, among.length)
      return
    }
    if (among !== undefined) this.#passes = flagsOf(among, count)
    const scan = () => {
      if (rarest === undefined) this.#scanRarest()
      else if (this.#rarestSize <= own) this.#scanPostings(rarest)
      else for (const word of this.#typed) this.#scanWords(word)
    }
    if (!this.#hits.isBounded) {
      scan()
      return
    }
    if (rarest !== undefined && this.#rarestSize <= FEW) {
      this.#scanPostings(rarest)
      return
    }
    if (this.#typed.length > 1) this.#scanExact()
    if (rarest === undefined) {
      this.#scanBelow()
      this.#budget = MAX_COST
      scan()
      return
    }
    const notable = notableOf(this.#names.importance)
    this.#from = NOTABLE
    this.#budget = MAX_COST
    if (notable.length * LOOK_COST < size) {
      this.#bound(this.#scorer.maxQuality())
      this.#scan(notable, 0, notable.length)
    } else scan()
    // Of the rest, names that have no more words than were typed match best.
    this.#from = 0
    this.#to = NOTABLE - 1
    this.#budget = MAX_COST
    this.#most = this.#typed.length
    scan()
    this.#fewest = this.#typed.length + 1
    this.#most = Number.POSITIVE_INFINITY
    scan()
  }

  /** The aliases with any typed word: so few have one that none is left out. */
  #scanAliases(records: Uint32Array): void {
    const { starts, positions } = this.#names.words.inNames
    const scored = new Set<number>()
    for (const { matching } of this.#typed)
      for (const word of matching)
        for (let at = starts[word] as number; at < (starts[word + 1] as number); at++) {
          const alias = positions[at] as number
          if (scored.has(alias)) continue
          scored.add(alias)
          if ((scored.size & CHECKED_EVERY) === 0) checkpoint()
          const record = records[alias] as number
          if (this.#among !== undefined && indexInAscending(this.#among, record) === -1) continue
          const present = this.#presentIn(alias, record)
          if (present !== 0) this.#score(alias, present)
        }
  }

  /** The records with a typed word itself, where they are few: they match best, which prunes the others. */
  #scanExact(): void {
    const { starts, positions } = this.#names.words.inNames
    for (const word of this.#required.length === 0 ? this.#rarestFirst() : this.#required) {
      const { exact } = word
      if (exact === undefined) continue
      const [from, to] = [starts[exact] as number, starts[exact + 1] as number]
      if (to - from > FEW) continue
      this.#bound(this.#scorer.maxQuality())
      this.#scan(positions, from, to)
    }
  }

  /** The records whose parents have a typed word, where they are few. */
  #scanBelow(): void {
    for (const word of this.#typed)
      for (const [at, match] of word.levels.entries()) {
        const children = this.#names.levels[at]?.children
        if (match === undefined || children === undefined || childrenOf(children, match) > FEW) continue
        this.#scanChildren(word, children, match)
      }
  }

  /** The lists of the words that are in the fewest names, as far as the budget goes. */
  #scanRarest(): void {
    let budget = MAX_LOOKS / this.#typed.length
    for (const word of this.#rarestFirst()) {
      const entries = word.inNames + word.inCodes
      if (entries === 0) continue
      if (entries > budget) return
      budget -= entries
      this.#scanWords(word)
    }
  }

  #rarestFirst(): TypedWord[] {
    return this.#typed.toSorted((a, b) => a.inNames + a.inCodes - (b.inNames + b.inCodes))
  }

  #scanPostings(word: TypedWord): void {
    this.#scanWords(word)
    for (const [at, match] of word.levels.entries()) {
      const children = this.#names.levels[at]?.children
      if (match === undefined || children === undefined) continue
      this.#scanChildren(word, children, match)
    }
  }

  #scanChildren(word: TypedWord, { starts, positions }: Postings, { grades, best }: LevelMatch): void {
    this.#bound(this.#scorer.maxQuality(word, COSTS[best]))
    for (let parent = 0; parent < grades.length; parent++) {
      if (grades[parent] !== 0) this.#scan(positions, starts[parent] as number, starts[parent + 1] as number)
    }
  }

  /** The records with a typed word, those that match it best first: they prune most of the others. */
  #scanWords(word: TypedWord): void {
    const { inNames, inCodes } = this.#names.words
    for (const { grade, words } of word.byGrade) {
      this.#bound(this.#scorer.maxQuality(word, COSTS[grade]))
      for (const postings of word.inCodes > 0 ? [inNames, inCodes] : [inNames]) {
        const { starts, positions } = postings
        for (let at = 0; at < words.length; at++) {
          const one = words[at] as number
          this.#scan(positions, starts[one] as number, starts[one + 1] as number)
        }
      }
    }
  }

  /** The quality of the candidates to come is no more than this. */
  #bound(maxQuality: number): void {
    this.#maxQuality = maxQuality
    this.#threshold = NO_MATCH
    this.#minImportance = 0
    this.#prune()
  }

  #prune(): void {
    const { threshold } = this.#hits
    if (threshold === this.#threshold) return
    this.#threshold = threshold
    this.#minImportance = minImportance(threshold, this.#maxQuality)
  }

  /** The records at the places `from` to `to` of a posting list. */
  #scan(list: Uint32Array, from: number, to: number): void {
    const passes = this.#passes
    const work = this.#work
    const importance = this.#hits.isBounded ? this.#names.importance : undefined
    const { nameStarts } = this.#names.words
    const [max, fewest, most] = [this.#to, this.#fewest, this.#most]
    const [marks, mark, scoreCost] = [this.#marks, this.#mark, this.#scoreCost]
    let min = Math.max(this.#from, this.#minImportance)
    if (min > max) return
    const budget = Math.min(this.#budget, work.left)
    let spent = 0
    for (let at = from; at < to; at++) {
      if ((at & CHECKED_EVERY) === 0) checkpoint()
      if (++spent > budget) break
      const position = list[at] as number
      if (importance !== undefined) {
        const own = importance[position] as number
        if (own < min || own > max) continue
        const length = (nameStarts[position + 1] as number) - (nameStarts[position] as number)
        if (length < fewest || length > most) continue
      }
      if (passes !== undefined && passes[position] === 0) continue
      // A record that has several typed words is in several lists.
      if (marks !== undefined) {
        if (marks[position] === mark) continue
        marks[position] = mark
      }
      spent += WORDS_COST
      const present = this.#presentIn(position)
      if (present === 0) continue
      spent += scoreCost
      this.#score(position, present)
      if (importance === undefined) continue
      this.#prune()
      min = Math.max(this.#from, this.#minImportance)
      if (min > max) break
    }
    this.#budget -= spent
    work.left -= spent
  }

  #score(position: number, present = ALL_WORDS): void {
    const rank = this.#scorer.rank(position, this.#hits.threshold, present)
    if (rank === NO_MATCH) return
    const { records } = this.#names
    this.#hits.offer(records === undefined ? position : (records[position] as number), rank)
  }

  /** The typed words that a record has, as bits; none where it lacks one that it must have, or too many to be among the best. */
  #presentIn(position: number, record = position): number {
    const presence = this.#presence
    if (presence === undefined) return ALL_WORDS
    const own = presence.own(position)
    // A record is not found by the words of its ancestors alone.
    if (own === 0) return 0
    if ((this.#allBits & ~own) === 0) return ALL_WORDS
    const present = own | presence.above(record)
    const lost = this.#allBits & ~present
    if (lost === 0) return ALL_WORDS
    const isEnough = (lost & this.#requiredBits) === 0 && this.#scorer.mayRank(lost, record, this.#hits.threshold)
    return isEnough ? present : 0
  }

  /** How many entries the posting lists of a typed word have, its own and those of the ancestors with it. */
  #candidatesOf({ inNames, inCodes, levels }: TypedWord): number {
    let entries = inNames + inCodes
    for (let at = 0; at < levels.length; at++) {
      const match = levels[at]
      if (match === undefined) continue
      const level = this.#names.levels[at] as AncestorLevel
      if (level.children !== undefined) entries += childrenOf(level.children, match)
      else if (match.grades.some((grade, ancestor) => grade !== 0 && isAboveAny(level)[ancestor] === 1))
        return Number.POSITIVE_INFINITY
    }
    return entries
  }
}

/** How many records are below the ancestors that match. */
function childrenOf({ starts }: Postings, { grades }: LevelMatch): number {
  let count = 0
  for (let parent = 0; parent < grades.length; parent++)
    if (grades[parent] !== 0) count += (starts[parent + 1] as number) - (starts[parent] as number)
  return count
}

function flagsOf(positions: Uint32Array, count: number): Uint8Array {
  const flags = new Uint8Array(count)
  for (let at = 0; at < positions.length; at++) flags[positions[at] as number] = 1
  return flags
}

/** The records from some importance on, the most important first. */
const notableOf = memoized((importance: Uint8Array): Uint32Array => {
  const positions: number[] = []
  for (let position = 0; position < importance.length; position++)
    if ((importance[position] as number) >= NOTABLE) positions.push(position)
  return Uint32Array.from(positions.sort((a, b) => (importance[b] as number) - (importance[a] as number)))
})

/** A flag for each ancestor of a level that has records below it. */
const isAboveAny = memoized((level: AncestorLevel): Uint8Array => {
  const flags = new Uint8Array(level.none + 1)
  for (let record = 0; record < (level.chain[0]?.length ?? 0); record++) flags[ancestorAt(level, record)] = 1
  return flags
})
