// Suggestions of a search over all collections, each with its name, its ancestors and the parts that match.
import { keySegment } from '../../base/api-v2.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { isNaming, type NamingField } from '../../catalog/languages/languages.ts'
import { pathTo } from '../../catalog/lineage.ts'
import { featureCollection, geometryReader } from '../../query/formats/geojson.ts'
import { DISTANCE } from '../../query/near.ts'
import { searchText } from '../../query/search/anchored.ts'
import type { AliasMatch } from '../../query/search/explanation.ts'
import { highlights } from '../../query/search/highlight.ts'
import type { Scope, SearchResult } from '../../query/search/search.ts'
import { treeOf } from '../../query/tree.ts'
import { factReader } from '../../release/facts.ts'
import type { Release } from '../../release/release.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { badParameter } from '../problem.ts'
import type { NamedBy } from './key-text.ts'
import type { NamedAncestor } from './parameter-definitions.ts'
import { isBelow, positionNamed } from './record-key.ts'
import { publishedRecord, type SummaryOptions, summarizeRecord } from './record-summary.ts'
import type { SearchRequest } from './request/search-request.ts'
import { type ChosenRelease, jsonResponse, textResponse } from './response.ts'

/** What a form offers of a suggestion. */
const optionOf = ({ code, key, name }: RenderedSuggestion) => ({
  value: code ?? keySegment(Object.values(key).flat()),
  label: name,
})

export type RenderedSuggestion = ReturnType<typeof renderSuggestion>

export function searchSuggestions(release: Release, search: SearchRequest, baseUrl: string): RenderedSuggestion[] {
  const { words, language } = search
  return resultsOf(release, search).map((result) => renderSuggestion(release, result, words, { baseUrl, language }))
}

const resultsOf = (release: Release, { text, searched, within, by, limit, near }: SearchRequest) =>
  searchText(release, text, scopeWithin(release, searched, within && { ...within, by }), limit, near)

/** The suggestions as JSON, or as features with the points or shapes of their records. */
export function respondSearch(
  request: HttpRequest,
  chosen: ChosenRelease,
  search: SearchRequest,
  baseUrl: string,
): HttpResponse {
  const { release } = chosen
  const { words, language, geometry, format } = search
  if (geometry === undefined) {
    const suggestions = searchSuggestions(release, search, baseUrl)
    return jsonResponse(request, chosen, format === 'options' ? suggestions.map(optionOf) : suggestions)
  }
  const features = resultsOf(release, search).map((result) => {
    const shape = geometryReader(release, release.entity(result.name).definition, geometry)(result.position)
    return [shape, renderSuggestion(release, result, words, { baseUrl, language })] as const
  })
  return textResponse(request, chosen, featureCollection(features), 'geojson')
}

type AncestorBy = NamedAncestor & { readonly by: NamedBy | undefined }

/** The entities to search, each with the filter for a record that they must have as an ancestor, and that must exist. */
function scopeWithin(release: Release, searched: readonly Entity[], within: AncestorBy | undefined): Scope {
  if (within === undefined) return searched.map(({ name }) => [name, []])
  const position = positionOfAncestor(release, within)
  const isTree = treeOf(release.entity(within.entity.name)) !== undefined
  return searched.flatMap((entity) => {
    if (entity === within.entity && isTree)
      return [[entity.name, [{ steps: [], match: 'below', values: [position] }]] as const]
    const way = pathTo(entity, within.entity)
    if (way === undefined) return []
    return [[entity.name, [isBelow(release, { entity: within.entity, steps: way.steps }, position)]] as const]
  })
}

/** By default, `within` is an identifier if a record has it, and else a code. */
function positionOfAncestor(release: Release, { entity, by, ...named }: AncestorBy): number {
  const positionBy = (by: NamedBy) => positionNamed(release, entity, named, by)
  const position = by === undefined ? (positionBy('id') ?? positionBy('code')) : positionBy(by)
  if (position !== undefined) return position
  const how = by === undefined ? 'identifier or official code' : by === 'id' ? 'identifier' : 'official code'
  throw badParameter('within', `${entity.plural}:${named.name}`, `a record that is there, by its ${how} as in its path`)
}

const DECIMALS = 10_000
export const roundedScore = (score: number): number => Math.round(score * DECIMALS) / DECIMALS

function renderSuggestion(
  release: Release,
  { name, position, score, explain, distance }: SearchResult,
  words: readonly string[],
  options: SummaryOptions,
) {
  const entity = release.entity(name)
  const { definition } = entity
  const record = publishedRecord(release, name, position)
  const { searched, facts } = searchedFields(definition)
  const texts = facts.length === 0 ? record : { ...record, ...factReader(entity, facts)(position) }
  const { how, dropped, matched, matchedName, aliases } = explain()
  return {
    ...summarizeRecord(release, name, position, options, record),
    score: roundedScore(score),
    how,
    dropped,
    matches: [
      ...searched
        .map((field) => ({ field, value: texts[field] }))
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

const renderMatchedName = ({ field, language }: NamingField) => ({ field, language: language ?? null })

/** An alias among the fields that match: its text, the reason why the record has it, and the list of that record. */
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

/** The fields of an entity that a search reads, and the facts among them. */
const searchedFields = memoized((entity: Entity) => {
  const fields = Object.entries(entity.fields).filter(([, field]) => isNaming(field) || field.kind === 'code')
  return {
    searched: fields.map(([field]) => field),
    facts: fields.flatMap(([field, { kind }]) => (kind === 'fact' ? [field] : [])),
  }
})
