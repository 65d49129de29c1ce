// Puts positions in the order of fields: texts in the order of their language, ties by the next field, and by position in the end.
import { checkpoint } from '../base/checkpoint.ts'
import { memoized } from '../base/memoized.ts'
import { type CodePart, type Entity, embeddedAt, type OfficialCode } from '../catalog/entity.ts'
import { usualCodeOf } from '../catalog/official-code.ts'
import { keyPathsOf, stepsWithin } from '../catalog/paths.ts'
import type { IndexColumn } from '../release/index/index-file.ts'
import type { Release } from '../release/release.ts'
import { columnAt, derivedCode } from './columns.ts'

export type Sort = { readonly steps: readonly string[]; readonly descending: boolean }

/** The rank of each record in the order of one field, as a value and the rank of the value; without ranks, it is its own. */
type Ranking = {
  readonly values: Uint32Array
  readonly ranks: Uint32Array | undefined
  readonly count: number
  /** The rank of what is not known, the last, which comes last in either direction. */
  readonly unknown?: number | undefined
}

/** Sorts positions, which ascend, by several fields, the first before the second; undefined stands for all positions. */
export function sortBy(
  release: Release,
  entity: Entity,
  positions: Uint32Array | undefined,
  sorts: readonly Sort[],
): Uint32Array {
  let sorted = positions ?? upTo(release.entity(entity.name).count)
  // Each sort is stable, so the last field comes first.
  for (const sort of sorts.toReversed()) sorted = sortByOne(release, entity, sorted, sort)
  return sorted
}

function sortByOne(release: Release, entity: Entity, positions: Uint32Array, { steps, descending }: Sort): Uint32Array {
  const { values, ranks, count, unknown } = rankingOf(release, entity, steps)
  const highest = (unknown ?? count) - 1
  const keys = new Uint32Array(positions.length)
  for (let at = 0; at < positions.length; at++) {
    const value = values[positions[at] as number] as number
    const rank = ranks === undefined ? value : (ranks[value] as number)
    keys[at] = descending && rank !== unknown ? highest - rank : rank
  }
  return stableSort(positions, keys, count)
}

function upTo(count: number): Uint32Array {
  const positions = new Uint32Array(count)
  for (let position = 0; position < count; position++) positions[position] = position
  return positions
}

function rankingOf(release: Release, entity: Entity, steps: readonly string[]): Ranking {
  const [step = '', ...rest] = steps
  const code = derivedCode(entity, step)
  const stored = code && storedRanking(release)(code, entity)
  if (stored !== undefined) return stored
  const column = columnAt(release, entity, step)
  const { values } = column
  if (column.kind === 'number') return { values, ranks: undefined, count: column.numbers.length }
  if (column.kind === 'number fact' || column.kind === 'text fact')
    return { values, ranks: undefined, count: column.known.length + 1, unknown: column.known.length }
  if (column.kind === 'text') return { values, ...textRanks(column) }
  return { values, ...embeddedRanks(release, embeddedAt(entity, step), rest, column.starts.length - 1) }
}

/** The ranks by a code, where all records that have one are stored in its order, as most are: no code has to be written. */
const storedRanking = memoized((release: Release) =>
  memoized((code: OfficialCode, entity: Entity): Ranking | undefined => {
    const { count } = release.entity(entity.name)
    const parts: PartRanks[] = []
    for (const part of code.parts) {
      const ranked = partRanks(release, entity, part)
      if (ranked === undefined) return undefined
      parts.push(ranked)
    }
    const values = upTo(count)
    let [last, current] = [parts.map(() => -1), parts.map(() => -1)]
    for (let position = 0; position < count; position++) {
      if ((position & CHECKED_EVERY) === 0) checkpoint()
      let order = 0
      let isKnown = true
      for (let at = 0; at < parts.length && isKnown; at++) {
        const part = parts[at] as PartRanks
        const rank = part.ranks[part.values[position] as number] as number
        isKnown = rank !== NO_RANK
        if (order === 0) order = rank - (last[at] as number)
        current[at] = rank
      }
      if (!isKnown) values[position] = count
      else if (order <= 0) return undefined
      else [last, current] = [current, last]
    }
    return { values, ranks: undefined, count: count + 1, unknown: count }
  }),
)

const NO_RANK = 0xffff_ffff
/** Number of records between two checkpoints, less one. */
const CHECKED_EVERY = 0xfff

/** The value that each record has as a part of a code, and its rank, or NO_RANK where it makes no code. */
type PartRanks = { readonly values: Uint32Array; readonly ranks: Uint32Array }

/** The ranks of a part that is written in digits, as many in every code; undefined for other parts. */
function partRanks(release: Release, entity: Entity, part: CodePart): PartRanks | undefined {
  const column = release.entity(entity.name).index.column(part.field)
  if (column.kind !== 'embed') return part.values === undefined ? digitRanks(column, part.width) : undefined
  const parent = embeddedAt(entity, part.field)
  const { name } = usualCodeOf(parent)
  const above = name === '' ? undefined : digitRanks(columnAt(release, parent, name))
  if (above === undefined) return undefined
  const ranks = new Uint32Array(column.starts.length).fill(NO_RANK)
  ranks.set(above.values.map((value) => above.ranks[value] as number))
  return { values: column.values, ranks }
}

function digitRanks(column: IndexColumn, width?: number): PartRanks | undefined {
  if (column.kind !== 'text') return undefined
  const { values, texts } = column
  const length = width ?? (texts.size === 0 ? 0 : texts.lengthOf(texts.size - 1))
  const ranks = upTo(texts.size)
  for (let value = 0; value < texts.size; value++) {
    const text = texts.text(value)
    if (text === '' || (width !== undefined && text.length > width)) ranks[value] = NO_RANK
    else if (text.length !== length || !DIGITS.test(text)) return undefined
  }
  return { values, ranks }
}

const DIGITS = /^[0-9]+$/

type Ranks = Omit<Ranking, 'values'>
type TextColumn = Extract<IndexColumn, { readonly kind: 'text' }>

/** A text that is not known is the empty one, which comes before all others by its value. */
const textRanks = memoized(({ texts, groups }: TextColumn): Ranks => {
  const count = (groups.at(-1) ?? -1) + 1
  if (texts.size === 0 || texts.lengthOf(0) > 0) return { ranks: groups, count }
  const ranks = groups.slice()
  ranks[0] = count
  return { ranks, count: count + 1, unknown: count }
})

/** The ranks of embedded records; `valueCount` is one more than there are of them where some record has none. */
function embeddedRanks(release: Release, parent: Entity, rest: readonly string[], valueCount: number): Ranks {
  const { count: parentCount } = release.entity(parent.name)
  const isAnyMissing = valueCount > parentCount
  // A key of several values is as good as the place that it has.
  const isPlace = rest.length === 0 && keyPathsOf(parent).length > 1
  const inner: Ranking = isPlace
    ? { values: upTo(parentCount), ranks: undefined, count: parentCount }
    : rankingOf(release, parent, stepsWithin(parent, rest))
  const { values, ranks, count, unknown } = inner
  const own = ranks === undefined ? values : values.map((value) => ranks[value] as number)
  if (!isAnyMissing) return { ranks: own, count, unknown }
  const last = unknown ?? count
  const all = new Uint32Array(valueCount).fill(last)
  all.set(own)
  return { ranks: all, count: last + 1, unknown: last }
}

/** Sorts positions by their keys, each less than `keyCount`; those with the same key stay in order. */
export const stableSort = (positions: Uint32Array, keys: Uint32Array, keyCount: number): Uint32Array =>
  positions.length < keyCount / 8 ? sortFew(positions, keys) : countingSort(positions, keys, keyCount)

const SHIFT = 0x1_0000_0000

/** Key and place are packed into one number, since arrays of numbers are sorted without calling a comparison. */
function sortFew(positions: Uint32Array, keys: Uint32Array): Uint32Array {
  const packed = new Float64Array(positions.length)
  for (let at = 0; at < packed.length; at++) packed[at] = (keys[at] as number) * SHIFT + at
  packed.sort()
  const sorted = new Uint32Array(positions.length)
  for (let at = 0; at < packed.length; at++) sorted[at] = positions[(packed[at] as number) % SHIFT] as number
  return sorted
}

function countingSort(positions: Uint32Array, keys: Uint32Array, keyCount: number): Uint32Array {
  /** The index at which the next position with each key goes. */
  const next = new Uint32Array(keyCount + 1)
  for (let at = 0; at < keys.length; at++) {
    const after = (keys[at] as number) + 1
    next[after] = (next[after] as number) + 1
  }
  for (let key = 0; key < keyCount; key++) next[key + 1] = (next[key + 1] as number) + (next[key] as number)
  const sorted = new Uint32Array(positions.length)
  for (let at = 0; at < positions.length; at++) {
    const key = keys[at] as number
    const place = next[key] as number
    sorted[place] = positions[at] as number
    next[key] = place + 1
  }
  return sorted
}
