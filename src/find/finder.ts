// Answers a query on one entity with positions in order, and how many there are.
import type { Release } from '../release/release.ts'
import { wordAbove } from './above.ts'
import { placeOf } from './ascending.ts'
import { type Filter, positionsWhere } from './conditions.ts'
import type { Hits, Search } from './hits.ts'
import { inOrder, type Sort } from './order.ts'
import { bestFirst } from './ranking.ts'
import { remembered } from './remembered.ts'
import { search } from './search.ts'

export type Query = {
  readonly filters: readonly Filter[]
  /** Folded words. */
  readonly words: readonly string[]
  /** The first field goes before the second, and so on; empty for relevance, or else the order of publication. */
  readonly sorts: readonly Sort[]
}

/** The positions of all that was found, in order. */
export type Found = {
  readonly total: number
  slice(from: number, to: number): Uint32Array
  /** Where a position stands in the order, or -1. */
  placeOf(position: number): number
}

const listed = (positions: Uint32Array, ascending: boolean): Found => ({
  total: positions.length,
  slice: (from, to) => positions.subarray(from, to),
  placeOf: (position) => (ascending ? (placeOf(positions, position) ?? -1) : positions.indexOf(position)),
})

const everything = (count: number): Found => ({
  total: count,
  slice: (from, to) => Uint32Array.from({ length: Math.max(Math.min(to, count) - from, 0) }, (_, at) => from + at),
  placeOf: (position) => (position < count ? position : -1),
})

export function find(release: Release, name: string, query: Query): Found {
  const { count, definition } = release.entity(name)
  const { filters, words, sorts } = query
  if (words.length === 0 && sorts.length === 0) {
    const positions = positionsWhere(release, definition, filters)
    return positions === undefined ? everything(count) : listed(positions, true)
  }
  const answer = remembered(release, JSON.stringify([name, query]), () => {
    const positions = positionsWhere(release, definition, filters)
    const hits = words.length === 0 ? undefined : search(searchIn(release, name, positions), words)
    if (sorts.length === 0) return bestFirst(hits as Hits)
    return inOrder(release, definition, hits === undefined ? positions : ascending(hits), sorts)
  })
  return listed(answer, false)
}

const ascending = ({ positions, inOrder }: Hits): Uint32Array => (inOrder ? positions : positions.slice().sort())

/** A search among the records of an entity at these positions, which ascend; undefined stands for all. */
export const searchIn = (release: Release, name: string, among: Uint32Array | undefined): Search => ({
  words: release.entity(name).index.words,
  among,
  above: wordAbove(release, name),
})
