// Puts positions in the order of a field: texts in Spanish order, ties by position.
import { type Entity, embeddedAt } from '../catalog/entity.ts'
import { stepsWithin } from '../catalog/paths.ts'
import type { Release } from '../release/release.ts'

export type Sort = { readonly steps: readonly string[]; readonly descending: boolean }

/** What a position has in `values` is ranked by `ranks`, or is its own rank; there are so many ranks. */
type Ranking = { readonly values: Uint32Array; readonly ranks: Uint32Array | undefined; readonly count: number }

/** Positions in ascending order, or all of them. A stable sort by each field, the last one first. */
export function inOrder(
  release: Release,
  entity: Entity,
  positions: Uint32Array | undefined,
  sorts: readonly Sort[],
): Uint32Array {
  const [first, ...rest] = sorts.toReversed()
  const sorted = sortedBy(release, entity, positions, first as Sort)
  return rest.reduce((before, sort) => sortedBy(release, entity, before, sort, true), sorted)
}

function sortedBy(
  release: Release,
  entity: Entity,
  positions: Uint32Array | undefined,
  { steps, descending }: Sort,
  stable = false,
): Uint32Array {
  const { values, ranks, count } = rankingOf(release, entity, steps)
  const given = positions ?? upTo(values.length)
  const keys = new Uint32Array(given.length)
  for (let at = 0; at < given.length; at++) {
    const value = values[given[at] as number] as number
    const rank = ranks === undefined ? value : (ranks[value] as number)
    keys[at] = descending ? count - 1 - rank : rank
  }
  return !stable && given.length < count / 8 ? sorted(given, keys) : distributed(given, keys, count)
}

function upTo(count: number): Uint32Array {
  const positions = new Uint32Array(count)
  for (let position = 0; position < count; position++) positions[position] = position
  return positions
}

function rankingOf(release: Release, entity: Entity, steps: readonly string[]): Ranking {
  const [step = '', ...rest] = steps
  const column = release.entity(entity.name).index.column(step)
  const { values } = column
  if (column.kind === 'number') return { values, ranks: undefined, count: column.numbers.length }
  if (column.kind === 'text') return { values, ranks: column.groups, count: (column.groups.at(-1) ?? -1) + 1 }
  const parent = embeddedAt(entity, step)
  const { values: inner, ranks, count } = rankingOf(release, parent, stepsWithin(parent, rest))
  return { values, ranks: ranks === undefined ? inner : inner.map((value) => ranks[value] as number), count }
}

const SHIFT = 0x1_0000_0000

/** For few positions, in any order: key and position make up one number, and numbers are sorted fast. */
export function sorted(positions: Uint32Array, keys: ArrayLike<number>): Uint32Array {
  const both = new Float64Array(positions.length)
  for (let at = 0; at < both.length; at++) both[at] = (keys[at] as number) * SHIFT + (positions[at] as number)
  both.sort()
  const placed = new Uint32Array(positions.length)
  for (let at = 0; at < both.length; at++) placed[at] = (both[at] as number) % SHIFT
  return placed
}

/** For many, in ascending order: each goes where its key begins, after those with the same key that went before it. */
export function distributed(positions: Uint32Array, keys: ArrayLike<number>, count: number): Uint32Array {
  const next = new Uint32Array(count + 1)
  for (let at = 0; at < positions.length; at++) {
    const after = (keys[at] as number) + 1
    next[after] = (next[after] as number) + 1
  }
  for (let key = 0; key < count; key++) next[key + 1] = (next[key + 1] as number) + (next[key] as number)
  const placed = new Uint32Array(positions.length)
  for (let at = 0; at < positions.length; at++) {
    const key = keys[at] as number
    const place = next[key] as number
    placed[place] = positions[at] as number
    next[key] = place + 1
  }
  return placed
}
