// How good a record is as an answer to the words typed: a number, the lower the better.
import type { Words } from '../release/index/index-file.ts'
import { EDITS, ELSEWHERE, EXACT, PARTIAL, type WordMatch } from './word-match.ts'

/**
 * Records above, by a column that names them: what each record has there, which have it, and how well the word matches
 * each of those named or what is above it.
 */
export type Above = {
  readonly values: Uint32Array
  readonly starts: Uint32Array
  readonly positions: Uint32Array
  readonly grades: Uint8Array
}

/** A word that was typed, and where it is. */
export type TypedWord = WordMatch & {
  readonly text: string
  /** How many names and codes have it; where no code has it, none is looked at. */
  readonly inNames: number
  readonly inCodes: number
  readonly above: readonly Above[]
}

export const SCORES = 1 << 15
export const NO_MATCH = 0xfffe
export const NOT_SEEN = 0xffff

/** How the words of a record stand to those typed, best first. */
const STANDS = {
  /** The name is what was typed, or the code is. */
  same: 0,
  /** No word of the name is left over, though they are in another order, or some typed are those of records above. */
  complete: 1,
  /** The name begins with what was typed. */
  begins: 2,
  /** Every word typed is in the name, in any order. */
  words: 3,
  otherwise: 4,
} as const

const EDITS_AT = 12
const STANDS_AT = 9
const PARTIAL_AT = 6
const FIRST_AT = 5
const MAX_BESIDES = (1 << FIRST_AT) - 1
const MAX_PARTIAL = 7
const MAX_COUNTED_EDITS = 7

/** The part of a score that matters more than what the record is: edits, how its words stand, how many are partial. */
export const weightyOf = (score: number): number => score >>> PARTIAL_AT

/**
 * From the most to the least weighty: how many edits, how the record's words stand to those typed, how many words were
 * typed in part, whether the first word of the name is among them, and how many words the name has besides.
 */
export function scoreOf(words: Words, typed: readonly TypedWord[], position: number): number {
  const { names, nameStarts } = words
  const from = nameStarts[position] as number
  const to = nameStarts[position + 1] as number
  let edits = 0
  let partial = 0
  let own = 0
  let first = 1
  let inOrder = true
  let isCode = false
  for (let at = 0; at < typed.length; at++) {
    const { grades, inCodes, above } = typed[at] as TypedWord
    let best = 0
    for (let place = from; place < to; place++) {
      const grade = grades[names[place] as number] as number
      if (grade === 0 || (best !== 0 && grade >= best)) continue
      best = grade
      if (place === from) first = 0
      if (grade === EXACT) break
    }
    if (inCodes > 0) {
      const grade = codeGrade(words, grades, position)
      if (grade === EXACT) isCode = true
      if (grade !== 0 && (best === 0 || grade < best)) best = grade
    }
    if (best === 0) {
      best = gradeAbove(above, position)
      if (best === 0) return NO_MATCH
      inOrder = false
    } else {
      own++
      if (inOrder && (from + at >= to || grades[names[from + at] as number] !== best)) inOrder = false
    }
    edits += EDITS[best] as number
    partial += PARTIAL[best] as number
  }
  // What is only above a record is no reason to find it.
  if (own === 0) return NO_MATCH
  const besides = Math.max(to - from - own, 0)
  const isWhole = partial === 0 && besides === 0
  let stands: number = STANDS.otherwise
  if ((isWhole && inOrder) || (isCode && typed.length === 1)) stands = STANDS.same
  else if (isWhole) stands = STANDS.complete
  else if (inOrder) stands = STANDS.begins
  else if (partial === 0 && own === typed.length) stands = STANDS.words
  return scoreFrom(edits, stands, partial, first, besides)
}

const scoreFrom = (edits: number, stands: number, partial: number, first: number, besides: number): number =>
  (Math.min(edits, MAX_COUNTED_EDITS) << EDITS_AT) |
  (stands << STANDS_AT) |
  (Math.min(partial, MAX_PARTIAL) << PARTIAL_AT) |
  (first << FIRST_AT) |
  Math.min(besides, MAX_BESIDES)

/** The same for a single word that is in no code, which is what most records are ever asked for. */
export function scoreOfOne({ names, nameStarts }: Words, grades: Uint8Array, position: number): number {
  const from = nameStarts[position] as number
  const to = nameStarts[position + 1] as number
  let best = 0
  for (let place = from; place < to; place++) {
    const grade = grades[names[place] as number] as number
    if (grade !== 0 && (best === 0 || grade < best)) best = grade
  }
  if (best === 0) return NO_MATCH
  const beginning = grades[names[from] as number] as number
  const partial = PARTIAL[best] as number
  const besides = to - from - 1
  let stands: number = partial === 0 ? STANDS.words : STANDS.otherwise
  if (beginning === best) stands = partial === 0 && besides === 0 ? STANDS.same : STANDS.begins
  return scoreFrom(EDITS[best] as number, stands, partial, beginning === 0 ? 1 : 0, besides)
}

/**
 * No better can the score of a record be, as far as the length of its name tells and how well one of its first words
 * matches the one typed at the same place.
 */
export function leastScore(grade: number, length: number, typed: number): number {
  const besides = Math.min(Math.max(length - typed, 0), MAX_BESIDES)
  if (grade === ELSEWHERE && length <= typed) return STANDS.complete << STANDS_AT
  if (grade === 0 || grade === ELSEWHERE) return (STANDS.words << STANDS_AT) | besides
  if (length <= typed) return PARTIAL[grade] === 0 ? 0 : STANDS.complete << STANDS_AT
  return (STANDS.begins << STANDS_AT) | partialAt(grade) | besides
}

/** No better can it be where so many of the words typed are in the record only in part, or with typing errors. */
export const leastWithout = (missing: number): number =>
  missing === 0 ? 0 : (STANDS.begins << STANDS_AT) | (Math.min(missing, MAX_PARTIAL) << PARTIAL_AT)

/** What a typing error makes of a score that has none. */
export const ONE_EDIT = 1 << EDITS_AT

const partialAt = (grade: number) => (PARTIAL[grade] as number) << PARTIAL_AT

function codeGrade({ codes, codeStarts }: Words, grades: Uint8Array, position: number): number {
  const to = codeStarts[position + 1] as number
  let best = 0
  for (let place = codeStarts[position] as number; place < to; place++) {
    const grade = grades[codes[place] as number] as number
    // A mistyped code is another code.
    if (grade !== 0 && EDITS[grade] === 0 && (best === 0 || grade < best)) best = grade
  }
  return best
}

function gradeAbove(above: readonly Above[], position: number): number {
  let best = 0
  for (let at = 0; at < above.length; at++) {
    const { values, grades } = above[at] as Above
    const grade = grades[values[position] as number] as number
    if (grade !== 0 && (best === 0 || grade < best)) best = grade
  }
  return best
}
