// Searches several entities at once, for someone who is typing.
import { type EntityName, entities } from '../catalog/entities.ts'
import type { Release } from '../release/release.ts'
import { type Filter, positionsWhere } from './conditions.ts'
import { hitsOf } from './finder.ts'
import { bestFirst } from './ranking.ts'

export type Suggestion = { readonly name: EntityName; readonly position: number; readonly score: number }

/** The entities to look in, each with the filters that narrow it. */
export type Scope = readonly (readonly [name: EntityName, filters: readonly Filter[]])[]

/** The best of all, best first; those as good as one another in the order of the entities. */
export function suggest(release: Release, words: readonly string[], scope: Scope, limit: number): Suggestion[] {
  const suggestions = scope.flatMap(([name, filters]) => {
    const hits = hitsOf(release, name, words, positionsWhere(release, entities[name], filters))
    return Array.from(bestFirst(hits, limit), (position) => ({
      name,
      position,
      score: hits.scores[position] as number,
    }))
  })
  return suggestions.toSorted((a, b) => a.score - b.score).slice(0, limit)
}
