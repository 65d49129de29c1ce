// Resolves rows of other people's tables to records: which record a row means, and how sure that is.
//
// A row is free text, or parts: a name, an abbreviation, an alias or a code for each of some entities, as {estado, municipio,
// localidad}. The parts are resolved together. What the parts of the ancestors may mean is looked up first; the
// record itself is then looked for below all of these, and the cost of a match is the sum over all parts (row-matches.ts). So
// a locality that fits decides between two municipalities. Free text is read as parts in several ways, those that are trusted most
// first (town-text.ts), and what tells most is meant; where that is nothing, its segments are tried as levels, and the search proposes
// records (free-text.ts). The verdict depends on the cost of the best match and on that of the next one (verdict.ts).
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { folded, wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'
import { ancestorAt, ancestorLevels } from '../search/ancestor-match.ts'
import { isLight } from '../search/word-match.ts'
import { isCalledSo } from './address.ts'
import { entityNames } from './entity-names.ts'
import { GOOD_COST, isKnown, matchesByAlignment, matchesByText, segmentsOf } from './free-text.ts'
import { ancestorOf, type Level, levelsOf } from './levels.ts'
import { withLostLetters } from './lost-letters.ts'
import { readParts } from './other-readings.ts'
import { matchesCalled } from './part-matches.ts'
import { placedParts } from './placed-parts.ts'
import type { CalledName, RowHow } from './record-match.ts'
import { isKnownAnywhere, repairedNames } from './repaired-text.ts'
import { bestOf, leastCost } from './row-matches.ts'
import { namesCountry, namesPlace, RANKS, type Rank, waysToRead, withoutCountry } from './town-text.ts'
import { placesIn } from './towns.ts'
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

/** Other signs may be those of damaged text, in which every letter tells something. */
const PLAIN = /^[a-z0-9áéíóúüñ .,;:()/-]*$/i

/** What rows that mean the same have in common: case and accents tell nothing. */
export function rowKey(row: RowToResolve): string {
  const plain = (text: string) => (PLAIN.test(text) ? folded(text) : text)
  if ('text' in row) return `?${plain(row.text)}`
  return [...row.parts].map(([name, text]) => `${name} ${text.length} ${plain(text)}`).join()
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
  const segments = isAbsent(release, text) ? [] : withoutCountry(release, segmentsOf(text))
  const [only, ...others] = names ?? []
  // A name of what is asked for is no text with several.
  if (only !== undefined && others.length === 0 && segments.length === 1 && isKnown(release, only, text))
    return resolveRow(release, { parts: new Map([[only, text]]) })
  return resolveText(release, text, segments, names)
}

/** How many characters say that there is nothing at most. */
const MAX_ABSENT = 32

/** Whether several words say that there is nothing: "S/N" is no code of a country. */
function isAbsent({ catalog }: Release, text: string): boolean {
  if (text.length > MAX_ABSENT) return false
  const words = wordsOf(text)
  return words.length > 1 && [...catalog.entities.values()].some((entity) => languageOfNames(entity).isAbsent(words))
}

/** What a text means: what its readings tell, those that are trusted most first, or else what its words match. */
function resolveText(
  release: Release,
  text: string,
  segments: readonly string[],
  names: readonly string[] | undefined,
): Resolution {
  const scope = names ?? [...release.catalog.entities.keys()]
  let best: Read | undefined
  const unsure: Resolution[] = []
  let known: boolean | undefined
  const isName = () => {
    known ??= segments.length === 1 && !isTwice(wordsOf(text)) && scope.some((name) => isKnown(release, name, text))
    return known
  }
  for (const { readings, unless, least, isContradicted, isGuess, isLast } of waysToRead(release, segments, isName)) {
    if (best !== undefined && best.rank >= unless) continue
    for (const parts of readings) {
      if (!mayMean(parts, names)) continue
      const read = resolveParts(release, parts)
      if (isContradicted?.()) return withHow(doubted(read), 'other-postal-code')
      const isDoubtful = isGuess?.() === true || isWordOfName(release, segments, read, parts)
      const resolution = isDoubtful ? lastDoubted(read) : withSaint(release, text, read, parts)
      const rank = rankOf(release, parts, resolution)
      if (rank === RANKS.exact || (isLast && rank >= (best?.rank ?? RANKS.nothing))) return resolution
      if (rank < (least ?? RANKS.nothing)) continue
      if (rank === RANKS.unsure && segments.length === 1 && unless > RANKS.unsure) {
        unsure.push(resolution)
        if (leavesMisspelt(parts, resolution)) continue
      }
      if (best === undefined || isBetter({ resolution, rank }, best)) best = { resolution, rank, parts }
    }
  }
  if (best !== undefined && best.rank > RANKS.unsure) return best.resolution
  const aligned = unsure.length === 0 || isName() ? undefined : asAligned(release, text, unsure)
  if (aligned !== undefined) return aligned
  if (best?.rank === RANKS.unsure && !isName()) return best.resolution
  if (best !== undefined && segments.length === 1 && !isName() && isPlaced(release, best, wordsOf(text)))
    return doubted(best.resolution)
  const above = best?.rank === RANKS.above && segments.length > 1 ? best.resolution : undefined
  const matches = matchesByText(release, text, segments, scope, above === undefined)
  const decision = verdictOn(release, matches, segments.length === 1)
  // Where nothing is called so, what it would be in stays.
  if (above !== undefined && !isSure(decision.verdict) && leastCost(matches) > GOOD_COST) return above
  const parts = matches[0]?.parts
  const levels = parts === undefined || isSure(decision.verdict) ? [] : resolveParts(release, parts.slice(0, -1)).levels
  return withSaint(release, text, withLevels(release, decision, levels, undefined))
}

/**
 * Whether a word is read as a town that has more in its name, where no comma parts it from the name of what that would be in: "Crucero Tila" is
 * rather a name than El Crucero in Tila.
 */
function isWordOfName(
  release: Release,
  segments: readonly string[],
  { record }: Resolution,
  parts: readonly WrittenPart[],
): boolean {
  const { entity, written, beside } = parts.at(-1) as WrittenPart
  const { typed, language } = written
  const isSegment = (segment: string) => wordsOf(segment).join() === typed.join()
  return (
    entity === placesIn(release)?.towns &&
    typed.filter((word) => !language.isLinking(word)).length === 1 &&
    beside === undefined &&
    record?.how.includes('dropped-words') === true &&
    !segments.some(isSegment)
  )
}

/** What a reading of a text means, and how much that tells. */
type Read = { readonly resolution: Resolution; readonly rank: Rank; readonly parts: readonly WrittenPart[] }

/**
 * Whether a reading names what has towns in it, and no word is misspelt: then the others are no longer name with that in it. They may be
 * the name of a state, for short.
 */
function isPlaced(release: Release, { parts }: Read, words: readonly string[]): boolean {
  const { entity, above } = placesIn(release) ?? {}
  if (above === undefined || parts[0]?.entity !== entity) return false
  const { language, words: ofStates } = release.entity(above.name).index.words
  const isOfState = (word: string) =>
    word.length === 1 || (!isLight(language, word) && ofStates.indexOf(word) !== undefined)
  return words.every(isKnownAnywhere(release, release)) && !words.some(isOfState)
}

const isBetter = (read: Omit<Read, 'parts'>, other: Read): boolean =>
  read.rank > other.rank ||
  (read.rank >= RANKS.placed && read.rank === other.rank && trustIn(read.resolution) > trustIn(other.resolution))

/** What a reading leaves out lowers how much it is trusted beside others. */
const DROPPED = 0.05
const trustIn = (resolution: Resolution): number =>
  scoreOf(resolution) - (resolution.record?.how.includes('dropped-words') ? DROPPED : 0)

function rankOf(release: Release, parts: readonly WrittenPart[], resolution: Resolution): Rank {
  const { verdict, record } = resolution
  if (isSure(verdict)) {
    // Where the state may be the country, what is called so there is rather meant than what has the name among others in the state.
    const isPartial = verdict === 'sure' && !record?.how.includes('typo')
    if (isPartial && isInCountry(release, parts)) return RANKS.nothing
    return verdict === 'exact' ? RANKS.exact : RANKS.sure
  }
  // Of what is in a country that has no states in the catalog, nothing is known.
  if (record === undefined && ancestorsOf(parts[0]?.entity as Entity).length === 0) return RANKS.exact
  if (parts.length > 2) return RANKS.placed
  if (isInFirst(release, resolution, parts[0] as WrittenPart)) return RANKS.unsure
  return record === undefined && parts.length > 1 ? RANKS.above : RANKS.nothing
}

/** How many words the name of a saint has at most. */
const MAX_SAINT_WORDS = 4

/** What is sure of a text, unless it begins with a saint that the record is not called by, and that may be some other place in it. */
function withSaint(
  release: Release,
  text: string,
  resolution: Resolution,
  parts: readonly WrittenPart[] = [],
): Resolution {
  const { verdict, record } = resolution
  if (record === undefined || verdict !== 'sure') return resolution
  const words = wordsOf(text)
  const { definition } = release.entity(record.name)
  const names = entityNames(release, definition)
  const count = languageOfNames(definition).saintWords(words[0] ?? '')
  const saint = words.slice(0, count)
  const isCalled = ({ name }: CalledName) => saint.every((word) => name.words.includes(word))
  if (count === 0) return resolution
  // Words that are read twice are a saint before the name of what a seat is in.
  if (parts.reduce((sum, { written }) => sum + written.typed.length, 0) > words.length) return lastDoubted(resolution)
  if (!names.isSeat(record.position) || names.record(record.position).names.some(isCalled)) return resolution
  const [parent] = ancestorLevels(release, definition)
  const isBeside = (position: number) =>
    parent !== undefined &&
    position !== record.position &&
    ancestorAt(parent, position) === ancestorAt(parent, record.position)
  const isPlace = (_: string, at: number) =>
    at > 0 &&
    at < MAX_SAINT_WORDS &&
    matchesCalled(release, writtenPart(release, definition, words.slice(0, at + 1).join(' ')), isBeside).some(
      isCalledSo,
    )
  return words.some(isPlace) ? lastDoubted(resolution) : resolution
}

/** Whether some record fits, or several do. */
const fits = ({ verdict }: Resolution): boolean => isSure(verdict) || verdict === 'ambiguous'

/** Whether some words are said twice, as people do for a town and a municipality of one name. */
const isTwice = (words: readonly string[]): boolean => {
  const half = words.length / 2
  return words.every((word, at) => word === words[(at + half) % words.length])
}

/** What is sure of the records that some readings of a text may mean, where all its words are read as their names. */
function asAligned(release: Release, text: string, readings: readonly Resolution[]): Resolution | undefined {
  const [first] = readings
  const entity = first?.record === undefined ? undefined : release.entity(first.record.name).definition
  if (entity === undefined) return undefined
  // What is named is above all that may be meant.
  const isBelow = ({ name, position }: Candidate) =>
    first?.levels.every(
      (level) => !isSure(level.verdict) || ancestorOf(release, name, position, level.name) === level.position,
    )
  const all = readings.flatMap(({ record, alternatives }) => [record ?? [], alternatives].flat()).filter(isBelow)
  const candidates = new Map(all.map((one) => [`${one.name} ${one.position}`, one])).values()
  const aligned = verdictOn(
    release,
    bestOf(release, matchesByAlignment(release, [...candidates], [wordsOf(text)])),
    true,
  )
  return isSure(aligned.verdict) ? withSaint(release, text, withLevels(release, aligned, [], undefined)) : undefined
}

/** Whether a reading leaves words out of which one is misspelt: they may name what is in between. */
const leavesMisspelt = (parts: readonly WrittenPart[], { record }: Resolution): boolean =>
  record?.how.includes('dropped-words') === true &&
  !parts.every(({ written: { typed, isKnown } }) => typed.every(isKnown))

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
  return withHow(lessSure(resolution, toVerdict, MAX_REPAIRED_SCORE), 'repaired')
}

/** The same with one more way to come to it. */
const withHow = <T extends Decision>(decision: T, how: RowHow): T => ({
  ...decision,
  record: decision.record && { ...decision.record, how: [...otherThanExact(decision.record.how), how] },
})

/** The same with nothing in it that is sure. */
const doubted = (resolution: Resolution): Resolution => ({
  ...lessSure(resolution, (verdict) => (isSure(verdict) ? 'likely' : verdict), MAX_LIKELY_SCORE),
  isDoubtful: true,
})

/** The same with all sure but the last level. */
function lastDoubted(resolution: Resolution): Resolution {
  const other = doubted(resolution)
  return { ...other, levels: [...resolution.levels.slice(0, -1), ...other.levels.slice(-1)] }
}

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
  const read = readParts(release, given)
  const matches = cost === 0 ? read.matches : read.matches.map((match) => ({ ...match, cost: match.cost + cost }))
  const decision = verdictOn(release, matches)
  if (isSure(decision.verdict)) return withLevelsOf(release, given, read.parts, decision)
  const restored = withLostLetters(release, given)
  if (restored !== undefined) {
    const { parts, matches } = readParts(release, restored)
    const other = verdictOn(release, matches)
    if (isSure(other.verdict)) return withLevelsOf(release, given, parts, other)
  }
  return withLevelsOf(release, given, read.parts, decision)
}

/** What some parts mean that were read from those given: what counts as empty is not asked for. */
function withLevelsOf(
  release: Release,
  given: readonly WrittenPart[],
  parts: readonly WrittenPart[],
  decision: Decision,
): Resolution {
  const above = parts.length < 2 ? [] : levelsAbove(release, parts.slice(0, -1))
  const read = parts.length < given.length ? withHow(decision, 'ignored-part') : decision
  return withLevels(release, read, above, parts.at(-1)?.entity)
}

const otherThanExact = (how: Candidate['how']): Candidate['how'] => how.filter((one) => one !== 'exact')

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
 * name and of those of its codes, and what its definition says that people call such a column.
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
  for (const { name, columns = [] } of entities) for (const key of columns) names.set(folded(key), name)
  for (const { name, plural } of entities) for (const key of [name, plural]) names.set(folded(key), name)
  return names
})
