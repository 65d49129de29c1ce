// Parses a request for suggestions: the words, the collections, and the ancestor that they must have.
import type { Catalog } from '../../../catalog/catalog.ts'
import { type Entity, hasCoordinates } from '../../../catalog/entity.ts'
import type { Geometry } from '../../../query/formats/record-format.ts'
import type { Near } from '../../../query/near.ts'
import type { NamedBy } from '../key-text.ts'
import { Parameters } from '../parameter.ts'
import {
  ancestorIn,
  BY,
  collectionsIn,
  LIMIT,
  languageOfSearch,
  type NamedAncestor,
  NEAR,
  QUERY,
  SEARCH_FORMAT,
  type SearchFormat,
  searchParameters,
} from '../parameter-definitions.ts'
import type { RawQuery } from './query-string.ts'
import { geometryOf, nearOf } from './records-request.ts'

export type SearchRequest = {
  readonly text: string
  readonly words: readonly string[]
  readonly limit: number
  readonly searched: readonly Entity[]
  readonly within: NamedAncestor | undefined
  /** How `within` names a record; undefined if it may be either. */
  readonly by?: NamedBy | undefined
  readonly near: Near | undefined
  /** The language that names are shown in; undefined for the first of each record. */
  readonly language?: string | undefined
  /** The detail of shapes in features; undefined where no features are requested. */
  readonly geometry?: Geometry | undefined
  readonly format: SearchFormat
}

export function parseSearchRequest(query: RawQuery, catalog: Catalog): SearchRequest {
  const parameters = new Parameters(query, searchParameters(catalog))
  const isSearchable = (entity: Entity) => !parameters.has(NEAR) || hasCoordinates(entity)
  const searchable = new Map([...catalog.collections].filter(([, entity]) => isSearchable(entity)))
  return {
    ...parameters.required(QUERY, 'the words to search for'),
    limit: parameters.value(LIMIT),
    searched: parameters.value(collectionsIn(catalog, searchable)) ?? [...searchable.values()],
    by: parameters.value(BY),
    within: parameters.value(ancestorIn(catalog)),
    near: nearOf(parameters),
    language: parameters.value(languageOfSearch(catalog)),
    geometry: geometryOf(parameters, parameters.value(SEARCH_FORMAT), 'screen'),
    format: parameters.value(SEARCH_FORMAT),
  }
}
