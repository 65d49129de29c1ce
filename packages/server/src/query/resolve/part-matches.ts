// The records that one part of a row may mean by itself, wherever they are.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import { positionsWithCode } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import { searchOwnNames } from '../search/search.ts'
import { entityNames } from './entity-names.ts'
import { matchByCode, matchRecords, type PartMatch } from './record-match.ts'
import type { WrittenPart } from './written-part.ts'

/** How many records at most are compared one by one. */
export const MAX_COMPARED_RECORDS = 6_000
/** How many candidates the search gives. */
const MAX_SEARCHED = 12
const MAX_ANYWHERE = 200

const matchCaches = memoized((_: Release) => new LruCache<readonly PartMatch[]>({ maxEntries: 4_096 }))

/** The records of its entity that a part may mean, the best first. */
export function matchesAnywhere(release: Release, part: WrittenPart): readonly PartMatch[] {
  const { entity, written } = part
  return matchCaches(release).get(`${entity.name} ${written.text}`, () => {
    const coded = matchesByWholeCode(release, part)
    const matches =
      release.entity(entity.name).count <= MAX_COMPARED_RECORDS
        ? matchRecords(entityNames(release, entity).all, part)
        : matchesBySearch(release, part, undefined)
    return [...coded, ...matches.filter(({ position }) => !coded.some((other) => other.position === position))]
      .sort((a, b) => a.cost - b.cost)
      .slice(0, MAX_ANYWHERE)
  })
}

/** The records whose code, with those of their ancestors before it, is this part; a spreadsheet may have lost its first zero. */
export function matchesByWholeCode(release: Release, { entity, digits: code }: WrittenPart): PartMatch[] {
  if (code === undefined) return []
  const whole = positionsWithCode(release, entity, code)
  const isWithoutZero = whole.length === 0
  const positions = isWithoutZero ? positionsWithCode(release, entity, `0${code}`) : whole
  return positions.map((position) => matchByCode(position, isWithoutZero))
}

/** The records that the search finds, at these positions or at any. */
export function matchesBySearch(release: Release, part: WrittenPart, among: Uint32Array | undefined): PartMatch[] {
  const { entity, written } = part
  const names = entityNames(release, entity)
  return matchRecords(
    searchOwnNames(release, entity.name, written.words, MAX_SEARCHED, among).map(({ position }) =>
      names.record(position),
    ),
    part,
  )
}
