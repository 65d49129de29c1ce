// The ancestors of records as the parts of a row name them: what lies below them, and what they cost a record.
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Postings } from '../../release/index/postings.ts'
import type { Release } from '../../release/release.ts'
import { type AncestorLevel, ancestorAt, ancestorLevels } from '../search/ancestor-match.ts'
import { matchesAnywhere } from './part-matches.ts'
import type { PartMatch, RowHow } from './record-match.ts'
import type { WrittenPart } from './written-part.ts'

/** A record that the parts of the ancestors may mean, with the cost of all of them. */
export type Parent = {
  readonly position: number
  readonly cost: number
  readonly how: readonly RowHow[]
  /** Whether one of the parts may well mean another record. */
  readonly isDoubtful: boolean
}

/** From this cost on, a match below the ancestors is so poor that others are looked for. */
export const POOR_COST = 2.2
/** The cost of an ancestor that is not what its part says. */
const MISMATCH_COST = 2.5

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
export const MAX_PROOF_COST = 0.3

/** Whether a record is written as it is called. */
export const isNamedSo = ({ cost, isDoubtful }: Pick<PartMatch, 'cost' | 'isDoubtful'>): boolean =>
  cost <= MAX_PROOF_COST && !isDoubtful

export type AncestorCosts = readonly {
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
  isNamed: matches.some(isNamedSo),
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
  return lists.length === 1 ? lists[0] : Uint32Array.from(lists.flatMap((list) => [...list])).sort()
}
