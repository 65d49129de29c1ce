// The records that free text may mean: its segments as parts, in every way in which they can be levels; and where that does
// not fit, the candidates of the search, with whose names and ancestors the words are aligned.

import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { ancestorsOf, lineageOf } from '../../catalog/lineage.ts'
import { wordsOf } from '../../catalog/words.ts'
import { aliasesOf } from '../../release/aliases.ts'
import type { Release } from '../../release/release.ts'
import { ancestorAt, ancestorLevels } from '../search/ancestor-match.ts'
import { KNOWN_RIGHT, KNOWN_RIGHT_WHOLE } from '../search/efforts.ts'
import { searchAcross } from '../search/search.ts'
import { isLight } from '../search/word-match.ts'
import { isCalledSo, MAX_NAME_COST } from './address.ts'
import { entityNames } from './entity-names.ts'
import { POOR_COST } from './parents.ts'
import { matchesAnywhere, matchesByWholeCode, matchesCalled, mayName, recordsWithAll } from './part-matches.ts'
import { MAX_COST, matchRecord, type NamedRecord, type PartMatch, type RowHow } from './record-match.ts'
import { bestOf, leastCost, matchesByParts, type RowMatch } from './row-matches.ts'
import { placesIn } from './towns.ts'
import { verdictOn } from './verdict.ts'
import { lettersIn, PLAIN, type WrittenPart, writtenPart, writtenPartAs } from './written-part.ts'

/** What stands between segments, but between a code and its name. */
const SEGMENT = /[,;|\n\t]|(?<!(?:^|[,;|])\s*[0-9]+) [-–/] /
/** What a record is in, in brackets after its name: "San José (Güémez, Tamaulipas)". */
const ENCLOSED = /\(([^()]*,[^()]*)\)\s*$/
/** How many segments are tried as levels. */
const MAX_SEGMENTS = 5
/** The cost of each ancestor that is not named, except the most distant: "Monterrey, Nuevo León". */
const SKIP_COST = 0.3
/** Up to this cost, what segments mean is not looked for in another way. */
export const GOOD_COST = 0.95
/** Of so many records at most it is looked up whether two segments name one. */
const MAX_NAMED = 1_000

export function segmentsOf(text: string): string[] {
  return text
    .replace(ENCLOSED, ',$1')
    .split(SEGMENT)
    .map((segment) => segment.trim())
    .filter((segment) => wordsOf(segment).length > 0)
}

/** The records of some entities that a text of these segments may mean, the best first. */
export function matchesByText(
  release: Release,
  text: string,
  segments: readonly string[],
  names: readonly string[],
  maySearch: boolean,
): RowMatch[] {
  if (segments.length === 0) return []
  const words = segments.map(wordsOf)
  // Where several are called so, it says no more that others are called nearly so.
  const isShared = (matches: readonly RowMatch[]) =>
    matches.some(({ cost, skipped }) => cost - skipped <= MAX_NAME_COST) &&
    verdictOn(release, bestOf(release, matches), segments.length === 1).verdict === 'ambiguous'
  const isOneName = segments.length === 1 && PLAIN.test(text)
  const asLevels = (list: readonly string[]): RowMatch[] => {
    if (list.length > MAX_SEGMENTS) return []
    const toReadings = (name: string) => readingsOf(release, release.entity(name).definition, list)
    const mayBeCalled = (name: string) => !isOneName || mayName(release, release.entity(name).definition, text)
    const [likely, unlikely] = partition(names, mayBeCalled)
    // Beside what is called just so, nothing is meant that is called nearly so.
    const isCalled = ({ parts }: SegmentReading) => parts.every((part) => mayBeMeant(part, release))
    const [called, others] = partition(likely.flatMap(toReadings), isCalled)
    const matches = called.flatMap((reading) => matchesOf(release, reading))
    if (matches.some((match) => isJustSo(release, match)) || isShared(matches)) return matches
    const near = [...others, ...unlikely.filter((name) => scope().includes(name)).flatMap(toReadings)]
    return [...matches, ...near.flatMap((reading) => matchesOf(release, reading))]
  }
  // Where some entity has a word of the text in its names, no other that has none is meant.
  const scope = (): readonly string[] => {
    const withWord = names.filter((name) => hasWord(release, name, words.flat()))
    return withWord.length === 0 ? names : withWord
  }
  const matches = asLevels(segments)
  if (leastCost(matches) > GOOD_COST && segments.length > 1) {
    const once = withoutRepeats(release, segments)
    if (once.length < segments.length) matches.push(...asLevels(once))
    // A name may have a comma in it, but that of a town is rather two.
    const called = names.filter((name) => isKnown(release, name, text))
    matches.push(
      ...called
        .flatMap((name) => readingsOf(release, release.entity(name).definition, [text]))
        .flatMap((reading) => matchesOf(release, reading))
        .map((match) => (match.name === placesIn(release)?.towns.name ? inDoubt(match) : match)),
    )
  }
  const best = bestOf(release, matches)
  // One word that says something is no name with ancestors, and segments that mean something are not cut otherwise.
  const count = words.flat().length
  const telling = words
    .flat()
    .filter((word) => names.some((name) => !isLight(release.entity(name).index.words.language, word))).length
  const isRead = leastCost(best) <= GOOD_COST || telling <= 1 || (segments.length > 1 && best.length > 0)
  if (isRead || !maySearch || count > MAX_ALIGNED_WORDS) return best
  // Two names that are both words of the catalog are two names, however near.
  const efforts = segments.length === 1 ? KNOWN_RIGHT_WHOLE : KNOWN_RIGHT
  const levels = scope().map((name) => [name, []] as const)
  const ranked = searchAcross(release, words.flat(), levels, MAX_PROPOSED, undefined, { efforts })
  const proposed = matchesByAlignment(release, ranked, words)
  // Where segments mean nothing, what the same words mean without commas is in doubt.
  return bestOf(release, [...best, ...(segments.length === 1 ? proposed : proposed.map(inDoubt))])
}

/** Whether the names of an entity have one of some words that says something. */
function hasWord(release: Release, name: string, words: readonly string[]): boolean {
  const indexes = [release.entity(name).index.words, aliasesOf(release, name)?.words]
  return words.some((word) =>
    indexes.some(
      (index) => index !== undefined && !isLight(index.language, word) && index.words.indexOf(word) !== undefined,
    ),
  )
}

const inDoubt = (match: RowMatch): RowMatch => ({ ...match, isDoubtful: true })

const partition = <T>(list: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] => {
  const [first, second]: [T[], T[]] = [[], []]
  for (const one of list) (isFirst(one) ? first : second).push(one)
  return [first, second]
}

/** Whether all parts of a match are written as they are in the catalog; what is hardly known may be another name misspelt. */
const isJustSo = (release: Release, { name, position, cost, skipped, isWhole, isDoubtful }: RowMatch): boolean =>
  cost - skipped <= MAX_NAME_COST &&
  isWhole &&
  !isDoubtful &&
  entityNames(release, release.entity(name).definition).isWellKnown(position)

/** Whether a record of its entity may be called what a part says, be so called for short, or have it as its code. */
const mayBeMeant = memoized(
  (part: WrittenPart, release: Release): boolean =>
    part.code !== undefined ||
    isKnownPart(release, part) ||
    (entityNames(release, part.entity).hasBelow && recordsWithAll(release, part).length > 0),
)

const isKnownPart = (release: Release, part: WrittenPart): boolean =>
  matchesCalled(release, part).length > 0 || matchesByWholeCode(release, part).length > 0

/** Whether a record of an entity is called what a text says, or has it as its code. */
export function isKnown(release: Release, name: string, text: string): boolean {
  const { definition } = release.entity(name)
  return (
    (!PLAIN.test(text) || mayName(release, definition, text)) &&
    isKnownPart(release, writtenPart(release, definition, text))
  )
}

/** The segments without those that name what the next one names: "Mexico City, Distrito Federal" is one state. */
function withoutRepeats(release: Release, segments: readonly string[]): readonly string[] {
  const few = [...release.catalog.entities.values()].filter(({ name }) => release.entity(name).count <= MAX_NAMED)
  return segments.filter((segment, at) => {
    const next = segments[at + 1]
    if (next === undefined) return true
    return !few.some((entity) => {
      const called = (text: string) => matchesCalled(release, writtenPart(release, entity, text)).filter(isCalledSo)
      const positions = called(next).map(({ position }) => position)
      return called(segment).some(({ position }) => positions.includes(position))
    })
  })
}

/** Segments as parts, the most distant ancestor first; and what is added to the cost for ancestors that are not named. */
type SegmentReading = {
  readonly lineage: readonly Entity[]
  readonly parts: readonly WrittenPart[]
  readonly isTopNamed: boolean
  /** Whether what a record is in stands before it. */
  readonly isReversed: boolean
}

/** The ways to read segments as a record of an entity and ancestors of it, in this order or the other. */
function readingsOf(release: Release, entity: Entity, segments: readonly string[]): SegmentReading[] {
  const lineage = lineageOf(entity)
  const orders = segments.length === 1 ? [segments] : [segments, segments.toReversed()]
  return orders
    .flatMap((order) =>
      ascending(lineage.length, order.length).map((levels) => ({
        lineage,
        parts: levels
          .map((level, at) => writtenPart(release, lineage[level] as Entity, order[at] as string))
          .toReversed(),
        isTopNamed: lineage.length > 1 && levels.includes(lineage.length - 1),
        isReversed: order !== segments,
      })),
    )
    .filter(({ parts }) => !isNumbered(release, parts))
}

/** Whether a number stands for a record beside names. */
const isNumbered = (release: Release, parts: readonly WrittenPart[]): boolean =>
  mayBeHouse(release, parts.at(-1) as WrittenPart) && parts.some(({ digits }) => digits === undefined)

function matchesOf(release: Release, { lineage, parts, isTopNamed, isReversed }: SegmentReading): RowMatch[] {
  // Nothing is below what the ancestors do not mean.
  if (parts.slice(0, -1).some((part) => (matchesAnywhere(release, part)[0]?.cost ?? MAX_COST) > POOR_COST)) return []
  if (isTopNamed && parts.length === 2 && isOfNearer(release, lineage, parts)) return []
  const skipped = skippedCost(lineage.length - 1, parts.length - 1, isTopNamed)
  const isOneOfSeveral = isReversed && parts.slice(0, -1).some((part) => matchesAnywhere(release, part).length > 1)
  return matchesByParts(release, parts).map((match) => ({
    ...match,
    parts,
    cost: match.cost + skipped,
    skipped: match.skipped + skipped,
    // "San Francisco, California" is no hamlet California in one of those that are San Francisco for short.
    isDoubtful: match.isDoubtful || (isOneOfSeveral && match.how.includes('prefix')),
  }))
}

/** Whether what may be the most distant ancestor is the name of one below it too, as México is, and the record is only called nearly so. */
function isOfNearer(release: Release, lineage: readonly Entity[], [top, own]: readonly WrittenPart[]): boolean {
  if (top === undefined || own === undefined || matchesCalled(release, own).length > 0) return false
  return lineage
    .slice(1, -1)
    .some((entity) => matchesCalled(release, writtenPartAs(release, entity, top)).some(({ cost }) => cost === 0))
}

/** The ways to choose ascending levels for so many segments, the first of which is the record itself. */
function ascending(levels: number, count: number): number[][] {
  let ways: number[][] = [[0]]
  for (let at = 1; at < count; at++)
    ways = ways.flatMap((way) =>
      Array.from({ length: levels }, (_, level) => level).flatMap((level) =>
        level > (way.at(-1) as number) ? [[...way, level]] : [],
      ),
    )
  return ways
}

/** What ancestors cost that are not named; the most distant goes without saying. */
const skippedCost = (ancestors: number, named: number, isTopNamed: boolean): number =>
  SKIP_COST * (Math.max(0, ancestors - 1 - named) + (isTopNamed ? 1 : 0))

/** How many words of a text are aligned with names at most. */
const MAX_ALIGNED_WORDS = 16
const MAX_PROPOSED = 8

/** Some of the words of a text as a part, but for a number beside others that may be that of a house. */
type Span = (entity: Entity, from: number, to: number) => WrittenPart | undefined

/** A record with its ancestors, the nearest first. */
type Lineage = readonly { readonly entity: Entity; readonly record: NamedRecord }[]

/** Some records, with the cost of the best way to read the words as their name and ancestors. */
export function matchesByAlignment(
  release: Release,
  candidates: readonly { readonly name: string; readonly position: number }[],
  segments: readonly (readonly string[])[],
): RowMatch[] {
  const words = segments.flat()
  if (words.length > MAX_ALIGNED_WORDS) return []
  let end = 0
  const ends = segments.map(({ length }) => {
    end += length
    return end
  })
  const span = spansOf(release, words)
  return candidates.flatMap(({ name, position }) => {
    const { definition } = release.entity(name)
    const lineage = ancestorLevels(release, definition).flatMap((level) => {
      const { definition: entity } = release.entity(level.entity)
      const ancestor = ancestorAt(level, position)
      return ancestor === level.none ? [] : { entity, record: entityNames(release, entity).record(ancestor) }
    })
    // Where parts are not separate, the name of the parent is that of the parent.
    const record = entityNames(release, definition).record(position).withoutNamesOfParent()
    return alignRecord({ entity: definition, record }, lineage, words, ends, span) ?? []
  })
}

function spansOf(release: Release, words: readonly string[]): Span {
  const spans = new Map<string, WrittenPart | undefined>()
  return (entity, from, to) => {
    const key = `${entity.name} ${from} ${to}`
    if (!spans.has(key)) {
      const part = writtenPart(release, entity, words.slice(from, to).join(' '))
      spans.set(key, to - from < words.length && mayBeHouse(release, part) ? undefined : part)
    }
    return spans.get(key)
  }
}

/** Whether a part is the number of a house as well as the code of a place: codes have zeros before them. */
function mayBeHouse(release: Release, { entity, digits }: WrittenPart): boolean {
  const isPlace = Object.values(placesIn(release) ?? {}).includes(entity)
  return isPlace && digits !== undefined && !digits.startsWith('0')
}

const matchSpan = (record: NamedRecord, part: WrittenPart | undefined): PartMatch | undefined =>
  part === undefined ? undefined : matchRecord(record, part)

/** The best way to read all words as the name of a record, which comes first or last, and those of its ancestors. */
function alignRecord(
  { entity, record }: Lineage[number],
  lineage: Lineage,
  words: readonly string[],
  ends: readonly number[],
  span: Span,
): RowMatch | undefined {
  let best: RowMatch | undefined
  const offer = (
    match: PartMatch | undefined,
    ancestors: () => AlignedAncestors | undefined,
    from: number,
    to: number,
  ) => {
    const above = match === undefined ? undefined : ancestors()
    if (match === undefined || above === undefined) return
    const { position, cost: ownCost, isPrefix, isWhole } = match
    // Words on both sides of a comma are rather two names than one with words more or less.
    const isOfBoth = match.how === 'dropped-words' && ends.some((end) => end > from && end < to)
    const isDoubtful = match.isDoubtful || isOfBoth
    const skipped = skippedCost(lineage.length, above.named, above.isTopNamed)
    const cost = ownCost + above.cost + skipped
    if (best !== undefined && cost >= best.cost) return
    const how = [...new Set([match.how, ...above.how])]
    const letters = lettersIn(words.slice(from, to), languageOfNames(entity))
    best = { name: entity.name, position, cost, ownCost, letters, how, skipped, isPrefix, isWhole, isDoubtful }
  }
  const { length } = words
  const matchOwn = (from: number, to: number) => matchSpan(record, span(entity, from, to))
  for (let to = 1; to <= length; to++) {
    offer(matchOwn(0, to), () => alignAncestors(lineage, span, to, length), 0, to)
    if (to < length) offer(matchOwn(to, length), () => alignAncestors(lineage.toReversed(), span, 0, to), to, length)
  }
  return best
}

type AlignedAncestors = {
  readonly cost: number
  readonly how: readonly RowHow[]
  /** How many ancestors are named, and whether the most distant is. */
  readonly named: number
  readonly isTopNamed: boolean
}

const NO_ANCESTORS: AlignedAncestors = { cost: 0, how: [], named: 0, isTopNamed: false }

/** The least cost of reading some words as the names of ancestors, in order; undefined where they cannot be. */
function alignAncestors(lineage: Lineage, span: Span, from: number, to: number): AlignedAncestors | undefined {
  if (from === to) return NO_ANCESTORS
  const [next, ...more] = lineage
  if (next === undefined) return undefined
  let best = alignAncestors(more, span, from, to)
  for (let end = from + 1; end <= to; end++) {
    const match = matchSpan(next.record, span(next.entity, from, end))
    if (match === undefined || (best !== undefined && match.cost >= best.cost + SKIP_COST)) continue
    const rest = alignAncestors(more, span, end, to)
    if (rest === undefined) continue
    const cost = match.cost + rest.cost
    // What names more ancestors explains more of the words.
    if (best !== undefined && cost >= best.cost + SKIP_COST * (rest.named + 1 - best.named)) continue
    const isTop = ancestorsOf(next.entity).length === 0
    best = { cost, how: [match.how, ...rest.how], named: rest.named + 1, isTopNamed: isTop || rest.isTopNamed }
  }
  return best
}
