// What the parts of a row mean where they are not what their columns say: an ancestor's name in the place of a record's own,
// one after its own, or two parts in each other's place.
import type { Release } from '../../release/release.ts'
import { ancestorLevels } from '../search/ancestor-match.ts'
import { importanceOf, MAX_IMPORTANCE } from '../search/importance.ts'
import { entityNames } from './entity-names.ts'
import { parentsFor } from './parents.ts'
import { matchesCalled } from './part-matches.ts'
import { matchesByParts, type RowMatch } from './row-matches.ts'
import { isSureMatch } from './verdict.ts'
import { type WrittenPart, writtenPart, writtenPartAs } from './written-part.ts'

/** Up to this cost a text is the name of a record. */
const MAX_NAME_COST = 0.35
/** The cost of parts that are in each other's place. */
const SWAPPED_COST = 0.3
/** How many words of an ancestor's name may stand after the name of a record. */
const MAX_ANCESTOR_WORDS = 6

type ReadParts = { readonly parts: readonly WrittenPart[]; readonly matches: readonly RowMatch[] }

/** The parts of a row that say something, and what they may mean. */
export function readParts(release: Release, parts: readonly WrittenPart[]): ReadParts {
  const last = parts.at(-1)
  const above = parts.slice(0, -1)
  if (last === undefined || above.length === 0) return { parts, matches: matchesByParts(release, parts) }
  const matches = matchesByParts(release, parts)
  if (namesAncestor(release, last, above)) {
    const isParentNamed = above.some((ancestor) => isNearest(release, last, ancestor))
    const seats = matches
      .filter((match) => isSeat(release, match) && match.ownCost <= MAX_NAME_COST)
      .map((match) => ({ ...match, isDoubtful: match.isDoubtful || !(isParentNamed || isCity(release, match)) }))
    if (seats.length > 0) return { parts, matches: seats }
    // The name of the state in the place of a locality says nothing of the locality.
    return readParts(release, above)
  }
  if (isSureMatch(release, matches)) return { parts, matches }
  return withoutAncestor(release, last, above) ?? swapped(release, parts) ?? { parts, matches }
}

const isSeat = (release: Release, { name, position }: RowMatch): boolean =>
  entityNames(release, release.entity(name).definition).isSeat(position)

/** From this importance on, a seat is known by the name that it shares with its state: one of some hundred thousand people. */
const CITY = 0.6 * MAX_IMPORTANCE

const isCity = (release: Release, { name, position }: RowMatch): boolean =>
  (importanceOf(release, name)[position] as number) >= CITY

/** Whether a text is the name of a record that is meant by one of these parts. */
function namesAncestor(release: Release, part: WrittenPart, above: readonly WrittenPart[]): boolean {
  if (part.digits !== undefined) return false
  return above.some((ancestor, at) => {
    if (isNearest(release, part, ancestor)) return false
    const [meant] = parentsFor(release, above.slice(0, at + 1))
    return meant !== undefined && isCalled(release, writtenPartAs(release, ancestor.entity, part), meant.position)
  })
}

/** The name of the parent itself is that of its seat. */
const isNearest = (release: Release, { entity }: WrittenPart, ancestor: WrittenPart): boolean =>
  ancestorLevels(release, entity)[0]?.entity === ancestor.entity.name

/** What a part means without the name of an ancestor after it, as in "Minatitlán, Veracruz". */
function withoutAncestor(release: Release, last: WrittenPart, above: readonly WrittenPart[]): ReadParts | undefined {
  const { typed } = last.written
  for (let count = 1; count < typed.length && count <= MAX_ANCESTOR_WORDS; count++) {
    const ending = writtenPart(release, last.entity, typed.slice(-count).join(' '))
    if (!above.some((_, at) => names(release, ending, above.slice(0, at + 1)))) continue
    const parts = [...above, writtenPart(release, last.entity, typed.slice(0, -count).join(' '))]
    const matches = matchesByParts(release, parts)
    if (isSureMatch(release, matches)) return { parts, matches }
  }
  return undefined
}

function names(release: Release, ending: WrittenPart, above: readonly WrittenPart[]): boolean {
  const [meant] = parentsFor(release, above)
  const { entity } = above.at(-1) as WrittenPart
  return meant !== undefined && isCalled(release, writtenPartAs(release, entity, ending), meant.position)
}

/** Whether a record is called what a part says. */
const isCalled = (release: Release, part: WrittenPart, position: number): boolean =>
  matchesCalled(release, part, (other) => other === position).some(({ cost }) => cost <= MAX_NAME_COST)

/** What the last two parts mean in each other's place. */
function swapped(release: Release, parts: readonly WrittenPart[]): ReadParts | undefined {
  const [last, before] = [parts.at(-1), parts.at(-2)]
  if (last === undefined || before === undefined || last.digits !== undefined || before.digits !== undefined)
    return undefined
  // Both must be called so.
  if (matchesCalled(release, writtenPartAs(release, before.entity, last)).length === 0) return undefined
  const others = [
    ...parts.slice(0, -2),
    writtenPartAs(release, before.entity, last),
    writtenPartAs(release, last.entity, before),
  ]
  const matches = matchesByParts(release, others).map(
    (match): RowMatch => ({ ...match, cost: match.cost + SWAPPED_COST, how: [...match.how, 'swapped'] }),
  )
  const isCalledSo = (matches[0]?.cost ?? Number.POSITIVE_INFINITY) <= SWAPPED_COST + MAX_NAME_COST
  return isCalledSo && isSureMatch(release, matches) ? { parts: others, matches } : undefined
}
