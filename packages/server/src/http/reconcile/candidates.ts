// The candidates of a reconciliation query: the records that a row of someone else's table may mean.
import type { Entity } from '../../catalog/entity.ts'
import { ancestorsOf, pathTo } from '../../catalog/lineage.ts'
import { folded, wordsOf } from '../../catalog/words.ts'
import type { Filter } from '../../query/filter.ts'
import { resolveRow } from '../../query/resolve/resolve.ts'
import type { Decision } from '../../query/resolve/verdict.ts'
import { type SearchResult, searchAcross } from '../../query/search/search.ts'
import { treeOf } from '../../query/tree.ts'
import type { Release } from '../../release/release.ts'
import { MAX_SEARCH_CHARACTERS, MAX_WORDS } from '../v2/parameter-definitions.ts'
import { isBelow as filterBelow } from '../v2/record-key.ts'
import { embeddedAncestors } from '../v2/record-summary.ts'
import { entityId, findEntity, nameOf, type RecordPlace, recordAt, summaryOf, typeOf } from './entity.ts'
import { PropertyReader, type PropertyValue, propertiesOf } from './properties.ts'
import type { GivenProperty, GivenValue, ReconciliationQuery } from './query.ts'

/** A record that a query may mean, with a score from 0 to 1. */
type Match = RecordPlace & { readonly score: number; readonly isSure: boolean }

/** True or false for each property that a query gives: the candidate has one of its values. */
type Feature = { readonly id: string; readonly value: boolean }

export function candidatesFor(release: Release, query: ReconciliationQuery) {
  const best = new Map<string, Match>()
  for (const match of matchesFor(release, query)) {
    const key = `${match.entity.name} ${match.position}`
    if (match.score > (best.get(key)?.score ?? -1)) best.set(key, match)
  }
  const checked = [...best.values()].map((match) => checkedMatch(release, match, query))
  // If several records are sure, each in its collection or with one value of a property, none is.
  const isOnly = checked.filter(({ match }) => match.isSure).length === 1
  const ranked = checked.toSorted((a, b) => b.match.score - a.match.score).slice(0, query.limit)
  return ranked.map(({ match, features }, at) => candidateOf(release, match, features, isOnly && at === 0))
}

const PERCENT = 100
const DECIMALS = 100

function candidateOf(release: Release, match: Match, features: readonly Feature[], mayMatch: boolean) {
  const { entity, score, isSure } = match
  return {
    ...summaryOf(release, match),
    type: [typeOf(entity)],
    score: Math.round(score * PERCENT * DECIMALS) / DECIMALS,
    match: isSure && mayMatch,
    ...(features.length === 0 ? {} : { features }),
  }
}

// Records that a query may mean.

function matchesFor(release: Release, query: ReconciliationQuery): Match[] {
  const { text, types, properties, limit } = query
  const place = findEntity(release, text)
  if (place !== undefined && types.includes(place.entity)) return [{ ...place, score: 1, isSure: true }]
  const parts = properties.flatMap((given) => givenPart(release, given) ?? [])
  const levels = types.filter((entity) => parts.some(({ part }) => isPartOf(entity, part, text)))
  if (levels.length === 0) return matchText(release, types, text, limit)
  const matches: Match[] = []
  for (const entity of levels) {
    const levelParts = parts.filter(({ part }) => isPartOf(entity, part, text))
    for (const named of combinations(levelParts)) matches.push(...matchParts(release, entity, text, named, limit))
  }
  return matches
}

/** The record's own part is read only without a text, which would be its name. */
const isPartOf = (entity: Entity, part: Entity, text: string): boolean =>
  part === entity ? text === '' : ancestorsOf(entity).some((step) => step.entity === part)

/** A part of a row: text, or a record that was reconciled before. */
type PartValue = { readonly text: string } | RecordPlace
type GivenPart = { readonly part: Entity; readonly values: readonly PartValue[] }

/** The part that a property gives; undefined if it is no part, or if its values have no words. */
function givenPart(release: Release, { property, values }: GivenProperty): GivenPart | undefined {
  if (property.field !== undefined) return undefined
  const part = property.owner
  const partValues = values.flatMap(({ text, id }): PartValue[] => {
    const place = id === undefined ? undefined : findEntity(release, id)
    if (place?.entity === part) return [place]
    return wordsOf(text).length === 0 ? [] : [{ text }]
  })
  return partValues.length === 0 ? undefined : { part, values: partValues }
}

type NamedPart = { readonly part: Entity; readonly value: PartValue }

const MAX_COMBINATIONS = 4

/** Every combination has one value of each part; of many combinations, the first ones are taken. */
function combinations(given: readonly GivenPart[]): NamedPart[][] {
  let all: NamedPart[][] = [[]]
  for (const { part, values } of given)
    all = all.flatMap((before) => values.map((value) => [...before, { part, value }])).slice(0, MAX_COMBINATIONS)
  return all
}

function matchText(release: Release, types: readonly Entity[], text: string, limit: number): Match[] {
  const resolve = () => resolveRow(release, { text }, { names: types.map(({ name }) => name) })
  return resolved(release, resolve, () => searchTypes(release, types, text, limit))
}

function matchParts(
  release: Release,
  entity: Entity,
  text: string,
  named: readonly NamedPart[],
  limit: number,
): Match[] {
  const parts = new Map<string, string>()
  const ancestors: RecordPlace[] = []
  for (const { part, value } of named)
    if ('text' in value) parts.set(part.name, value.text)
    else if (part === entity) return [{ ...value, score: 1, isSure: true }]
    else ancestors.push(value)
  if (text !== '') parts.set(entity.name, text)
  const ownName = parts.get(entity.name)
  if (ownName === undefined) return []
  const filters = ancestors.map((ancestor) => belowFilter(release, entity, ancestor))
  const propose = () => searchTypes(release, [entity], ownName, limit, filters)
  const resolve = () => resolveRow(release, { parts: withLineages(release, parts, ancestors) })
  return resolved(release, resolve, propose).filter((match) => isBelow(release, match, ancestors))
}

/** Adds the names of all ancestors of records that were reconciled before: others may have the same name. */
function withLineages(release: Release, parts: ReadonlyMap<string, string>, ancestors: readonly RecordPlace[]) {
  const all = new Map(parts)
  for (const place of ancestors) {
    const named = recordAt(release, place)
    for (const one of [named, ...embeddedAncestors(named)]) all.set(one.entity.name, nameOf(one))
  }
  return all
}

function isBelow(release: Release, place: RecordPlace, ancestors: readonly RecordPlace[]): boolean {
  if (ancestors.length === 0) return true
  const lineage = embeddedAncestors(recordAt(release, place)).flatMap((one) => findEntity(release, entityId(one)) ?? [])
  return ancestors.every((ancestor) => lineage.some((one) => isAtOrBelow(release, one, ancestor)))
}

/** True if a record is the ancestor, or has it among its ancestors in their tree. */
function isAtOrBelow(release: Release, { entity, position }: RecordPlace, ancestor: RecordPlace): boolean {
  if (entity !== ancestor.entity) return false
  if (position === ancestor.position) return true
  return treeOf(release.entity(entity.name))?.ancestorsOf(position).includes(ancestor.position) ?? false
}

/** Selects the records that have an ancestor. */
function belowFilter(release: Release, entity: Entity, ancestor: RecordPlace): Filter {
  const steps = pathTo(entity, ancestor.entity)?.steps ?? []
  return filterBelow(release, { entity: ancestor.entity, steps }, ancestor.position)
}

/** Greatest score of a record that only the search finds: it is far from the name. */
const MAX_PROPOSED_SCORE = 0.3

/** The records that a row may mean; if there are none, or many of a name, then also the results of a search. */
function resolved(release: Release, resolve: () => Decision, propose: () => readonly SearchResult[]): Match[] {
  const { verdict, record, alternatives } = resolve()
  const isSure = verdict === 'exact' || verdict === 'sure'
  const resolvedRecords = record === undefined ? [] : [record, ...alternatives]
  const matches = resolvedRecords.map((one, at) => toMatch(release, one, isSure && at === 0))
  if (verdict !== 'none' && verdict !== 'ambiguous') return matches
  const others = propose().filter(
    (one) => !resolvedRecords.some(({ name, position }) => name === one.name && position === one.position),
  )
  const max = resolvedRecords.at(-1)?.score ?? MAX_PROPOSED_SCORE
  return [...matches, ...others.map((one) => toMatch(release, { ...one, score: Math.min(one.score, max) }, false))]
}

const toMatch = (release: Release, { name, position, score }: Found, isSure: boolean): Match => ({
  entity: release.entity(name).definition,
  position,
  score,
  isSure,
})

type Found = Pick<SearchResult, 'name' | 'position' | 'score'>

/** Searches for the words of a text, or of the beginning of one that is too long: a dirty cell must not spoil its batch. */
export function searchTypes(
  release: Release,
  types: readonly Entity[],
  text: string,
  limit: number,
  filters: readonly Filter[] = [],
): SearchResult[] {
  const words = wordsOf(text.slice(0, MAX_SEARCH_CHARACTERS)).slice(0, MAX_WORDS)
  const scope = types.map(({ name }) => [name, filters] as const)
  return searchAcross(release, words, scope, limit)
}

// Properties that are not parts, compared with those of a match.

/** Factor of the score for each code or name that differs from that of the row. */
const DISAGREES = 0.8

/**
 * A record with another code or name than the row is no sure match. Other facts, such as another population, say little:
 * they change.
 */
function checkedMatch(release: Release, match: Match, { properties, text }: ReconciliationQuery) {
  const { entity } = match
  const toCheck = properties.filter(
    ({ property: { id, owner, field }, values }) =>
      values.length > 0 && propertiesOf(entity).has(id) && (field !== undefined || (owner === entity && text !== '')),
  )
  if (toCheck.length === 0) return { match, features: [] }
  const reader = new PropertyReader(release, match)
  const features = toCheck.map(({ property: { id }, values }) => {
    const recordValues = reader.values(id)
    return { id, value: values.some((value) => recordValues.some((one) => agrees(one, value))) }
  })
  const contradictions = toCheck.filter(
    ({ property: { owner, field } }, at) =>
      features[at]?.value === false && (field === undefined || owner.fields[field]?.kind !== 'fact'),
  ).length
  const isSure = match.isSure && contradictions === 0
  return { match: { ...match, isSure, score: match.score * DISAGREES ** contradictions }, features }
}

const ZEROS = /^0+(?=\d+$)/
const plain = (text: string) => wordsOf(text).join(' ').replace(ZEROS, '')

function agrees(own: PropertyValue, { text, id }: GivenValue): boolean {
  if ('id' in own) return id === undefined ? plain(own.name) === plain(text) : own.id === id
  if ('str' in own) return folded(own.str) === folded(text) || plain(own.str) === plain(text)
  if ('bool' in own) return folded(text) === String(own.bool)
  if ('date' in own) return own.date === text
  return Number(text) === Number(JSON.stringify('int' in own ? own.int : own.float))
}
