// The records that all parts of a row may mean together, each with the cost of the whole row.
import type { Release } from '../../release/release.ts'
import { ancestorLevels } from '../search/ancestor-match.ts'
import { importanceOf, MAX_IMPORTANCE } from '../search/importance.ts'
import { isLight } from '../search/word-match.ts'
import { entityNames, FACILITY_COST } from './entity-names.ts'
import { positionsCalled } from './name-table.ts'
import {
  ancestorCosts,
  countBelow,
  isBelow,
  isCertain,
  levelOf,
  matchesIn,
  type Parent,
  POOR_COST,
  parentsByTown,
  parentsFor,
  recordsBelow,
  withAncestors,
  withParent,
} from './parents.ts'
import {
  MAX_COMPARED_RECORDS,
  matchesAnywhere,
  matchesByWholeCode,
  matchesCalled,
  matchesNearly,
} from './part-matches.ts'
import { isOtherKind, type PartMatch, type RowHow } from './record-match.ts'
import { besideTowns, TOWN_COST } from './towns.ts'
import { lettersIn, OTHER_NOISE_COST, type WrittenPart } from './written-part.ts'

/** A record that a whole row may mean. */
export type RowMatch = {
  readonly name: string
  readonly position: number
  readonly cost: number
  /** The cost of its own part alone. */
  readonly ownCost: number
  /** How many letters its own part has, in words that say something. */
  readonly letters: number
  readonly how: readonly RowHow[]
  /** What is added to the cost for ancestors that were not named, and beside records that are rather meant. */
  readonly skipped: number
  /** Whether it may well be another record, however alone it is. */
  readonly isDoubtful: boolean
  /** The parts that it was read from, where it was read from parts. */
  readonly parts?: readonly WrittenPart[]
  /** Whether its own name begins with what was written, and goes on. */
  readonly isPrefix: boolean
  /** Whether its own name is written whole, but for abbreviations and spaces. */
  readonly isWhole: boolean
}

const MAX_MATCHES = 12

/**
 * The matches of parts that go from the most distant ancestor to the record itself, the best first; they may be a whole row, or some
 * words of a text.
 */
export function matchesByParts(release: Release, parts: readonly WrittenPart[], isRow = false): RowMatch[] {
  const part = parts.at(-1)
  if (part === undefined) return []
  const above = parts.slice(0, -1).filter((ancestor) => levelOf(release, part.entity, ancestor) !== undefined)
  const letters = lettersIn(part.written.words, part.written.language)
  const { name } = part.entity
  const toMatch: ToMatch = ({ position, cost: ownCost, isPrefix, isWhole }, { cost, how, isDoubtful }, skipped = 0) => {
    return { name, position, cost: cost + skipped, ownCost, letters, how, skipped, isPrefix, isWhole, isDoubtful }
  }
  if (above.length === 0) {
    const matches = besideTowns(release, part, matchesAnywhere(release, part))
    if (isRow && entityNames(release, part.entity).hasSeats)
      return bestOf(release, withoutParent(release, part, matches, [], toMatch))
    return bestOf(
      release,
      matches.map((match) => toMatch(match, withAncestors(match, []))),
    )
  }
  const nearest = above.at(-1) as WrittenPart
  // A town in both places that is no name of what is above it is that town.
  if (nearest.written.text === part.written.text && !parentsFor(release, above).some(isCertain)) {
    const towns = matchesByParts(release, [...above.slice(0, -1), part], true)
    if (isNamed(towns))
      return towns.map((town) => ({ ...town, cost: town.cost + TOWN_COST, how: [...town.how, 'town'] }))
  }
  const matches = matchesBelow(release, part, above, toMatch)
  if (!matches.some(isCertain)) {
    const towns = parentsByTown(release, part, above)
    matches.push(...towns.map((town) => toMatch({ ...town, how: 'town', ...TOWN }, town)))
  }
  const isPoor = leastCost(matches) > POOR_COST
  const isGuess = above.length > 1 && matches.every(isFarGuess)
  if (!isPoor && !isGuess) return bestOf(release, matches)
  const costs = ancestorCosts(release, part.entity, above)
  const positions = new Set(matches.map(({ position }) => position))
  const names = entityNames(release, part.entity)
  const isTown = ({ position, cost }: PartMatch) =>
    cost <= MAX_SHORT_COST && (names.isSeat(position) || names.isCity(position))
  const called = matchesElsewhere(release, part, above).filter(({ position }) => !positions.has(position))
  const behind = behindLarger(release, part, called, false)
  const toElsewhere = (match: PartMatch) => toMatch(match, withAncestors(match, costs), behind(match))
  if (!isGuess) return bestOf(release, [...matches, ...called.map(toElsewhere)])
  const towns = called.filter(isTown).map(toElsewhere)
  const elsewhere = isPoor ? called.map(toElsewhere) : towns
  return bestOf(release, [
    ...matches.map((match) => (towns.length === 0 ? match : behindCost(match, leastCost(towns) + BEHIND_LARGER_COST))),
    ...elsewhere,
  ])
}

/** Whether the best of some matches is called just what its part says. */
const isNamed = ([best]: readonly RowMatch[]): boolean => best?.ownCost === 0

/** From this cost on a doubtful match is a guess: what is called so elsewhere is rather meant, if it is a town. */
const MIN_GUESS_COST = 1
const isFarGuess = ({ isDoubtful, ownCost }: RowMatch): boolean => isDoubtful && ownCost >= MIN_GUESS_COST

type ToMatch = (match: PartMatch, row: Parent, skipped?: number) => RowMatch

/** A town that is named for what it is in is no prefix of its name. */
const TOWN = { isPrefix: false, isWhole: false, isShort: false } as const

/** What a part may mean below what the parts of the ancestors may mean. */
function matchesBelow(
  release: Release,
  part: WrittenPart,
  above: readonly WrittenPart[],
  toMatch: ToMatch,
): RowMatch[] {
  const level = levelOf(release, part.entity, above.at(-1)) as NonNullable<ReturnType<typeof levelOf>>
  const parents = parentsFor(release, above)
  const isNearest = ancestorLevels(release, part.entity)[0] === level
  if (isNearest && countBelow(level, parents) <= MAX_COMPARED_RECORDS) {
    const below = parents.flatMap((parent) => {
      const found = matchesIn(release, part, level, parent.position).map(besideParent)
      const matches = withoutCities(release, part, amongKinds(release, part, found))
      const behind = behindLarger(release, part, matches, true)
      return matches.map((match) => toMatch(match, withParent(match, parent), behind(match)))
    })
    return parents.length > 1 ? amongSeats(release, below) : below
  }
  const costs = ancestorCosts(release, part.entity, above)
  const called = matchesCalled(release, part, (position) => isBelow(costs, position))
  const matches =
    called.length > 0 || part.digits !== undefined ? called : matchesNearly(release, part, recordsBelow(level, parents))
  return withoutParent(release, part, matches, costs, toMatch)
}

/** A farm or an ejido is not the city of its name. */
function withoutCities(release: Release, part: WrittenPart, matches: readonly PartMatch[]): readonly PartMatch[] {
  const { words, language } = part.written
  if (!language.isHamlet(words[0] ?? '')) return matches
  const names = entityNames(release, part.entity)
  return matches.map((match) =>
    match.cost >= OTHER_NOISE_COST && names.isCity(match.position) ? { ...match, isDoubtful: true } : match,
  )
}

/**
 * Of places that differ in what they say that they are, and of which none is called just so, the one that is far larger is meant, or
 * none is sure.
 */
function amongKinds(release: Release, part: WrittenPart, matches: readonly PartMatch[]): readonly PartMatch[] {
  const least = matches.reduce((cost, match) => Math.min(cost, match.cost), Number.POSITIVE_INFINITY)
  if (matches.length < 2 || least < OTHER_NOISE_COST) return matches
  const { language, readings } = part.written
  const withoutKind = (words: readonly string[]) =>
    words.filter((word) => !language.isKind(word) && !isLight(language, word)).join(' ')
  const written = withoutKind(readings[0]?.words ?? [])
  const names = entityNames(release, part.entity)
  const isSame = ({ position }: PartMatch) => withoutKind(names.wordsAt(position)) === written
  const same = least >= 1 ? matches.filter(isSame) : matches.filter((match) => match.cost === least || isSame(match))
  if (written === '' || same.length < 2 || !same.some(({ cost }) => cost === least)) return matches
  const importance = importanceOf(release, part.entity.name)
  const sizeOf = ({ position }: PartMatch) => importance[position] as number
  const [largest, next] = same.toSorted((a, b) => sizeOf(b) - sizeOf(a)) as [PartMatch, PartMatch]
  const isFarLarger = sizeOf(largest) >= sizeOf(next) + FAR_LARGER
  return matches.map((match) => {
    if (!same.includes(match)) return match
    if (!isFarLarger) return { ...match, cost: least }
    if (match !== largest) return { ...match, cost: Math.max(match.cost, least + BEHIND_LARGER_COST) }
    const [own] = names.record(match.position).names
    return { ...match, cost: least, isDoubtful: own === undefined || isOtherKind(part.written, own.name) }
  })
}

/**
 * The seats of parents of one name are all called so, whatever their own names are: the one that is far larger is meant, or none is
 * sure, as by a short name.
 */
function amongSeats(release: Release, matches: readonly RowMatch[]): RowMatch[] {
  const isCalledSeat = ({ name, position, ownCost, isDoubtful }: RowMatch) =>
    ownCost <= MAX_SHORT_COST && !isDoubtful && entityNames(release, release.entity(name).definition).isSeat(position)
  const importanceAt = ({ name, position }: RowMatch) => importanceOf(release, name)[position] as number
  const [largest, ...lesser] = matches.filter(isCalledSeat).toSorted((a, b) => importanceAt(b) - importanceAt(a))
  if (largest === undefined) return [...matches]
  const isWholeName = !largest.how.includes('prefix')
  return matches.map((match) => {
    if (!lesser.includes(match)) return match
    const isFarLess = isWholeName && importanceAt(match) + FAR_LARGER <= importanceAt(largest)
    return behindCost(match, largest.cost + (isFarLess ? BEHIND_LARGER_COST : 0))
  })
}

/** A match that costs so much at least. */
function behindCost(match: RowMatch, cost: number): RowMatch {
  const behind = Math.max(cost - match.cost, 0)
  return behind === 0 ? match : { ...match, cost: match.cost + behind, skipped: match.skipped + behind }
}

/** What some matches mean whose parents are not named: size and seat decide, or nothing is sure. */
function withoutParent(
  release: Release,
  part: WrittenPart,
  matches: readonly PartMatch[],
  costs: Parameters<typeof withAncestors>[1],
  toMatch: ToMatch,
): RowMatch[] {
  const names = entityNames(release, part.entity)
  const isAnywhere = costs.length === 0
  const behind = behindLarger(release, part, matches, false, isAnywhere ? FAR_LARGER : LARGER)
  const { words, language } = part.written
  const isHamlet = language.isHamlet(words[0] ?? '')
  const namesakes = matches.filter(isNamesake).length
  return matches.map((match) => {
    const row = withAncestors(match, costs)
    // The name of a hamlet is as well that of some quarter or farm that the catalog does not have.
    const isUnknown = part.digits === undefined && match.how !== 'code' && !names.isWellKnown(match.position)
    const isStripped = match.cost >= OTHER_NOISE_COST || match.how === 'dropped-words'
    const isTown = names.isCity(match.position) || (!isAnywhere && names.isSeat(match.position))
    const mayBeMany = !isTown || (isStripped && isHamlet)
    const isOneOfMany = mayBeMany && namesakes >= (isStripped ? 2 : MANY)
    const isDoubtful = row.isDoubtful || isUnknown || isOneOfMany || match.needsParent === true
    return toMatch(match, { ...row, isDoubtful }, behind(match))
  })
}

const besideParent = (match: PartMatch): PartMatch =>
  match.costBesideParent === undefined ? match : { ...match, cost: match.costBesideParent }

/** A town is not told by its name where so many places in the state are called so, unless it is a seat or a city. */
const MANY = 3
/** A facility is named for a place that is near, and so has its name too. */
const isNamesake = ({ cost }: PartMatch): boolean => cost <= MAX_SAME_NAME_COST || cost === FACILITY_COST
/** By how much a record is behind one of the same name that is far larger. */
const BEHIND_LARGER_COST = 0.6
/** Names up to this cost are the same, and one that costs so much less is better whatever its size. */
const MAX_SAME_NAME_COST = 0.75
/** What a short name costs at most; what goes on after other words may be what is meant by them. */
const MAX_SHORT_COST = 0.5
/** A name that so few records have at most is that of a seat too that has more words, and is rather meant than a hamlet. */
const MAX_RARE = 12
/** What is called just so is rather meant than a larger one that has an article more or less. */
const MAX_EXACT_COST = 0.25
/** Where names are misspelt, the larger one may cost so much more. */
const MAX_WORSE_COST = 0.15
/** How much more important a record is that is some times larger, and a seat that is larger. */
const FAR_LARGER = 0.14 * MAX_IMPORTANCE
const LARGER = 0.05 * MAX_IMPORTANCE

/**
 * What is added to the cost of a match beside one that is called so too, and is far larger: nobody means the hamlet. Of the
 * places in one municipality only the seat is so much better known.
 */
function behindLarger(
  release: Release,
  part: WrittenPart,
  matches: readonly PartMatch[],
  isBelowParent: boolean,
  seatLarger = LARGER,
): (match: PartMatch) => number {
  if (matches.length < 2) return () => 0
  const { entity } = part
  const importance = importanceOf(release, entity.name)
  const names = entityNames(release, entity)
  const large = matches.filter(({ position, isDoubtful }) => !isDoubtful && (!isBelowParent || names.isSeat(position)))
  // A seat that needs its parent is meant only below that.
  const isRare = () => isBelowParent && positionsCalled(part, release, {}).length <= MAX_RARE
  return (match) => {
    const own = importance[match.position] as number
    // Of seats that have a name in common, the one that is somewhat larger is not meant for that.
    const seatBefore = names.isSeat(match.position) ? FAR_LARGER : seatLarger
    const larger = large.find(
      ({ position, cost, needsParent }) =>
        (importance[position] as number) >= own + (names.isSeat(position) ? seatBefore : FAR_LARGER) &&
        (cost <= maxCostBefore(match) || (needsParent === true && cost <= MAX_SHORT_COST && isRare())),
    )
    return larger === undefined ? 0 : BEHIND_LARGER_COST + Math.max(larger.cost - match.cost, 0)
  }
}

/** What a larger record costs at most that is rather meant than a match. */
function maxCostBefore({ cost, isPrefix, how }: PartMatch): number {
  if (isPrefix) return MAX_SHORT_COST
  return cost === 0 || how === 'abbreviation' || how === 'repaired'
    ? MAX_EXACT_COST
    : Math.max(MAX_SAME_NAME_COST, cost + MAX_WORSE_COST)
}

/** What a part may mean where nothing fits below the parts of the ancestors: below all but the nearest of them, or anywhere. */
function matchesElsewhere(release: Release, part: WrittenPart, above: readonly WrittenPart[]): readonly PartMatch[] {
  const coded = matchesByWholeCode(release, part)
  const further = above.slice(0, -1)
  if (coded.length > 0 || further.length === 0) {
    // Of many records, what is only called nearly so is not meant where its ancestors are others.
    const isFew = entityNames(release, part.entity).count <= MAX_COMPARED_RECORDS
    return [...coded, ...(isFew ? matchesAnywhere(release, part) : matchesCalled(release, part))]
  }
  const costs = ancestorCosts(release, part.entity, further)
  return matchesCalled(release, part, (position) => isBelow(costs, position))
}

export const leastCost = (matches: readonly RowMatch[]): number =>
  matches.reduce((least, { cost }) => Math.min(least, cost), Number.POSITIVE_INFINITY)

/** The best matches, each record once; of those that cost the same, the most important first. */
export function bestOf(release: Release, matches: readonly RowMatch[]): RowMatch[] {
  if (matches.length < 2) return [...matches]
  const importance = ({ name, position }: RowMatch) => importanceOf(release, name)[position] as number
  const sorted = matches.toSorted((a, b) => a.cost - b.cost || importance(b) - importance(a))
  const best: RowMatch[] = []
  for (const match of sorted) {
    if (best.length === MAX_MATCHES) break
    if (!best.some(({ name, position }) => position === match.position && name === match.name)) best.push(match)
  }
  return best
}
