// Parses a request for the changes between two releases.
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Entity } from '../../../catalog/entity.ts'
import type { Selection } from '../../../query/formats/selection.ts'
import type { RequestHeaders } from '../../exchange.ts'
import { type ContentCoding, negotiate } from '../negotiate.ts'
import { CHANGES_FORMATS, changesParameters } from '../parameter-definitions.ts'
import { collectionsIn, embedOf, Parameters } from './parameters.ts'
import type { RawQuery } from './query-string.ts'

/** The releases to compare: their digests, or the beginnings of them. */
type ComparedReleases = { readonly from: string; readonly to: string | undefined }

export function parseComparedReleases(query: RawQuery, catalog: Catalog): ComparedReleases {
  const parameters = new Parameters(query, changesParameters(catalog))
  return { from: parameters.required('from', 'the digest of the release to start from'), to: parameters.one('to') }
}

export type ChangesRequest = {
  readonly entities: readonly Entity[]
  readonly embed: Selection['embed']
  readonly format: (typeof CHANGES_FORMATS)[number]
  readonly encoding: ContentCoding | undefined
}

export function parseChangesRequest(query: RawQuery, headers: RequestHeaders, catalog: Catalog): ChangesRequest {
  const parameters = new Parameters(query, changesParameters(catalog))
  const negotiated = negotiate(headers, CHANGES_FORMATS, parameters.oneOf('format', CHANGES_FORMATS))
  return {
    entities: collectionsIn(parameters, catalog.collections) ?? [...catalog.entities.values()],
    embed: embedOf(parameters),
    ...negotiated,
  }
}
