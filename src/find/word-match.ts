// Which words of an index match a word that was typed, and how well.
import type { Words } from '../release/index/index-file.ts'
import { bitsOf, letterMask } from '../release/index/letters.ts'
import type { Postings } from '../release/index/postings.ts'
import { distanceOf, editsForgiven } from './typos.ts'

/** For each word of the index: 0 for no match, or one of those below. */
export type WordMatch = {
  readonly typed: string
  readonly grades: Uint8Array
  /** The words that match. */
  readonly matching: readonly number[]
}

export const EXACT = 1
export const BEGINNING = 2
/** One edit away, two edits away, and the same for the beginning of a word. */
const EDITED = [0, 3, 4]
const BEGINNING_EDITED = [0, 5, 6]

/** How many edits each grade stands for, and whether only the beginning of the word was typed. */
export const EDITS: readonly number[] = [0, 0, 0, 1, 2, 1, 2]
export const PARTIAL: readonly number[] = [0, 0, 1, 0, 0, 1, 1]

export function matchWord({ words, masks }: Words, typed: string, forgiving: boolean): WordMatch {
  const grades = new Uint8Array(words.size)
  const [from, to] = words.range(typed)
  const matching = Array.from({ length: to - from }, (_, at) => from + at)
  grades.fill(BEGINNING, from, to)
  // Of all words that begin like this, the word itself comes first.
  if (from < to && words.text(from) === typed) grades[from] = EXACT
  const limit = forgiving ? editsForgiven(typed) : 0
  if (limit === 0) return { typed, grades, matching }
  const mask = letterMask(typed)
  for (let word = 0; word < grades.length; word++) {
    if (grades[word] !== 0 || bitsOf(mask & ~(masks[word] as number)) > limit) continue
    const { whole, beginning } = distanceOf(typed, words.text(word), limit)
    const grade = whole <= limit ? EDITED[whole] : beginning <= limit ? BEGINNING_EDITED[beginning] : 0
    if (grade === undefined || grade === 0) continue
    grades[word] = grade
    matching.push(word)
  }
  return { typed, grades, matching }
}

/** How many records the lists of the matching words hold. */
export function recordsOf({ matching }: WordMatch, lists: readonly Postings[]): number {
  let records = 0
  for (const { starts } of lists) {
    for (const word of matching) records += (starts[word + 1] as number) - (starts[word] as number)
  }
  return records
}
