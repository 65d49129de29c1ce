// What the search promises to reach, and whether it did.
import { isMet, type Limit } from '../targets.ts'
import type { QuestionName } from './latency.ts'
import type { Category } from './relevance.ts'
import type { Results } from './results.ts'

export type Unit = '%' | 'µs' | 'ms' | 'MB'
export type Verdict = {
  readonly description: string
  readonly limit: Limit
  readonly unit: Unit
  readonly found: number
  readonly isMet: boolean
}

const FIRST_PLACES: readonly (readonly [Category, number])[] = [
  ['exact', 95],
  ['accentless', 95],
  ['one-typo', 85],
]

const LATENCIES: readonly (readonly [QuestionName, 'p50' | 'p99', number])[] = [
  ['id', 'p50', 20],
  ['filter', 'p50', 100],
  ['typeahead', 'p50', 1_000],
  ['typeahead', 'p99', 5_000],
  ['typo', 'p99', 15_000],
]

const INDEX_MEGABYTES = 100
const START_MILLISECONDS = 150
const WORST_MILLISECONDS = 50

export const firstPercent = ({ first, queries }: { readonly first: number; readonly queries: number }): number =>
  (first / queries) * 100

/** All of them are at the size of the official catalog, and relevance on the bundled data too. */
export function verdictsOn({ bundled, sizes: [official], starts, worst }: Omit<Results, 'verdicts'>): Verdict[] {
  if (official === undefined) return []
  const verdict = (description: string, limit: Limit, unit: Unit, found: number) => ({
    ...{ description, limit, unit, found },
    isMet: isMet(limit, found),
  })
  const onReleases = [['bundled data', bundled.scores] as const, ['official size', official.relevance.scores] as const]
  const places = onReleases.flatMap(([where, scores]) =>
    FIRST_PLACES.flatMap(([category, least]) =>
      scores
        .filter((score) => score.category === category)
        .map((score) =>
          verdict(`${category} queries right at first place, ${where}`, { least }, '%', firstPercent(score)),
        ),
    ),
  )
  const latencies = LATENCIES.flatMap(([name, share, below]) =>
    official.latencies
      .filter((latency) => latency.name === name)
      .map((latency) => verdict(`${latency.description}, ${share}`, { below }, 'µs', latency[share].median)),
  )
  return [
    ...places,
    ...latencies,
    verdict('index on disk', { below: INDEX_MEGABYTES }, 'MB', official.indexBytes / 1e6),
    verdict('start to first answer of API v1', { below: START_MILLISECONDS }, 'ms', starts.v1.median),
    ...worst
      .slice(0, 1)
      .map(({ milliseconds }) => verdict('slowest request found', { below: WORST_MILLISECONDS }, 'ms', milliseconds)),
  ]
}
