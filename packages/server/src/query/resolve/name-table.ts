// The records of an entity by what they are called, so that those with a name are found without looking at the others.
import { lowerBound } from '../../base/binary-search.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { Release } from '../../release/release.ts'
import { type DistinctNames, type EntityNames, entityNames } from './entity-names.ts'
import { NameKeys } from './name-keys.ts'
import { hashOf } from './word-forms.ts'
import { readingsOf, type WrittenPart } from './written-part.ts'

/** How many buckets there are at most, as a power of two. */
const MAX_BUCKET_BITS = 16
/** The bits of a hash say little by themselves. */
const SPREAD = 0x9e3779b1
const bucketOf = (hash: number, shift: number): number => Math.imul(hash, SPREAD) >>> shift

/** The hashes of the keys of the records from one position to just before another, and what each is of: 8 bytes for each. */
class NameTable {
  readonly #names: EntityNames
  /** Where each bucket begins; the hashes in it, and what each is of: a distinct name, or a record that has other names too. */
  readonly #starts: Uint32Array
  readonly #hashes: Uint32Array
  readonly #called: Uint32Array
  /** By how many bits the hash of a bucket is shifted. */
  readonly #shift: number

  constructor(names: EntityNames, words: WordIndex, from: number, to: number) {
    this.#names = names
    const keys = new NameKeys(names, words)
    keys.add(from, to)
    const { count } = keys
    const bits = Math.min(32 - Math.clz32(count | 1), MAX_BUCKET_BITS)
    this.#shift = 32 - bits
    this.#starts = new Uint32Array(2 ** bits + 1)
    this.#hashes = new Uint32Array(count)
    this.#called = new Uint32Array(count)
    this.#fill(keys)
  }

  /** Puts the hashes and what they are of into their buckets. */
  #fill({ hashes, numbers, count }: NameKeys): void {
    const [starts, shift, ordered, called] = [this.#starts, this.#shift, this.#hashes, this.#called]
    for (let at = 0; at < count; at++) {
      const bucket = bucketOf(hashes[at] as number, shift) + 1
      starts[bucket] = (starts[bucket] as number) + 1
    }
    for (let bucket = 1; bucket < starts.length; bucket++)
      starts[bucket] = (starts[bucket] as number) + (starts[bucket - 1] as number)
    const next = starts.slice()
    for (let at = 0; at < count; at++) {
      const hash = hashes[at] as number
      const bucket = bucketOf(hash, shift)
      const place = next[bucket] as number
      next[bucket] = place + 1
      ordered[place] = hash
      called[place] = numbers[at] as number
    }
  }

  /** The numbers of the names and records that may be called so, nearly all of which are. */
  calledBy(hash: number): number[] {
    const bucket = bucketOf(hash, this.#shift)
    const called: number[] = []
    for (let at = this.#starts[bucket] as number; at < (this.#starts[bucket + 1] as number); at++)
      if (this.#hashes[at] === hash) called.push(this.#called[at] as number)
    return called
  }

  /** The positions of some of them, ascending. */
  positionsOf(called: readonly number[], { isWanted, from = 0, to = this.#names.count }: Wanted): number[] {
    const { distinctNames, distinctCount } = this.#names
    const found: number[] = []
    const add = (position: number) => {
      if (isWanted === undefined || isWanted(position)) found.push(position)
    }
    for (const number of called) {
      if (number >= distinctCount) {
        add(number - distinctCount)
        continue
      }
      const { starts, positions } = distinctNames as DistinctNames
      const end = starts[number + 1] as number
      for (let at = lowerBound(positions, from, starts[number], end); at < end && (positions[at] as number) < to; at++)
        add(positions[at] as number)
    }
    return called.length > 1 ? found.sort((a, b) => a - b) : found
  }
}

/** Which records are wanted: all, or some of those from one position to just before another. */
export type Wanted = { readonly isWanted?: (position: number) => boolean; readonly from?: number; readonly to?: number }

/** Finds the records of an entity by the keys of their names. A few rows name few parents: a table of all would take longer than they do. */
class NameFinder {
  readonly #names: EntityNames
  readonly #words: WordIndex
  #table: NameTable | undefined
  /** How many records were looked at without it, which are never as many as there are. */
  #looked = 0

  constructor(names: EntityNames, words: WordIndex) {
    this.#names = names
    this.#words = words
  }

  get table(): NameTable {
    this.#table ??= new NameTable(this.#names, this.#words, 0, this.#names.count)
    return this.#table
  }

  find(part: WrittenPart, wanted: Wanted): readonly number[] {
    const { from = 0, to = this.#names.count } = wanted
    this.#looked += to - from
    const isWhole = this.#table !== undefined || this.#looked >= this.#names.count
    const table = isWhole ? this.table : new NameTable(this.#names, this.#words, from, to)
    const all = hashesOf(part).flatMap((hash) => table.positionsOf(table.calledBy(hash), wanted))
    return all.length > 1 ? [...new Set(all)] : all
  }
}

/** The hashes of the keys of what was written, in all its readings. */
const hashesOf = memoized((part: WrittenPart): readonly number[] => {
  const keys = new Set<string>()
  for (const { joined, core } of readingsOf(part)) keys.add(joined).add(core)
  return Array.from(keys, hashOf)
})

const findersIn = memoized((release: Release) =>
  memoized((entity: Entity) => new NameFinder(entityNames(release, entity), release.entity(entity.name).index.words)),
)

/** Whether some record of an entity may be called so, without spaces. */
export const hasName = (release: Release, entity: Entity, joined: string): boolean =>
  findersIn(release)(entity).table.calledBy(hashOf(joined)).length > 0

/** The positions of the records of its entity that a part may name, unless it is misspelt; each once. */
export const positionsCalled = (part: WrittenPart, release: Release, wanted: Wanted): readonly number[] =>
  findersIn(release)(part.entity).find(part, wanted)
