// The suggestions of a search over all collections, each with its name, its breadcrumb and what matched in it.
import { memoized } from '../../base/memoized.ts'
import { type Entity, nameFieldOf } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { isNaming, type NamingField, namingFields } from '../../catalog/languages/languages.ts'
import { ancestorsOf, pathTo } from '../../catalog/lineage.ts'
import { DISTANCE } from '../../query/near.ts'
import { highlights } from '../../query/search/highlight.ts'
import { type AliasMatch, type Scope, type SearchResult, searchAcross } from '../../query/search/search.ts'
import type { Release } from '../../release/release.ts'
import { badParameter } from '../problem.ts'
import { identifierNamed, isBelow, keyOf, type NamedBy, recordPath } from './record-key.ts'
import type { NamedAncestor, SearchRequest } from './request/search.ts'

export type Suggestion = ReturnType<typeof renderSuggestion>

export function searchSuggestions(
  release: Release,
  { words, searched, within, limit, near }: SearchRequest,
  baseUrl: string,
): Suggestion[] {
  const results = searchAcross(release, words, scopeWithin(release, searched, within), limit, near)
  return results.map((result) => renderSuggestion(release, result, words, baseUrl))
}

/** The entities to search, each with the filter that keeps to what is within a record, which must be there. */
function scopeWithin(release: Release, searched: readonly Entity[], within: NamedAncestor | undefined): Scope {
  if (within === undefined) return searched.map(({ name }) => [name, []])
  const id = identifierOfAncestor(release, within)
  return searched.flatMap((entity) => {
    const way = pathTo(entity, within.entity)
    return way === undefined ? [] : [[entity.name, [isBelow(way, id)]] as const]
  })
}

/** Unless it is said which, a whole number is an identifier if a record has it, and everything else a code. */
function identifierOfAncestor(release: Release, { entity, name, by }: NamedAncestor): number {
  const identifierBy = (by: NamedBy) => identifierNamed(release, entity, name, by)
  const id = by === undefined ? (identifierBy('id') ?? identifierBy('code')) : identifierBy(by)
  if (id !== undefined) return id
  const how = by === undefined ? 'identifier or official code' : by === 'id' ? 'identifier' : 'official code'
  throw badParameter('within', `${entity.plural}:${name}`, `a record that is there, by its ${how} as in its path`)
}

const decoder = new TextDecoder()

const DECIMALS = 10_000
export const roundedScore = (score: number): number => Math.round(score * DECIMALS) / DECIMALS

export const publishedRecord = (release: Release, name: string, position: number): PublishedRecord =>
  JSON.parse(decoder.decode(release.entity(name).records.record(position)))

/** Which record it is, where it is, and below which others. */
export function summarizeRecord(definition: Entity, record: PublishedRecord, baseUrl: string) {
  const parents: { readonly collection: string; readonly key: ReturnType<typeof keyOf>; readonly name: string }[] = []
  let ancestor: PublishedRecord | null = record
  for (const { field, entity } of namingOf(definition).ancestors) {
    ancestor = ancestor[field] as PublishedRecord | null
    // Nothing is above a parent that is not known.
    if (ancestor === null) break
    parents.push({ collection: entity.plural, key: keyOf(entity, ancestor), name: nameIn(entity, ancestor) })
  }
  return {
    collection: definition.plural,
    key: keyOf(definition, record),
    url: `${baseUrl}${recordPath(definition, record)}`,
    name: nameIn(definition, record),
    breadcrumb: parents.map(({ name }) => name),
    parents: parents.map(({ collection, key }) => ({ collection, key })),
  }
}

/** What a record is called: the first of its names that is known, or what it is identified by. */
function nameIn(entity: Entity, record: PublishedRecord): string {
  const names = namingFields(entity).flatMap(({ field, isAlias }) => (isAlias ? [] : field))
  const known = [...names, ...entity.key.toReversed()].map((field) => record[field])
  return String(known.find((value) => typeof value === 'string' || typeof value === 'number') ?? '')
}

function renderSuggestion(
  release: Release,
  { name, position, score, explanation, distance }: SearchResult,
  words: readonly string[],
  baseUrl: string,
) {
  const { definition } = release.entity(name)
  const record = publishedRecord(release, name, position)
  const { searched } = namingOf(definition)
  const { how, dropped, matched, matchedName, aliases } = explanation
  return {
    ...summarizeRecord(definition, record, baseUrl),
    score: roundedScore(score),
    how,
    dropped,
    matches: [
      ...searched
        .map((field) => ({ field, value: record[field] }))
        .flatMap(({ field, value }) =>
          typeof value === 'string' ? { field, ranges: highlights(value, words, matched) } : [],
        )
        .filter(({ ranges }) => ranges.length > 0),
      ...aliases.map((match) => renderAlias(release, match, definition, words)),
    ],
    ...(matchedName === undefined ? {} : { matched: renderMatchedName(matchedName) }),
    ...(distance === undefined ? {} : { [DISTANCE]: distance }),
  }
}

/** Which name matched, and in which language it is. */
const renderMatchedName = ({ field, language }: NamingField) => ({ field, language: language ?? null })

/** An alias stands beside the fields, with its text and why the record is called so, and whose it is. */
function renderAlias(release: Release, { entity, alias }: AliasMatch, own: Entity, words: readonly string[]) {
  const { plural } = entity === undefined ? own : release.entity(entity).definition
  return {
    field: 'alias',
    ranges: highlights(alias.alias, words),
    alias: alias.alias,
    reason: alias.reason,
    collection: plural,
  }
}

/** Which fields of an entity are searched, and which name a record and its ancestors. */
type Naming = {
  readonly searched: readonly string[]
  readonly nameField: string
  /** The nearest first. */
  readonly ancestors: readonly { readonly field: string; readonly nameField: string; readonly entity: Entity }[]
}

export const namingOf = memoized((entity: Entity): Naming => {
  const searched = Object.entries(entity.fields).filter(([, field]) => isNaming(field) || field.kind === 'code')
  return {
    searched: searched.map(([field]) => field),
    nameField: nameFieldOf(entity),
    ancestors: ancestorsOf(entity).map((step) => ({ ...step, nameField: nameFieldOf(step.entity) })),
  }
})
