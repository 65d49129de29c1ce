// Parses a request for suggestions: the words, the collections, and the ancestor that they must have.
import type { Catalog } from '../../../catalog/catalog.ts'
import { type Entity, hasCoordinates } from '../../../catalog/entity.ts'
import { ownerOf } from '../../../catalog/lineage.ts'
import type { Near } from '../../../query/near.ts'
import { badParameter } from '../../problem.ts'
import { keyNamed, type NameInPath } from '../key-text.ts'
import { DEFAULT_SUGGESTIONS, languagesIn, MAX_SUGGESTIONS, searchParameters } from '../parameter-definitions.ts'
import type { NamedBy } from '../record-key.ts'
import { collectionsIn, namedBy, nearOf, Parameters, searchWords, shownLanguage } from './parameters.ts'
import type { RawQuery } from './query-string.ts'

export type SearchRequest = {
  readonly text: string
  readonly words: readonly string[]
  readonly limit: number
  readonly searched: readonly Entity[]
  readonly within: NamedAncestor | undefined
  readonly near: Near | undefined
  /** The language that names are shown in; undefined for the first of each record. */
  readonly language?: string | undefined
}

/** A record as `within` names it, which a release may not have. */
export type NamedAncestor = NameInPath & {
  readonly entity: Entity
  /** How it is named; undefined if it may be either. */
  readonly by: NamedBy | undefined
}

export function parseSearchRequest(query: RawQuery, catalog: Catalog): SearchRequest {
  const parameters = new Parameters(query, searchParameters(catalog))
  const isSearchable = (entity: Entity) => !parameters.has('near') || hasCoordinates(entity)
  const searchable = new Map([...catalog.collections].filter(([, entity]) => isSearchable(entity)))
  return {
    words: searchWords(parameters),
    text: parameters.one('q') ?? '',
    limit: parameters.wholeNumber('limit', { max: MAX_SUGGESTIONS, defaultValue: DEFAULT_SUGGESTIONS }),
    searched: collectionsIn(parameters, searchable) ?? [...searchable.values()],
    within: ancestorOf(parameters, catalog),
    near: nearOf(parameters),
    language: shownLanguage(parameters, languagesIn(catalog)),
  }
}

function ancestorOf(parameters: Parameters, { entities, collections }: Catalog): NamedAncestor | undefined {
  const by = namedBy(parameters)
  const within = parameters.one('within')
  if (within === undefined) return undefined
  const [plural = '', ...rest] = within.split(':')
  const entity = collections.get(plural)
  const name = rest.join(':')
  if (entity !== undefined && name !== '' && ownerOf(entity) === undefined)
    return { entity, name, key: keyNamed(entity, name), by }
  const can = [...entities.values()].filter((entity) => ownerOf(entity) === undefined).map(({ plural }) => plural)
  throw badParameter('within', within, `one of ${can.join(', ')}, a colon, and an identifier or code, as in estados:9`)
}
