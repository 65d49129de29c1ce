// Ranks the records that a text may mean, in some entities: the search of search.ts, where any level may be named, in any order.
import type { Release } from '../../release/release.ts'
import { type Scope, type SearchResult, searchAcross } from './search.ts'

type RankOptions = { readonly limit: number; readonly within?: Scope }

/** The best records of some entities for folded words, the best first. */
export function rank(
  release: Release,
  names: readonly string[],
  words: readonly string[],
  { limit, within = [] }: RankOptions,
): SearchResult[] {
  const filters = new Map(within)
  return searchAcross(
    release,
    words,
    names.map((name) => [name, filters.get(name) ?? []] as const),
    limit,
  )
}
