// Parses a request for the changes between two releases.
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Entity } from '../../../catalog/entity.ts'
import type { Selection } from '../../../query/formats/selection.ts'
import type { RequestHeaders } from '../../exchange.ts'
import { type ContentCoding, negotiate } from '../negotiate.ts'
import { Parameters } from '../parameter.ts'
import {
  CHANGES_FORMAT,
  CHANGES_FORMATS,
  changesParameters,
  collectionsIn,
  EMBED,
  FROM,
  TO,
} from '../parameter-definitions.ts'
import type { RawQuery } from './query-string.ts'

/** The releases to compare: their digests, or the beginnings of them. */
type ComparedReleases = { readonly from: string; readonly to: string | undefined }

export function parseComparedReleases(query: RawQuery, catalog: Catalog): ComparedReleases {
  const parameters = new Parameters(query, changesParameters(catalog))
  return { from: parameters.required(FROM, 'the digest of the release to start from'), to: parameters.value(TO) }
}

export type ChangesRequest = {
  readonly entities: readonly Entity[]
  readonly embed: Selection['embed']
  readonly format: (typeof CHANGES_FORMATS)[number]
  readonly encoding: ContentCoding | undefined
}

export function parseChangesRequest(query: RawQuery, headers: RequestHeaders, catalog: Catalog): ChangesRequest {
  const parameters = new Parameters(query, changesParameters(catalog))
  const negotiated = negotiate(headers, CHANGES_FORMATS, parameters.value(CHANGES_FORMAT))
  return {
    entities: parameters.value(collectionsIn(catalog)) ?? [...catalog.entities.values()],
    embed: parameters.value(EMBED),
    ...negotiated,
  }
}
