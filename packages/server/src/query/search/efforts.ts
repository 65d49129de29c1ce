// How far a search goes, step by step, where what was typed is not there as it is.
import type { Drop } from './score.ts'
import type { Tolerance } from './word-match.ts'

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
export const FUZZY_UNKNOWN: Effort = { ...FUZZY, isKnownRight: true }
/**
 * The efforts that are made one after the other where no record has all words; nobody expects that of a long line. Where all known words
 * are taken as they were meant, fewer are worth while.
 */
export const widerFor = (typed: readonly string[], isKnownRight = false): readonly Effort[] =>
  isKnownRight ? WIDER_FOR_UNKNOWN : typed.length > LONG_LINE ? WIDER_FOR_LONG : WIDER
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
const WIDER_FOR_UNKNOWN: readonly Effort[] = [
  WITHOUT_LIGHT,
  FUZZY_UNKNOWN,
  { ...FUZZY_UNKNOWN, drop: 'light' },
  { ...FUZZY_UNKNOWN, drop: 'any' },
]
