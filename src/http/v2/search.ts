// The suggestions of a search over all collections, each with its name, its breadcrumb and what matched in it.
import type { Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { highlights } from '../../find/highlight.ts'
import { DISTANCE } from '../../find/near.ts'
import { type SearchResult, searchAcross } from '../../find/search.ts'
import type { Release } from '../../release/release.ts'
import { keyOf, recordPath } from './record-key.ts'
import type { SearchRequest } from './request.ts'

export const searchSuggestions = (release: Release, { words, scope, limit, near }: SearchRequest, baseUrl: string) =>
  searchAcross(release, words, scope, limit, near).map((result) => renderSuggestion(release, result, words, baseUrl))

const decoder = new TextDecoder()

function renderSuggestion(
  release: Release,
  { name, position, distance }: SearchResult,
  words: readonly string[],
  baseUrl: string,
) {
  const { definition, records } = release.entity(name)
  const record: PublishedRecord = JSON.parse(decoder.decode(records.record(position)))
  const { searched, nameField, ancestors } = namingOf(definition)
  let ancestor = record
  const breadcrumb = ancestors.map((step) => {
    ancestor = ancestor[step.field] as PublishedRecord
    return ancestor[step.nameField] as string
  })
  return {
    collection: definition.plural,
    key: keyOf(definition, record),
    url: `${baseUrl}${recordPath(definition, record)}`,
    name: record[nameField] as string,
    breadcrumb,
    matches: searched
      .map((field) => ({ field, ranges: highlights(record[field] as string, words) }))
      .filter(({ ranges }) => ranges.length > 0),
    ...(distance === undefined ? {} : { [DISTANCE]: distance }),
  }
}

/** Which fields of an entity are searched, and which name a record and its ancestors. */
type Naming = {
  readonly searched: readonly string[]
  readonly nameField: string
  /** The nearest first. */
  readonly ancestors: readonly { readonly field: string; readonly nameField: string }[]
}

const namings = new WeakMap<Entity, Naming>()

function namingOf(entity: Entity): Naming {
  const known = namings.get(entity)
  if (known !== undefined) return known
  const searched = Object.entries(entity.fields).filter(([, { kind }]) => kind === 'name' || kind === 'code')
  const naming = {
    searched: searched.map(([field]) => field),
    nameField: nameFieldOf(entity),
    ancestors: ancestorsOf(entity).map((step) => ({ field: step.field, nameField: nameFieldOf(step.entity) })),
  }
  namings.set(entity, naming)
  return naming
}

const nameFieldOf = ({ fields }: Entity) =>
  Object.keys(fields).find((field) => fields[field]?.kind === 'name') as string
