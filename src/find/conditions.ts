// Finds the positions of the records that meet conditions on their fields.
import { type Entity, embeddedAt } from '../catalog/entity.ts'
import { stepsWithin } from '../catalog/paths.ts'
import { sortKey } from '../catalog/words.ts'
import type { Column } from '../release/index/index-file.ts'
import type { SortedTexts } from '../release/index/sorted-texts.ts'
import type { Release } from '../release/release.ts'
import { placeOf } from './ascending.ts'

/** The value at a path, from the record itself, is one of these, or begins like one of them. */
export type Filter = {
  readonly steps: readonly string[]
  readonly match: 'equals' | 'begins'
  readonly values: readonly (string | number)[]
}

/** The value in a column is one of these, which ascend. */
type Condition = { readonly column: Column; readonly wanted: Uint32Array }

/** In ascending order; undefined stands for all. */
export function positionsWhere(release: Release, entity: Entity, filters: readonly Filter[]): Uint32Array | undefined {
  const [first, ...others] = conditionsOf(release, entity, filters)
  if (first === undefined || recordsOf(first) === first.column.values.length) return undefined
  const candidates = allOf(first)
  if (others.length === 0) return candidates
  return others.map(testOf).reduce(kept, candidates)
}

/** The first of them. */
export function firstWhere(release: Release, entity: Entity, filters: readonly Filter[]): number | undefined {
  const [first, ...others] = conditionsOf(release, entity, filters)
  if (first === undefined) return release.entity(entity.name).count > 0 ? 0 : undefined
  const tests = others.map(testOf)
  const candidates = allOf(first)
  for (let at = 0; at < candidates.length; at++) {
    const position = candidates[at] as number
    if (tests.every((test) => test(position))) return position
  }
  return undefined
}

/** Who has the fewest records to offer comes first: it names them, and the others are asked about each. */
const conditionsOf = (release: Release, entity: Entity, filters: readonly Filter[]): Condition[] =>
  filters.map((filter) => conditionOf(release, entity, filter)).sort((a, b) => recordsOf(a) - recordsOf(b))

/** Those of which a test holds. */
function kept(positions: Uint32Array, test: (position: number) => boolean): Uint32Array {
  const passing = new Uint32Array(positions.length)
  let used = 0
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number
    if (test(position)) passing[used++] = position
  }
  return passing.subarray(0, used)
}

function conditionOf(release: Release, entity: Entity, { steps, match, values }: Filter): Condition {
  const [step = '', ...rest] = steps
  const column = release.entity(entity.name).index.column(step)
  if (column.kind === 'embed') {
    const parent = embeddedAt(entity, step)
    const inner = { steps: stepsWithin(parent, rest), match, values }
    return { column, wanted: allOf(conditionOf(release, parent, inner)) }
  }
  return { column, wanted: wantedIn(column, match, values) }
}

/** The numbers of the values that are meant, in ascending order. */
function wantedIn(column: ValueColumn, match: Filter['match'], values: Filter['values']): Uint32Array {
  const [only] = values
  if (values.length === 1 && only !== undefined) return new Uint32Array(valuesOf(column, match, only))
  const flags = new Uint8Array(column.starts.length - 1)
  let count = 0
  for (const value of new Set(values)) {
    // What begins like a shorter one was found with it.
    if (match === 'begins' && values.some((other) => other !== value && String(value).startsWith(String(other))))
      continue
    for (const number of valuesOf(column, match, value)) {
      if (flags[number] === 0) count++
      flags[number] = 1
    }
  }
  const wanted = new Uint32Array(count)
  for (let number = 0, used = 0; used < count; number++) if (flags[number] === 1) wanted[used++] = number
  return wanted
}

type ValueColumn = Exclude<Column, { kind: 'embed' }>

function valuesOf(column: ValueColumn, match: Filter['match'], value: string | number): number[] {
  if (column.kind === 'number') return present(placeOf(column.numbers, value as number))
  const text = value as string
  if (match === 'equals') return present(column.texts.find(text))
  const [from, to] = column.texts.range(text)
  const alike = Array.from({ length: to - from }, (_, at) => from + at)
  if (sortKey(text) === text && areOwnKeys(column.texts)) return alike
  return alike.filter((number) => column.texts.text(number).startsWith(text))
}

const ownKeys = new WeakMap<SortedTexts, boolean>()

/** Codes of digits are: of those that begin alike without regard to accents and case, none need be looked at. */
function areOwnKeys(texts: SortedTexts): boolean {
  let are = ownKeys.get(texts)
  if (are === undefined) {
    are = true
    for (let number = 0; are && number < texts.size; number++) are = sortKey(texts.text(number)) === texts.text(number)
    ownKeys.set(texts, are)
  }
  return are
}

const present = (value: number | undefined) => (value === undefined ? [] : [value])

/** How many records have one of the wanted values. */
function recordsOf({ column: { starts }, wanted }: Condition): number {
  let records = 0
  for (let at = 0; at < wanted.length; at++) {
    const value = wanted[at] as number
    records += (starts[value + 1] as number) - (starts[value] as number)
  }
  return records
}

/** Above this share of all records, looking at each of them is cheaper than sorting. */
const MANY = 1 / 8

/** The positions of the records with a wanted value, in ascending order. */
function allOf(condition: Condition): Uint32Array {
  const { column, wanted } = condition
  const listOf = (value: number) => column.positions.subarray(column.starts[value], column.starts[value + 1])
  if (wanted.length === 0) return new Uint32Array()
  if (wanted.length === 1) return listOf(wanted[0] as number)
  const found = new Uint32Array(recordsOf(condition))
  let used = 0
  if (found.length > column.values.length * MANY) {
    const test = testOf(condition)
    for (let position = 0; position < column.values.length; position++) if (test(position)) found[used++] = position
    return found
  }
  for (const value of wanted) {
    const list = listOf(value)
    found.set(list, used)
    used += list.length
  }
  return found.sort()
}

function testOf({ column: { values, starts }, wanted }: Condition): (position: number) => boolean {
  if (wanted.length === 1) {
    const only = wanted[0]
    return (position) => values[position] === only
  }
  const flags = new Uint8Array(starts.length - 1)
  for (const value of wanted) flags[value] = 1
  return (position) => flags[values[position] as number] === 1
}
