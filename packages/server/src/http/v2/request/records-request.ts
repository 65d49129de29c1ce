// Parses a request for records: a page of a list, a whole list, or one record.
import type { Entity } from '../../../catalog/entity.ts'
import { languagesOf } from '../../../catalog/languages/languages.ts'
import { pathNamed, pathsOf, type RecordPath } from '../../../catalog/paths.ts'
import type { Filter } from '../../../query/filter.ts'
import type { Query } from '../../../query/finder.ts'
import { FORMATS, type Rendition } from '../../../query/formats/formats.ts'
import type { Selection } from '../../../query/formats/selection.ts'
import { distanceNameOf } from '../../../query/near.ts'
import type { Sort } from '../../../query/sort.ts'
import type { RequestHeaders } from '../../exchange.ts'
import { badParameter } from '../../problem.ts'
import { keyNamed, type NameInPath } from '../key-text.ts'
import { type ContentCoding, negotiate } from '../negotiate.ts'
import {
  bulkParameters,
  childBulkParameters,
  childListParameters,
  DEFAULT_PER_PAGE,
  listParameters,
  MAX_FIELDS,
  MAX_FILTER_VALUES,
  MAX_PAGE,
  MAX_PER_PAGE,
  MAX_SORT_FIELDS,
  type Parameter,
  type ParameterTable,
  parameterNamed,
  recordParameters,
} from '../parameter-definitions.ts'
import type { NamedBy } from '../record-key.ts'
import type { CatalogRoute } from '../v2-routes.ts'
import { filterValue, notEmpty } from './filter-values.ts'
import { embedOf, namedBy, nearOf, oneOfThese, Parameters, searchWords, shownLanguage } from './parameters.ts'
import { badCursor, type QueryPairs, type RawQuery, readCursor } from './query-string.ts'

type RouteOf<K extends CatalogRoute['kind']> = Extract<CatalogRoute, { readonly kind: K }>

type FoundRecords = {
  /** How the path names a record. */
  readonly by: NamedBy | undefined
  /** The ancestor that they must have in their tree. */
  readonly within?: NameInPath | undefined
  readonly query: Query
  readonly rendition: Rendition
  readonly encoding: ContentCoding | undefined
}

export type ListRequest = RouteOf<'list'> &
  FoundRecords & {
    /** The number of the page, or the cursor after which it begins. */
    readonly start: { readonly page: number } | { readonly after: string; readonly position: number }
    readonly perPage: number
  }

export function parseListRequest(route: RouteOf<'list'>, query: RawQuery, headers: RequestHeaders): ListRequest {
  const { entity, parent = route.node } = route
  const table = parent === undefined ? listParameters(entity) : childListParameters(entity)
  const parameters = new Parameters(query, table)
  const start = startOf(parameters, query)
  const records = foundRecords(query, headers, entity, parameters, table)
  const perPage = parameters.wholeNumber('per_page', { max: MAX_PER_PAGE, defaultValue: DEFAULT_PER_PAGE })
  return { ...route, ...records, start, perPage }
}

export type BulkRequest = RouteOf<'bulk'> & FoundRecords

export function parseBulkRequest(route: RouteOf<'bulk'>, query: RawQuery, headers: RequestHeaders): BulkRequest {
  const { entity, parent = route.node } = route
  const table = parent === undefined ? bulkParameters(entity) : childBulkParameters(entity)
  return { ...route, ...foundRecords(query, headers, entity, new Parameters(query, table), table) }
}

function foundRecords(
  { pairs }: RawQuery,
  headers: RequestHeaders,
  entity: Entity,
  parameters: Parameters,
  table: ParameterTable,
): FoundRecords {
  const filters = filtersOf(pairs, parameters, table)
  const words = parameters.has('q') ? searchWords(parameters) : []
  const sorts = sortsOf(entity, parameters)
  const near = nearOf(parameters)
  const { rendition, encoding } = renditionOf(entity, parameters, headers)
  return {
    by: namedBy(parameters),
    within: withinOf(entity, parameters),
    query: { filters: [...filters, ...rootFilter(parameters)], words, sorts, near },
    rendition: { ...rendition, added: near === undefined ? [] : [distanceNameOf(entity)] },
    encoding,
  }
}

const rootFilter = (parameters: Parameters): Filter[] =>
  parameters.oneOf('root', ['true', 'false']) === 'true' ? [{ steps: [], match: 'root', values: [] }] : []

function withinOf(entity: Entity, parameters: Parameters): NameInPath | undefined {
  const name = parameters.one('within')
  return name === undefined ? undefined : { name, key: keyNamed(entity, notEmpty('within', name)) }
}

export type RecordRequest = RouteOf<'record'> & {
  readonly by: NamedBy | undefined
  readonly rendition: Rendition
  readonly encoding: ContentCoding | undefined
}

export function parseRecordRequest(route: RouteOf<'record'>, query: RawQuery, headers: RequestHeaders): RecordRequest {
  const parameters = new Parameters(query, recordParameters(route.entity))
  return { ...route, by: namedBy(parameters), ...renditionOf(route.entity, parameters, headers) }
}

function startOf(parameters: Parameters, { release }: RawQuery): ListRequest['start'] {
  const page = parameters.wholeNumber('page', { max: MAX_PAGE, defaultValue: 1 })
  const after = parameters.one('after')
  if (after === undefined) return { page }
  if (parameters.has('page')) throw badParameter('after', after, 'either page or after, not both')
  const cursor = readCursor(after)
  if (cursor === undefined) throw badCursor(after)
  // Both may be the beginning of a digest, one longer than the other.
  const isSame = release?.prefix.startsWith(cursor.release) || cursor.release.startsWith(release?.prefix ?? '')
  if (!isSame) throw badParameter('after', after, 'a cursor of the same release')
  return { after, position: cursor.position }
}

function filtersOf(pairs: QueryPairs, parameters: Parameters, known: ParameterTable): Filter[] {
  // Each value costs time, and a request line holds hundreds.
  const given = pairs.flatMap(([name, value]) => {
    const parameter = parameterNamed(known, name)
    return parameter?.filter === undefined ? [] : valuesIn(parameter, value).map((one) => [name, one] as const)
  })
  const [name, value] = given[MAX_FILTER_VALUES] ?? []
  if (name !== undefined && value !== undefined)
    throw badParameter(name, value, `no further value: all filters of a request have at most ${MAX_FILTER_VALUES}`)
  const filters: Filter[] = []
  for (const [name, texts] of parameters.all()) {
    const parameter = known.get(name)
    if (parameter?.filter === undefined) continue
    const { path, match } = parameter.filter
    const values = texts.flatMap((text) => valuesIn(parameter, text)).map((value) => filterValue(name, path, value))
    filters.push({ steps: path.steps, match, values })
  }
  return filters
}

const valuesIn = ({ commaSeparated }: Parameter, text: string): readonly string[] =>
  commaSeparated ? text.split(',') : [text]

function sortsOf(entity: Entity, parameters: Parameters): Sort[] {
  return namesIn(parameters, 'sort', MAX_SORT_FIELDS).map((name) => {
    const descending = name.startsWith('-')
    return { steps: fieldAt(entity, 'sort', descending ? name.slice(1) : name).steps, descending }
  })
}

/** The names in a list that is separated by commas. */
function namesIn(parameters: Parameters, parameter: string, max: number): string[] {
  const list = parameters.one(parameter)
  const names = list?.split(',') ?? []
  if (names.length > max) throw badParameter(parameter, list as string, `at most ${max} fields`)
  return names
}

function fieldAt(entity: Entity, parameter: string, name: string): RecordPath {
  const path = pathNamed(entity, name)
  if (path === undefined) throw badParameter(parameter, name, oneOfThese([...pathsOf(entity).keys()], name))
  return path
}

function renditionOf(entity: Entity, parameters: Parameters, headers: RequestHeaders) {
  const { format, encoding } = negotiate(headers, FORMATS, parameters.oneOf('format', FORMATS))
  const forExcel = parameters.oneOf('excel', ['true', 'false']) === 'true'
  if (forExcel && format !== 'csv') throw badParameter('excel', 'true', 'only together with format=csv')
  return { rendition: { ...selectionOf(entity, parameters), format, forExcel }, encoding }
}

function selectionOf(entity: Entity, parameters: Parameters): Selection {
  const embed = embedOf(parameters)
  const language = shownLanguage(parameters, languagesOf(entity))
  const facts = parameters.oneOf('facts', ['true', 'false']) === 'true'
  if (!parameters.has('fields')) return { fields: undefined, facts, embed, language }
  if (facts) throw badParameter('facts', 'true', 'either facts, or fields that name them')
  const named = new Set(namesIn(parameters, 'fields', MAX_FIELDS))
  const paths = [...new Set([...named].map((name) => fieldAt(entity, 'fields', name)))]
  const names = new Set(paths.map(({ path }) => path))
  // A record that is selected as a whole includes what is in it.
  const isIncluded = ({ path }: RecordPath) =>
    path.split('.').some((_, end, steps) => names.has(steps.slice(0, end).join('.')))
  return { fields: paths.filter((path) => !isIncluded(path)).map(({ path }) => path), facts, embed, language }
}
