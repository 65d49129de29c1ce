// The records that the parts of the ancestors may mean together, what lies below them, and what they cost a record.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Postings } from '../../release/index/postings.ts'
import type { Release } from '../../release/release.ts'
import { type AncestorLevel, ancestorLevels } from '../search/ancestor-match.ts'
import { ancestorAt } from '../search/score.ts'
import { MAX_COMPARED_RECORDS, matchesAnywhere, matchesBelowParent } from './part-matches.ts'
import type { PartMatch, RowHow } from './record-match.ts'
import { besideTowns, matchesByTown } from './towns.ts'
import { keyOf, type WrittenPart } from './written-part.ts'

/** A record that the parts of the ancestors may mean, with the cost of all of them. */
export type Parent = {
  readonly position: number
  readonly cost: number
  readonly how: readonly RowHow[]
  /** Whether one of the parts may well mean another record. */
  readonly isDoubtful: boolean
}

const MAX_PARENTS = 8
/** How much more than the best of them a parent may cost. */
const MAX_BEHIND = 1.6
/** From this cost on, a match below the ancestors is so poor that others are looked for. */
export const POOR_COST = 2.2
/** The cost of an ancestor that is not what its part says. */
const MISMATCH_COST = 2.5

const parentCaches = memoized((_: Release) => new LruCache<readonly Parent[]>({ maxEntries: 4_096 }))

/** The records of the last of these parts that they may mean together, the best first. */
export function parentsFor(release: Release, parts: readonly WrittenPart[]): readonly Parent[] {
  return parentCaches(release).get(keyOf(parts), () => {
    const nearest = parts.at(-1) as WrittenPart
    const above = parts.slice(0, -1)
    const below = parentsBelow(release, nearest, above)
    const parents = below.some(({ cost }) => cost <= POOR_COST)
      ? below
      : [...below, ...parentsElsewhere(release, nearest, above, below)]
    if (!parents.some(isCertain)) {
      const isNearer = ({ position, cost }: Parent) =>
        !parents.some((other) => other.position === position && other.cost <= cost)
      parents.push(...parentsByTown(release, nearest, above).filter(isNearer))
    }
    parents.sort((a, b) => a.cost - b.cost)
    const best = parents[0]
    // A parent that is written as it is called is meant, and no other that is called nearly so.
    const isAnchor = best !== undefined && best.cost <= MAX_PROOF_COST && !best.isDoubtful
    const limit = (best?.cost ?? 0) + (isAnchor ? MAX_PROOF_COST : MAX_BEHIND)
    return parents.slice(0, MAX_PARENTS).filter(({ cost }) => cost <= limit)
  })
}

/** The records of a part below what the parts before it may mean, where they are not too many to compare. */
function parentsBelow(release: Release, part: WrittenPart, above: readonly WrittenPart[]): Parent[] {
  const level = levelOf(release, part.entity, above.at(-1))
  if (level === undefined) return []
  const parents = parentsFor(release, above)
  if (countBelow(level, parents) > MAX_COMPARED_RECORDS) return []
  return parents.flatMap((parent) =>
    matchesIn(release, part, level, parent.position).map((match) => withParent(match, parent)),
  )
}

/** The records below a parent that a part may mean, and no other place there. */
export const matchesIn = (release: Release, part: WrittenPart, level: AncestorLevel, position: number) =>
  besideTowns(release, part, matchesBelowParent(release, part, level, position), { entity: level.entity, position })

/** Up to this cost, a part is the name of a record and not that of a town. */
const MAX_NAME_COST = 0.95
export const isCertain = ({ cost, isDoubtful }: Parent): boolean => cost <= MAX_NAME_COST && !isDoubtful

/** The records in which there is a town that a part names, below what the parts before it mean. */
export function parentsByTown(release: Release, part: WrittenPart, above: readonly WrittenPart[]): Parent[] {
  const towns = matchesByTown(release, part)
  if (towns.length === 0) return []
  const costs = ancestorCosts(release, part.entity, above)
  return towns.map((match) => withAncestors(match, costs)).filter(({ isDoubtful }) => !isDoubtful)
}

/** The records of a part wherever they are, but for those below the parts before it. */
function parentsElsewhere(
  release: Release,
  part: WrittenPart,
  above: readonly WrittenPart[],
  below: readonly Parent[],
): Parent[] {
  const costs = ancestorCosts(release, part.entity, above)
  return besideTowns(release, part, matchesAnywhere(release, part))
    .map((match) => withAncestors(match, costs))
    .filter(({ position }) => !below.some((other) => other.position === position))
}

/** The level of the ancestors of an entity that a part names. */
export function levelOf(release: Release, entity: Entity, part: WrittenPart | undefined): AncestorLevel | undefined {
  for (const level of ancestorLevels(release, entity)) if (level.entity === part?.entity.name) return level
  return undefined
}

export const withParent = ({ position, cost, how, isDoubtful }: PartMatch, parent: Parent): Parent => ({
  position,
  cost: cost + parent.cost,
  how: withHow(how, parent.how),
  // What is found below a doubtful parent, and is called exactly so, speaks for the parent.
  isDoubtful: isDoubtful || (parent.isDoubtful && cost > MAX_PROOF_COST),
})

/** A way to match before others, each once. */
const withHow = (how: RowHow, others: readonly RowHow[]): readonly RowHow[] =>
  others[0] === how ? others : [how, ...others.filter((other) => other !== how)]

/** Up to this cost, a record speaks for a parent that is in doubt. */
const MAX_PROOF_COST = 0.3

type AncestorCosts = readonly {
  readonly level: AncestorLevel
  readonly matches: ReadonlyMap<number, PartMatch>
  /** Whether one of them is written as it is called. */
  readonly isNamed: boolean
}[]

/** What each ancestor of a record costs, by what its part may mean. */
export const ancestorCosts = (release: Release, entity: Entity, parts: readonly WrittenPart[]): AncestorCosts =>
  parts.flatMap((part) => {
    const level = levelOf(release, entity, part)
    if (level === undefined) return []
    return [{ level, ...byPosition(matchesAnywhere(release, part)) }]
  })

const byPosition = memoized((matches: readonly PartMatch[]) => ({
  matches: new Map(matches.map((match) => [match.position, match])),
  isNamed: matches.some(({ cost, isDoubtful }) => cost <= MAX_PROOF_COST && !isDoubtful),
}))

/** Whether all ancestors of a record may be meant; where one is written as it is called, no other is. */
export const isBelow = (costs: AncestorCosts, position: number): boolean =>
  costs.every(({ level, matches, isNamed }) => {
    const match = matches.get(ancestorAt(level, position))
    return match !== undefined && (!isNamed || match.cost <= MAX_PROOF_COST)
  })

export function withAncestors({ position, cost, how, ...match }: PartMatch, costs: AncestorCosts): Parent {
  let sum = cost
  let { isDoubtful } = match
  const ways = new Set<RowHow>([how])
  for (const { level, matches, isNamed } of costs) {
    const match = matches.get(ancestorAt(level, position))
    sum += match?.cost ?? MISMATCH_COST
    ways.add(match?.how ?? 'elsewhere')
    // Where another ancestor is written as it is called, this one is not meant.
    const isOther = match === undefined || (isNamed && match.cost > MAX_PROOF_COST)
    if (isOther || (match.isDoubtful && cost > MAX_PROOF_COST)) isDoubtful = true
  }
  return { position, cost: sum, how: [...ways], isDoubtful }
}

const childrenOf = ({ starts, positions }: Postings, { position }: Pick<Parent, 'position'>): Uint32Array =>
  positions.subarray(starts[position], starts[position + 1])

export const countBelow = ({ children }: AncestorLevel, parents: readonly Pick<Parent, 'position'>[]): number =>
  children === undefined
    ? Number.POSITIVE_INFINITY
    : parents.reduce((sum, parent) => sum + childrenOf(children, parent).length, 0)

/** The positions below some records, ascending; undefined where they are not listed. */
export function recordsBelow({ children }: AncestorLevel, parents: readonly Parent[]): Uint32Array | undefined {
  if (children === undefined || parents.length === 0) return undefined
  const lists = parents.map((parent) => childrenOf(children, parent))
  if (lists.length === 1) return lists[0]
  const below = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let used = 0
  for (const list of lists) {
    below.set(list, used)
    used += list.length
  }
  return below.sort()
}
