// The records of an entity that stand in a tree of their own: parents and children by position.
import { memoized } from '../base/memoized.ts'
import { broaderOf } from '../catalog/entity.ts'
import type { OpenEntity } from '../release/release.ts'

export type Forest = {
  /** The positions of the records without a parent. */
  readonly roots: readonly number[]
  /** The position of the parent; undefined for a root. */
  readonly parentOf: (position: number) => number | undefined
  /** The positions of the children, in their order. */
  readonly childrenOf: (position: number) => readonly number[]
  /** The number of descendants. */
  readonly descendants: (position: number) => number
}

/** The forest of an entity; undefined if its records stand in no tree. */
export const forestOf = memoized((entity: OpenEntity): Forest | undefined => {
  const field = broaderOf(entity.definition)
  if (field === undefined) return undefined
  const { values } = entity.index.column(field)
  const parents = withoutCycles(Int32Array.from(values, (value) => (value < entity.count ? value : NONE)))
  const { starts, children } = childrenIn(parents)
  const counts = descendantCounts(parents)
  return {
    roots: Array.from(parents.keys()).filter((position) => parents[position] === NONE),
    parentOf: (position) => (parents[position] === NONE ? undefined : parents[position]),
    childrenOf: (position) => Array.from(children.subarray(starts[position], starts[position + 1])),
    descendants: (position) => counts[position] ?? 0,
  }
})

const NONE = -1

/** Cuts each circle where it is met first, so that every walk to a root ends, and no record is left out. */
function withoutCycles(parents: Int32Array): Int32Array {
  const walks = new Int32Array(parents.length)
  for (let start = 0; start < parents.length; start++) {
    const walk = start + 1
    let at = start
    while (at !== NONE && walks[at] === 0) {
      walks[at] = walk
      const parent = parents[at] as number
      if (parent !== NONE && walks[parent] === walk) parents[at] = NONE
      at = parents[at] as number
    }
  }
  return parents
}

function childrenIn(parents: Int32Array) {
  const starts = new Uint32Array(parents.length + 1)
  for (const parent of parents) if (parent !== NONE) starts[parent + 1] = (starts[parent + 1] as number) + 1
  for (let at = 0; at < parents.length; at++) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number)
  const children = new Uint32Array(starts.at(-1) ?? 0)
  const next = starts.slice()
  for (const [position, parent] of parents.entries()) {
    if (parent === NONE) continue
    children[next[parent] as number] = position
    next[parent] = (next[parent] as number) + 1
  }
  return { starts, children }
}

/** Leaves are counted into their parents first, then those whose children have all been counted. */
function descendantCounts(parents: Int32Array): Uint32Array {
  const counts = new Uint32Array(parents.length)
  const waiting = new Uint32Array(parents.length)
  for (const parent of parents) if (parent !== NONE) waiting[parent] = (waiting[parent] as number) + 1
  const ready = Array.from(waiting.keys()).filter((position) => waiting[position] === 0)
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    const parent = parents[at] as number
    if (parent === NONE) continue
    counts[parent] = (counts[parent] as number) + (counts[at] as number) + 1
    waiting[parent] = (waiting[parent] as number) - 1
    if (waiting[parent] === 0) ready.push(parent)
  }
  return counts
}

/** The positions of the ancestors of a record, the nearest first. */
export function ancestorsIn({ parentOf }: Forest, position: number): number[] {
  const ancestors: number[] = []
  for (let at = parentOf(position); at !== undefined; at = parentOf(at)) ancestors.push(at)
  return ancestors
}
