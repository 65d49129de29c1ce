// Where a search looks, and what it found.
import type { Words } from '../release/index/index-file.ts'
import type { Above } from './score.ts'

/** What was found, not yet in order. Both are views, good until the next search of the same entity. */
export type Hits = {
  readonly positions: Uint32Array
  /** For each position of the entity; the lower, the better. */
  readonly scores: Uint16Array
  /** Whether the positions ascend. */
  readonly inOrder: boolean
}

/** In which records above those searched a word is. */
export type WordAbove = (typed: string, forgiving: boolean) => readonly Above[]

/** Where to search, and which records count: those at positions that ascend, or all. */
export type Search = {
  readonly words: Words
  readonly among: Uint32Array | undefined
  readonly above: WordAbove
  /** Only so many of the best are wanted, and others may be left out; without it, all are. */
  readonly enough?: number
}
