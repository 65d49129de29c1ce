// Finds the records of an entity for a query: their positions in order, and how many there are.

import { indexInAscending } from '../base/binary-search.ts'
import { LruCache } from '../base/lru-cache.ts'
import { memoized } from '../base/memoized.ts'
import type { Release } from '../release/release.ts'
import { type Filter, positionsWhere } from './filter.ts'
import { type Near, NearestCandidates, nearestFirst } from './near.ts'
import { searchList } from './search/search.ts'
import { type Sort, sortBy } from './sort.ts'
import { type Tree, treeOf } from './tree.ts'

export type Query = {
  readonly filters: readonly Filter[]
  /** Folded words. */
  readonly words: readonly string[]
  /** The first counts for more than the second; without any, the best hits come first, or records as they are published. */
  readonly sorts: readonly Sort[]
  /** Restricts to records with coordinates, the nearest to a point first; if `sorts` has any, sorts only the nearest. */
  readonly near?: Near | undefined
  /** Restricts to the ancestors of the record at this position, the nearest first unless `sorts` has any. */
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
  const entity = release.entity(name)
  const { filters, words, sorts, near, ancestorsOf } = query
  const passing = () => positionsWhere(release, entity.definition, filters)
  const isPlain = words.length === 0 && sorts.length === 0
  if (ancestorsOf !== undefined) {
    const tree = treeOf(entity)
    if (tree === undefined) return foundInOrder(new Uint32Array())
    if (isPlain && near === undefined && filters.length === 0) return ancestry(tree, ancestorsOf)
    const passed = passing()
    const isPassed = (one: number) => passed === undefined || indexInAscending(passed, one) !== -1
    const above = tree.ancestorsOf(ancestorsOf).filter(isPassed)
    return foundInOrder(isPlain && near === undefined ? above : inOrder(release, name, query, above.sort()))
  }
  const ordered = () =>
    cacheOf(release).get(JSON.stringify([name, query]), () => inOrder(release, name, query, passing()))
  if (!isPlain || near?.within !== undefined) return foundInOrder(ordered())
  const passed = passing()
  if (near !== undefined)
    return passed !== undefined && passed.length <= FEW
      ? foundInOrder(ordered())
      : new NearestCandidates(entity, near, passed, ordered)
  return passed === undefined ? allOf(entity.count) : foundAscending(passed)
}

/** The number of the nearest that are sorted by something else, where no greatest distance is given. */
export const MAX_NEAREST_SORTED = 1_000

/** Up to this many candidates are sorted by distance faster than the spatial index finds the nearest of them. */
const FEW = 1_000

/** The records among some, which ascend, that have the words and coordinates of the query: sorted, or the nearest or the best first. */
function inOrder(
  release: Release,
  name: string,
  { words, sorts, near }: Query,
  among: Uint32Array | undefined,
): Uint32Array {
  const entity = release.entity(name)
  const hits = words.length === 0 ? undefined : searchList(release, name, among, words)
  if (hits !== undefined && sorts.length === 0 && near === undefined) return hits.ranked()
  const candidates = hits?.ascending() ?? among
  if (near === undefined) return sortBy(release, entity.definition, candidates, sorts)
  const nearest = nearestFirst(entity, near, candidates)
  if (sorts.length === 0) return nearest
  const sorted = near.within === undefined ? nearest.slice(0, MAX_NEAREST_SORTED) : nearest
  return sortBy(release, entity.definition, sorted.sort(), sorts)
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

/** The ancestors of a record, of which no more are visited than up to the end of a slice. */
const ancestry = (tree: Tree, position: number): Found => ({
  total: tree.depthOf(position),
  slice: (from, to) => tree.ancestorsOf(position, from, to),
  placeOf: (ancestor) => tree.ancestorsOf(position).indexOf(ancestor),
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
