// Where an entity is searched: its words and what they weigh, its ancestors, aliases and importance, and the records that count.
import { memoized } from '../../base/memoized.ts'
import { hasNamesApart, namingFields } from '../../catalog/languages/languages.ts'
import { type AliasIndex, aliasesOf } from '../../release/aliases.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { ancestorLevels } from './ancestor-match.ts'
import { importanceOf } from './importance.ts'
import type { ScoredNames } from './score.ts'
import { type WeightOf, weigher, weightsBy, wordWeights } from './word-weights.ts'

/** Where to search: the names of the records, and what else there is to know of them. */
export type SearchSpace = ScoredNames & {
  readonly records: undefined
  readonly aliases: AliasIndex | undefined
  readonly weightOf: WeightOf
  /** The positions of the records that pass the filters, ascending; undefined stands for all. */
  readonly among: Uint32Array | undefined
}

/** The records of an entity at these positions, which ascend; undefined stands for all. */
export function searchSpace(release: Release, name: string, among: Uint32Array | undefined): SearchSpace {
  const { definition, index } = release.entity(name)
  return {
    words: index.words,
    records: undefined,
    among,
    levels: ancestorLevels(release, definition),
    aliases: aliasesOf(release, name),
    importance: importanceOf(release, name),
    naming: hasNamesApart(definition) ? namingFields(definition) : [],
    ...weightsIn(release.entity(name), release),
  }
}

type Weights = Pick<SearchSpace, 'weightOf' | 'weights'>

/** Words weigh what they do in the entity with the most records, so that the scores of all entities can be compared. */
const weightsIn = memoized(({ index: { words } }: OpenEntity, release: Release): Weights => {
  const largest = largestOf(release)
  return {
    weightOf: weigher(largest, words.language),
    weights: words === largest ? wordWeights(words) : weightsBy(words, largest),
  }
})

const largestOf = (release: Release): WordIndex =>
  [...release.catalog.entities.keys()].map(release.entity).reduce((a, b) => (b.count > a.count ? b : a)).index.words
