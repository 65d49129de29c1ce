// Which of several places of one name is meant: by their size, and by which of them is a seat. What is far smaller than another place
// of its name is put behind it, since nobody means the hamlet; where none is far larger, none is sure.
import type { Entity } from '../../catalog/entity.ts'
import type { Release } from '../../release/release.ts'
import { importanceOf, MAX_IMPORTANCE } from '../search/importance.ts'
import { isLight } from '../search/word-match.ts'
import { entityNames, FACILITY_COST } from './entity-names.ts'
import { isOfFarm, isOtherKind, type PartMatch, type RowHow } from './record-match.ts'
import { OTHER_NOISE_COST, type WrittenPart } from './written-part.ts'

/** How much more important a place is that is some times larger, and a seat that is larger than a place that is none. */
export const FAR_LARGER = 0.14 * MAX_IMPORTANCE
const LARGER_SEAT = 0.05 * MAX_IMPORTANCE
/** By how much a place is behind one of the same name that is far larger. */
export const BEHIND_LARGER_COST = 0.6
/** What a short name costs at most; what goes on after other words may be what is meant by them. */
export const MAX_SHORT_COST = 0.5
/** Names up to this cost are the same, and one that costs so much less is better whatever its size. */
const MAX_SAME_NAME_COST = 0.75
/** What is called just so is rather meant than a larger one that has an article more or less. */
const MAX_EXACT_COST = 0.25
/** Where names are misspelt, the larger one may cost so much more. */
const MAX_WORSE_COST = 0.15
/** A town is not recognised by its name where so many places in the state are called so, unless it is a seat or a city. */
const MANY = 3

/** A place that may be meant, and what is added to its cost beside those that are rather meant. */
type SizedMatch = PartMatch & { readonly behind?: number }

/** The places in one parent that is named. */
export function placesInParent(
  release: Release,
  part: WrittenPart,
  matches: readonly PartMatch[],
): readonly SizedMatch[] {
  const names = entityNames(release, part.entity)
  const places = amongKinds(release, part, matches.map(besideParent)).map((match) =>
    isOfFarm(part, match) && names.isSeat(match.position) ? { ...match, isDoubtful: true } : match,
  )
  return behindLarger(release, part, places, 'parent')
}

const besideParent = (match: PartMatch): PartMatch =>
  match.costBesideParent === undefined ? match : { ...match, cost: match.costBesideParent }

/** The places whose parents are not named: size and seat decide, or nothing is sure. */
export function placesWithoutParent(
  release: Release,
  part: WrittenPart,
  matches: readonly PartMatch[],
  scope: 'ancestor' | 'anywhere',
): SizedMatch[] {
  const names = entityNames(release, part.entity)
  const namesakes = matches.filter(isNamesake).length
  const importance = importanceOf(release, part.entity.name)
  const hasAll = ({ position }: PartMatch) => {
    const words = names.wordsAt(position)
    return part.written.words.every((word) => words.includes(word))
  }
  const toImportance = ({ position }: PartMatch) => importance[position] as number
  let largest: number | undefined
  const isFarSmaller = (match: PartMatch) => {
    largest ??= matches
      .filter(hasAll)
      .map(toImportance)
      .reduce((one, other) => Math.max(one, other), 0)
    return largest >= toImportance(match) + FAR_LARGER
  }
  // What else a city is called is the name of some part of it.
  const isTownCalledSo = ({ cost, how, position }: PartMatch) => cost === 0 && how !== 'alias' && names.isTown(position)
  const isPartOfCity = ({ how }: PartMatch) => how === 'alias' && scope === 'anywhere' && matches.some(isTownCalledSo)
  return behindLarger(release, part, matches, scope).map((match) => {
    const { position, cost, how } = match
    // The name of a hamlet is as well that of some quarter or farm that the catalog does not have.
    const isUnknown = part.digits === undefined && how !== 'code' && !names.isWellKnown(position)
    const isStripped = cost >= OTHER_NOISE_COST || how === 'dropped-words'
    const isTown = names.isCity(position) || (scope === 'ancestor' && names.isSeat(position))
    const isLesser = isStripped && isFarSmaller(match)
    const isOther = isTown ? isOfFarm(part, match) : namesakes >= (isStripped ? 2 : MANY)
    return {
      ...match,
      isDoubtful:
        match.isDoubtful || isUnknown || isLesser || isOther || match.needsParent === true || isPartOfCity(match),
    }
  })
}

/** A facility is named for a place that is near, and so has its name too. */
const isNamesake = ({ cost }: PartMatch): boolean => cost <= MAX_SAME_NAME_COST || cost === FACILITY_COST

/**
 * The places of which some lie behind others that are called so too, and are far larger. Of those in one parent only the seat is so much
 * better known, and where nothing is named that they lie in, a seat must be as large as any other.
 */
function behindLarger(
  release: Release,
  part: WrittenPart,
  matches: readonly PartMatch[],
  scope: 'parent' | 'ancestor' | 'anywhere',
): readonly SizedMatch[] {
  if (matches.length < 2) return matches
  const importance = importanceOf(release, part.entity.name)
  const names = entityNames(release, part.entity)
  const isInParent = scope === 'parent'
  const isLarger = (position: number, other: number) => {
    // Of seats that have a name in common, the one that is somewhat larger is not meant for that.
    const isOnlySeat = scope !== 'anywhere' && names.isSeat(position) && !names.isSeat(other)
    return (importance[position] as number) >= (importance[other] as number) + (isOnlySeat ? LARGER_SEAT : FAR_LARGER)
  }
  const large: PartMatch[] = []
  // Of thousands that have one name, few are neither smaller than one before them nor further from the name.
  const isBefore = (one: PartMatch, other: PartMatch) =>
    one.cost <= other.cost &&
    (importance[one.position] as number) >= (importance[other.position] as number) &&
    (names.isSeat(one.position) || !names.isSeat(other.position)) &&
    (one.needsParent === true || other.needsParent !== true)
  for (const match of matches) {
    const mayBeLarger = !match.isDoubtful && (!isInParent || names.isSeat(match.position))
    if (mayBeLarger && !large.some((one) => isBefore(one, match))) large.push(match)
  }
  return matches.map((match) => {
    const larger = large.find(
      ({ position, cost, needsParent }) =>
        isLarger(position, match.position) &&
        // A seat that needs its parent is meant only below that.
        (cost <= maxCostBefore(match) || (isInParent && needsParent === true && cost <= MAX_SHORT_COST)),
    )
    if (larger === undefined) return match
    return { ...match, behind: BEHIND_LARGER_COST + Math.max(larger.cost - match.cost, 0) }
  })
}

/** What a larger record costs at most that is rather meant than a match. */
function maxCostBefore({ cost, isPrefix, how }: PartMatch): number {
  if (isPrefix) return MAX_SHORT_COST
  return cost === 0 || how === 'abbreviation' || how === 'repaired'
    ? MAX_EXACT_COST
    : Math.max(MAX_SAME_NAME_COST, cost + MAX_WORSE_COST)
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
  const isShort = ({ cost, how }: PartMatch) => how === 'dropped-words' && cost === least && least < 1
  const same = matches.filter((match) => isShort(match) || isSame(match))
  if (same.length < 2 || !same.some(({ cost }) => cost === least)) return matches
  // How many people live in what has records below it is often not known.
  const { behind } = names.hasSeats ? largestOf(release, part.entity, same) : { behind: () => 0 }
  return matches.map((match) => {
    const [own] = names.record(match.position).names
    if (!same.includes(match) || own === undefined) return match
    return { ...match, cost: least + behind(match), isDoubtful: isOtherKind(part.written, own.name) }
  })
}

/** What is compared of places that a row may mean. */
type Place = Pick<PartMatch, 'position' | 'cost' | 'isDoubtful'>

/** The largest of some places that have one name, and what is added to the cost of those that are far smaller. */
function largestOf<T extends Place>(release: Release, { name }: Entity, same: readonly T[]) {
  const importance = importanceOf(release, name)
  const sizeOf = ({ position }: Place) => importance[position] as number
  const largest = same.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a))
  const behind = (match: Place) => (sizeOf(match) + FAR_LARGER <= sizeOf(largest) ? BEHIND_LARGER_COST : 0)
  return { largest, behind }
}

/** What a row costs that means a place. */
type RowCost = Place & { readonly ownCost: number; readonly skipped: number; readonly how: readonly RowHow[] }

/**
 * The seats of parents of one name are all called so, whatever their own names are: the one that is far larger is meant, or none is
 * sure, as by a short name.
 */
export function amongSeats<T extends RowCost>(release: Release, entity: Entity, matches: readonly T[]): readonly T[] {
  const names = entityNames(release, entity)
  const isCalledSeat = ({ position, ownCost, isDoubtful }: T) =>
    ownCost <= MAX_SHORT_COST && !isDoubtful && names.isSeat(position)
  const seats = matches.filter(isCalledSeat)
  if (seats.length < 2) return matches
  const { largest, behind } = largestOf(release, entity, seats)
  const isWhole = !largest.how.includes('prefix')
  return matches.map((match) =>
    seats.includes(match) ? behindCost(match, largest.cost + (isWhole ? behind(match) : 0)) : match,
  )
}

/** A match that costs so much at least. */
export function behindCost<T extends RowCost>(match: T, cost: number): T {
  const behind = Math.max(cost - match.cost, 0)
  return behind === 0 ? match : { ...match, cost: match.cost + behind, skipped: match.skipped + behind }
}
