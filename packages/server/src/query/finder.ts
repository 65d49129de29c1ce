// Finds the records of an entity that a query asks for: their positions in order, and how many there are.

import { indexInAscending } from '../base/binary-search.ts'
import { LruCache } from '../base/lru-cache.ts'
import { memoized } from '../base/memoized.ts'
import type { Release } from '../release/release.ts'
import { type Filter, positionsWhere } from './filter.ts'
import { type Near, NearestCandidates, nearestFirst } from './near.ts'
import { searchList } from './search/search.ts'
import { type Sort, sortBy } from './sort.ts'
import { treeOf } from './tree.ts'

export type Query = {
  readonly filters: readonly Filter[]
  /** Folded words. */
  readonly words: readonly string[]
  /** The first counts for more than the second; without any, the best hits come first, or records as they are published. */
  readonly sorts: readonly Sort[]
  /** Only records with coordinates, the nearest to a point first; where something is sorted by, so many of the nearest. */
  readonly near?: Near | undefined
  /** Only those above the record at this position in their tree, the nearest first unless they are sorted by something. */
  readonly ancestorsOf?: number
}

/** The positions of all records found, in order. */
export type Found = {
  readonly total: number
  slice(from: number, to: number): Uint32Array
  /** The place of a position in this order, or -1. */
  placeOf(position: number): number
}

export function find(release: Release, name: string, query: Query): Found {
  const { definition, count } = release.entity(name)
  const { filters, words, sorts, near, ancestorsOf } = query
  const cached = (compute: () => Uint32Array) => cacheOf(release).get(JSON.stringify([name, query]), compute)
  if (ancestorsOf !== undefined) return findAbove(release, name, query, ancestorsOf)
  if (near !== undefined) return findNear(release, name, query, near, cached)
  if (words.length === 0 && sorts.length === 0) {
    const positions = positionsWhere(release, definition, filters)
    return positions === undefined ? allOf(count) : foundAscending(positions)
  }
  const ordered = cached(() => {
    const among = positionsWhere(release, definition, filters)
    const hits = words.length === 0 ? undefined : searchList(release, name, among, words)
    if (hits !== undefined && sorts.length === 0) return hits.ranked()
    return sortBy(release, definition, hits === undefined ? among : hits.ascending(), sorts)
  })
  return foundInOrder(ordered)
}

/** Ancestors are few, so that all of them are found and then reduced to those that are wanted. */
function findAbove(release: Release, name: string, { filters, words, sorts, near }: Query, position: number): Found {
  const entity = release.entity(name)
  const passed = positionsWhere(release, entity.definition, filters)
  const above = (treeOf(entity)?.ancestorsOf(position) ?? []).filter(
    (one) => passed === undefined || indexInAscending(passed, one) !== -1,
  )
  const ascending = Uint32Array.from(above).sort()
  const hits = words.length === 0 ? undefined : searchList(release, name, ascending, words)
  const located = near && nearestFirst(entity, near, hits?.ascending() ?? ascending)
  if (located !== undefined)
    return foundInOrder(sorts.length === 0 ? located : sortBy(release, entity.definition, located.sort(), sorts))
  if (sorts.length > 0) return foundInOrder(sortBy(release, entity.definition, hits?.ascending() ?? ascending, sorts))
  return foundInOrder(hits?.ranked() ?? Uint32Array.from(above))
}

/** So many of the nearest are sorted by something else, where no greatest distance is given. */
export const MAX_NEAREST_SORTED = 1_000

/** So few candidates are put in order faster than the nearest of them are found in the spatial index. */
const FEW = 1_000

function findNear(
  release: Release,
  name: string,
  { filters, words, sorts }: Query,
  near: Near,
  cached: (compute: () => Uint32Array) => Uint32Array,
): Found {
  const entity = release.entity(name)
  const among = positionsWhere(release, entity.definition, filters)
  const candidates = () => (words.length === 0 ? among : searchList(release, name, among, words).ascending())
  const ordered = () => cached(() => nearestFirst(entity, near, candidates()))
  if (sorts.length > 0)
    return foundInOrder(
      cached(() => {
        const nearest = nearestFirst(entity, near, candidates())
        const sorted = near.within === undefined ? nearest.slice(0, MAX_NEAREST_SORTED) : nearest
        return sortBy(release, entity.definition, sorted.sort(), sorts)
      }),
    )
  const isOrdered = words.length > 0 || near.within !== undefined || (among !== undefined && among.length <= FEW)
  return isOrdered ? foundInOrder(ordered()) : new NearestCandidates(entity, near, among, ordered)
}

const foundInOrder = (positions: Uint32Array): Found => ({
  ...foundAscending(positions),
  placeOf: (position) => positions.indexOf(position),
})

const foundAscending = (positions: Uint32Array): Found => ({
  total: positions.length,
  slice: (from, to) => positions.subarray(from, to),
  placeOf: (position) => indexInAscending(positions, position),
})

const allOf = (count: number): Found => ({
  total: count,
  slice: (from, to) => Uint32Array.from({ length: Math.max(Math.min(to, count) - from, 0) }, (_, at) => from + at),
  placeOf: (position) => (position < count ? position : -1),
})

const MAX_CACHED_QUERIES = 64
const MAX_CACHED_POSITIONS = 2_000_000

/** Keeps the results of queries that took work, so that a walk through their pages finds them once. */
const cacheOf = memoized(
  (_: Release) =>
    new LruCache<Uint32Array>({
      maxEntries: MAX_CACHED_QUERIES,
      maxWeight: MAX_CACHED_POSITIONS,
      weightOf: ({ length }) => length,
    }),
)
