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

/** A tree over positions. A record that is its own ancestor, by whatever way, is returned once. */
class Tree {
  readonly #column: IndexColumn
  readonly #count: number
  readonly #descendants = new LruCache<Uint32Array>({
    maxEntries: MAX_CACHED_SETS,
    maxWeight: MAX_CACHED_POSITIONS,
    weightOf: ({ length }) => length,
  })
  #roots: Uint32Array | undefined

  constructor(column: IndexColumn, count: number) {
    this.#column = column
    this.#count = count
  }

  /** The record above; undefined at a root, which may have been given as its own parent. */
  parentOf(position: number): number | undefined {
    const parent = this.#column.values[position] as number
    return parent === position || parent >= this.#count ? undefined : parent
  }

  /** The nearest first, and no more than so many. */
  ancestorsOf(position: number, max = Number.POSITIVE_INFINITY): number[] {
    const seen = new Set([position])
    const ancestors: number[] = []
    for (let at = this.parentOf(position); at !== undefined && ancestors.length < max; at = this.parentOf(at)) {
      if (seen.has(at)) break
      seen.add(at)
      ancestors.push(at)
    }
    return ancestors
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
