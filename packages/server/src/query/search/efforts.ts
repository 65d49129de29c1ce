// How far a search goes, step by step, where what was typed is not there as it is.
import type { Tolerance } from './word-match.ts'

/** Which typed words a record may lack: none, only those that say little, or any. */
export type Drop = 'none' | 'light' | 'any'

/** How far a search goes: how far words may be from those typed, and which may be missing. */
export type Effort = {
  readonly tolerance: Tolerance
  readonly drop: Drop
  /** Whether words that names have are as they were meant. */
  readonly isKnownRight?: boolean
}

export const AS_TYPED: Effort = { tolerance: 0, drop: 'none' }
export const FUZZY: Effort = { tolerance: 1, drop: 'none' }
/** It costs little, and two words that names have are two words, however near. */
const FUZZY_UNKNOWN: Effort = { ...FUZZY, isKnownRight: true }
/** The efforts that are made one after the other where no record has all words; and the one where few have them. */
export type Efforts = { readonly wider: readonly Effort[]; readonly fuzzy?: Effort }
export const ONLY_AS_TYPED: Efforts = { wider: [] }

/** Those for what people type; nobody expects all words of a long line. */
export const effortsFor = (typed: readonly string[]): Efforts => ({
  wider: typed.length > LONG_LINE ? WIDER_FOR_LONG : WIDER,
  fuzzy: FUZZY,
})
export const LONG_LINE = 8
const WITHOUT_LIGHT: Effort = { tolerance: 0, drop: 'light' }
const WIDER_FOR_LONG: readonly Effort[] = [
  WITHOUT_LIGHT,
  { tolerance: 1, drop: 'light' },
  { tolerance: 1, drop: 'any' },
]
const WIDER: readonly Effort[] = [
  WITHOUT_LIGHT,
  FUZZY_UNKNOWN,
  FUZZY,
  { tolerance: 1, drop: 'light' },
  { tolerance: 2, drop: 'light' },
  { tolerance: 1, drop: 'any' },
]

/** Those where all known words are taken as they were meant, of which fewer are worth while; and where no word is there for nothing. */
export const KNOWN_RIGHT_WHOLE: Efforts = {
  wider: [WITHOUT_LIGHT, FUZZY_UNKNOWN, { ...FUZZY_UNKNOWN, drop: 'light' }],
  fuzzy: FUZZY_UNKNOWN,
}
export const KNOWN_RIGHT: Efforts = {
  ...KNOWN_RIGHT_WHOLE,
  wider: [...KNOWN_RIGHT_WHOLE.wider, { ...FUZZY_UNKNOWN, drop: 'any' }],
}
