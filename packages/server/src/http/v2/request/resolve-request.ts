// Parses a request to resolve rows: the rows in its query, and the format of the response.
import type { Catalog } from '../../../catalog/catalog.ts'
import type { RowToResolve } from '../../../query/resolve/resolve.ts'
import type { RequestHeaders } from '../../exchange.ts'
import { badParameter } from '../../problem.ts'
import { type ContentCoding, negotiate } from '../negotiate.ts'
import {
  MAX_QUERY_ROWS,
  MAX_SEARCH_CHARACTERS,
  partsInQuery,
  RESOLVE_FORMATS,
  type ResolveFormat,
  resolveBodyParameters,
  resolveParameters,
} from '../parameter-definitions.ts'
import { collectionsIn, Parameters } from './parameters.ts'
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
  const texts = parameters.allOf('q')
  const known = partsInQuery(catalog)
  const parts = known.filter((name) => parameters.has(name))
  const [part] = parts
  if (texts === undefined && part === undefined)
    throw badParameter('q', '', `free text; it must be given, or parts of a row: ${known.join(', ')}`)
  if (texts !== undefined && part !== undefined)
    throw badParameter(part, parameters.one(part) as string, 'either q or parts of a row, not both')
  if (texts !== undefined && texts.length > MAX_QUERY_ROWS)
    throw badParameter(
      'q',
      `${texts.length} values`,
      `at most ${MAX_QUERY_ROWS} values; send more rows in the body of a POST`,
    )
  const rowText = (name: string, text: string) => {
    if (text !== '' && text.length <= MAX_SEARCH_CHARACTERS) return text
    throw badParameter(name, text, `text of 1 to ${MAX_SEARCH_CHARACTERS} characters`)
  }
  const rows: readonly RowToResolve[] = texts?.map((text) => ({ text: rowText('q', text) })) ?? [
    { parts: new Map(parts.map((name) => [name, rowText(name, parameters.one(name) as string)])) },
  ]
  return { rows, ...resolutionOf(parameters, headers, catalog) }
}

export const parseResolveBodyRequest = (query: RawQuery, headers: RequestHeaders, catalog: Catalog): ResolveRequest =>
  resolutionOf(new Parameters(query, resolveBodyParameters(catalog)), headers, catalog)

function resolutionOf(parameters: Parameters, headers: RequestHeaders, { collections }: Catalog): ResolveRequest {
  const entities = collectionsIn(parameters, collections) ?? [...collections.values()]
  return {
    names: entities.map(({ name }) => name),
    ...negotiate(headers, RESOLVE_FORMATS, parameters.oneOf('format', RESOLVE_FORMATS)),
  }
}
