// The records that all parts of a row may mean together, each with the cost of the whole row.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Release } from '../../release/release.ts'
import { ancestorLevels } from '../search/ancestor-match.ts'
import { importanceOf } from '../search/importance.ts'
import {
  amongSeats,
  BEHIND_LARGER_COST,
  behindCost,
  FAR_LARGER,
  MAX_SHORT_COST,
  placesInParent,
  placesWithoutParent,
} from './by-size.ts'
import { entityNames } from './entity-names.ts'
import {
  type AncestorCosts,
  ancestorCosts,
  countBelow,
  isBelow,
  isNamedSo,
  levelOf,
  MAX_PROOF_COST,
  type Parent,
  POOR_COST,
  recordsBelow,
  withAncestors,
  withParent,
} from './parents.ts'
import {
  MAX_COMPARED_RECORDS,
  matchesAnywhere,
  matchesBelowParent,
  matchesByWholeCode,
  matchesCalled,
  matchesNearly,
  recordsWithAll,
} from './part-matches.ts'
import type { PartMatch, RowHow } from './record-match.ts'
import { besideTowns, isMisspelt, matchesByTown, TOWN_COST } from './towns.ts'
import { keyOf, lettersIn, type WrittenPart, writtenPart } from './written-part.ts'

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
 * words of a text. Where only what is sure counts, none is looked for elsewhere than the parts say.
 */
export function matchesByParts(
  release: Release,
  parts: readonly WrittenPart[],
  { isRow = false, mayBeElsewhere = true } = {},
): RowMatch[] {
  const part = parts.at(-1)
  if (part === undefined) return []
  const names = entityNames(release, part.entity)
  const above = parts.slice(0, -1).filter((ancestor) => levelOf(release, part.entity, ancestor) !== undefined)
  if (above.length === 0) {
    const matches = besideTowns(release, part, matchesAnywhere(release, part))
    if (isRow && names.hasSeats) return bestOf(release, withoutParent(release, part, matches, []))
    const found = matches.map((match) => {
      const isDoubtful = match.isDoubtful || match.needsParent === true
      return toMatch(part, match, withAncestors({ ...match, isDoubtful }, []))
    })
    const towns = isRow && !found.some(isCertain) ? matchesOfTowns(release, part, []) : []
    return bestOf(release, [...found, ...towns])
  }
  const nearest = above.at(-1) as WrittenPart
  // A town in both places that is no name of what is above it is that town.
  if (nearest.written.text === part.written.text && !parentsFor(release, above).some(isCertain)) {
    const towns = matchesByParts(release, [...above.slice(0, -1), part], { isRow: true })
    if (towns[0]?.ownCost === 0)
      return towns.map((town) => ({ ...town, cost: town.cost + TOWN_COST, how: [...town.how, 'town'] }))
  }
  const matches = [...matchesBelow(release, part, above)]
  if (!matches.some(isCertain)) matches.push(...matchesOfTowns(release, part, above))
  const isPoor = leastCost(matches) > POOR_COST
  // Beside what is doubtful, a town that is called so elsewhere is rather meant.
  const isGuess =
    above.length > 1 && matches.every(({ isDoubtful, ownCost }) => isDoubtful && ownCost >= MIN_GUESS_COST)
  if (!isPoor && !isGuess) return bestOf(release, matches)
  if (!mayBeElsewhere) return []
  const positions = new Set(matches.map(({ position }) => position))
  const called = matchesElsewhere(release, part, above).filter(({ position }) => !positions.has(position))
  const elsewhere = withoutParent(release, part, called, ancestorCosts(release, part.entity, above))
  const isTown = ({ position, ownCost }: RowMatch) =>
    ownCost <= MAX_SHORT_COST && (names.isSeat(position) || names.isCity(position))
  const towns = isGuess ? elsewhere.filter(isTown) : []
  const behind = towns.length === 0 ? 0 : leastCost(towns) + BEHIND_LARGER_COST
  return bestOf(release, [...matches.map((match) => behindCost(match, behind)), ...(isPoor ? elsewhere : towns)])
}

/** A record that a part means, and what that costs together with the parts before it. */
function toMatch({ entity, written }: WrittenPart, match: PartMatch, row: Parent, skipped = 0): RowMatch {
  const { cost: ownCost, isPrefix, isWhole } = match
  const letters = lettersIn(written.words, written.language)
  return { ...row, name: entity.name, cost: row.cost + skipped, ownCost, letters, skipped, isPrefix, isWhole }
}

/**
 * Matches with records that have others below them, in doubt beside far larger ones that are called so for short: "Tlalnepantla" may be
 * Tlalnepantla de Baz, too.
 */
export function besideLargerForShort(
  release: Release,
  part: WrittenPart,
  matches: readonly RowMatch[],
): readonly RowMatch[] {
  const names = entityNames(release, part.entity)
  const [best] = matches
  if (best === undefined || !names.hasBelow || part.digits !== undefined) return matches
  const importance = importanceOf(release, part.entity.name)
  const isLarger = ({ isShort, position }: PartMatch) =>
    isShort && (importance[position] as number) >= (importance[best.position] as number) + FAR_LARGER
  const larger = names.matchAt(recordsWithAll(release, part), part).filter(isLarger)
  if (larger.length === 0) return matches
  const others = larger.map((match) => toMatch(part, match, withAncestors(match, [])))
  return bestOf(release, [...matches, ...others]).map((match) => ({ ...match, isDoubtful: true }))
}

/** What a doubtful match costs at least that is a guess. */
const MIN_GUESS_COST = 1
const MAX_PARENTS = 8
/** How much more than the best of them a parent may cost. */
const MAX_BEHIND = 1.6
const parentCaches = memoized((_: Release) => new LruCache<readonly Parent[]>({ maxEntries: 4_096 }))

/** The records of the last of these parts that they may mean together, the best first. */
export function parentsFor(release: Release, parts: readonly WrittenPart[]): readonly Parent[] {
  return parentCaches(release).get(keyOf(parts), () => {
    const parents = matchesByParts(release, parts, { isRow: true })
    const [best] = parents
    // A parent that is written as it is called is meant, and no other that is called nearly so.
    const isAnchor = best !== undefined && isNamedSo(best)
    const limit = (best?.cost ?? 0) + (isAnchor ? MAX_PROOF_COST : MAX_BEHIND)
    return parents.slice(0, MAX_PARENTS).filter(({ cost }) => cost <= limit)
  })
}

/** Up to this cost, a part is the name of a record and not that of a town. */
const MAX_NAME_COST = 0.95
const isCertain = ({ cost, isDoubtful }: Parent): boolean => cost <= MAX_NAME_COST && !isDoubtful

/** The records in which there is a town that a part names, below what the parts before it mean. */
function matchesOfTowns(release: Release, part: WrittenPart, above: readonly WrittenPart[]): RowMatch[] {
  const costs = ancestorCosts(release, part.entity, above)
  const towns = matchesByTown(release, part, (position) => isBelow(costs, position))
  return towns.map((town) => toMatch(part, town, withAncestors(town, costs))).filter(({ isDoubtful }) => !isDoubtful)
}

/** What a part may mean below what the parts of the ancestors may mean. */
function matchesBelow(release: Release, part: WrittenPart, above: readonly WrittenPart[]): readonly RowMatch[] {
  const { entity } = part
  const level = levelOf(release, entity, above.at(-1)) as NonNullable<ReturnType<typeof levelOf>>
  const parents = parentsFor(release, above)
  const isNearest = ancestorLevels(release, entity)[0] === level
  if (isNearest && countBelow(level, parents) <= MAX_COMPARED_RECORDS) {
    let isNamed = false
    const below = parents.flatMap((parent) => {
      const { position } = parent
      // What is called so below a parent is rather meant than what is called nearly so below one that is further from its part.
      const matches = matchesBelowParent(release, part, level, position, isNamed)
      isNamed ||= isNamedSo(parent) && matches.some(isNamedSo)
      const found = besideTowns(release, part, matches, { entity: level.entity, position })
      return placesInParent(release, part, found).map((match) =>
        toMatch(part, match, withParent(match, parent), match.behind),
      )
    })
    return parents.length > 1 ? amongSeats(release, entity, below) : below
  }
  const costs = ancestorCosts(release, entity, above)
  const called = matchesCalled(release, part, (position) => isBelow(costs, position))
  const matches =
    called.length > 0 || part.digits !== undefined ? called : matchesNearly(release, part, recordsBelow(level, parents))
  return withoutParent(release, part, matches, costs)
}

/** What a part may mean where its parent is not named: what is not sure when it is written right is not sure when it is misspelt. */
function withoutParent(
  release: Release,
  part: WrittenPart,
  matches: readonly PartMatch[],
  costs: AncestorCosts,
): RowMatch[] {
  const placed = (own: WrittenPart, found: readonly PartMatch[]) =>
    placesWithoutParent(release, own, found, costs.length === 0 ? 'anywhere' : 'ancestor').map((match) =>
      toMatch(own, match, withAncestors(match, costs), match.behind),
    )
  const places = placed(part, matches)
  const [best] = bestOf(release, places)
  if (best === undefined || best.isDoubtful || !best.how.some(isMisspelt)) return places
  const own = writtenPart(release, part.entity, entityNames(release, part.entity).texts(best.position)[0] ?? '')
  const called = matchesCalled(release, own, (position) => isBelow(costs, position))
  const [first, second] = bestOf(release, placed(own, called))
  const isMeant = first?.position === best.position && !first.isDoubtful && second?.cost !== first.cost
  if (isMeant) return places
  return places.map((place) => (place === best ? { ...place, isDoubtful: true } : place))
}

/** What a part may mean where nothing fits below the parts of the ancestors: below all but the nearest of them, or anywhere. */
function matchesElsewhere(release: Release, part: WrittenPart, above: readonly WrittenPart[]): readonly PartMatch[] {
  const further = above.slice(0, -1)
  // Of many records, what is only called nearly so is not meant where its ancestors are others.
  const isFew = entityNames(release, part.entity).count <= MAX_COMPARED_RECORDS
  if (isFew && further.length === 0) return matchesAnywhere(release, part)
  const costs = ancestorCosts(release, part.entity, further)
  const called = matchesCalled(release, part, (position) => isBelow(costs, position))
  return [...matchesByWholeCode(release, part), ...called]
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
  // What else begins with what was written is not left out for lack of room.
  const isRival = ({ name, position, isPrefix }: RowMatch) =>
    isPrefix && name === best[0]?.name && position !== best[0].position
  const rival = best.length < MAX_MATCHES ? undefined : sorted.find(isRival)
  return rival === undefined || best.includes(rival) ? best : [...best, rival]
}
