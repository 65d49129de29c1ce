// The search: every typed word must be in the names or codes of a record, in any order; the best records come first.
//
// Words count as they were typed, whole or as the beginning of a word. Where that finds too few records, some of the words
// may be those of ancestors, as in "tuxpan nayarit"; where that finds too few as well, words may have typing errors.
import type { Entity } from '../catalog/entity.ts'
import { ancestorsOf } from '../catalog/lineage.ts'
import type { OpenEntity, Release } from '../release/release.ts'
import { ancestorMatcher } from './ancestor-match.ts'
import { findHits, type SearchSpace } from './candidates.ts'
import { type Filter, positionsWhere } from './filter.ts'
import { emptyHits, type Hits } from './hits.ts'
import { distanceFrom, type Near, nearestFirst } from './near.ts'
import { coarseScore, type TypedWord, typedWord } from './score.ts'

/** With fewer hits than this, the search is widened. */
const MIN_HITS = 5

/** The records of an entity at these positions, which ascend; undefined stands for all. */
export function searchSpace(release: Release, name: string, among: Uint32Array | undefined): SearchSpace {
  const { definition, index } = release.entity(name)
  return { words: index.words, among, matchAncestors: ancestorMatcher(release, definition) }
}

/** Searches one entity for folded words. The hits are good until the next search of the same entity. */
export function search(space: SearchSpace, typed: readonly string[]): Hits {
  const hits = searchAsTyped(space, typed)
  return hits.count >= MIN_HITS ? hits : searchWithEdits(space, typed)
}

function searchAsTyped(space: SearchSpace, typed: readonly string[]): Hits {
  const own = typed.map((word) => typedWord(space.words, word, false, []))
  const hits = findHits(space, own)
  if (hits.count >= MIN_HITS || typed.length === 1) return hits
  const wider = own.map((word, at) => ({ ...word, ancestors: space.matchAncestors(typed[at] as string, false) }))
  return wider.some(({ ancestors }) => ancestors.length > 0) ? findHits(space, wider) : hits
}

function searchWithEdits(space: SearchSpace, typed: readonly string[]): Hits {
  const found = new Map<string, TypedWord>()
  // A word that is nowhere makes it needless to look for the others, and long words are the rarest.
  for (const word of typed.toSorted((a, b) => b.length - a.length)) {
    const ancestors = typed.length === 1 ? [] : space.matchAncestors(word, true)
    const match = typedWord(space.words, word, true, ancestors)
    if (match.matching.length === 0 && ancestors.length === 0) return emptyHits(space.words)
    found.set(word, match)
  }
  return findHits(
    space,
    typed.map((word) => found.get(word) as TypedWord),
  )
}

export type SearchResult = {
  readonly name: string
  readonly position: number
  readonly score: number
  /** From the point that the results are to be near to, in metres. */
  readonly distance?: number
}

/** The entities to search, each with the filters that narrow it. */
export type Scope = readonly (readonly [name: string, filters: readonly Filter[]])[]

/**
 * Searches several entities at once, the best of all first. Of results that match as well, those of an entity with fewer
 * ancestors come first, then in the order of the scope. Where the entities together have enough hits as typed, none is
 * searched with typing errors. Near a point, the nearest of all hits come first, however well they match.
 */
export function searchAcross(
  release: Release,
  words: readonly string[],
  scope: Scope,
  limit: number,
  near?: Near,
): SearchResult[] {
  const resultsOf = (name: string, hits: Hits) =>
    near === undefined ? bestResults(name, hits, limit) : nearestResults(release.entity(name), hits, limit, near)
  // The best hits can be found without the others, but not the nearest.
  const wanted = near === undefined ? { wanted: Math.max(limit, MIN_HITS) } : {}
  const searches = scope.map(([name, filters]) => {
    const among = positionsWhere(release, release.entity(name).definition, filters)
    const space = { ...searchSpace(release, name, among), ...wanted }
    const hits = searchAsTyped(space, words)
    return { name, space, count: hits.count, results: resultsOf(name, hits) }
  })
  const countAsTyped = searches.reduce((sum, { count }) => sum + count, 0)
  const results = searches.flatMap(({ name, space, count, results }) =>
    countAsTyped >= Math.min(limit, MIN_HITS) || count >= MIN_HITS
      ? results
      : resultsOf(name, searchWithEdits(space, words)),
  )
  return results.toSorted(near === undefined ? bestOrder(release) : byDistance).slice(0, limit)
}

const byDistance = (a: SearchResult, b: SearchResult) => (a.distance ?? 0) - (b.distance ?? 0)

/** A country comes before a locality that matches as well, however many further words its name has. */
function bestOrder(release: Release): (a: SearchResult, b: SearchResult) => number {
  const depth = ({ name }: SearchResult) => depthOf(release.entity(name).definition)
  return (a, b) => coarseScore(a.score) - coarseScore(b.score) || depth(a) - depth(b) || a.score - b.score
}

const bestResults = (name: string, hits: Hits, limit: number): SearchResult[] =>
  Array.from(hits.ranked().subarray(0, limit), (position) => ({
    name,
    position,
    score: hits.scores[position] as number,
  }))

function nearestResults(entity: OpenEntity, hits: Hits, limit: number, near: Near): SearchResult[] {
  const distance = distanceFrom(entity, near)
  return Array.from(nearestFirst(entity, near, hits.ascending()).subarray(0, limit), (position) => ({
    name: entity.definition.name,
    position,
    score: hits.scores[position] as number,
    distance: distance(position),
  }))
}

const depths = new WeakMap<Entity, number>()

/** How many ancestors a record has. */
function depthOf(entity: Entity): number {
  const depth = depths.get(entity) ?? ancestorsOf(entity).length
  depths.set(entity, depth)
  return depth
}
