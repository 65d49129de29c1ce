// The records that all parts of a row may mean together, each with the cost of the whole row.
import type { Release } from '../../release/release.ts'
import { importanceOf } from '../search/importance.ts'
import type { How } from '../search/search.ts'
import { entityNames } from './entity-names.ts'
import {
  ancestorCosts,
  childrenOf,
  countBelow,
  levelOf,
  type Parent,
  POOR_COST,
  parentsFor,
  recordsBelow,
  withAncestors,
  withParent,
} from './parents.ts'
import { MAX_COMPARED_RECORDS, matchesAnywhere, matchesBySearch, matchesByWholeCode } from './part-matches.ts'
import type { PartMatch } from './record-match.ts'
import { lettersIn, type WrittenPart } from './written-part.ts'

/** A record that a whole row may mean. */
export type RowMatch = {
  readonly name: string
  readonly position: number
  readonly cost: number
  /** The cost of its own part alone. */
  readonly ownCost: number
  /** How many letters its own part has, in words that say something. */
  readonly letters: number
  readonly how: readonly How[]
  /** What is added to the cost for ancestors that were not named. */
  readonly skipped: number
  /** Whether its own name begins with what was written, and goes on. */
  readonly isPrefix: boolean
  /** Whether its own name is written whole, but for abbreviations and spaces. */
  readonly isWhole: boolean
}

const MAX_MATCHES = 12

/** The matches of parts that go from the most distant ancestor to the record itself, the best first. */
export function matchesByParts(release: Release, parts: readonly WrittenPart[]): RowMatch[] {
  const part = parts.at(-1)
  if (part === undefined) return []
  const above = parts.slice(0, -1).filter((ancestor) => levelOf(release, part.entity, ancestor) !== undefined)
  const letters = lettersIn(part.written.words, part.written.language)
  const { name } = part.entity
  const toMatch = ({ position, cost: ownCost, isPrefix, isWhole }: PartMatch, { cost, how }: Parent): RowMatch => {
    return { name, position, cost, ownCost, letters, how, skipped: 0, isPrefix, isWhole }
  }
  if (above.length === 0)
    return bestOf(
      release,
      matchesAnywhere(release, part).map((match) => toMatch(match, withAncestors(match, []))),
    )
  const matches = matchesBelow(release, part, above, toMatch)
  if (leastCost(matches) <= POOR_COST) return bestOf(release, matches)
  const costs = ancestorCosts(release, part.entity, above)
  const positions = new Set(matches.map(({ position }) => position))
  const elsewhere = matchesElsewhere(release, part, above).filter(({ position }) => !positions.has(position))
  return bestOf(release, [...matches, ...elsewhere.map((match) => toMatch(match, withAncestors(match, costs)))])
}

/** What a part may mean below what the parts of the ancestors may mean. */
function matchesBelow(
  release: Release,
  part: WrittenPart,
  above: readonly WrittenPart[],
  toMatch: (match: PartMatch, row: Parent) => RowMatch,
): RowMatch[] {
  const level = levelOf(release, part.entity, above.at(-1)) as NonNullable<ReturnType<typeof levelOf>>
  const { children } = level
  const parents = parentsFor(release, above)
  if (children !== undefined && countBelow(level, parents) <= MAX_COMPARED_RECORDS) {
    const names = entityNames(release, part.entity)
    return parents.flatMap((parent) =>
      names.match(childrenOf(children, parent), part).map((match) => toMatch(match, withParent(match, parent))),
    )
  }
  const costs = ancestorCosts(release, part.entity, above)
  return matchesBySearch(release, part, recordsBelow(level, parents)).map((match) =>
    toMatch(match, withAncestors(match, costs)),
  )
}

/** What a part may mean where nothing fits below the parts of the ancestors: below all but the nearest of them, or anywhere. */
function matchesElsewhere(release: Release, part: WrittenPart, above: readonly WrittenPart[]): readonly PartMatch[] {
  const coded = matchesByWholeCode(release, part)
  const further = above.slice(0, -1)
  const level = levelOf(release, part.entity, further.at(-1))
  if (coded.length > 0 || level?.children === undefined) return [...coded, ...matchesAnywhere(release, part)]
  return matchesBySearch(release, part, recordsBelow(level, parentsFor(release, further).slice(0, 1)))
}

export const leastCost = (matches: readonly RowMatch[]): number =>
  matches.reduce((least, { cost }) => Math.min(least, cost), Number.POSITIVE_INFINITY)

/** The best matches, each record once; of those that cost the same, the most important first. */
export function bestOf(release: Release, matches: readonly RowMatch[]): RowMatch[] {
  const byRecord = new Map<string, RowMatch>()
  for (const match of matches) {
    const key = `${match.name} ${match.position}`
    const other = byRecord.get(key)
    if (other === undefined || match.cost < other.cost) byRecord.set(key, match)
  }
  const importance = ({ name, position }: RowMatch) => importanceOf(release, name)[position] as number
  return [...byRecord.values()].sort((a, b) => a.cost - b.cost || importance(b) - importance(a)).slice(0, MAX_MATCHES)
}
