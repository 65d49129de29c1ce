// Facets: how many of the records that a list finds have each parent, or each value of a fact that is text.
import { LruCache } from '../base/lru-cache.ts'
import { memoized } from '../base/memoized.ts'
import { type Entity, factsOf, identifierOf, nameFieldOf } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { pathTo } from '../catalog/lineage.ts'
import type { ListRequest } from '../http/v2/request/records.ts'
import { find } from '../query/finder.ts'
import type { Column } from '../release/index/index-file.ts'
import type { OpenEntity, Release } from '../release/release.ts'

export type Facet = {
  /** The parameter that filters by it. */
  readonly parameter: string
  /** The entity of the parents; undefined for a fact. */
  readonly parent: Entity | undefined
  /** The values that any record has, or the most frequent of them where there are many. */
  readonly values: readonly FacetValue[]
  /** How many values there are in all. */
  readonly size: number
}

export type FacetValue = { readonly value: string; readonly name: string; readonly count: number }

/** A fact with more values than this is no choice. */
const MAX_FACT_VALUES = 20

/** What the lists of an entity can be narrowed by: every ancestor by the shortest way, and facts with few values. */
export function facetParameters(release: Release, entity: Entity): string[] {
  const ancestors = [...release.catalog.entities.values()].flatMap((one) => pathTo(entity, one)?.path ?? [])
  const facts = factsOf(entity).filter(([name]) => {
    const column = columnIn(release, entity, name)
    return column.kind === 'text fact' && column.known.length > 0 && column.known.length <= MAX_FACT_VALUES
  })
  return [...ancestors, ...facts.map(([name]) => name)]
}

/** Counted as if the facet itself were not filtered by, so that another value can be chosen. */
export function facetOf(release: Release, request: ListRequest, parameter: string, max: number): Facet {
  const { entity, query } = request
  const steps = parameter.split('.')
  const filters = query.filters.filter((filter) => filter.steps.join('.') !== parameter)
  const key = JSON.stringify([entity.name, parameter, filters, query.words, max])
  return cacheOf(release).get(key, () => countFacet(release, { ...request, query: { ...query, filters } }, steps, max))
}

function countFacet(release: Release, request: ListRequest, steps: readonly string[], max: number): Facet {
  const [first = '', ...rest] = steps
  const column = columnIn(release, request.entity, first)
  const counts = countValues(release, request, column)
  const parameter = steps.join('.')
  if (column.kind === 'text fact') {
    const values = column.known.map((value, at) => ({ value, name: value, count: counts[at] as number }))
    return { parameter, parent: undefined, ...most(values, max) }
  }
  let { parent, totals } = { parent: embedded(request.entity, first), totals: counts }
  for (const step of rest) {
    totals = summed(totals, columnIn(release, parent, step))
    parent = embedded(parent, step)
  }
  const positions = Array.from(totals.keys()).filter((position) => (totals[position] as number) > 0)
  const { values, size } = most(
    positions.map((position) => ({ position, count: totals[position] as number })),
    max,
  )
  const open = release.entity(parent.name)
  return {
    parameter,
    parent,
    values: values.map(({ position, count }) => ({ ...namedAt(open, position), count })),
    size,
  }
}

/** All values that any record has, or the most frequent where there are too many. */
function most<V extends { readonly count: number }>(values: readonly V[], max: number) {
  const used = values.filter(({ count }) => count > 0)
  const size = used.length
  return { values: size <= max ? used : used.toSorted((a, b) => b.count - a.count).slice(0, max), size }
}

/** For each value of a column, how many of the records found have it. */
function countValues(release: Release, { entity, query }: ListRequest, { starts, values }: Column): Uint32Array {
  const counts = new Uint32Array(starts.length - 1)
  if (query.filters.length === 0 && query.words.length === 0) {
    for (let value = 0; value < counts.length; value++)
      counts[value] = (starts[value + 1] as number) - (starts[value] as number)
    return counts
  }
  const found = find(release, entity.name, { filters: query.filters, words: query.words, sorts: [] })
  for (const position of found.slice(0, found.total)) {
    const value = values[position] as number
    counts[value] = (counts[value] as number) + 1
  }
  return counts
}

/** The counts of records, as counts of the parents of those records. */
function summed(counts: Uint32Array, { starts, values }: Column): Uint32Array {
  const sums = new Uint32Array(starts.length - 1)
  for (let position = 0; position < counts.length; position++) {
    const value = values[position] as number
    sums[value] = (sums[value] as number) + (counts[position] as number)
  }
  return sums
}

const columnIn = (release: Release, entity: Entity, field: string): Column =>
  release.entity(entity.name).index.column(field)

function embedded(entity: Entity, field: string): Entity {
  const definition = entity.fields[field]
  if (definition?.kind !== 'embed') throw new Error(`${entity.name}.${field} is no parent`)
  return definition.entity
}

const decoder = new TextDecoder()
type Named = { readonly value: string; readonly name: string }
const namesOf = memoized((_: OpenEntity) => new Map<number, Named>())

/** The identifier and the name of the record at a position. */
function namedAt(entity: OpenEntity, position: number): Named {
  const names = namesOf(entity)
  const cached = names.get(position)
  if (cached !== undefined) return cached
  const { definition, records } = entity
  const record: PublishedRecord = JSON.parse(decoder.decode(records.record(position)))
  const named = { value: String(record[identifierOf(definition)]), name: record[nameFieldOf(definition)] as string }
  names.set(position, named)
  return named
}

const MAX_CACHED_FACETS = 256
const cacheOf = memoized((_: Release) => new LruCache<Facet>({ maxEntries: MAX_CACHED_FACETS }))
