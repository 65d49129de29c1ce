// What the parts of a row mean where they are not what their columns say: an ancestor's name in the place of a record's own,
// one after its own, or two parts in each other's place.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { ancestorsOf, lineageOf } from '../../catalog/lineage.ts'
import type { Release } from '../../release/release.ts'
import { ancestorLevels } from '../search/ancestor-match.ts'
import { isLight } from '../search/word-match.ts'
import { MAX_MISSPELT_COST, MAX_NAME_COST, NUMBER } from './address.ts'
import { entityNames } from './entity-names.ts'
import { ancestorOf } from './levels.ts'
import { WITHOUT_SAINT_COST, type WrittenName } from './name-match.ts'
import { isNamedSo } from './parents.ts'
import { matchesAnywhere, matchesCalled, mayName } from './part-matches.ts'
import { matchRecord } from './record-match.ts'
import { besideLargerForShort, matchesByParts, parentsFor, type RowMatch } from './row-matches.ts'
import { isSureMatch } from './verdict.ts'
import { keyOf, type WrittenPart, writtenPart, writtenPartAs } from './written-part.ts'

/** The cost of parts that are in each other's place. */
const SWAPPED_COST = 0.3
/** The cost of a seat that is not named. */
const SEAT_COST = 0.1
/** How many words of ancestors' names may stand after the name of a record. */
const MAX_ANCESTOR_WORDS = 6

type ReadParts = { readonly parts: readonly WrittenPart[]; readonly matches: readonly RowMatch[] }

/** What parts mean that may be read otherwise, which only counts where it is sure: nothing is that lies elsewhere than they say. */
const matchesInPlace = (release: Release, parts: readonly WrittenPart[]): RowMatch[] =>
  matchesByParts(release, parts, { mayBeElsewhere: false })

/** The parts of a row that say something, and what they may mean. */
export function readParts(release: Release, given: readonly WrittenPart[]): ReadParts {
  const last = given.at(-1)
  if (last === undefined) return { parts: given, matches: [] }
  if (given.length === 1)
    return {
      parts: given,
      matches: besideLargerForShort(release, last, matchesByParts(release, given, { isRow: true })),
    }
  const said = given.filter((part) => part === last || !saysThatNothingIs(release, part))
  if (said.length < given.length) return readParts(release, said)
  const { above, ancestors } = meantAbove(release, last.entity, given.slice(0, -1))
  const parts = [...above, last]
  const matches = unlessSibling(release, last, matchesByParts(release, parts), ancestors)
  // A town for what it is in, and the name of that in the town's own place: they are swapped.
  const isOfParent =
    isByTown(matches) &&
    (matches[0]?.how.includes('seat') || ancestors.some((one) => one.isParent && isCalled(release, one, last)))
  const inPlace = isOfParent ? swapped(release, parts) : undefined
  if (inPlace !== undefined) return inPlace
  const names = entityNames(release, last.entity)
  const isState = (maxCost: number) =>
    ancestors.some((ancestor) => !ancestor.isParent && isCalled(release, ancestor, last, maxCost))
  if (isState(MAX_NAME_COST)) {
    const parent = ancestors.find(({ isParent }) => isParent)
    const [best] = matches
    // A place is called so if it has another article than the state, or if it is a town in the parent.
    const isOwnName = best?.ownCost === 0 && best.cost <= MAX_NAME_COST
    if (isOwnName && (!isState(0) || (parent !== undefined && names.isTown(best.position)))) return { parts, matches }
    if (!names.hasSeats && isNamed(matches)) return { parts, matches }
    // Only a city is known by the name that it shares with its state.
    const isKnown = ({ position }: RowMatch) => parent !== undefined || names.isCity(position)
    const seats = matches
      .filter((match) => match.ownCost <= MAX_NAME_COST && isSeatIn(release, match, parent))
      .map((match) => ({ ...match, isDoubtful: match.isDoubtful || !isKnown(match) }))
    if (seats.length > 0 && !isOfParent) return { parts, matches: seats }
    // The name of the state in the place of a locality says nothing of the locality.
    return readParts(release, above)
  }
  const { typed, language } = last.written
  const isAbsent = language.isAbsent(typed)
  // A hamlet "El Centro" is not meant by "Centro".
  const saysSeat = language.isSeat(typed) && (matches[0]?.ownCost ?? 0) > 0
  if (isSureMatch(release, matches) && !saysSeat && !(isAbsent && !isNamed(matches)))
    return orInState(release, parts, matches) ?? saintApart(release, { parts, matches }, ancestors, last.isList)
  const seat = asSeat(release, last, ancestors)
  if (seat !== undefined) {
    const read = readParts(release, [...above, seat])
    return { ...read, matches: read.matches.map(unnamed) }
  }
  const otherwise = withoutAncestors(release, last, above, ancestors) ?? swapped(release, parts)
  if (otherwise !== undefined) return otherwise
  const isNearly = (ancestor: Ancestor) => !ancestor.isParent && isMisspelt(release, ancestor, last)
  const saysNothing = ancestors.some(isNearly) || typed.every((word) => language.isNoise(word))
  const isEmpty = isAbsent || (matches.length === 0 && saysNothing)
  return isEmpty ? readParts(release, above) : { parts, matches }
}

/** Whether a part says that nothing is known, and is no code: "NA" is Namibia. */
const saysThatNothingIs = (release: Release, part: WrittenPart): boolean =>
  part.written.language.isAbsent(part.written.typed) && matchesAnywhere(release, part)[0]?.cost !== 0

/** The matches of a part, in doubt where it names a sibling of the parent instead: "Sultepec" is no Tultepec that is misspelt. */
function unlessSibling(
  release: Release,
  last: WrittenPart,
  matches: readonly RowMatch[],
  [parent, ...above]: readonly Ancestor[],
): readonly RowMatch[] {
  const [best] = matches
  if (parent?.isParent !== true || best === undefined || best.ownCost <= MAX_NAME_COST) return matches
  const isBelow = (position: number) =>
    above.every((one) => ancestorOf(release, parent.entity.name, position, one.entity.name) === one.position)
  const called = matchesCalled(release, writtenPartAs(release, parent.entity, last), isBelow)
  const isSibling = called.some(({ position, cost }) => cost === 0 && position !== parent.position)
  return isSibling ? matches.map((match) => ({ ...match, isDoubtful: true })) : matches
}

/** What two parts may rather mean where the first is the name of a state too: in "Guerrero, Acapulco" the city, and no hamlet elsewhere. */
function orInState(
  release: Release,
  parts: readonly WrittenPart[],
  matches: readonly RowMatch[],
): ReadParts | undefined {
  const [before, last, ...more] = parts as [WrittenPart, WrittenPart, ...WrittenPart[]]
  const [state] = ancestorsOf(before.entity)
  const { hasSeats } = entityNames(release, last.entity)
  if (state === undefined || more.length > 0 || !hasSeats || isSeat(release, matches)) return undefined
  const above = writtenPartAs(release, state.entity, before)
  if (!isNamed(matchesCalled(release, above).map(({ cost }) => ({ ownCost: cost })))) return undefined
  const rather = matchesInPlace(release, [above, last])
  if (!isSeat(release, rather) || !isSureMatch(release, rather)) return undefined
  return { parts: [above, last], matches: rather.map((match) => ({ ...match, isDoubtful: true })) }
}

/** A match with a seat that is recognised by another word than its name. */
const unnamed = (match: RowMatch): RowMatch => ({ ...match, cost: match.cost + SEAT_COST, how: ['seat'] })

/** A part that says no more than that the seat is meant, as the name of its parent, which is that of the seat too. */
function asSeat(release: Release, last: WrittenPart, ancestors: readonly Ancestor[]): WrittenPart | undefined {
  const { typed, text, language } = last.written
  const parent = ancestors.find(({ isParent, isDoubtful }) => isParent && !isDoubtful)
  if (parent === undefined || !language.isSeat(typed)) return undefined
  const name = entityNames(release, parent.entity).record(parent.position).names[0]?.name.text
  return name === undefined || name === text ? undefined : writtenPart(release, last.entity, name)
}

/**
 * What parts mean that are sure of a seat by its name after that of a saint: "San José, Güémez" is San José in Güémez, if there is one;
 * without the comma it may be either.
 */
function saintApart(release: Release, read: ReadParts, ancestors: readonly Ancestor[], isList: boolean): ReadParts {
  const [best] = read.matches
  const last = read.parts.at(-1) as WrittenPart
  if (last.withoutSaint === undefined || best === undefined || best.ownCost < WITHOUT_SAINT_COST) return read
  const otherwise = withoutAncestors(release, last, read.parts.slice(0, -1), ancestors)
  const saint = otherwise?.matches[0]
  if (otherwise === undefined || saint === undefined || !isNamed(otherwise.matches)) return read
  return isList ? otherwise : { ...read, matches: [best, { ...saint, cost: best.cost }] }
}

/** Whether the best of some matches is called what its part says. */
const isNamed = ([best]: readonly { readonly ownCost: number }[]): boolean =>
  best !== undefined && best.ownCost <= MAX_NAME_COST

/** Whether the best of some matches lies in what is named by a town in it. */
const isByTown = ([best]: readonly RowMatch[]): boolean => best?.how.includes('town') === true

/** The parts before the last that say something, and what they mean. */
type Above = { readonly above: readonly WrittenPart[]; readonly ancestors: readonly Ancestor[] }

const aboveCaches = memoized((_: Release) => new LruCache<Above>({ maxEntries: 4_096 }))

/** What stands before the last part, which many rows have in common. */
const meantAbove = (release: Release, entity: Entity, given: readonly WrittenPart[]): Above =>
  aboveCaches(release).get(`${entity.name} ${keyOf(given)}`, () => {
    const own = withoutRepeated(release, given)
    const isMeant = own.length < 2 || isSureMatch(release, matchesInPlace(release, own))
    const above = (isMeant ? undefined : swapped(release, own)?.parts) ?? own
    return { above, ancestors: ancestorsMeant(release, entity, above) }
  })

/** The parts without those that repeat the name of an ancestor, as where the state stands in the municipality's place. */
function withoutRepeated(release: Release, parts: readonly WrittenPart[]): readonly WrittenPart[] {
  const kept: WrittenPart[] = []
  for (const part of parts) if (kept.length === 0 || !repeatsAncestor(release, part, kept)) kept.push(part)
  return kept
}

function repeatsAncestor(release: Release, part: WrittenPart, above: readonly WrittenPart[]): boolean {
  if (!ancestorsMeant(release, part.entity, above).some((ancestor) => isCalled(release, ancestor, part))) return false
  const [meant] = parentsFor(release, [...above, part])
  const [parent] = parentsFor(release, above)
  return meant === undefined || meant.cost - (parent?.cost ?? 0) > MAX_NAME_COST
}

/** A record that is meant by the parts before the last, or lies above it. */
type Ancestor = {
  readonly entity: Entity
  readonly position: number
  /** Whether it is the parent of what the last part means, whose name is that of its seat too. */
  readonly isParent: boolean
  readonly isDoubtful: boolean
}

/** What the parts before the last mean, and what lies above that: of a state also its country. */
function ancestorsMeant(release: Release, entity: Entity, above: readonly WrittenPart[]): Ancestor[] {
  const nearest = above.at(-1) as WrittenPart
  const [meant] = parentsFor(release, above)
  if (meant === undefined) return []
  const parent = entityNames(release, entity).hasSeats ? ancestorLevels(release, entity)[0]?.entity : undefined
  return lineageOf(nearest.entity).flatMap((one) => {
    const isNearest = one === nearest.entity
    const position = isNearest ? meant.position : ancestorOf(release, nearest.entity.name, meant.position, one.name)
    if (position === undefined) return []
    return [{ entity: one, position, isParent: one.name === parent, isDoubtful: meant.isDoubtful }]
  })
}

/** Whether a record is called what a part of another entity says. */
function isCalled(
  release: Release,
  { entity, position }: Ancestor,
  part: WrittenPart,
  maxCost = MAX_NAME_COST,
): boolean {
  if (isNumber(part.written) || !mayName(release, entity, part.written.text)) return false
  const own = writtenPartAs(release, entity, part)
  const matches = own.code === undefined ? matchesCalled(release, own) : matchesAnywhere(release, own)
  const match = matches.find((one) => one.position === position)
  return match !== undefined && match.cost <= maxCost && !match.isDoubtful
}

/** Whether a record is called nearly what a part says; what has more words than its name is no misspelling of it. */
function isMisspelt(release: Release, { entity, position }: Ancestor, part: WrittenPart): boolean {
  if (part.digits === undefined && isNumber(part.written)) return false
  const match = matchRecord(entityNames(release, entity).record(position), writtenPartAs(release, entity, part))
  return match !== undefined && match.cost <= MAX_MISSPELT_COST && !match.isDoubtful && match.how !== 'dropped-words'
}

/** Whether all that is written is a number: the fourth place of a name, and no code of what it is in. */
const isNumber = ({ words, language }: WrittenName): boolean =>
  words.every((word) => NUMBER.test(word) || isLight(language, word))

/** Whether a record is a seat, and that of a parent where one is meant. */
function isSeatIn(release: Release, { name, position }: RowMatch, parent: Ancestor | undefined): boolean {
  const names = entityNames(release, release.entity(name).definition)
  return parent === undefined ? names.isSeat(position) : names.seatOf(parent.position) === position
}

const isSeat = (release: Release, [best]: readonly RowMatch[]): boolean =>
  best !== undefined && isSeatIn(release, best, undefined)

/**
 * What a part means without the names of ancestors before or after it, as in "Minatitlán, Veracruz, México"; nothing may be left.
 * Where its parent is not named in a part of its own, what stands there may be the parent, as in "Los Reyes la Paz".
 */
function withoutAncestors(
  release: Release,
  { entity, written: { typed, language }, isList }: WrittenPart,
  above: readonly WrittenPart[],
  ancestors: readonly Ancestor[],
  wasList = isList,
  tried = new Set<string>(),
): ReadParts | undefined {
  const part = (as: Entity, words: readonly string[]) => writtenPart(release, as, words.join(' '))
  const [parent] = ancestorsOf(entity)
  const meant = ancestors.find(({ isParent }) => isParent)
  const hasParent = parent === undefined || above.some((one) => one.entity === parent.entity)
  for (const { ends, rest } of partings(typed)) {
    // The same is left in many ways, where words are said again and again.
    const parting = `${ends.join(' ')},${rest.join(' ')}`
    if (tried.has(parting)) continue
    tried.add(parting)
    const saysSeat = language.isSeat(ends)
    const ending = part(entity, ends)
    const isAncestor = saysSeat || ancestors.some((ancestor) => isCalled(release, ancestor, ending))
    const named = isAncestor || hasParent ? undefined : part(parent.entity, ends)
    if (!isAncestor && (named === undefined || !isMeant(release, [...above, named]))) continue
    const parts = [...above, ...(named === undefined ? [] : [named]), part(entity, rest)]
    const own = parts.at(-1) as WrittenPart
    const found = matchesInPlace(release, parts)
    const matches = saysSeat ? found.filter((match) => isSeatIn(release, match, meant)).map(unnamed) : found
    // What is left of a name without that of its parent is a name just so, and neither a number nor some word of another.
    const isName = wasList || (own.digits === undefined && (matches[0]?.ownCost === 0 || isSeat(release, matches)))
    if (isName && isSureMatch(release, matches)) return saintApart(release, { parts, matches }, ancestors, wasList)
    if (!isAncestor || saysSeat) continue
    const further = withoutAncestors(release, own, above, ancestors, wasList, tried)
    if (further !== undefined) return further
  }
  return undefined
}

/** Whether the last of some parts is called so, and no other record is meant. */
const isMeant = (release: Release, parts: readonly WrittenPart[]): boolean =>
  matchesCalled(release, parts.at(-1) as WrittenPart).length > 0 && isSureMatch(release, matchesInPlace(release, parts))

/** The ways to part the last words from the others, and then the first. */
function* partings(
  words: readonly string[],
): Generator<{ readonly ends: readonly string[]; readonly rest: readonly string[] }> {
  const most = Math.min(words.length - 1, MAX_ANCESTOR_WORDS)
  for (let count = 1; count <= most; count++) yield { ends: words.slice(-count), rest: words.slice(0, -count) }
  for (let count = 1; count <= most; count++) yield { ends: words.slice(0, count), rest: words.slice(count) }
}

/** What the last two parts mean in each other's place. */
function swapped(release: Release, parts: readonly WrittenPart[]): ReadParts | undefined {
  const [last, before] = [parts.at(-1), parts.at(-2)]
  if (last === undefined || before === undefined || isNumber(last.written) || isNumber(before.written)) return undefined
  // The code beside a name is that of its own place.
  if (last.beside !== undefined) return undefined
  // Both must be called so.
  if (matchesCalled(release, writtenPartAs(release, before.entity, last)).length === 0) return undefined
  const others = [
    ...parts.slice(0, -2),
    writtenPartAs(release, before.entity, last),
    writtenPartAs(release, last.entity, before),
  ]
  const matches = matchesInPlace(release, others).map(
    (match): RowMatch => ({ ...match, cost: match.cost + SWAPPED_COST, how: [...match.how, 'swapped'] }),
  )
  const [best] = matches
  const isCalledSo = best !== undefined && best.cost <= SWAPPED_COST + MAX_NAME_COST
  if (!isCalledSo || !isSureMatch(release, matches)) return undefined
  // What is written as it is called in its own place is meant there, and not some place of its name.
  const isInPlace = parentsFor(release, parts.slice(0, -1)).some(isNamedSo)
  return isInPlace && !isSeat(release, matches) ? undefined : { parts: others, matches }
}
