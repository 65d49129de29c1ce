// Parses a request to resolve rows: the rows in its query, and the format of the response.
import type { Catalog } from '../../../catalog/catalog.ts'
import type { RowToResolve } from '../../../query/resolve/resolve.ts'
import type { RequestHeaders } from '../../exchange.ts'
import { badParameter } from '../../problem.ts'
import { type ContentCoding, negotiate } from '../negotiate.ts'
import { Parameters } from '../parameter.ts'
import {
  collectionsIn,
  RESOLVE_FORMAT,
  RESOLVE_FORMATS,
  type ResolveFormat,
  ROWS,
  resolveBodyParameters,
  resolveParameters,
  rowParts,
} from '../parameter-definitions.ts'
import type { RawQuery } from './query-string.ts'

export type ResolveRequest = {
  /** The entities of which free text may name a record. */
  readonly names: readonly string[]
  readonly format: ResolveFormat
  readonly encoding: ContentCoding | undefined
}

export type QueryRowsRequest = ResolveRequest & { readonly rows: readonly RowToResolve[] }

export function parseResolveRequest(query: RawQuery, headers: RequestHeaders, catalog: Catalog): QueryRowsRequest {
  const parameters = new Parameters(query, resolveParameters(catalog))
  const parts = rowParts(catalog).filter((part) => parameters.has(part))
  const [part] = parts
  const isText = parameters.has(ROWS)
  if (!isText && part === undefined) {
    const known = rowParts(catalog).map(({ name }) => name)
    throw badParameter(ROWS.name, '', `free text; it must be given, or parts of a row: ${known.join(', ')}`)
  }
  if (isText && part !== undefined)
    throw badParameter(part.name, parameters.text(part), 'either q or parts of a row, not both')
  const rows: readonly RowToResolve[] = parameters.value(ROWS)?.map((text) => ({ text })) ?? [
    { parts: new Map(parts.map((one) => [one.name, parameters.value(one)])) },
  ]
  return { rows, ...resolutionOf(parameters, headers, catalog) }
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
