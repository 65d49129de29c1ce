// The search: finds the records that people mean by what they type, the best first, and tells how each was matched.
//
// Every typed word must be in the names or codes of a record or, beside at least one of its own, in those of its ancestors,
// in any order, whole or as the beginning of a word, or abbreviated. Where that finds too little, the search is widened step by step:
// words that say little may be missing; then words may be spelled by ear, have typing errors, or be glued together; in the
// end any word may be missing. What was dropped is part of the result.

import { ancestorsOf } from '../../catalog/lineage.ts'
import { type CodedRecords, recordsCoded } from '../../release/aliases.ts'
import type { Release } from '../../release/release.ts'
import { type Filter, positionsWhere } from '../filter.ts'
import { distanceFrom, type Near, nearestFirst } from '../near.ts'
import { ancestorAt } from './ancestor-match.ts'
import { type SearchBudget, scanNames } from './candidates.ts'
import { positionsWithKeyCode, typedCodeOf } from './codes.ts'
import { AS_TYPED, type Effort, type Efforts, effortsFor, FUZZY, LONG_LINE } from './efforts.ts'
import { type AliasMatch, BY_CODE, type Explanation, type How, howOf } from './explanation.ts'
import { emptyHits, type Hits } from './hits.ts'
import { importanceOf, MAX_IMPORTANCE } from './importance.ts'
import { GLUED_COST, gluedReadings, plainReadings, type Reading } from './readings.ts'
import { NO_MATCH, qualityOf, rankOf, rankOfExact, type ScoredNames, Scorer, scoreOfRank } from './score.ts'
import { type SearchSpace, searchSpace } from './search-space.ts'
import { tolerancesOf, typedWords } from './typed-words.ts'
import { ALIAS, ALIAS_WORD, isLight, kindOf } from './word-match.ts'
import { wordWeights } from './word-weights.ts'

/** With fewer hits than this, the search is widened. */
const MIN_HITS = 5

/** Searches one entity for folded words, none of which may be missing. The hits are good until its next search. */
export function search(space: SearchSpace, typed: readonly string[]): Hits {
  const narrow = new EntitySearch({ ...space, levels: [] }, typed)
  const hits = narrow.run(AS_TYPED)
  if (hits.count >= MIN_HITS) return hits
  const wide = new EntitySearch(space, typed)
  const wider = typed.length === 1 ? hits : wide.run(AS_TYPED)
  return wider.count >= MIN_HITS ? wider : wide.run(FUZZY)
}

/** The records of a list for what was typed: those that have it as their code, too. */
export function searchList(
  release: Release,
  name: string,
  among: Uint32Array | undefined,
  typed: readonly string[],
): Hits {
  const hits = search(searchSpace(release, name, among), typed)
  for (const { position, score } of withCode(release, name, among, typed)) hits.offer(position, rankOf(score))
  return hits
}

/** How much all efforts together spend on candidates, in all entities; and what is left to the last at least, which finds something. */
const MAX_WORK = 150_000
const LAST_WORK = 60_000

/** A name, its ancestors and a fault: nobody means a word that is typed more often. */
const MAX_REPEATS = 4

/** What was looked for: a reading of what was typed, in some names. */
type Attempt = { readonly reading: Reading; readonly scorer: Scorer }

/** The search of one entity for some words, with more and more effort. */
class EntitySearch {
  readonly #space: SearchSpace
  readonly #typed: readonly string[]
  /** What the last run looked for. */
  #attempts: readonly Attempt[] = []
  /** What was looked for and is not there. */
  readonly #fruitless = new Set<string>()
  readonly #wanted: number | undefined

  /** Others than so many of the best hits may be left out; undefined stands for all. */
  constructor(space: SearchSpace, typed: readonly string[], wanted?: number) {
    this.#space = space
    this.#typed = typed.filter((word, at) => typed.slice(0, at).filter((other) => other === word).length < MAX_REPEATS)
    this.#wanted = wanted
  }

  /** The hits are good until the next search of the same entity. The ranks of other hits count among the wanted best. */
  run(
    effort: Effort,
    otherRanks: readonly number[] = [],
    work: SearchBudget = { left: Number.POSITIVE_INFINITY },
  ): Hits {
    const { words, levels, among, weightOf } = this.#space
    const hits = emptyHits(words, this.#wanted, otherRanks)
    if (effort.drop === 'any') work.left = Math.max(work.left, LAST_WORK)
    if (work.left <= 0) return hits
    // Efforts that differ in nothing for these words find nothing again.
    const hasLight = effort.drop !== 'light' || this.#typed.some((word) => isLight(words.language, word))
    const drop = hasLight ? effort.drop : 'none'
    const scored = this.#scored()
    const attempts: Attempt[] = []
    const scan = (reading: Reading) => {
      for (const [number, names] of scored.entries()) {
        const tolerances = tolerancesOf(names, reading, effort)
        const key = `${number} ${drop} ${tolerances.join('')} ${reading.words.join(' ')}`
        if (this.#fruitless.has(key)) continue
        const typed = typedWords(names, reading, tolerances, effort.drop, weightOf)
        if (typed !== undefined) {
          const scorer = new Scorer(names, typed, effort.drop, reading.isGlued ? GLUED_COST : 0)
          attempts.push({ reading, scorer })
          scanNames(scorer, among, hits, work)
        }
        if (hits.count === 0) this.#fruitless.add(key)
      }
    }
    plainReadings(this.#typed).forEach(scan)
    if (effort.tolerance > 0 && this.#typed.length <= LONG_LINE) {
      const isLastResort = effort.drop !== 'none' && hits.count === 0
      gluedReadings(this.#typed, [words, ...levels.map((level) => level.words)], isLastResort).forEach(scan)
    }
    this.#attempts = attempts
    return hits
  }

  /** How the record at a position was matched in the last run. */
  explain(position: number): Explanation {
    let best: Explanation | undefined
    let bestRank = NO_MATCH
    for (const { reading, scorer } of this.#attempts)
      for (const at of candidatesFor(scorer.names, position)) {
        const rank = scorer.rank(at)
        if (rank >= bestRank) continue
        bestRank = rank
        best = this.#explained(at, reading, scorer)
      }
    return best ?? { how: ['exact'], dropped: [], matched: [], matchedName: undefined, aliases: [] }
  }

  /** The names of the records, and their aliases. */
  #scored(): readonly ScoredNames[] {
    const { aliases } = this.#space
    if (aliases === undefined) return [this.#space]
    const { words, positions: records } = aliases
    return [this.#space, { ...this.#space, words, weights: wordWeights(words), records, naming: [] }]
  }

  #explained(at: number, reading: Reading, scorer: Scorer): Explanation {
    const kinds = new Set<How>()
    const dropped = new Set<string>()
    const matched: string[] = []
    const aliases: AliasMatch[] = []
    const { words, levels, records } = scorer.names
    const ownAlias = records === undefined ? undefined : this.#space.aliases?.aliases[at]
    const record = records === undefined ? at : (records[at] as number)
    if (ownAlias !== undefined) {
      kinds.add('alias')
      aliases.push({ entity: undefined, alias: ownAlias })
    }
    if (reading.isGlued) kinds.add('glued')
    for (const [word, { grade, place, level }] of scorer.trace().entries()) {
      const [first, last] = reading.typed[word] as readonly [number, number]
      if (grade === 0) {
        kinds.add('dropped-words')
        for (const text of this.#typed.slice(first, last + 1)) dropped.add(text)
        continue
      }
      kinds.add(kindOf(grade))
      if (place !== -1 && ownAlias === undefined)
        matched.push(words.words.text(words.names[(words.nameStarts[at] as number) + place] as number))
      const ancestor = levels[level]
      if (ancestor !== undefined && (grade === ALIAS || grade === ALIAS_WORD))
        for (const alias of ancestor.aliasesOf(ancestorAt(ancestor, record), reading.words[word] as string))
          if (!aliases.some((other) => other.alias === alias)) aliases.push({ entity: ancestor.entity, alias })
    }
    const matchedName = matched.length === 0 ? undefined : scorer.matchedName
    if (matchedName?.isAlias) kinds.add('alias')
    return { how: howOf(kinds), dropped: [...dropped], matched, matchedName, aliases }
  }
}

/** Where the names of a record are: at its own position, or at those of its aliases. */
function candidatesFor({ records }: ScoredNames, position: number): number[] {
  if (records === undefined) return [position]
  const aliases: number[] = []
  for (let at = records.indexOf(position); at !== -1; at = records.indexOf(position, at + 1)) aliases.push(at)
  return aliases
}

export type SearchResult = {
  readonly name: string
  readonly position: number
  /** From 0 to 1: quality and importance together. */
  readonly score: number
  /** From 0 to 1: how well the words match alone. */
  readonly quality: number
  /** How it was matched, which is found out when it is asked for. */
  readonly explain: () => Explanation
  /** From the point that the results are to be near to, in metres. */
  readonly distance?: number
}

/** The entities to search, each with the filters that narrow it. */
export type Scope = readonly (readonly [name: string, filters: readonly Filter[]])[]

/**
 * Searches several entities at once, the best of all first. Of results with the same score, those of an entity with fewer
 * ancestors come first, then in the order of the scope. No entity is searched with more effort while all of them together
 * have enough. Near a point, the nearest of all hits come first, however well they match.
 */
export const searchAcross = (
  release: Release,
  words: readonly string[],
  scope: Scope,
  limit: number,
  near?: Near,
  options?: Options,
): SearchResult[] => {
  const places = scope.map(
    ([name, filters]) => [name, positionsWhere(release, release.entity(name).definition, filters)] as const,
  )
  return searchAmong(release, words, places, limit, near, options)
}

type Options = {
  /** What is found otherwise, which counts where no record has all words as they were typed. */
  readonly instead?: () => SearchResult[] | undefined
  readonly efforts?: Efforts
}

/** The entities to search, each at these positions, which ascend, or at any. */
type Places = readonly (readonly [name: string, among: Uint32Array | undefined])[]

/** The same where it is known which records count. */
export function searchAmong(
  release: Release,
  words: readonly string[],
  places: Places,
  limit: number,
  near: Near | undefined,
  { instead, efforts: { wider, fuzzy } = effortsFor(words) }: Options = {},
): SearchResult[] {
  // The best hits can be found without the others, but not the nearest.
  const wanted = near === undefined ? Math.max(limit, MIN_HITS) : undefined
  const searches = places.map(([name, among]) => {
    const entitySearch = new EntitySearch(searchSpace(release, name, among), words, wanted)
    const coded = withCode(release, name, among, words)
    return { name, entitySearch, coded, count: 0, results: [] as SearchResult[] }
  })
  // The hits of small entities prune those of large ones, and cost little of the work.
  const smallestFirst = searches.toSorted((a, b) => release.entity(a.name).count - release.entity(b.name).count)
  // The nearest are known only when all are found.
  const work = { left: near === undefined ? MAX_WORK : Number.POSITIVE_INFINITY }
  const run = (effort: Effort, mayReplace: (count: number) => boolean) => {
    let total = 0
    for (const one of smallestFirst) {
      if (mayReplace(one.count)) {
        const others: number[] = []
        for (const other of searches)
          if (other !== one) for (const { score } of other.results) others.push(rankOf(score))
        const hits = one.entitySearch.run(effort, others, work)
        // Where the work is used up, less may be found than before.
        if (hits.count >= one.count) {
          one.count = hits.count
          one.results = resultsOf(release, one.name, hits, limit, near, one.entitySearch)
        }
      }
      total += one.count + one.coded.length
    }
    return total
  }
  const isFull = ({ results: [best] }: { readonly results: readonly SearchResult[] }) =>
    words.length > 1 && best !== undefined && best.quality >= FULL_QUALITY
  const total = run(AS_TYPED, () => true)
  const others = total === 0 ? instead?.() : undefined
  if (others !== undefined) return others
  if (total === 0) wider.find((effort) => run(effort, (count) => count === 0) > 0)
  else if (fuzzy !== undefined && total < Math.min(limit, MIN_HITS) && !searches.some(isFull))
    run(fuzzy, (count) => count < MIN_HITS)
  const results = searches.flatMap(({ coded, results }) => [
    ...coded,
    ...results.filter(({ position }) => !coded.some((other) => other.position === position)),
  ])
  return results.toSorted(near === undefined ? bestOrder(release) : byDistance).slice(0, limit)
}

/** The quality from which on several words leave nothing to look for with typing errors. */
const FULL_QUALITY = 0.9

const byDistance = (a: SearchResult, b: SearchResult) => (a.distance ?? 0) - (b.distance ?? 0)

function bestOrder(release: Release): (a: SearchResult, b: SearchResult) => number {
  const depth = ({ name }: SearchResult) => ancestorsOf(release.entity(name).definition).length
  return (a, b) => b.score - a.score || depth(a) - depth(b)
}

function resultsOf(
  release: Release,
  name: string,
  hits: Hits,
  limit: number,
  near: Near | undefined,
  entitySearch: EntitySearch,
): SearchResult[] {
  const entity = release.entity(name)
  const importance = importanceOf(release, name)
  const resultAt = (position: number): SearchResult => ({
    name,
    position,
    score: scoreOfRank(hits.scores[position] as number),
    quality: qualityOf(hits.scores[position] as number, importance[position] as number),
    explain: () => entitySearch.explain(position),
  })
  if (near === undefined) return hits.best(limit).map(resultAt)
  const distance = distanceFrom(entity, near)
  return Array.from(nearestFirst(entity, near, hits.ascending()).subarray(0, limit), (position) => ({
    ...resultAt(position),
    distance: distance(position),
  }))
}

/** The records that have or had what was typed as their whole code, however it was spaced. */
function withCode(
  release: Release,
  name: string,
  among: Uint32Array | undefined,
  words: readonly string[],
): SearchResult[] {
  const { definition } = release.entity(name)
  const importance = importanceOf(release, name)
  const code = typedCodeOf(definition, words)
  const keyed = positionsWithKeyCode(release, definition, words)
  const { positions, former }: CodedRecords =
    code === undefined ? { positions: [] } : recordsCoded(release, definition, code)
  const by: Partial<Explanation> =
    former === undefined ? {} : { how: ['alias'], aliases: [{ entity: undefined, alias: former }] }
  return [...new Set([...keyed, ...positions])]
    .filter((position) => among === undefined || among.includes(position))
    .map((position) => {
      // Nothing else is meant by a key.
      const rank = rankOfExact(keyed.includes(position) ? MAX_IMPORTANCE : (importance[position] as number))
      return { name, position, score: scoreOfRank(rank), quality: 1, explain: () => ({ ...BY_CODE, ...by }) }
    })
}
