// Filters: finds the positions of the records that have certain values in their fields or in those of their ancestors.

import { indexInAscending } from '../base/binary-search.ts'
import { memoized } from '../base/memoized.ts'
import { type Entity, embeddedAt } from '../catalog/entity.ts'
import { stepsWithin } from '../catalog/paths.ts'
import type { Column } from '../release/index/index-file.ts'
import type { SortedTexts } from '../release/index/sorted-texts.ts'
import type { Release } from '../release/release.ts'

/** The value at a path from the record is one of these, begins with one of them, or is at least or at most the one. */
export type Filter = {
  readonly steps: readonly string[]
  readonly match: 'equals' | 'begins' | 'min' | 'max'
  readonly values: readonly (string | number)[]
}

/** A filter as a set of values of one column of the entity itself: their numbers, ascending. */
type ColumnFilter = { readonly column: Column; readonly wanted: Uint32Array }
type Test = (position: number) => boolean

/** The positions of the records that pass all filters, ascending; undefined stands for all. */
export function positionsWhere(release: Release, entity: Entity, filters: readonly Filter[]): Uint32Array | undefined {
  const [rarest, ...others] = rarestFirst(release, entity, filters)
  if (rarest === undefined || recordsOf(rarest) === rarest.column.values.length) return undefined
  return others.map(testOf).reduce(passing, positionsOf(rarest))
}

/** The first of the records that pass all filters. */
export function firstWhere(release: Release, entity: Entity, filters: readonly Filter[]): number | undefined {
  const [rarest, ...others] = rarestFirst(release, entity, filters)
  if (rarest === undefined) return release.entity(entity.name).count > 0 ? 0 : undefined
  const tests = others.map(testOf)
  return positionsOf(rarest).find((position) => tests.every((test) => test(position)))
}

/** The filter that the fewest records pass comes first: its records are the candidates, and the others test each. */
const rarestFirst = (release: Release, entity: Entity, filters: readonly Filter[]): ColumnFilter[] =>
  filters.map((filter) => columnFilter(release, entity, filter)).sort((a, b) => recordsOf(a) - recordsOf(b))

/** A filter inside an embedded record is applied to the embedded records first, which are few. */
function columnFilter(release: Release, entity: Entity, { steps, match, values }: Filter): ColumnFilter {
  const [step = '', ...rest] = steps
  const column = release.entity(entity.name).index.column(step)
  if (column.kind !== 'embed') return { column, wanted: wantedIn(column, match, values) }
  const parent = embeddedAt(entity, step)
  const inner = columnFilter(release, parent, { steps: stepsWithin(parent, rest), match, values })
  return { column, wanted: positionsOf(inner) }
}

type ValueColumn = Exclude<Column, { kind: 'embed' }>

/** The numbers of the values that a filter means, ascending. */
function wantedIn(column: ValueColumn, match: Filter['match'], values: Filter['values']): Uint32Array {
  const [only] = values
  if (match === 'min' || match === 'max') return numbersBounded(column, match, only as number)
  if (values.length === 1 && only !== undefined) return new Uint32Array(numbersOf(column, match, only))
  const flags = new Uint8Array(column.starts.length - 1)
  let count = 0
  for (const value of new Set(values)) {
    if (match === 'begins' && values.some((prefix) => isLongerThan(value, prefix))) continue
    for (const number of numbersOf(column, match, value)) {
      if (flags[number] === 0) count++
      flags[number] = 1
    }
  }
  const wanted = new Uint32Array(count)
  for (let number = 0, used = 0; used < count; number++) if (flags[number] === 1) wanted[used++] = number
  return wanted
}

/** What is not known is neither at least nor at most anything. */
function numbersBounded(column: ValueColumn, match: 'min' | 'max', bound: number): Uint32Array {
  if (column.kind !== 'number fact') throw new Error('only numbers that are facts have bounds')
  const { known } = column
  const below = known.findIndex((number) => (match === 'min' ? number >= bound : number > bound))
  const [from, to] = match === 'min' ? [below, known.length] : [0, below === -1 ? known.length : below]
  return from === -1 ? new Uint32Array() : Uint32Array.from({ length: to - from }, (_, at) => from + at)
}

/** What begins with the longer one begins with its prefix, too. */
const isLongerThan = (value: string | number, prefix: string | number): boolean =>
  value !== prefix && String(value).startsWith(String(prefix))

function numbersOf(column: ValueColumn, match: Filter['match'], value: string | number): number[] {
  if (column.kind === 'number fact') return [column.known.indexOf(value as number)].filter((at) => at !== -1)
  if (column.kind === 'text fact') return [column.known.indexOf(value as string)].filter((at) => at !== -1)
  if (column.kind === 'number') return [indexInAscending(column.numbers, value as number)].filter((at) => at !== -1)
  const text = value as string
  if (match === 'equals') return [column.texts.find(text) ?? -1].filter((at) => at !== -1)
  const [from, to] = column.texts.range(text)
  const alike = Array.from({ length: to - from }, (_, at) => from + at)
  if (column.texts.isOwnKey(text) && areOwnKeys(column.texts)) return alike
  return alike.filter((number) => column.texts.text(number).startsWith(text))
}

/** Whether every text is its own sort key, as codes of digits are: then those in a range of keys begin as was asked. */
const areOwnKeys = memoized((texts: SortedTexts): boolean => {
  for (let number = 0; number < texts.size; number++) if (!texts.isOwnKey(texts.text(number))) return false
  return true
})

/** How many records pass. */
function recordsOf({ column: { starts }, wanted }: ColumnFilter): number {
  let records = 0
  for (let at = 0; at < wanted.length; at++) {
    const value = wanted[at] as number
    records += (starts[value + 1] as number) - (starts[value] as number)
  }
  return records
}

/** Above this share of all records, testing each of them is cheaper than sorting. */
const MANY = 1 / 8

/** The positions of the records that pass, ascending. A single value has a posting list, of which nothing is copied. */
function positionsOf(filter: ColumnFilter): Uint32Array {
  const { column, wanted } = filter
  const postings = (value: number) => column.positions.subarray(column.starts[value], column.starts[value + 1])
  if (wanted.length === 0) return new Uint32Array()
  if (wanted.length === 1) return postings(wanted[0] as number)
  const positions = new Uint32Array(recordsOf(filter))
  let used = 0
  if (positions.length > column.values.length * MANY) {
    const test = testOf(filter)
    for (let position = 0; position < column.values.length; position++) if (test(position)) positions[used++] = position
    return positions
  }
  for (const value of wanted) {
    const list = postings(value)
    positions.set(list, used)
    used += list.length
  }
  return positions.sort()
}

function passing(positions: Uint32Array, test: Test): Uint32Array {
  const passed = new Uint32Array(positions.length)
  let used = 0
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number
    if (test(position)) passed[used++] = position
  }
  return passed.subarray(0, used)
}

function testOf({ column: { values, starts }, wanted }: ColumnFilter): Test {
  if (wanted.length === 1) {
    const only = wanted[0]
    return (position) => values[position] === only
  }
  const flags = new Uint8Array(starts.length - 1)
  for (const value of wanted) flags[value] = 1
  return (position) => flags[values[position] as number] === 1
}
