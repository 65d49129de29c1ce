// The records that a part means by the name of a town in them: people write Cancún where the municipality is Benito Juárez.
import { memoized } from '../../base/memoized.ts'
import { type Entity, embeddedAt } from '../../catalog/entity.ts'
import { lineageOf } from '../../catalog/lineage.ts'
import type { Release } from '../../release/release.ts'
import { ancestorAt, ancestorLevels } from '../search/ancestor-match.ts'
import { seatsAmong } from '../search/seats.ts'
import { entityNames } from './entity-names.ts'
import { BY_EAR_COST, type WrittenName } from './name-match.ts'
import { matchesCalled, recordsWithAll } from './part-matches.ts'
import type { PartMatch, RowHow } from './record-match.ts'
import { type WrittenPart, writtenPartAs } from './written-part.ts'

/** The cost of naming a town for the record that it is in. */
export const TOWN_COST = 0.4
/** What a town costs at most to be meant: it must be called so. */
const MAX_TOWN_COST = 0.5

/** The entity whose records are towns in those of another: some of them are its seats. */
const townsIn = memoized((release: Release) =>
  memoized((entity: Entity): Entity | undefined =>
    [...release.catalog.entities.values()].find(({ name, code, fields }) => {
      const owner = code.find((field) => fields[field]?.kind === 'embed')
      const child = release.entity(name).definition
      return owner !== undefined && embeddedAt(child, owner) === entity && seatsAmong(release, name) !== undefined
    }),
  ),
)

/** The entity whose records have towns in them, that of the towns, and those above. */
export type TownPlaces = {
  readonly entity: Entity
  readonly towns: Entity
  readonly above: Entity
  readonly top: Entity | undefined
}

/** Those of a release; undefined where there are none. */
export const placesIn = memoized((release: Release): TownPlaces | undefined => {
  for (const entity of release.catalog.entities.values()) {
    const towns = townsIn(release)(entity)
    const [, above, top] = lineageOf(entity)
    if (towns !== undefined && above !== undefined) return { entity, towns, above, top }
  }
  return undefined
})

/** The records that a part may mean below a parent, or anywhere: what is just the name of a place there is no misspelling of theirs. */
export function besideTowns(
  release: Release,
  part: WrittenPart,
  matches: readonly PartMatch[],
  parent?: { readonly entity: string; readonly position: number },
): readonly PartMatch[] {
  const towns = townsIn(release)(part.entity)
  if (towns === undefined || !matches.some((match) => isMisspeltMatch(match) && !match.isDoubtful)) return matches
  const level = ancestorLevels(release, towns).find(({ entity }) => entity === parent?.entity)
  const names = entityNames(release, towns)
  const isThere = (position: number) =>
    level === undefined ? names.isWellKnown(position) : ancestorAt(level, position) === parent?.position
  const town = writtenPartAs(release, towns, part)
  const isCalled = matchesCalled(release, town, isThere).some(({ how }) => how === 'exact')
  const isName = (position: number) => isThere(position) && isCalledBesideSaint(names.wordsAt(position), town.written)
  if (!isCalled && !recordsWithAll(release, town).some(isName)) return matches
  return matches.map((match) => (isMisspeltMatch(match) ? { ...match, isDoubtful: true } : match))
}

/** Whether some words are a name with a saint before it: people call San Antonio Tenextepec Tenextepec. */
function isCalledBesideSaint([first = '', ...words]: readonly string[], { text, language }: WrittenName): boolean {
  const count = language.saintWords(first)
  return count > 0 && words.slice(count - 1).join(' ') === text
}

export const isMisspelt = (how: RowHow): boolean => how === 'typo' || how === 'by-ear'

/** Whether a match is so, which may be with an alias. */
const isMisspeltMatch = ({ how, cost }: PartMatch): boolean =>
  isMisspelt(how) || (how === 'alias' && cost >= BY_EAR_COST)

/** The records that are wanted in which there is a town that a part names. */
export function matchesByTown(
  release: Release,
  part: WrittenPart,
  isWanted: (position: number) => boolean,
): PartMatch[] {
  const towns = townsIn(release)(part.entity)
  if (towns === undefined || part.digits !== undefined || part.beside !== undefined) return []
  const { parentOf } = seatsAmong(release, towns.name) as NonNullable<ReturnType<typeof seatsAmong>>
  const names = entityNames(release, towns)
  const best = new Map<number, PartMatch>()
  const isTown = (position: number) =>
    (names.isSeat(position) || names.isLargeTown(position)) && isWanted(parentOf[position] as number)
  const called = matchesCalled(release, writtenPartAs(release, towns, part), isTown)
  // What is left of its name tells a record, if no other in the state has that in its own.
  const [above] = ancestorLevels(release, part.entity)
  const stateOf = (position: number) => above && ancestorAt(above, position)
  const isOnly = ({ isPrefix }: PartMatch, parent: number) => {
    const inState = isPrefix
      ? recordsWithAll(release, part).filter((position) => stateOf(position) === stateOf(parent))
      : []
    return inState.length === 1 && inState[0] === parent
  }
  for (const match of called) {
    const parent = parentOf[match.position] as number
    if (match.isDoubtful || match.cost > MAX_TOWN_COST || (match.needsParent === true && !isOnly(match, parent)))
      continue
    const cost = match.cost + TOWN_COST
    if (cost < (best.get(parent)?.cost ?? Number.POSITIVE_INFINITY))
      best.set(parent, { ...match, position: parent, cost, how: 'town', isWhole: false, isPrefix: false })
  }
  return [...best.values()]
}
