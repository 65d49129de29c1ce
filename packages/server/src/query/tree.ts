// The tree that the records of an entity make up: who is above, and who below, whatever cycles someone has put into it.
import { checkpoint } from '../base/checkpoint.ts'
import { LruCache } from '../base/lru-cache.ts'
import { memoized } from '../base/memoized.ts'
import { broaderOf } from '../catalog/entity.ts'
import type { IndexColumn } from '../release/index/index-file.ts'
import type { OpenEntity } from '../release/release.ts'

const MAX_CACHED_SETS = 64
const MAX_CACHED_POSITIONS = 1_000_000
/** Number of records between two checkpoints, less one. */
const CHECKED_EVERY = 0xfff

/** Depths that are not known yet: of records that were not visited, and of those on the walk at hand. */
const UNKNOWN = -1
const WALKED = -2

/** A tree over positions. A record that is its own ancestor, by whatever way, is returned once. */
export class Tree {
  readonly #column: IndexColumn
  readonly #count: number
  readonly #descendants = new LruCache<Uint32Array>({
    maxEntries: MAX_CACHED_SETS,
    maxWeight: MAX_CACHED_POSITIONS,
    weightOf: ({ length }) => length,
  })
  #roots: Uint32Array | undefined
  #depths: Int32Array | undefined

  constructor(column: IndexColumn, count: number) {
    this.#column = column
    this.#count = count
  }

  /** The record above; undefined at a root, which may have been given as its own parent. */
  parentOf(position: number): number | undefined {
    const parent = this.#column.values[position] as number
    return parent === position || parent >= this.#count ? undefined : parent
  }

  /** The number of ancestors. */
  depthOf(position: number): number {
    this.#depths ??= this.#measured()
    return this.#depths[position] as number
  }

  /** The ancestors, the nearest first, from one place to just before another. */
  ancestorsOf(position: number, from = 0, to = Number.POSITIVE_INFINITY): Uint32Array {
    const end = Math.min(to, this.depthOf(position))
    const ancestors = new Uint32Array(Math.max(end - from, 0))
    let at = position
    for (let place = 0; place < end; place++) {
      if ((place & CHECKED_EVERY) === 0) checkpoint()
      at = this.#column.values[at] as number
      if (place >= from) ancestors[place - from] = at
    }
    return ancestors
  }

  /** Walks from each record up to one whose depth is known, to a root, or once around a cycle. */
  #measured(): Int32Array {
    const depths = new Int32Array(this.#count).fill(UNKNOWN)
    const walk = new Uint32Array(this.#count)
    for (let start = 0; start < this.#count; start++) {
      if ((start & CHECKED_EVERY) === 0) checkpoint()
      let length = 0
      let at: number | undefined = start
      for (; at !== undefined && depths[at] === UNKNOWN; at = this.parentOf(at)) {
        depths[at] = WALKED
        walk[length++] = at
      }
      let depth = at === undefined ? 0 : (depths[at] as number) + 1
      if (at !== undefined && depths[at] === WALKED) {
        const first = walk.subarray(0, length).lastIndexOf(at)
        // In a cycle, all others are above each.
        depth = length - first
        for (; length > first; length--) depths[walk[length - 1] as number] = depth - 1
      }
      while (length > 0) depths[walk[--length] as number] = depth++
    }
    return depths
  }

  /** The children of a record, ascending. */
  childrenOf(position: number): Uint32Array {
    const { starts, positions } = this.#column
    const children = positions.subarray(starts[position], starts[position + 1])
    return children.includes(position) ? children.filter((child) => child !== position) : children
  }

  /** The descendants of a record, ascending. */
  descendantsOf(position: number): Uint32Array {
    return this.#descendants.get(String(position), () => {
      const seen = new Uint8Array(this.#count)
      seen[position] = 1
      const found = [position]
      for (let at = 0; at < found.length; at++) {
        if ((at & CHECKED_EVERY) === 0) checkpoint()
        for (const child of this.childrenOf(found[at] as number)) {
          if (seen[child] === 1) continue
          seen[child] = 1
          found.push(child)
        }
      }
      return Uint32Array.from(found.slice(1)).sort()
    })
  }

  /** The records without a parent, ascending. */
  get roots(): Uint32Array {
    this.#roots ??= Uint32Array.from({ length: this.#count }, (_, position) => position).filter(
      (position) => this.parentOf(position) === undefined,
    )
    return this.#roots
  }
}

/** The tree of an entity; undefined where its records are none. */
export const treeOf = memoized(({ definition, index, count }: OpenEntity): Tree | undefined => {
  const broader = broaderOf(definition)
  return broader === undefined ? undefined : new Tree(index.column(broader), count)
})
