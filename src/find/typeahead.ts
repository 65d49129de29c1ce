// Searches several entities at once, for someone who is typing.
import { entities, entityNames } from '../catalog/entities.ts'
import { ancestorsOf } from '../catalog/lineage.ts'
import type { Release } from '../release/release.ts'
import { type Filter, positionsWhere } from './conditions.ts'
import { searchIn } from './finder.ts'
import type { Hits } from './hits.ts'
import { bestFirst } from './ranking.ts'
import { weightyOf } from './score.ts'
import { searchForgivingly, searchPlainly, TOO_LITTLE } from './search.ts'

export type Suggestion = { readonly name: string; readonly position: number; readonly score: number }

/** The entities to look in, each with the filters that narrow it. */
export type Scope = readonly (readonly [name: string, filters: readonly Filter[]])[]

/** The best of all, best first; of those as good as one another, what has less above it, then in the order of the entities. */
export function suggest(release: Release, words: readonly string[], scope: Scope, limit: number): Suggestion[] {
  const searches = scope.map(([name, filters]) => {
    const among = positionsWhere(release, release.entity(name).definition, filters)
    const where = { ...searchIn(release, name, among), enough: Math.max(limit, TOO_LITTLE) }
    const hits = searchPlainly(where, words)
    return { name, where, isLittle: hits.positions.length < TOO_LITTLE, found: suggestionsIn(name, hits, limit) }
  })
  const asTypedAll = searches.flatMap(({ found }) => found)
  // With some that need no forgiveness, those that do are not missed.
  const found =
    asTypedAll.length >= Math.min(limit, TOO_LITTLE)
      ? asTypedAll
      : searches.flatMap(({ name, where, isLittle, found }) =>
          isLittle ? suggestionsIn(name, searchForgivingly(where, words), limit) : found,
        )
  return found.toSorted(bestBefore).slice(0, limit)
}

const suggestionsIn = (name: string, hits: Hits, limit: number): Suggestion[] =>
  Array.from(bestFirst(hits, limit), (position) => ({ name, position, score: hits.scores[position] as number }))

/** How many records are above one, each above the other. */
const depths = Object.fromEntries(entityNames.map((name) => [name, ancestorsOf(entities[name]).length])) as Record<
  string,
  number
>

/** A country goes before a locality that begins alike, however many words its name has. */
const bestBefore = (a: Suggestion, b: Suggestion): number =>
  weightyOf(a.score) - weightyOf(b.score) || (depths[a.name] ?? 0) - (depths[b.name] ?? 0) || a.score - b.score
