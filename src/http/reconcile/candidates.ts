// The candidates of a reconciliation query: the records that a row of someone else's table may mean.
import { type Entity, identifierOf } from '../../catalog/entity.ts'
import { ancestorsOf, pathTo } from '../../catalog/lineage.ts'
import { folded, wordsOf } from '../../catalog/words.ts'
import type { Filter } from '../../find/filter.ts'
import { rank, rankParts } from '../../find/rank.ts'
import type { Release } from '../../release/release.ts'
import { MAX_SEARCH_CHARACTERS, MAX_WORDS } from '../v2/parameter-definitions.ts'
import { descriptionOf, entityId, findEntity, nameOf, type RecordPlace, readRecord, typeOf } from './entity.ts'
import { PropertyReader, type PropertyValue, propertiesOf } from './properties.ts'
import type { GivenProperty, GivenValue, ReconciliationQuery } from './query.ts'

/** A record that a query may mean, with a score from 0 to 1. */
type Match = RecordPlace & { readonly score: number; readonly isSure: boolean }

/** What is known of a candidate besides its score. */
type Feature = { readonly id: string; readonly value: boolean }

export function candidatesFor(release: Release, query: ReconciliationQuery) {
  const best = new Map<string, Match>()
  for (const match of matchesFor(release, query)) {
    const key = `${match.entity.name} ${match.position}`
    if (match.score > (best.get(key)?.score ?? -1)) best.set(key, match)
  }
  const checked = [...best.values()].map((match) => checkedMatch(release, match, query))
  const ranked = checked.toSorted((a, b) => b.match.score - a.match.score).slice(0, query.limit)
  return ranked.map(({ match, features }, at) => candidateOf(release, match, features, at === 0))
}

const PERCENT = 100
const DECIMALS = 100

function candidateOf(release: Release, match: Match, features: readonly Feature[], isFirst: boolean) {
  const { entity, score, isSure } = match
  const named = { entity, record: readRecord(release, match) }
  return {
    id: entityId(entity, named.record),
    name: nameOf(named),
    description: descriptionOf(named),
    type: [typeOf(entity)],
    score: Math.round(score * PERCENT * DECIMALS) / DECIMALS,
    match: isSure && isFirst,
    ...(features.length === 0 ? {} : { features }),
  }
}

// Which records are meant.

function matchesFor(release: Release, query: ReconciliationQuery): Match[] {
  const { text, types, properties } = query
  const identified = findEntity(release, text)
  if (identified !== undefined && types.includes(identified.entity)) return [{ ...identified, score: 1, isSure: true }]
  const parts = properties.filter(({ property, values }) => property.field === undefined && values.length > 0)
  const levels = types.filter((entity) => parts.some(({ property }) => isPartOf(entity, property.owner, text)))
  if (levels.length === 0) return text === '' ? [] : matchText(release, types, text, query.limit)
  return levels.flatMap((entity) => {
    const own = parts.filter(({ property }) => isPartOf(entity, property.owner, text))
    return combinations(own).flatMap((combination) => matchParts(release, entity, text, combination, query.limit))
  })
}

/** The record's own part is read only where there is no text: the text is its name. */
const isPartOf = (entity: Entity, part: Entity, text: string): boolean =>
  part === entity ? text === '' : ancestorsOf(entity).some((step) => step.entity === part)

type GivenPart = { readonly part: Entity; readonly value: GivenValue }

const MAX_COMBINATIONS = 6

/** Each with one value of every part; of many, the first ones. */
function combinations(given: readonly GivenProperty[]): GivenPart[][] {
  let all: GivenPart[][] = [[]]
  for (const { property, values } of given)
    all = all
      .flatMap((before) => values.map((value) => [...before, { part: property.owner, value }]))
      .slice(0, MAX_COMBINATIONS)
  return all
}

/** A dirty cell must not spoil its batch, so what is too long is cut. */
const typedWords = (text: string): string[] => wordsOf(text.slice(0, MAX_SEARCH_CHARACTERS)).slice(0, MAX_WORDS)

const MIN_LIMIT = 3

function matchText(release: Release, types: readonly Entity[], text: string, limit: number): Match[] {
  const words = typedWords(text)
  if (words.length === 0) return []
  const names = types.map(({ name }) => name)
  return withVerdict(release, rank(release, names, words, { limit: Math.max(limit, MIN_LIMIT) }))
}

function matchParts(
  release: Release,
  entity: Entity,
  text: string,
  given: readonly GivenPart[],
  limit: number,
): Match[] {
  const filters: Filter[] = []
  const parts = new Map<string, string[]>()
  for (const { part, value } of given) {
    const known = value.id === undefined ? undefined : findEntity(release, value.id)
    if (known?.entity !== part) parts.set(part.name, typedWords(value.text))
    else if (part === entity) return [{ ...known, score: 1, isSure: true }]
    else filters.push(belowFilter(release, entity, known))
  }
  if (text !== '') parts.set(entity.name, typedWords(text))
  if ((parts.get(entity.name)?.length ?? 0) === 0) return []
  const wanted = Math.max(limit, MIN_LIMIT)
  if (filters.length === 0) return withVerdict(release, rankParts(release, parts, { limit: wanted }))
  const words = [...parts.values()].flat().slice(0, MAX_WORDS)
  return withVerdict(release, rank(release, [entity.name], words, { limit: wanted, within: [[entity.name, filters]] }))
}

/** For the records below one that was reconciled before. */
function belowFilter(release: Release, entity: Entity, ancestor: RecordPlace): Filter {
  const steps = pathTo(entity, ancestor.entity)?.steps ?? []
  const id = readRecord(release, ancestor)[identifierOf(ancestor.entity)] as number
  return { steps, match: 'equals', values: [id] }
}

type Ranked = { readonly name: string; readonly position: number; readonly score: number }

const SURE = 0.95
const AHEAD = 0.05

function withVerdict(release: Release, ranked: readonly Ranked[]): Match[] {
  return ranked.map(({ name, position, score }, at) => ({
    entity: release.entity(name).definition,
    position,
    score,
    isSure: at === 0 && score >= SURE && score - (ranked[1]?.score ?? 0) >= AHEAD,
  }))
}

// Whether they agree with the properties that are not parts.

/** What is left of the score of a record that has another code or name than the row. */
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
    const own = reader.values(id)
    return { id, value: values.some((value) => own.some((one) => agrees(one, value))) }
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
  return Number(text) === ('int' in own ? own.int : own.float)
}
