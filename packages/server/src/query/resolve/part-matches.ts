// The records that one part of a row may mean by itself, wherever they are.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import { positionsWithCode } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import { typedCodeOf } from '../search/codes.ts'
import { searchOwnNames } from '../search/search.ts'
import { entityNames } from './entity-names.ts'
import { positionsCalled } from './name-table.ts'
import { matchByCode, matchRecords, type PartMatch } from './record-match.ts'
import { keyOf, type WrittenPart } from './written-part.ts'

/** How many records at most are compared one by one. */
export const MAX_COMPARED_RECORDS = 6_000
/** How many candidates the search gives. */
const MAX_SEARCHED = 12
const MAX_ANYWHERE = 200

const matchCaches = memoized((_: Release) => new LruCache<readonly PartMatch[]>({ maxEntries: 4_096 }))

/** The records of its entity that a part may mean, the best first. */
export function matchesAnywhere(release: Release, part: WrittenPart): readonly PartMatch[] {
  const { entity } = part
  return matchCaches(release).get(keyOf([part]), () => {
    const coded = matchesByWholeCode(release, part)
    const matches =
      release.entity(entity.name).count <= MAX_COMPARED_RECORDS
        ? matchRecords(entityNames(release, entity).all, part)
        : calledOrSearched(release, part, undefined)
    return [...coded, ...matches.filter(({ position }) => !coded.some((other) => other.position === position))]
      .sort((a, b) => a.cost - b.cost)
      .slice(0, MAX_ANYWHERE)
  })
}

/** The records that are called so; where there is none, those that the search finds. */
function calledOrSearched(release: Release, part: WrittenPart, among: Uint32Array | undefined): PartMatch[] {
  const called = matchesCalled(release, part)
  return called.length > 0 ? called : matchesBySearch(release, part, among)
}

/** The records whose code, with those of their ancestors before it, is this part; a spreadsheet may have lost its first zero. */
export function matchesByWholeCode(release: Release, { entity, written, digits }: WrittenPart): PartMatch[] {
  const code = digits ?? typedCodeOf(entity, written.typed)
  if (code === undefined) return []
  const whole = positionsWithCode(release, entity, code)
  const isWithoutZero = whole.length === 0
  const positions = isWithoutZero ? positionsWithCode(release, entity, `0${code}`) : whole
  return positions.map((position) => matchByCode(position, isWithoutZero))
}

/** The records that are called what a part says, unless it is misspelt: found in a table, so many there are. */
export function matchesCalled(release: Release, part: WrittenPart): PartMatch[] {
  const names = entityNames(release, part.entity)
  const positions = positionsCalled(release, part)
  return matchRecords(
    Array.from(positions, (position) => names.record(position)),
    part,
  )
}

/** The records that the search finds, at these positions or at any. */
export function matchesBySearch(release: Release, part: WrittenPart, among: Uint32Array | undefined): PartMatch[] {
  const { entity, written } = part
  const names = entityNames(release, entity)
  return matchRecords(
    searchOwnNames(release, entity.name, written.typed, MAX_SEARCHED, among).map(({ position }) =>
      names.record(position),
    ),
    part,
  )
}
