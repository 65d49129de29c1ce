// Ranks the records that a row of someone else's table may mean: by free text, or part by part, each part at its own level.
//
//   rank(release, ['municipio', 'localidad'], words, { limit: 6 })
//     the search of search.ts in these entities: any level may be named, in any order
//
//   rankParts(release, new Map([['estado', words], ['municipio', words], ['localidad', words]]), { limit: 6 })
//     the records of the deepest entity that is given. Each part is a name, an abbreviation, an alias or a code, and is
//     matched with the records of its own entity. A record's own part is looked for below the ancestors that the other
//     parts may mean, all of them, so that a locality which fits decides between two municipalities; where nothing fits
//     there, it is looked for everywhere.
//
// A score is from 0 to 1 and means the same in every call; it orders the results. `quality` is the same without the importance of
// the record. How sure a result is can be told by its quality, by how far the next one is behind, and by `how` and `dropped`,
// which say what had to be assumed.
import type { Entity } from '../catalog/entity.ts'
import { ancestorsOf } from '../catalog/lineage.ts'
import { LruCache } from '../lru-cache.ts'
import type { Release } from '../release/release.ts'
import { type AncestorLevel, ancestorLevels } from './ancestor-match.ts'
import { ancestorAt } from './score.ts'
import { type Explanation, type Scope, type SearchResult, searchAcross, searchOwnNames } from './search.ts'

type RankOptions = { readonly limit: number }

/** The best records of some entities for folded words, the best first. */
export function rank(
  release: Release,
  names: readonly string[],
  words: readonly string[],
  { limit, within = [] }: RankOptions & { readonly within?: Scope },
): SearchResult[] {
  const filters = new Map(within)
  return searchAcross(
    release,
    words,
    names.map((name) => [name, filters.get(name) ?? []] as const),
    limit,
  )
}

/** How one part was matched. */
export type PartMatch = Explanation & { readonly entity: string; readonly score: number; readonly quality: number }

type RankedRecord = {
  readonly name: string
  readonly position: number
  /** Of all parts together. */
  readonly score: number
  /** The same without importance: 1 where all parts are what is written. */
  readonly quality: number
  /** Those of its ancestors first; one that fits none of them has the score 0. */
  readonly parts: readonly PartMatch[]
}

/** A record that one part may mean. */
type Candidate = Omit<SearchResult, 'name' | 'distance'>

/** Of an ancestor's part so many records are kept in mind. */
const MAX_ANCESTORS = 24
/** Below this, what is found below the ancestors does not fit. */
const FITS = 0.7
/** The share of the record's own part in the score of all. */
const OWN_SHARE = 0.6

/** Parts by entity, as folded words; one without words is left out. */
export function rankParts(
  release: Release,
  parts: ReadonlyMap<string, readonly string[]>,
  { limit }: RankOptions,
): RankedRecord[] {
  const given = [...parts]
    .filter(([, words]) => words.length > 0)
    .map(([name, words]) => ({ entity: release.entity(name).definition, words }))
    .sort((a, b) => ancestorsOf(a.entity).length - ancestorsOf(b.entity).length)
  const own = given.at(-1)
  if (own === undefined) return []
  const { entity, words } = own
  const ancestors = ancestorParts(release, entity, given.slice(0, -1))
  const below = ancestors.length === 0 ? undefined : recordsBelow(release, ancestors)
  const near = below === undefined ? [] : searchOwnNames(release, entity.name, words, limit, below)
  const fits = near.some(({ score }) => score >= FITS)
  const anywhere = fits ? [] : cachedCandidates(release, entity, words)
  const found = [...near, ...anywhere.filter(({ position }) => !near.some((one) => one.position === position))]
  return found
    .map((candidate) => combined(entity, candidate, ancestors))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
}

/** A part of the ancestors of a record, and which of them it may mean. */
type AncestorPart = {
  readonly level: AncestorLevel
  readonly candidates: ReadonlyMap<number, Candidate>
}

function ancestorParts(
  release: Release,
  entity: Entity,
  given: readonly { readonly entity: Entity; readonly words: readonly string[] }[],
): AncestorPart[] {
  const levels = ancestorLevels(release, entity)
  return given.flatMap((part) => {
    const level = levels.find((one) => one.entity === part.entity.name)
    if (level === undefined) return []
    const found = cachedCandidates(release, part.entity, part.words)
    return [{ level, candidates: new Map(found.map((candidate) => [candidate.position, candidate])) }]
  })
}

/** Below so many records of the nearest ancestor's part a record is looked for. */
const MAX_PARENTS = 6

/** The positions of the records below what the nearest part may mean, those first whose own ancestors fit, ascending. */
function recordsBelow(release: Release, ancestors: readonly AncestorPart[]): Uint32Array | undefined {
  const nearest = ancestors.at(-1) as AncestorPart
  const { children } = nearest.level
  if (children === undefined || nearest.candidates.size === 0) return undefined
  const others = ancestors.slice(0, -1)
  const own = ancestorLevels(release, release.entity(nearest.level.entity).definition)
  const fitting = [...nearest.candidates.values()]
    .map((candidate) => {
      const above = others.map(({ level, candidates }) => {
        const step = own.find((one) => one.entity === level.entity)
        return step === undefined ? 0 : (candidates.get(ancestorAt(step, candidate.position))?.score ?? 0)
      })
      return { candidate, score: candidate.score + above.reduce((sum, one) => sum + one, 0) }
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_PARENTS)
  const lists = fitting.map(({ candidate: { position } }) =>
    children.positions.subarray(children.starts[position], children.starts[position + 1]),
  )
  const below = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let used = 0
  for (const list of lists) {
    below.set(list, used)
    used += list.length
  }
  return below.sort()
}

const NOT_MATCHED: Explanation = { how: ['dropped-words'], dropped: [], matched: [], aliases: [] }

function combined(entity: Entity, candidate: Candidate, ancestors: readonly AncestorPart[]): RankedRecord {
  const { position, score, quality, explanation } = candidate
  const above = ancestors.map(({ level, candidates }): PartMatch => {
    const match = candidates.get(ancestorAt(level, position))
    return {
      entity: level.entity,
      score: match?.score ?? 0,
      quality: match?.quality ?? 0,
      ...(match?.explanation ?? NOT_MATCHED),
    }
  })
  const share = above.length === 0 ? 1 : OWN_SHARE
  const mean = (of: 'score' | 'quality') => above.reduce((sum, part) => sum + part[of], 0) / Math.max(above.length, 1)
  return {
    name: entity.name,
    position,
    score: share * score + (1 - share) * mean('score'),
    quality: share * quality + (1 - share) * mean('quality'),
    parts: [...above, { entity: entity.name, score, quality, ...explanation }],
  }
}

const MAX_CACHED = 4_096
const caches = new WeakMap<Release, LruCache<readonly Candidate[]>>()

/** The rows of a table name the same states and municipalities again and again. */
function cachedCandidates(release: Release, { name }: Entity, words: readonly string[]): readonly Candidate[] {
  const cache = caches.get(release) ?? new LruCache<readonly Candidate[]>({ maxEntries: MAX_CACHED })
  caches.set(release, cache)
  return cache.get(`${name} ${words.join(' ')}`, () => searchOwnNames(release, name, words, MAX_ANCESTORS, undefined))
}
