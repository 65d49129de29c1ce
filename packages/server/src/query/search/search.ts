// The search: finds the records that people mean by what they type, the best first, and tells how each was matched.
//
// Every typed word must be in the names or codes of a record or, beside at least one of its own, in those of its ancestors,
// in any order, whole or as the beginning of a word, or abbreviated. Where that finds too little, the search is widened step by step:
// words that say little may be missing; then words may be spelled by ear, have typing errors, or be glued together; in the
// end any word may be missing. What was dropped is part of the result.
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { NamingField } from '../../catalog/languages/languages.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { positionsWithCode } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import type { Alias } from '../../source/source.ts'
import { type Filter, positionsWhere } from '../filter.ts'
import { distanceFrom, type Near, nearestFirst } from '../near.ts'
import { type SearchSpace, scanNames, type Work } from './candidates.ts'
import { positionsWithKeyCode, typedCodeOf } from './codes.ts'
import { AS_TYPED, type Effort, effortsFor, FUZZY, LONG_LINE } from './efforts.ts'
import { emptyHits, type Hits } from './hits.ts'
import { importanceOf, MAX_IMPORTANCE } from './importance.ts'
import { GLUED_COST, gluedReadings, plainReadings, type Reading } from './readings.ts'
import {
  ancestorAt,
  type Drop,
  NO_MATCH,
  qualityOf,
  rankOfExact,
  type ScoredNames,
  Scorer,
  scoreOfRank,
  type TypedWord,
} from './score.ts'
import { searchSpace } from './search-space.ts'
import { tolerancesOf, typedWords } from './typed-words.ts'
import { ALIAS, ALIAS_WORD, isLight, kindOf, type MatchKind, wordWeights } from './word-match.ts'

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
  for (const { position, rank } of withCode(release, name, among, typed)) hits.offer(position, rank)
  return hits
}

/** How much all efforts together spend on candidates, in all entities; and what is left to the last at least, which finds something. */
const MAX_WORK = 150_000
const LAST_WORK = 60_000

/** A name, its ancestors and a fault: nobody means a word that is typed more often. */
const MAX_REPEATS = 4

type Prepared = {
  readonly names: ScoredNames
  readonly reading: Reading
  readonly typed: readonly TypedWord[]
  readonly penalty: number
}

/** The search of one entity for some words, with more and more effort. */
class EntitySearch {
  readonly #space: SearchSpace
  readonly #typed: readonly string[]
  #drop: Drop = 'none'
  /** What the last run looked for. */
  #prepared: readonly Prepared[] = []
  /** What was looked for and is not there. */
  readonly #fruitless = new Set<string>()
  /** The scorers by which its results are explained. */
  #scorers: readonly Scorer[] | undefined
  readonly #wanted: number | undefined

  /** Others than so many of the best hits may be left out; undefined stands for all. */
  constructor(space: SearchSpace, typed: readonly string[], wanted?: number) {
    this.#space = space
    this.#typed = typed.filter((word, at) => typed.slice(0, at).filter((other) => other === word).length < MAX_REPEATS)
    this.#wanted = wanted
  }

  /** The hits are good until the next search of the same entity. The ranks of other hits count among the wanted best. */
  run(effort: Effort, otherRanks: readonly number[] = [], work: Work = { left: Number.POSITIVE_INFINITY }): Hits {
    const { words, levels, among, weightOf } = this.#space
    const hits = emptyHits(words, this.#wanted, otherRanks)
    if (effort.drop === 'any') work.left = Math.max(work.left, LAST_WORK)
    if (work.left <= 0) return hits
    this.#drop = effort.drop
    this.#scorers = undefined
    // Efforts that differ in nothing for these words find nothing again.
    const hasLight = effort.drop !== 'light' || this.#typed.some((word) => isLight(words.language, word))
    const drop = hasLight ? effort.drop : 'none'
    const scored = this.#scored()
    const prepared: Prepared[] = []
    const scan = (reading: Reading) => {
      for (const [number, names] of scored.entries()) {
        const tolerances = tolerancesOf(names, reading, effort)
        const key = `${number} ${drop} ${tolerances.join('')} ${reading.words.join(' ')}`
        if (this.#fruitless.has(key)) continue
        const typed = typedWords(names, reading, tolerances, effort.drop, weightOf)
        const penalty = reading.isGlued ? GLUED_COST : 0
        if (typed !== undefined) {
          prepared.push({ names, reading, typed, penalty })
          scanNames(names, among, typed, effort.drop, penalty, hits, work)
        }
        if (hits.count === 0) this.#fruitless.add(key)
      }
    }
    plainReadings(this.#typed).forEach(scan)
    if (effort.tolerance > 0 && this.#typed.length <= LONG_LINE) {
      const isLastResort = effort.drop !== 'none' && hits.count === 0
      gluedReadings(this.#typed, [words, ...levels.map((level) => level.words)], isLastResort).forEach(scan)
    }
    this.#prepared = prepared
    return hits
  }

  /** How the record at a position was matched in the last run. */
  explain(position: number): Explanation {
    let best: Explanation | undefined
    let bestRank = NO_MATCH
    this.#scorers ??= this.#prepared.map(({ names, typed, penalty }) => new Scorer(names, typed, this.#drop, penalty))
    for (const [number, { names, reading }] of this.#prepared.entries()) {
      const scorer = this.#scorers[number] as Scorer
      for (const at of candidatesFor(names, position)) {
        const rank = scorer.rank(at)
        if (rank >= bestRank) continue
        bestRank = rank
        best = this.#explained(names, at, reading, scorer)
      }
    }
    return best ?? { how: ['exact'], dropped: [], matched: [], matchedName: undefined, aliases: [] }
  }

  #scored(): readonly ScoredNames[] {
    const { words, weights, levels, importance, aliases, naming } = this.#space
    const ownNames: ScoredNames = { words, weights, records: undefined, levels, importance, naming }
    if (aliases === undefined) return [ownNames]
    const { words: aliasWords, positions: records } = aliases
    const aliasNames = { words: aliasWords, weights: wordWeights(aliasWords), records, levels, importance, naming: [] }
    return [ownNames, aliasNames]
  }

  #explained(names: ScoredNames, at: number, reading: Reading, scorer: Scorer): Explanation {
    const kinds = new Set<MatchKind | 'glued' | 'dropped-words'>()
    const dropped = new Set<string>()
    const matched: string[] = []
    const aliases: AliasMatch[] = []
    const { words, levels, records } = names
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
    const how = HOW.filter((kind) => kinds.has(kind))
    return {
      how: how.length > 1 ? how.filter((kind) => kind !== 'exact') : how,
      dropped: [...dropped],
      matched,
      matchedName,
      aliases,
    }
  }
}

/** Where the names of a record are: at its own position, or at those of its aliases. */
function candidatesFor({ records }: ScoredNames, position: number): number[] {
  if (records === undefined) return [position]
  const aliases: number[] = []
  for (let at = records.indexOf(position); at !== -1; at = records.indexOf(position, at + 1)) aliases.push(at)
  return aliases
}

/** In which ways typed words may match, the surest first. */
export const HOW = [
  'exact',
  'code',
  'alias',
  'abbreviation',
  'prefix',
  'by-ear',
  'typo',
  'glued',
  'dropped-words',
] as const satisfies readonly (MatchKind | 'glued' | 'dropped-words')[]
export type How = (typeof HOW)[number]

/** An alias by which a record was found, and the entity of its ancestor where the alias is that one's. */
export type AliasMatch = { readonly entity: string | undefined; readonly alias: Alias }

/** How a record was matched. */
export type Explanation = {
  /** All ways in which words matched; `exact` only where there is no other. */
  readonly how: readonly How[]
  /** The typed words that the record does not have. */
  readonly dropped: readonly string[]
  /** The words of its own name that were matched, folded. */
  readonly matched: readonly string[]
  /** Which of its names that is, where it has several that are matched apart. */
  readonly matchedName: NamingField | undefined
  readonly aliases: readonly AliasMatch[]
}

export type SearchResult = {
  readonly name: string
  readonly position: number
  /** From 0 to 1: quality and importance together. */
  readonly score: number
  /** From 0 to 1: how well the words match alone. */
  readonly quality: number
  readonly explanation: Explanation
  /** From the point that the results are to be near to, in metres. */
  readonly distance?: number
}

/** The entities to search, each with the filters that narrow it. */
export type Scope = readonly (readonly [name: string, filters: readonly Filter[]])[]

/** A result that is explained only if it is among the first. */
export type Unexplained = Omit<SearchResult, 'explanation'> & { readonly explain: () => Explanation }
type Ranked = Unexplained & { readonly rank: number }

export const explained = ({ explain, ...result }: Unexplained): SearchResult => ({ ...result, explanation: explain() })

/**
 * Searches several entities at once, the best of all first. Of results with the same score, those of an entity with fewer
 * ancestors come first, then in the order of the scope. No entity is searched with more effort while all of them together
 * have enough. Near a point, the nearest of all hits come first, however well they match. What is found
 * instead counts where no record has all words as they were typed.
 */
export function rankAcross(
  release: Release,
  words: readonly string[],
  scope: Scope,
  limit: number,
  near?: Near,
  instead?: () => Unexplained[] | undefined,
  { wider, fuzzy } = effortsFor(words),
): Unexplained[] {
  // The best hits can be found without the others, but not the nearest.
  const wanted = near === undefined ? Math.max(limit, MIN_HITS) : undefined
  const searches = scope.map(([name, filters]) => {
    const among = positionsWhere(release, release.entity(name).definition, filters)
    const entitySearch = new EntitySearch(searchSpace(release, name, among), words, wanted)
    const coded = withCode(release, name, among, words)
    return { name, entitySearch, coded, count: 0, results: [] as Ranked[] }
  })
  // The hits of small entities prune those of large ones, and cost little of the work.
  const smallestFirst = searches.toSorted((a, b) => release.entity(a.name).count - release.entity(b.name).count)
  // The nearest can only be told when all are found.
  const work = { left: near === undefined ? MAX_WORK : Number.POSITIVE_INFINITY }
  const run = (effort: Effort, mayReplace: (count: number) => boolean) => {
    let total = 0
    for (const one of smallestFirst) {
      if (mayReplace(one.count)) {
        const others: number[] = []
        for (const other of searches) if (other !== one) for (const { rank } of other.results) others.push(rank)
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
  const total = run(AS_TYPED, () => true)
  const others = total === 0 ? instead?.() : undefined
  if (others !== undefined) return others
  if (total === 0) wider.find((effort) => run(effort, (count) => count === 0) > 0)
  else if (total < Math.min(limit, MIN_HITS) && !searches.some(({ results }) => isFull(words, results[0])))
    run(fuzzy, (count) => count < MIN_HITS)
  const results = searches.flatMap(({ coded, results }) => [
    ...coded,
    ...results.filter(({ position }) => !coded.some((other) => other.position === position)),
  ])
  return results
    .toSorted(near === undefined ? bestOrder(release) : byDistance)
    .slice(0, limit)
    .map(({ rank: _, ...result }) => result)
}

/** The same, with how each result was matched. */
export const searchAcross = (...query: Parameters<typeof rankAcross>): SearchResult[] =>
  rankAcross(...query).map(explained)

/** Where one entity is searched: at these positions, which ascend, or at any; and whether only what is typed counts. */
type EntityScope = { readonly among: Uint32Array | undefined; readonly isAsTyped?: boolean }

/** The best records of one entity, with as much effort as it takes to find any. */
export function searchEntity(
  release: Release,
  name: string,
  words: readonly string[],
  limit: number,
  { among, isAsTyped = false }: EntityScope,
): Unexplained[] {
  const entitySearch = new EntitySearch(searchSpace(release, name, among), words, limit)
  const coded = withCode(release, name, among, words)
  const work = { left: MAX_WORK }
  let hits = entitySearch.run(AS_TYPED, [], work)
  if (hits.count === 0 && coded.length === 0 && !isAsTyped)
    for (const effort of effortsFor(words).wider) {
      hits = entitySearch.run(effort, [], work)
      if (hits.count > 0) break
    }
  const importance = importanceOf(release, name)
  const best = hits.best(limit).map((position) => ({
    name,
    position,
    score: scoreOfRank(hits.scores[position] as number),
    quality: qualityOf(hits.scores[position] as number, importance[position] as number),
    explain: () => entitySearch.explain(position),
  }))
  return [...coded.map(({ rank: _, ...result }) => result), ...best]
}

/** The quality from which on several words leave nothing to look for with typing errors. */
const FULL_QUALITY = 0.9
const isFull = (words: readonly string[], best: Ranked | undefined): boolean =>
  words.length > 1 && best !== undefined && best.quality >= FULL_QUALITY

const byDistance = (a: Ranked, b: Ranked) => (a.distance ?? 0) - (b.distance ?? 0)

function bestOrder(release: Release): (a: Ranked, b: Ranked) => number {
  const depth = ({ name }: Ranked) => depthOf(release.entity(name).definition)
  return (a, b) => b.score - a.score || depth(a) - depth(b)
}

function resultsOf(
  release: Release,
  name: string,
  hits: Hits,
  limit: number,
  near: Near | undefined,
  entitySearch: EntitySearch,
): Ranked[] {
  const entity = release.entity(name)
  const importance = importanceOf(release, name)
  const rankedAt = (position: number): Ranked => ({
    name,
    position,
    rank: hits.scores[position] as number,
    score: scoreOfRank(hits.scores[position] as number),
    quality: qualityOf(hits.scores[position] as number, importance[position] as number),
    explain: () => entitySearch.explain(position),
  })
  if (near === undefined) return hits.best(limit).map(rankedAt)
  const distance = distanceFrom(entity, near)
  return Array.from(nearestFirst(entity, near, hits.ascending()).subarray(0, limit), (position) => ({
    ...rankedAt(position),
    distance: distance(position),
  }))
}

const CODE_EXPLANATION: Explanation = {
  how: ['code'],
  dropped: [],
  matched: [],
  matchedName: undefined,
  aliases: [],
}

/** The records whose whole code was typed, however it was spaced. */
function withCode(release: Release, name: string, among: Uint32Array | undefined, words: readonly string[]): Ranked[] {
  const { definition } = release.entity(name)
  const importance = importanceOf(release, name)
  const code = typedCodeOf(definition, words)
  const keyed = positionsWithKeyCode(release, definition, words)
  const official = code === undefined ? [] : positionsWithCode(release, definition, code)
  return [...keyed, ...official.filter((position) => !keyed.includes(position))]
    .filter((position) => among === undefined || among.includes(position))
    .map((position) => {
      // Nothing else is meant by a key.
      const rank = rankOfExact(keyed.includes(position) ? MAX_IMPORTANCE : (importance[position] as number))
      return { name, position, rank, score: scoreOfRank(rank), quality: 1, explain: () => CODE_EXPLANATION }
    })
}

/** How many ancestors a record has. */
const depthOf = memoized((entity: Entity) => ancestorsOf(entity).length)
