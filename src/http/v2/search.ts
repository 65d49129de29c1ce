// Typeahead over all collections of API v2 at once.

import { entityByPlural } from '../../catalog/collections.ts'
import { type EntityName, entities, entityNames } from '../../catalog/entities.ts'
import { type Entity, type Field, identifierOf } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { ancestorsOf, ownerOf, pathTo } from '../../catalog/lineage.ts'
import type { Filter } from '../../find/filter.ts'
import { highlights } from '../../find/highlight.ts'
import { type Scope, type SearchResult, searchAcross } from '../../find/search.ts'
import { nearest } from '../../nearest.ts'
import type { Release } from '../../release/release.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { jsonResponse } from './answers.ts'
import { keyOf, pathOf } from './key.ts'
import { searchWords } from './list-request.ts'
import type { OpenReleases, ReleaseGone } from './open-releases.ts'
import { DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS, searchParameters } from './parameter-definitions.ts'
import { badParameter, type Parameters, readParameters, wholeNumber } from './parameters.ts'

const plurals = [...entityByPlural.keys()]

export function answerSearch(
  releases: OpenReleases,
  request: HttpRequest,
  baseUrl: string,
): HttpResponse | ReleaseGone {
  const parameters = readParameters(request.query, searchParameters(releases.current.catalog))
  if (!parameters.has('q')) throw badParameter('q', '', 'the words to search for; it must be given')
  const words = searchWords(parameters)
  const limit = wholeNumber(parameters, 'limit', { least: 1, most: MAX_SUGGESTIONS, defaultValue: DEFAULT_SUGGESTIONS })
  const scope = scopeOf(parameters)
  const chosen = releases.chosen(parameters)
  if ('kind' in chosen) return chosen
  const { release } = chosen
  const results = searchAcross(release, words, scope, limit)
  const found = results.map((result) => described(release, result, words, baseUrl))
  return jsonResponse(request, chosen, found)
}

function scopeOf(parameters: Parameters): Scope {
  const names = new Set(parameters.one('in')?.split(',').map(collectionIn) ?? entityNames)
  const within = parameters.one('within')
  if (within === undefined) return [...names].map((name) => [name, []])
  const [plural = '', ...rest] = within.split(':')
  const above = entityByPlural.get(plural)
  const named = rest.join(':')
  if (above === undefined || named === '' || ownerOf(entities[above]) !== undefined) {
    const can = entityNames.filter((name) => ownerOf(entities[name]) === undefined).map((name) => entities[name].plural)
    throw badParameter(
      'within',
      within,
      `one of ${can.join(', ')}, a colon, and an identifier or code, as in estados:9`,
    )
  }
  return [...names].flatMap((name) => {
    const filter = filterWithin(entities[name], entities[above], named)
    return filter === undefined ? [] : [[name, [filter]] as const]
  })
}

function filterWithin(entity: Entity, above: Entity, named: string): Filter | undefined {
  const path = pathTo(entity, above)
  if (path === undefined) return undefined
  const isId = /^[0-9]{1,10}$/.test(named)
  const last = isId ? identifierOf(above) : (above.code.at(-1) as string)
  return { steps: [...path.steps, last], match: 'equals', values: [isId ? Number(named) : named] }
}

function collectionIn(plural: string): EntityName {
  const name = entityByPlural.get(plural)
  if (name !== undefined) return name
  const meant = nearest(plural, plurals)
  throw badParameter('in', plural, `${plurals.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`)
}

const decoder = new TextDecoder()

/** The fields of each entity in which words are looked for. */
const textsOf: ReadonlyMap<EntityName, readonly string[]> = new Map(
  entityNames.map((name) => {
    const fields = Object.entries<Field>(entities[name].fields)
    return [name, fields.filter(([, { kind }]) => kind === 'name' || kind === 'code').map(([field]) => field)]
  }),
)

function described(release: Release, { position, ...result }: SearchResult, words: readonly string[], baseUrl: string) {
  const name = result.name as EntityName
  const entity: Entity = entities[name]
  const record: PublishedRecord = JSON.parse(decoder.decode(release.entity(name).records.record(position)))
  const matches = (textsOf.get(name) ?? [])
    .map((field) => ({ field, ranges: highlights(record[field] as string, words) }))
    .filter(({ ranges }) => ranges.length > 0)
  return {
    collection: entity.plural,
    key: keyOf(entity, record),
    url: `${baseUrl}${pathOf(name, record)}`,
    ...calledOf(name, record),
    matches,
  }
}

const nameField = (entity: Entity) =>
  Object.keys(entity.fields).find((one) => entity.fields[one]?.kind === 'name') as string

/** For each entity its own name, and the steps to those above it with the name of each, the nearest first. */
const namesOf = new Map(
  entityNames.map((name) => {
    const above = ancestorsOf(entities[name]).map(({ field, entity }) => ({ field, named: nameField(entity) }))
    return [name, { named: nameField(entities[name]), above }]
  }),
)

/** What a record is called, and what those above it are. */
function calledOf(entity: EntityName, record: PublishedRecord) {
  const { named, above } = namesOf.get(entity) as NonNullable<ReturnType<typeof namesOf.get>>
  let current = record
  const breadcrumb = above.map((step) => {
    current = current[step.field] as PublishedRecord
    return current[step.named] as string
  })
  return { name: record[named] as string, breadcrumb }
}
