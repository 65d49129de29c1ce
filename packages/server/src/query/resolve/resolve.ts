// Resolves rows of other people's tables to records: which record a row means, and how sure that is.
//
// A row is free text, or parts: a name, an abbreviation, an alias or a code for each of some entities, as {estado, municipio,
// localidad}. The parts are resolved together. What the parts of the ancestors may mean is looked up first (parents.ts); the
// record itself is then looked for below all of these, and the cost of a match is the sum over all parts (row-matches.ts). So
// a locality that fits decides between two municipalities. Free text is resolved as parts where it is a town with what it is in
// (town-text.ts), an address (address.ts) or has commas, and else by what the search proposes (free-text.ts). The verdict depends
// on the cost of the best match and on that of the next one (verdict.ts).
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { folded, wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'
import { addressOf } from './address.ts'
import { entityNames } from './entity-names.ts'
import { GOOD_COST, isKnown, matchesByAlignment, matchesByText, segmentsOf } from './free-text.ts'
import { ancestorOf, type Level, levelsOf } from './levels.ts'
import { withLostLetters } from './lost-letters.ts'
import { readParts } from './other-readings.ts'
import { placedParts } from './placed-parts.ts'
import { repairedNames } from './repaired-text.ts'
import { bestOf, leastCost } from './row-matches.ts'
import {
  namesCountry,
  namesPlace,
  namesState,
  pairReadings,
  partsAbroad,
  placeReadings,
  townParts,
  townReadings,
} from './town-text.ts'
import { type Candidate, type Decision, isSure, MAX_LIKELY_SCORE, type Verdict, verdictOn } from './verdict.ts'
import { keyOf, type WrittenPart, writtenPart } from './written-part.ts'

/** Free text, or what stands in each part, by the name of its entity. */
export type RowToResolve = { readonly text: string } | { readonly parts: ReadonlyMap<string, string> }

/** How many characters of a part or a text are read. */
export const MAX_ROW_CHARACTERS = 300

type ResolveOptions = {
  /** The entities that free text may mean; all by default. */
  readonly names?: readonly string[]
}

/** Which record a row means, how sure that is, and what is certain at each level. */
export type Resolution = Decision & {
  /** From the most distant ancestor to the record that is asked for. */
  readonly levels: readonly Level[]
}

export function resolveRow(release: Release, row: RowToResolve, { names }: ResolveOptions = {}): Resolution {
  if ('parts' in row) {
    const { readings, cost } = placedParts(release, row.parts, MAX_ROW_CHARACTERS)
    const resolutions = readings.map((parts) => resolveParts(release, parts, cost))
    return resolutions.find(({ verdict }) => isSure(verdict)) ?? (resolutions[0] as Resolution)
  }
  const text = row.text.slice(0, MAX_ROW_CHARACTERS)
  const repairs = repairedNames(release, text)
  if (repairs.length > 0) return resolveRepaired(release, repairs, names === undefined ? {} : { names })
  const segments = segmentsOf(text)
  const [only, ...others] = names ?? []
  // A name of what is asked for is no text with several.
  if (only !== undefined && others.length === 0 && segments.length === 1 && isKnown(release, only, text))
    return resolveRow(release, { parts: new Map([[only, text]]) })
  const scope = names ?? [...release.catalog.entities.keys()]
  const abroad = partsAbroad(release, segments)
  if (abroad !== undefined && mayMean(abroad, names)) return resolveParts(release, abroad)
  const town = townParts(release, segments)
  const asTown = town === undefined || !mayMean(town, names) ? undefined : resolveParts(release, town)
  // Of two segments, the first may be a short name of what has a town of that name.
  if (asTown?.verdict === 'exact' || (asTown?.verdict === 'sure' && segments.length > 2)) return asTown
  const address = addressOf(release, segments)
  if (address !== undefined && mayMean(address.parts, names)) {
    const resolution = resolveParts(release, address.parts)
    if (address.isContradicted) return doubted(resolution)
    if (isSure(resolution.verdict)) return resolution
  }
  if (asTown !== undefined && segments.length > 2) return asTown
  const { best: placed, above: place } =
    segments.length === 1
      ? { best: placedWords(release, text, scope, names) }
      : segments.length === 2
        ? placedPair(release, segments, names)
        : NOWHERE
  if (placed !== undefined) return placed
  const matches = matchesByText(release, text, segments, scope, place === undefined)
  const decision = verdictOn(release, matches, segments.length === 1)
  // Where nothing is called so, what it would be in stays.
  if (place !== undefined && !isSure(decision.verdict) && leastCost(matches) > GOOD_COST) return place
  const parts = matches[0]?.parts
  const above = parts === undefined || isSure(decision.verdict) ? [] : resolveParts(release, parts.slice(0, -1)).levels
  return withLevels(release, decision, above, undefined)
}

/** What a text without commas means that names a town and what it is in; undefined where it does not. */
function placedWords(
  release: Release,
  text: string,
  scope: readonly string[],
  names: readonly string[] | undefined,
): Resolution | undefined {
  const words = wordsOf(text)
  const { best, others } = readTown(release, townReadings(release, words, false), names)
  if (best !== undefined || (!isTwice(words) && scope.some((name) => isKnown(release, name, text)))) return best
  const aligned = asAligned(release, text, others)
  if (aligned !== undefined) return aligned
  const inPlaces = readTown(release, placeReadings(release, words), names)
  return inPlaces.best ?? inPlaces.others[0]
}

/** What a text means that names a town and what it is in; or only what it would be in, where nothing in that is called so. */
type Placed = { readonly best?: Resolution | undefined; readonly above?: Resolution | undefined }

const NOWHERE: Placed = {}

/** Whether some record fits, or several do. */
const fits = ({ verdict }: Resolution): boolean => isSure(verdict) || verdict === 'ambiguous'

/** Whether some words are said twice, as people do for a town and a municipality of one name. */
const isTwice = (words: readonly string[]): boolean => {
  const half = words.length / 2
  return words.every((word, at) => word === words[(at + half) % words.length])
}

/** What two segments mean that name a town and what it is in; undefined where they do not. */
function placedPair(release: Release, segments: readonly string[], names: readonly string[] | undefined): Placed {
  const pairs = pairReadings(release, segments)
  const inState = () => readTown(release, townReadings(release, segments.flatMap(wordsOf), true), names)
  if (namesState(release, segments)) {
    const { best, others, above } = inState()
    const [likely] = others
    // The name of a state may be that of what a town is in, too.
    const inPlace = best?.verdict === 'exact' ? undefined : readTown(release, pairs, names).best
    const isSame = likely?.verdict === 'likely' && likely.record?.position === inPlace?.record?.position
    if (best === undefined && isSame) return { best: inPlace }
    if (inPlace?.verdict === 'exact' && isWellKnown(release, inPlace)) return NOWHERE
    // What may be a country is not the state before that is looked at.
    if (best === undefined && namesCountry(release, segments)) return NOWHERE
    return { best: best ?? likely, above }
  }
  // Where each may be in the other, none is sure.
  const answers = pairs.length < 2 ? [] : pairs.map((parts) => resolveParts(release, parts)).filter(fits)
  if (answers.some(({ record }) => record?.position !== answers[0]?.record?.position)) return NOWHERE
  const { best, others, above } = readTown(release, pairs, names)
  return { best: best ?? inState().best ?? others[0], above }
}

const isWellKnown = (release: Release, { record }: Resolution): boolean =>
  record !== undefined && entityNames(release, release.entity(record.name).definition).isWellKnown(record.position)

/**
 * What is sure of the records that some readings of a text may mean, where all its words are read as their names; or else the first
 * reading. Undefined where that leaves words out of which one is misspelt: they may name what is in between.
 */
function asAligned(release: Release, text: string, readings: readonly Resolution[]): Resolution | undefined {
  const [first] = readings
  const entity = first?.record === undefined ? undefined : release.entity(first.record.name).definition
  if (entity === undefined) return undefined
  // What is named is above all that may be meant.
  const isBelow = ({ name, position }: Candidate) =>
    first?.levels.every(
      (level) => !isSure(level.verdict) || ancestorOf(release, name, position, level.name) === level.position,
    )
  const candidates = readings.flatMap(({ record, alternatives }) => [record ?? [], alternatives].flat()).filter(isBelow)
  const aligned = verdictOn(release, bestOf(release, matchesByAlignment(release, candidates, [wordsOf(text)])), true)
  if (isSure(aligned.verdict)) return withLevels(release, aligned, [], undefined)
  const { typed, isKnown } = writtenPart(release, entity, text).written
  const isMisspelt = !typed.every(isKnown)
  return readings.find(({ record }) => !isMisspelt || !record?.how.includes('dropped-words'))
}

/** What the best of some readings means that is sure, and if none is, the first that names what a town is in; and what the others mean. */
function readTown(
  release: Release,
  readings: readonly (readonly WrittenPart[])[],
  names: readonly string[] | undefined,
): Placed & { readonly others: readonly Resolution[] } {
  let best: Resolution | undefined
  let placed: Resolution | undefined
  let above: Resolution | undefined
  const others: Resolution[] = []
  for (const parts of readings) {
    if (!mayMean(parts, names)) continue
    const resolution = resolveParts(release, parts)
    // What names a place and says the state alone leaves words out.
    const isOfState = parts.length > 2 && resolution.record?.name === parts[0]?.entity.name
    const isSureOfPlace = isSure(resolution.verdict) && !isOfState
    // Where the state may be the country, what is called so there is rather meant than what has the name among others in the state.
    const isPartial = resolution.verdict === 'sure' && !resolution.record?.how.includes('typo')
    if (isSureOfPlace && isPartial && isInCountry(release, parts)) continue
    if (isSureOfPlace && resolution.verdict === 'exact') return { best: resolution, others }
    if (isSureOfPlace) {
      if (scoreOf(resolution) > scoreOf(best)) best = resolution
    } else if (parts.length > 2) placed ??= resolution
    else if (isInFirst(release, resolution, parts[0] as WrittenPart)) others.push(resolution)
    else if (resolution.record === undefined && parts.length > 1) above ??= resolution
  }
  return { best: best ?? placed, others, above }
}

/** Whether two parts may name a record in the country, and not a town in the state of that name. */
const isInCountry = (release: Release, [state, town, ...more]: readonly WrittenPart[]): boolean =>
  more.length === 0 &&
  namesCountry(release, [state?.written.text ?? '']) &&
  namesPlace(release, town?.written.text ?? '')

/** Whether the best record of a resolution lies in what its first part says. */
function isInFirst(release: Release, { record, levels }: Resolution, { entity }: WrittenPart): boolean {
  if (record === undefined) return false
  const state = levels.find(({ name }) => name === entity.name)?.position
  return state !== undefined && ancestorOf(release, record.name, record.position, entity.name) === state
}

const scoreOf = (resolution: Resolution | undefined): number => resolution?.record?.score ?? 0

/** What a damaged text means that was one of some others: where they mean several records, none is sure. */
function resolveRepaired(release: Release, texts: readonly string[], options: ResolveOptions): Resolution {
  const resolutions = texts.map((text) => resolveRow(release, { text }, options))
  const called = resolutions.filter((one) => fits(one) && scoreOf(one) >= MIN_CALLED_SCORE)
  const exact = called.filter(({ verdict }) => verdict === 'exact')
  const several = called.find(({ verdict }) => verdict === 'ambiguous')
  const [first, ...others] = exact.length > 0 ? exact : called.filter(({ verdict }) => isSure(verdict))
  if (first === undefined) return repaired(bestScored(resolutions))
  const isOther = ({ record }: Resolution) => record?.position !== first.record?.position
  if (several !== undefined && isOther(several)) return repaired(several)
  return repaired(others.some(isOther) ? doubted(first) : first)
}

/** From this score on, records are called what a text says, though they may be several. */
const MIN_CALLED_SCORE = 0.45

const bestScored = (resolutions: readonly Resolution[]): Resolution =>
  resolutions.reduce((best, one) => (scoreOf(one) > scoreOf(best) ? one : best))

/** The score of what was damaged at most. */
const MAX_REPAIRED_SCORE = 0.99

function repaired(resolution: Resolution): Resolution {
  const toVerdict = (verdict: Verdict) => (verdict === 'exact' ? 'sure' : verdict)
  const { record, ...rest } = lessSure(resolution, toVerdict, MAX_REPAIRED_SCORE)
  return { ...rest, record: record && { ...record, how: [...record.how.filter((how) => how !== 'exact'), 'repaired'] } }
}

/** The same with nothing in it that is sure. */
const doubted = (resolution: Resolution): Resolution => ({
  ...lessSure(resolution, (verdict) => (isSure(verdict) ? 'likely' : verdict), MAX_LIKELY_SCORE),
  isDoubtful: true,
})

/** The same with other verdicts, and scores of no more than this. */
function lessSure(resolution: Resolution, toVerdict: (verdict: Verdict) => Verdict, maxScore: number): Resolution {
  const { verdict, record, levels } = resolution
  const lowered = <T extends { readonly score: number }>(one: T): T => ({
    ...one,
    score: Math.min(one.score, maxScore),
  })
  return {
    ...resolution,
    verdict: toVerdict(verdict),
    record: record && lowered(record),
    levels: levels.map((level) => ({ ...lowered(level), verdict: toVerdict(level.verdict) })),
  }
}

const mayMean = (parts: readonly WrittenPart[], names: readonly string[] | undefined): boolean =>
  names === undefined || names.includes(parts.at(-1)?.entity.name ?? '')

/** What some parts mean; what it costs to take them for parts is added. */
function resolveParts(release: Release, given: readonly WrittenPart[], cost = 0): Resolution {
  const asked = given.at(-1)?.entity
  const read = readParts(release, given)
  const matches = cost === 0 ? read.matches : read.matches.map((match) => ({ ...match, cost: match.cost + cost }))
  const decision = verdictOn(release, matches)
  if (isSure(decision.verdict)) return withLevelsOf(release, read.parts, decision, asked)
  const restored = withLostLetters(release, given)
  if (restored !== undefined) {
    const { parts, matches } = readParts(release, restored)
    const other = verdictOn(release, matches)
    if (isSure(other.verdict)) return withLevelsOf(release, parts, other, asked)
  }
  return withLevelsOf(release, read.parts, decision, asked)
}

function withLevelsOf(
  release: Release,
  parts: readonly WrittenPart[],
  decision: Decision,
  asked: Entity | undefined,
): Resolution {
  const above = parts.length < 2 ? [] : levelsAbove(release, parts.slice(0, -1))
  return withLevels(release, decision, above, asked)
}

const aboveCaches = memoized((_: Release) => new LruCache<readonly Level[]>({ maxEntries: 4_096 }))

/** The levels of the parts before the last, which many rows have in common. */
const levelsAbove = (release: Release, parts: readonly WrittenPart[]): readonly Level[] =>
  aboveCaches(release).get(keyOf(parts), () => resolveParts(release, parts).levels)

function withLevels(
  release: Release,
  decision: Decision,
  above: readonly Level[],
  asked: Entity | undefined,
): Resolution {
  const entity = asked ?? (decision.record === undefined ? undefined : release.entity(decision.record.name).definition)
  return { ...decision, levels: entity === undefined ? [] : levelsOf(release, entity, decision, above) }
}

/**
 * The entity that each name of a part stands for: folded, the names of the entity, of its collection, of the field of its
 * name and of those of its codes.
 */
export const partNames = memoized((catalog: Catalog): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  const shared = new Set<string>()
  for (const { name, fields } of catalog.entities.values())
    for (const [field, { kind }] of Object.entries(fields)) {
      if (kind !== 'name' && kind !== 'code') continue
      const key = folded(field)
      if (names.has(key)) shared.add(key)
      names.set(key, name)
    }
  for (const key of shared) names.delete(key)
  const entities = [...catalog.entities.values()]
  // The first word of a collection is enough where no other begins so.
  const firstWords = entities.map(({ plural }) => plural.replace(/-.*/, ''))
  for (const [at, { name }] of entities.entries()) {
    const word = firstWords[at] as string
    if (firstWords.indexOf(word) === firstWords.lastIndexOf(word)) names.set(folded(word), name)
  }
  for (const { name, plural } of entities) for (const key of [name, plural]) names.set(folded(key), name)
  return names
})
