// Parses a request for records: a page of a list, a whole list, or one record.
import type { Entity } from '../../../catalog/entity.ts'
import type { RecordPath } from '../../../catalog/paths.ts'
import type { GeoPoint } from '../../../query/boundaries.ts'
import type { Filter } from '../../../query/filter.ts'
import type { Query } from '../../../query/finder.ts'
import { FORMATS, type FormatName, type Rendition, recordFormats } from '../../../query/formats/formats.ts'
import { hasGeometry } from '../../../query/formats/geojson.ts'
import type { Geometry, RecordFormat } from '../../../query/formats/record-format.ts'
import type { Selection } from '../../../query/formats/selection.ts'
import { nameFieldIn } from '../../../query/formats/shown-names.ts'
import { distanceNameOf, type Near } from '../../../query/near.ts'
import type { Sort } from '../../../query/sort.ts'
import type { Box } from '../../../source/boundaries/corners.ts'
import type { RequestHeaders } from '../../exchange.ts'
import { badParameter } from '../../problem.ts'
import { valuesIn } from '../filter-parameters.ts'
import type { NamedBy, NameInPath } from '../key-text.ts'
import { type ContentCoding, negotiate } from '../negotiate.ts'
import { type Parameter, Parameters, type ParameterTable, parameterNamed } from '../parameter.ts'
import {
  AFTER,
  BBOX,
  BY,
  bulkParameters,
  CONTAINING,
  childBulkParameters,
  childListParameters,
  EMBED,
  EXCEL,
  FACTS,
  FORMAT,
  fieldsOf,
  GEOMETRY,
  languageOf,
  listParameters,
  MAX_FILTER_VALUES,
  NEAR,
  PAGE,
  PER_PAGE,
  QUERY,
  ROOT,
  recordParameters,
  sortOf,
  WITHIN_KM,
  withinOf,
} from '../parameter-definitions.ts'
import type { CatalogRoute } from '../v2-routes.ts'
import { type ListOfRelease, renditionWork, type Work } from '../work.ts'
import { badCursor, type QueryPairs, type RawQuery, readCursor } from './query-string.ts'

type RouteOf<K extends CatalogRoute['kind']> = Extract<CatalogRoute, { readonly kind: K }>

type RenderedRecords = {
  readonly rendition: Rendition
  readonly encoding: ContentCoding | undefined
  /** The work that the values of its parameters cause, and what was negotiated. */
  readonly work: (list: ListOfRelease) => readonly Work[]
}

/** A request whose path may name a record, and how it does. */
type NamingRecord = { readonly by: NamedBy | undefined }

type FoundRecords = RenderedRecords &
  NamingRecord & {
    /** The ancestor that they must have in their tree. */
    readonly within?: NameInPath | undefined
    /** The point that their shape holds, or that of a record above them. */
    readonly containing?: GeoPoint | undefined
    /** The box that they lie in. */
    readonly box?: Box | undefined
    readonly query: Query
  }

export type ListRequest = RouteOf<'list'> &
  FoundRecords & {
    /** The number of the page, or the cursor after which it begins. */
    readonly start: { readonly page: number } | { readonly after: string; readonly position: number }
    readonly perPage: number
    /** Up to so many records are one page, where the request says nothing of pages. */
    readonly wholeUpTo: number
  }

export function parseListRequest(route: RouteOf<'list'>, query: RawQuery, headers: RequestHeaders): ListRequest {
  const { entity, parent = route.node } = route
  const table = parent === undefined ? listParameters(entity) : childListParameters(entity)
  const parameters = new Parameters(query, table)
  const start = startOf(parameters, query)
  const records = foundRecords(query, headers, entity, parameters, table)
  const isPaged = [PAGE, PER_PAGE, AFTER].some((parameter) => parameters.has(parameter))
  const { wholeUpTo = 0 }: RecordFormat = recordFormats[records.rendition.format]
  return { ...route, ...records, start, perPage: parameters.value(PER_PAGE), wholeUpTo: isPaged ? 0 : wholeUpTo }
}

export type BulkRequest = RouteOf<'bulk'> & FoundRecords

export function parseBulkRequest(route: RouteOf<'bulk'>, query: RawQuery, headers: RequestHeaders): BulkRequest {
  const { entity, parent = route.node } = route
  const table = parent === undefined ? bulkParameters(entity) : childBulkParameters(entity)
  const records = foundRecords(query, headers, entity, new Parameters(query, table), table)
  const { format } = records.rendition
  // A whole list is a sequence, of which a reader needs no more than one feature at once.
  return {
    ...route,
    ...records,
    rendition: { ...records.rendition, format: format === 'geojson' ? 'geojsonseq' : format },
  }
}

function foundRecords(
  { pairs }: RawQuery,
  headers: RequestHeaders,
  entity: Entity,
  parameters: Parameters,
  table: ParameterTable,
): FoundRecords {
  refuseManyValues(pairs, table)
  const filters = [...parameters.given()].flatMap((parameter) => filterOf(parameters, parameter))
  const words = parameters.value(QUERY)?.words ?? []
  const near = nearOf(parameters)
  const { rendition, ...rendered } = renderedRecords(entity, parameters, headers, 'screen')
  const isByName = (recordFormats[rendition.format] as RecordFormat).wholeUpTo !== undefined
  const hasOrder = words.length > 0 || near !== undefined || parameters.has(sortOf(entity))
  const sorts = isByName && !hasOrder ? byName(entity, rendition) : parameters.value(sortOf(entity))
  const by = parameters.value(BY)
  const within = parameters.value(withinOf(entity))
  const roots: Filter[] = parameters.value(ROOT) ? [{ steps: [], match: 'root', values: [] }] : []
  return {
    ...rendered,
    by,
    within,
    containing: parameters.value(CONTAINING),
    box: parameters.value(BBOX),
    query: { filters: [...filters, ...roots], words, sorts, near },
    rendition: { ...rendition, added: near === undefined ? [] : [distanceNameOf(entity)] },
  }
}

const byName = (entity: Entity, { language }: Rendition): readonly Sort[] => [
  { steps: [nameFieldIn(entity, language)], descending: false },
]

export type RecordRequest = RouteOf<'record'> & RenderedRecords & NamingRecord

export function parseRecordRequest(route: RouteOf<'record'>, query: RawQuery, headers: RequestHeaders): RecordRequest {
  const parameters = new Parameters(query, recordParameters(route.entity))
  return { ...route, by: parameters.value(BY), ...renderedRecords(route.entity, parameters, headers, 'full') }
}

function startOf(parameters: Parameters, { release }: RawQuery): ListRequest['start'] {
  const page = parameters.value(PAGE)
  const after = parameters.value(AFTER)
  if (after === undefined) return { page }
  if (parameters.has(PAGE)) throw badParameter(AFTER.name, after, 'either page or after, not both')
  const cursor = readCursor(after)
  if (cursor === undefined) throw badCursor(after)
  // Both may be the beginning of a digest, one longer than the other.
  const isSame = release?.prefix.startsWith(cursor.release) || cursor.release.startsWith(release?.prefix ?? '')
  if (!isSame) throw badParameter(AFTER.name, after, 'a cursor of the same release')
  return { after, position: cursor.position }
}

/** Each value of a filter costs time, and a request line holds hundreds. */
function refuseManyValues(pairs: QueryPairs, known: ParameterTable): void {
  const given = pairs.flatMap(([name, value]) => {
    const parameter = parameterNamed(known, name)
    return parameter?.filter === undefined ? [] : valuesIn(parameter, value).map((one) => [name, one] as const)
  })
  const [name, value] = given[MAX_FILTER_VALUES] ?? []
  if (name !== undefined && value !== undefined)
    throw badParameter(name, value, `no further value: all filters of a request have at most ${MAX_FILTER_VALUES}`)
}

function filterOf(parameters: Parameters, parameter: Parameter): Filter[] {
  if (parameter.filter === undefined) return []
  const { path, match } = parameter.filter
  return [{ steps: path.steps, match, values: parameters.value(parameter as Parameter<Filter['values']>) }]
}

export function nearOf(parameters: Parameters): Near | undefined {
  const within = parameters.value(WITHIN_KM)
  if (within !== undefined && !parameters.has(NEAR))
    throw badParameter(WITHIN_KM.name, parameters.text(WITHIN_KM), 'a distance from near, which must be given too')
  const point = parameters.value(NEAR)
  return point && { ...point, within }
}

/** The detail of shapes; undefined where the format has none. */
export function geometryOf(parameters: Parameters, format: FormatName, absent: Geometry): Geometry | undefined {
  const geometry = parameters.value(GEOMETRY)
  if (hasGeometry(format)) return geometry ?? absent
  if (geometry !== undefined) throw badParameter(GEOMETRY.name, geometry, 'only together with format=geojson')
  return undefined
}

/** `detail` is that of the shapes in features, if the request does not say it. */
function renderedRecords(
  entity: Entity,
  parameters: Parameters,
  headers: RequestHeaders,
  detail: Geometry,
): RenderedRecords {
  const { format, encoding } = negotiate(headers, FORMATS, parameters.value(FORMAT))
  const forExcel = parameters.value(EXCEL)
  if (forExcel && format !== 'csv') throw badParameter(EXCEL.name, 'true', 'only together with format=csv')
  return {
    rendition: {
      ...selectionOf(entity, parameters),
      format,
      forExcel,
      geometry: geometryOf(parameters, format, detail),
    },
    encoding,
    work: (list) => [...parameters.work(list), ...renditionWork(format, encoding)],
  }
}

function selectionOf(entity: Entity, parameters: Parameters): Selection {
  const embed = parameters.value(EMBED)
  const language = parameters.value(languageOf(entity))
  const facts = parameters.value(FACTS)
  if (!parameters.has(fieldsOf(entity))) return { fields: undefined, facts, embed, language }
  if (facts) throw badParameter(FACTS.name, 'true', 'either facts, or fields that name them')
  const paths = parameters.value(fieldsOf(entity)) ?? []
  const names = new Set(paths.map(({ path }) => path))
  // A record that is selected as a whole includes what is in it.
  const isIncluded = ({ path }: RecordPath) =>
    path.split('.').some((_, end, steps) => names.has(steps.slice(0, end).join('.')))
  return { fields: paths.filter((path) => !isIncluded(path)).map(({ path }) => path), facts, embed, language }
}
