// Parses a request to resolve rows: the rows in its query, and the format of the response.
import type { Catalog } from '../../../catalog/catalog.ts'
import type { GeoPoint } from '../../../query/boundaries.ts'
import type { RequestHeaders } from '../../exchange.ts'
import { badParameter } from '../../problem.ts'
import type { PlacedRow } from '../boundary-points.ts'
import { type ContentCoding, negotiate } from '../negotiate.ts'
import { Parameters } from '../parameter.ts'
import {
  collectionsIn,
  RESOLVE_FORMAT,
  RESOLVE_FORMATS,
  type ResolveFormat,
  ROW_LATITUDE,
  ROW_LONGITUDE,
  ROWS,
  resolveBodyParameters,
  resolveParameters,
  rowCoordinates,
  rowParts,
} from '../parameter-definitions.ts'
import type { RawQuery } from './query-string.ts'

export type ResolveRequest = {
  /** The entities of which free text may name a record. */
  readonly names: readonly string[]
  readonly format: ResolveFormat
  readonly encoding: ContentCoding | undefined
}

export type QueryRowsRequest = ResolveRequest & { readonly rows: readonly PlacedRow[] }

export function parseResolveRequest(query: RawQuery, headers: RequestHeaders, catalog: Catalog): QueryRowsRequest {
  const parameters = new Parameters(query, resolveParameters(catalog))
  const parts = rowParts(catalog).filter((part) => parameters.has(part))
  const [part] = parts
  const isText = parameters.has(ROWS)
  const point = pointIn(parameters, catalog)
  if (!isText && part === undefined && point === undefined) {
    const known = [...rowParts(catalog), ...rowCoordinates(catalog)].map(({ name }) => name)
    throw badParameter(ROWS.name, '', `free text; it must be given, or parts of a row: ${known.join(', ')}`)
  }
  if (isText && part !== undefined)
    throw badParameter(part.name, parameters.text(part), 'either q or parts of a row, not both')
  const rows: readonly PlacedRow[] = parameters.value(ROWS)?.map((text) => ({ text, point })) ?? [
    { parts: new Map(parts.map((one) => [one.name, parameters.value(one)])), point },
  ]
  if (point !== undefined && rows.length > 1)
    throw badParameter(ROWS.name, `${rows.length} values`, 'one value, beside lat and lon')
  return { rows, ...resolutionOf(parameters, headers, catalog) }
}

function pointIn(parameters: Parameters, catalog: Catalog): GeoPoint | undefined {
  const given = rowCoordinates(catalog).filter((one) => parameters.has(one))
  const [first] = given
  if (first === undefined) return undefined
  const [latitude, longitude] = [parameters.value(ROW_LATITUDE), parameters.value(ROW_LONGITUDE)]
  if (latitude !== undefined && longitude !== undefined) return { latitude, longitude }
  throw badParameter(first.name, parameters.text(first), 'lat and lon together')
}

export const parseResolveBodyRequest = (query: RawQuery, headers: RequestHeaders, catalog: Catalog): ResolveRequest =>
  resolutionOf(new Parameters(query, resolveBodyParameters(catalog)), headers, catalog)

function resolutionOf(parameters: Parameters, headers: RequestHeaders, catalog: Catalog): ResolveRequest {
  const entities = parameters.value(collectionsIn(catalog)) ?? [...catalog.collections.values()]
  return {
    names: entities.map(({ name }) => name),
    ...negotiate(headers, RESOLVE_FORMATS, parameters.value(RESOLVE_FORMAT)),
  }
}
