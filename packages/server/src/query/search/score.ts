// How well a record matches the typed words, from 0 to 1.
//
// The quality of a match is 1 where a name is typed as it is written, and is lowered by:
//   - what typed words lose: each has a weight, the more the rarer it is, and a match costs a share of it (word-match.ts);
//     a word that the record does not have and that is dropped costs most of it;
//   - the share of the name that was not typed, by weight; likewise of an ancestor's name where it was typed;
//   - words in another order, or a name whose first word was not typed;
//   - reading what was typed in another way, as words that were glued together.
// The score is a blend of quality and importance. The weight of importance is small: a large city comes before a hamlet whose
// name is a little nearer to what was typed, and never before one that is much nearer.
import type { NamingField } from '../../catalog/languages/languages.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import { nameEnd, nameStart, namesPerRecord } from '../../release/index/name-ranges.ts'
import { type AncestorLevel, ancestorAt, levelCoverage } from './ancestor-match.ts'
import type { Drop } from './efforts.ts'
import { MAX_IMPORTANCE } from './importance.ts'
import { mayBeDropped, type TypedWord } from './typed-words.ts'
import { ABBREVIATION, CODE, COSTS, EXACT, GRADE_COUNT, SHORT_PREFIX } from './word-match.ts'

/** The least that a typed word costs in any record, among its own words and its ancestors. */
function minCost({ byGrade, inCodes, levels }: TypedWord): number {
  let best = inCodes > 0 ? EXACT : (byGrade[0]?.grade ?? GRADE_COUNT)
  for (const level of levels) if (level !== undefined && level.best < best) best = level.best
  return COSTS[best] ?? 1
}

/** What is scored: the names of an index, or the aliases of its records. */
export type ScoredNames = {
  readonly words: WordIndex
  /** The weight of each word. */
  readonly weights: Float32Array
  /** The records that the names belong to; undefined where each position is its own. */
  readonly records: Uint32Array | undefined
  readonly levels: readonly AncestorLevel[]
  /** The importance of each record. */
  readonly importance: Uint8Array
  /** The fields of the names of a record, where each is matched by itself. */
  readonly naming: readonly NamingField[]
}

/** A score as a whole number that sorts: the lower, the better. */
export const SCORES = 1 << 15
export const NO_MATCH = 0xffff
const WORST = SCORES - 1
export const rankOf = (score: number): number => Math.round((1 - score) * WORST)
/** How important a record must be to rank as high, if the quality of its match is this. */
export const minImportance = (rank: number, quality: number): number =>
  Math.floor(((scoreOfRank(rank + 1) - quality * (1 - IMPORTANCE_WEIGHT)) / IMPORTANCE_WEIGHT) * MAX_IMPORTANCE)
/** The score of a record as a blend of the quality of its match and its importance, which is from 0 to MAX_IMPORTANCE. */
const blended = (quality: number, importance: number): number =>
  quality * (1 - IMPORTANCE_WEIGHT) + IMPORTANCE_WEIGHT * (importance / MAX_IMPORTANCE)
export const rankOfExact = (importance: number): number => rankOf(blended(1, importance))
/** The quality of a match by its rank, without the importance of the record. */
export const qualityOf = (rank: number, importance: number): number =>
  Math.min((scoreOfRank(rank) - IMPORTANCE_WEIGHT * (importance / MAX_IMPORTANCE)) / (1 - IMPORTANCE_WEIGHT), 1)
export const scoreOfRank = (rank: number): number => 1 - rank / WORST

const IMPORTANCE_WEIGHT = 0.14
const UNTYPED_COST = 0.1
const UNTYPED_ANCESTOR_COST = 0.08
const ORDER_COST = 0.015
const MAX_ORDER_COSTS = 3
const NOT_FIRST_COST = 0.02
/** Whoever types a name and a code rather means something below the record that has both. */
const NAME_AND_CODE_COST = 0.05
/** The cost of a typed word that stands for the same word of a name as another one. */
const SHARED_COST = 0.3
const DROP_COST = 0.8
const LIGHT_DROP_COST = 0.4
const dropCost = ({ isLight }: TypedWord): number => (isLight ? LIGHT_DROP_COST : DROP_COST)
/** The cost of each generation that a matched ancestor is further away than the parent. */
const FAR_ANCESTOR_COST = 0.02
const CODE_PREFIX_COVERAGE = 0.5
/** By how much what a record is also called is worth less than its name. */
const OTHER_NAME_RANKS = Math.round(0.005 * WORST)
/** Stands for all names of a record, where what was typed is in none alone. */
const ALL_NAMES = -1
/** The words of a longer name beyond these are not compared. */
const MAX_NAME_WORDS = 31

const LAST_BIT = 31
/** All typed words, as bits. */
export const ALL_WORDS = -1

/** How one typed word was matched with a record; neither place nor level where it was dropped, or is its code. */
type WordTrace = { readonly grade: number; readonly place: number; readonly level: number }

/** Scores the records of one index by some typed words. */
export class Scorer {
  readonly names: ScoredNames
  readonly typed: readonly TypedWord[]
  readonly drop: Drop
  readonly #penalty: number
  readonly #weights: Float32Array
  readonly #totalWeight: number
  readonly #hasSubstance: boolean
  /** The last typed word before each that is the same, or -1. */
  readonly #sameBefore: Int8Array
  readonly #usedLevels: Uint8Array
  readonly #grades: Uint8Array
  readonly #places: Int16Array
  readonly #levelOf: Int8Array
  /** The least that each typed word costs. */
  readonly #minCosts: Float64Array
  /** What the typed words after each lose at least, by weight. */
  readonly #restLost: Float64Array
  /** What all typed words lose at least, and how much more each does where it is dropped. */
  readonly #minLost: number
  readonly #lackCosts: Float64Array
  /** Ranks after this one may be given as NO_MATCH. */
  #limit = NO_MATCH
  #present = ALL_WORDS
  readonly #namesPerRecord: number
  /** What was scored last, and by which of its names. */
  #position = 0
  #name = 0

  constructor(names: ScoredNames, typed: readonly TypedWord[], drop: Drop, penalty: number) {
    this.names = names
    this.typed = typed
    this.drop = drop
    this.#penalty = penalty
    this.#weights = names.weights
    this.#totalWeight = typed.reduce((sum, { weight }) => sum + weight, 0)
    this.#hasSubstance = typed.some((word) => !word.isLight && word.inNames + word.inCodes > 0)
    this.#sameBefore = new Int8Array(typed.length)
    for (let at = 0; at < typed.length; at++) this.#sameBefore[at] = lastSame(typed, at)
    this.#namesPerRecord = namesPerRecord(names.words)
    this.#usedLevels = new Uint8Array(names.levels.length)
    this.#grades = new Uint8Array(typed.length)
    this.#places = new Int16Array(typed.length)
    this.#levelOf = new Int8Array(typed.length)
    this.#minCosts = new Float64Array(typed.length)
    this.#restLost = new Float64Array(typed.length)
    this.#lackCosts = new Float64Array(typed.length)
    let rest = 0
    for (let at = typed.length - 1; at >= 0; at--) {
      const word = typed[at] as TypedWord
      const most = mayBeDropped(word, drop) ? dropCost(word) : 1
      const cost = Math.min(minCost(word), most)
      this.#minCosts[at] = cost
      this.#restLost[at] = rest
      this.#lackCosts[at] = word.weight * (most - cost)
      rest += word.weight * cost
    }
    this.#minLost = rest
  }

  /** The field of the name that was matched in the last score, where names are matched apart. */
  get matchedName(): NamingField | undefined {
    return this.names.naming[this.#name]
  }

  /** How each typed word was matched in the last score. */
  trace(): WordTrace[] {
    // Other names were compared after the best one.
    if (this.#namesPerRecord > 1) this.#rankName(this.#position, this.#name)
    return this.typed.map((_, at) => ({
      grade: this.#grades[at] as number,
      place: this.#places[at] as number,
      level: this.#levelOf[at] as number,
    }))
  }

  /** Whether a record that lacks some typed words, as bits, can rank within a limit. */
  mayRank(lacking: number, record: number, limit: number): boolean {
    let lost = this.#minLost
    for (let bits = lacking; bits !== 0; bits &= bits - 1)
      lost += this.#lackCosts[LAST_BIT - Math.clz32(bits & -bits)] as number
    this.#limit = limit
    return lost <= this.#maxLost(this.names.importance[record] as number)
  }

  /** An upper bound of the quality of records in which one typed word costs so much; of any record without it. */
  maxQuality(word?: TypedWord, cost = 0): number {
    let lost = 0
    for (const [at, each] of this.typed.entries())
      lost += each.weight * (each === word ? cost : (this.#minCosts[at] as number))
    return (1 - lost / this.#totalWeight) * (1 - this.#penalty)
  }

  /** The rank of a name by its score, or NO_MATCH, which ranks after a limit may be given as too. Words that are known to be absent are not looked for. */
  rank(position: number, limit = NO_MATCH, present = ALL_WORDS): number {
    this.#limit = limit
    this.#present = present
    if (this.#namesPerRecord > 1) return this.#rankApart(position)
    const { nameStarts } = this.names.words
    return this.#rankWords(position, nameStarts[position] as number, nameStarts[position + 1] as number)
  }

  /** The rank of the best of several names; of all together, where what was typed is in none alone. */
  #rankApart(position: number): number {
    this.#position = position
    this.#name = ALL_NAMES
    let best = this.typed.length === 1 ? NO_MATCH : this.#rankName(position, ALL_NAMES)
    for (let name = 0; name < this.#namesPerRecord; name++) {
      const rank = this.#rankName(position, name)
      if (rank > best || (rank === best && this.#name !== ALL_NAMES) || rank === NO_MATCH) continue
      best = rank
      this.#name = name
    }
    return best === NO_MATCH ? this.#rankName(position, ALL_NAMES) : best
  }

  #rankName(position: number, name: number): number {
    const { words, naming } = this.names
    const { nameStarts } = words
    if (name === ALL_NAMES)
      return this.#rankWords(position, nameStarts[position] as number, nameStarts[position + 1] as number)
    const count = this.#namesPerRecord
    const [from, to] = [nameStart(words, position, name, count), nameEnd(words, position, name, count)]
    const rank = from === to ? NO_MATCH : this.#rankWords(position, from, to)
    return rank === NO_MATCH || naming[name]?.isAlias !== true ? rank : Math.min(rank + OTHER_NAME_RANKS, WORST)
  }

  /** The rank by the words of a name, which stand at these places. */
  #rankWords(position: number, from: number, end: number): number {
    const to = Math.min(end, from + MAX_NAME_WORDS)
    const { words, records, levels, importance } = this.names
    const { names, nameStarts } = words
    const typed = this.typed
    const weights = this.#weights
    const start = nameStarts[position] as number
    const record = records === undefined ? position : (records[position] as number)
    let used = 0
    let fuzzy = 0
    let lost = 0
    let covered = 0
    let substance = 0
    let disorder = 0
    let last = from - 1
    let codeCoverage = 0
    let anyLevel = false
    const ownImportance = importance[record] as number
    const maxLost = this.#limit === NO_MATCH ? Number.POSITIVE_INFINITY : this.#maxLost(ownImportance)
    for (let at = 0; at < typed.length; at++) {
      const word = typed[at] as TypedWord
      const { grades, weight } = word
      let best = 0
      let bestPlace = -1
      let bestLevel = -1
      let shared = 0
      const isPresent = ((this.#present >>> at) & 1) === 1
      if (isPresent && word.inNames > 0)
        for (let place = from; place < to; place++) {
          const grade = grades[names[place] as number] as number
          if (grade === 0) continue
          if ((used >>> (place - from)) & 1) {
            if (grade <= SHORT_PREFIX && !((fuzzy >>> (place - from)) & 1)) shared = grade
            continue
          }
          if (best === 0 || grade < best || (grade === best && bestPlace < last && place > last)) {
            best = grade
            bestPlace = place
          }
        }
      if (isPresent && word.inCodes > 0 && best !== EXACT) {
        const grade = codeGrade(words, grades, position)
        if (grade !== 0 && (best === 0 || grade < best)) {
          best = grade
          bestPlace = -1
          codeCoverage = Math.max(codeCoverage, grade === CODE ? 1 : CODE_PREFIX_COVERAGE)
        }
      }
      if (isPresent && best !== EXACT)
        for (let level = 0; level < word.levels.length; level++) {
          const match = word.levels[level]
          if (match === undefined) continue
          const grade = match.grades[ancestorAt(levels[level] as AncestorLevel, record)] as number
          if (grade === 0 || (best !== 0 && grade >= best) || this.#isTaken(at, level)) continue
          best = grade
          bestPlace = -1
          bestLevel = level
        }
      // Two typed words may mean the same one, as "s san", but not if they are the same, or misspelt.
      const isShared = best === 0 && shared !== 0 && this.#sameBefore[at] === -1
      if (isShared) best = shared
      this.#grades[at] = best
      this.#places[at] = bestPlace === -1 ? -1 : bestPlace - start
      this.#levelOf[at] = bestLevel
      if (best === 0) {
        if (!mayBeDropped(word, this.drop)) return NO_MATCH
        lost += weight * dropCost(word)
        if (lost + (this.#restLost[at] as number) > maxLost) return NO_MATCH
        continue
      }
      lost += weight * (isShared ? SHARED_COST : (COSTS[best] as number))
      if (lost + (this.#restLost[at] as number) > maxLost) return NO_MATCH
      if (bestLevel !== -1) {
        if (!anyLevel) this.#usedLevels.fill(0)
        anyLevel = true
        this.#usedLevels[bestLevel] = 1
        continue
      }
      if (best > ABBREVIATION || !(word.isLight && this.#hasSubstance)) substance++
      if (bestPlace === -1) continue
      used |= 1 << (bestPlace - from)
      if (best > SHORT_PREFIX) fuzzy |= 1 << (bestPlace - from)
      covered += weights[names[bestPlace] as number] as number
      if (bestPlace < last) disorder++
      last = bestPlace
    }
    // A record is not found by the words of its ancestors alone, nor by words that say nothing.
    if (substance === 0) return NO_MATCH
    let all = 0
    for (let place = from; place < to; place++) all += weights[names[place] as number] as number
    const coverage = Math.max(all === 0 ? 1 : covered / all, codeCoverage)
    let quality = (1 - lost / this.#totalWeight) * (1 - UNTYPED_COST * (1 - coverage)) * (1 - this.#penalty)
    if ((used & 1) === 0 && codeCoverage === 0) quality *= 1 - NOT_FIRST_COST
    if (codeCoverage > 0 && used !== 0) quality *= 1 - NAME_AND_CODE_COST
    if (disorder > 0) quality *= 1 - ORDER_COST * Math.min(disorder, MAX_ORDER_COSTS)
    if (anyLevel)
      for (let level = 0, isNearest = true; level < levels.length; level++)
        if (this.#usedLevels[level] === 1) {
          if (isNearest) quality *= 1 - FAR_ANCESTOR_COST * level
          isNearest = false
          const coverage = levelCoverage(
            levels[level] as AncestorLevel,
            typed.flatMap((word) => word.levels[level] ?? []),
            ancestorAt(levels[level] as AncestorLevel, record),
          )
          quality *= 1 - UNTYPED_ANCESTOR_COST * (1 - coverage)
        }
    return rankOf(blended(quality, ownImportance))
  }

  /** How much the typed words may lose, by weight, in a record that ranks within the limit. */
  #maxLost(importance: number): number {
    const quality = qualityOf(this.#limit + 1, importance)
    return this.#totalWeight * (1 - quality / (1 - this.#penalty))
  }

  /** A word that is typed twice stands for two names, so an ancestor's name has it once. */
  #isTaken(at: number, level: number): boolean {
    if (this.typed[at]?.isLight) return false
    for (let same = this.#sameBefore[at] as number; same !== -1; same = this.#sameBefore[same] as number)
      if (this.#levelOf[same] === level) return true
    return false
  }
}

function lastSame(typed: readonly TypedWord[], at: number): number {
  let before = at - 1
  while (before >= 0 && typed[before]?.text !== typed[at]?.text) before--
  return before
}

/** How well the best of a record's codes matches. A mistyped code is another code, so only a prefix counts beside it. */
function codeGrade({ codes, codeStarts }: WordIndex, grades: Uint8Array, position: number): number {
  const to = codeStarts[position + 1] as number
  let best = 0
  for (let place = codeStarts[position] as number; place < to; place++) {
    const grade = grades[codes[place] as number] as number
    if (grade === EXACT) return CODE
    if (grade !== 0 && grade <= SHORT_PREFIX && (best === 0 || grade < best)) best = grade
  }
  return best
}
