// What a run of the benchmark of the search found.
import type { Machine } from '../machine/description.ts'
import type { AgainstSqlite } from './against-sqlite.ts'
import type { Latency } from './latency.ts'
import type { Miss, Score } from './relevance.ts'
import type { Starts } from './starts.ts'
import type { Verdict } from './targets.ts'
import type { Slow } from './worst.ts'

export type Relevance = { readonly scores: readonly Score[]; readonly misses: readonly Miss[] }

/** At one number of localities. */
export type AtSize = {
  readonly times: number
  readonly localities: number
  readonly records: number
  /** Different words in the names and codes of the localities. */
  readonly words: number
  readonly indexBytes: number
  readonly relevance: Relevance
  readonly latencies: readonly Latency[]
}

export type Results = {
  readonly taken: string
  readonly command: string
  readonly machine: Machine
  readonly bundled: Relevance
  /** The size of the official catalog first, then larger ones. */
  readonly sizes: readonly AtSize[]
  readonly starts: Starts
  readonly sqlite: AgainstSqlite | undefined
  /** The slowest requests found, slowest first; empty if none were looked for. */
  readonly worst: readonly Slow[]
  readonly verdicts: readonly Verdict[]
}
