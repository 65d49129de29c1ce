// Facets: how many of the records that a list finds have each parent, or each value of a field that has few.
import { LruCache } from '../base/lru-cache.ts'
import { memoized } from '../base/memoized.ts'
import type { Entity, Field } from '../catalog/entity.ts'
import { parsedRecord } from '../catalog/flatten.ts'
import { isNameFact } from '../catalog/languages/languages.ts'
import { pathTo } from '../catalog/lineage.ts'
import { queryWithin } from '../http/v2/find.ts'
import type { ListRequest } from '../http/v2/request/records-request.ts'
import { find, type Query } from '../query/finder.ts'
import type { Near } from '../query/near.ts'
import { factReader } from '../release/facts.ts'
import type { IndexColumn } from '../release/index/index-file.ts'
import type { OpenEntity, Release } from '../release/release.ts'
import type { PageLanguage } from './language.ts'
import { filterParameter, filterValue, RESERVED_PARAMETERS } from './links.ts'
import { nameOf } from './names.ts'

export type Facet = {
  /** The parameter that filters by it. */
  readonly parameter: string
  /** The fields that lead to it from a record. */
  readonly steps: readonly string[]
  /** The entity of the parents; undefined for a value of the records themselves. */
  readonly parent: Entity | undefined
  /** The values that any record has, or the most frequent of them where there are many. */
  readonly values: readonly FacetValue[]
  /** The number of values, also of those that `values` leaves out. */
  readonly size: number
}

export type FacetValue = { readonly value: string; readonly name: string; readonly count: number }

/** Most values of a field that is a choice. */
const MAX_VALUES = 20
/** Most fields that are offered, since a list may have dozens. */
const MAX_FIELDS = 8
/** A longer value is a text and no choice. */
const MAX_LENGTH = 60

/** The parameters that narrow the lists of an entity: every ancestor by the shortest way, and fields with few values. */
export const facetParameters = (release: Release, entity: Entity): string[] => [...facetSteps(release)(entity).keys()]

/** The fields that lead to each facet, by its parameter. */
const facetSteps = memoized((release: Release) =>
  memoized((entity: Entity): ReadonlyMap<string, readonly string[]> => {
    const { index } = release.entity(entity.name)
    const ancestors = [...release.catalog.entities.values()].flatMap((one) => {
      const steps = pathTo(entity, one)?.steps
      return steps === undefined ? [] : [steps]
    })
    const values = Object.entries(entity.fields).filter(
      ([name, field]) => isChoice(field) && hasFewValues(index.column(name)),
    )
    const all = [...ancestors, ...values.slice(0, MAX_FIELDS).map(([name]) => [name])]
    const named = all.map((steps) => [filterParameter(entity, steps), steps] as const)
    // These names have another meaning on every page.
    return new Map(named.filter(([parameter]) => !RESERVED_PARAMETERS.includes(parameter)))
  }),
)

const CHOICES: readonly string[] = ['text', 'boolean', 'integer', 'year']

/** True for a field whose values may be few enough to choose from. */
const isChoice = (field: Field): boolean =>
  field.kind === 'value' ? field.role === undefined && CHOICES.includes(field.type) : isTextFact(field)

const isTextFact = (field: Field): boolean => field.kind === 'fact' && field.type === 'text' && !isNameFact(field)

/** True if the records share few values; values that are nearly all different are no choice. */
function hasFewValues(column: IndexColumn): boolean {
  const values = knownValues(column)
  if (values.length === 0 || values.length > MAX_VALUES) return false
  if (column.kind === 'text fact') return true
  const records = values.reduce((sum, { number }) => sum + recordsWith(column, number), 0)
  return records >= values.length * 2 && values.every(({ text }) => text.length <= MAX_LENGTH)
}

const recordsWith = ({ starts }: IndexColumn, value: number): number =>
  (starts[value + 1] as number) - (starts[value] as number)

type KnownValue = { readonly number: number; readonly text: string }

/** The values of a column with the number of each; of many, some more than are few. */
function knownValues(column: IndexColumn): KnownValue[] {
  if (column.kind === 'embed' || column.kind === 'number') return []
  if (column.kind !== 'text') return [...column.known].map((value, number) => ({ number, text: String(value) }))
  const numbers = Array.from({ length: Math.min(column.texts.size, MAX_VALUES + 2) }, (_, number) => number)
  // An empty text stands for a missing value, and no list can be narrowed by that.
  return numbers.map((number) => ({ number, text: column.texts.text(number) })).filter(({ text }) => text !== '')
}

/** Counted as if the facet itself were not filtered by, so that another value can be chosen. */
export function facetOf(
  release: Release,
  request: ListRequest,
  parameter: string,
  max: number,
  language: PageLanguage,
): Facet {
  const { entity } = request
  const query = queryWithin(release, request)
  const steps = facetSteps(release)(entity).get(parameter) ?? parameter.split('.')
  const filters = query.filters.filter((filter) => filter.steps.join('\0') !== steps.join('\0'))
  const key = JSON.stringify([language.code, entity.name, parameter, filters, query.words, withinReach(query), max])
  return cacheOf(release).get(key, () =>
    countFacet(release, { ...request, query: { ...query, filters } }, parameter, steps, max, language),
  )
}

function countFacet(
  release: Release,
  request: ListRequest,
  parameter: string,
  steps: readonly string[],
  max: number,
  language: PageLanguage,
): Facet {
  const [first = '', ...rest] = steps
  const column = columnIn(release, request.entity, first)
  const counts = countValues(release, request, column)
  if (column.kind !== 'embed') {
    const values = knownValues(column).map(({ number, text }) => ({
      value: text,
      name: text,
      count: counts[number] as number,
    }))
    return { parameter, steps, parent: undefined, ...most(values, max) }
  }
  let { parent, totals } = { parent: embedded(request.entity, first), totals: counts }
  for (const step of rest) {
    totals = summed(totals, columnIn(release, parent, step))
    parent = embedded(parent, step)
  }
  const open = release.entity(parent.name)
  // After the last parent stands the number of records without a parent.
  const positions = Array.from(totals.subarray(0, open.count).keys()).filter(
    (position) => (totals[position] as number) > 0,
  )
  const { values, size } = most(
    positions.map((position) => ({ position, count: totals[position] as number })),
    max,
  )
  return {
    parameter,
    steps,
    parent,
    values: values.map(({ position, count }) => ({ ...namedAt(open, position, language), count })),
    size,
  }
}

/** All values that any record has, or the most frequent of too many. */
function most<V extends { readonly count: number }>(values: readonly V[], max: number) {
  const used = values.filter(({ count }) => count > 0)
  const size = used.length
  return { values: size <= max ? used : used.toSorted((a, b) => b.count - a.count).slice(0, max), size }
}

/** The point that decides which records are found; without a greatest distance it decides only their order. */
export const withinReach = ({ near }: Query): Near | undefined => (near?.within === undefined ? undefined : near)

/** The number of records found with each value of a column. */
export function countValues(release: Release, { entity, query }: ListRequest, column: IndexColumn): Uint32Array {
  const { starts, values } = column
  const counts = new Uint32Array(starts.length - 1)
  const near = withinReach(query)
  if (query.filters.length === 0 && query.words.length === 0 && near === undefined) {
    for (let value = 0; value < counts.length; value++) counts[value] = recordsWith(column, value)
    return counts
  }
  const found = find(release, entity.name, { filters: query.filters, words: query.words, sorts: [], near })
  for (const position of found.slice(0, found.total)) {
    const value = values[position] as number
    counts[value] = (counts[value] as number) + 1
  }
  return counts
}

/** The counts of records, as counts of the parents of those records. */
function summed(counts: Uint32Array, { starts, values }: IndexColumn): Uint32Array {
  const sums = new Uint32Array(starts.length - 1)
  // A record without a parent has no further ancestors.
  for (let position = 0; position < values.length; position++) {
    const value = values[position] as number
    sums[value] = (sums[value] as number) + (counts[position] as number)
  }
  return sums
}

const columnIn = (release: Release, entity: Entity, field: string): IndexColumn =>
  release.entity(entity.name).index.column(field)

function embedded(entity: Entity, field: string): Entity {
  const definition = entity.fields[field]
  if (definition?.kind !== 'embed') throw new Error(`${entity.name}.${field} is no parent`)
  return definition.entity
}

type Named = { readonly value: string; readonly name: string }
const namesOf = memoized((_: OpenEntity) => memoized((_: PageLanguage) => new Map<number, Named>()))

/** The key and the name of the record at a position. */
function namedAt(entity: OpenEntity, position: number, language: PageLanguage): Named {
  return namesOf(entity)(language).getOrInsertComputed(position, () => {
    const { definition, records } = entity
    const record = { ...parsedRecord(records.record(position)), ...factReader(entity)(position) }
    return { value: filterValue(definition, record), name: nameOf({ language }, definition, record) }
  })
}

const MAX_CACHED_FACETS = 256
const cacheOf = memoized((_: Release) => new LruCache<Facet>({ maxEntries: MAX_CACHED_FACETS }))
