// Which words of an index match a word that was typed, and how well.
import type { Words } from '../release/index/index-file.ts'
import type { Postings } from '../release/index/postings.ts'
import { findAlike } from './alike.ts'
import { editsForgiven } from './typos.ts'

/** For each word of the index: 0 for no match, or one of those below; the lower, the better. */
export type WordMatch = {
  readonly grades: Uint8Array
  /** The words that match; so many of them, the first, without typing errors. */
  readonly matching: readonly number[]
  readonly plain: number
  /** The word that was typed, where it is one of the index. */
  readonly exact: number | undefined
}

export const EXACT = 1
const BEGINNING = 2
/** One edit away, two edits away, and the same for the beginning of a word. */
const EDITED = [0, 3, 5]
const BEGINNING_EDITED = [0, 4, 6]

/** How many edits each grade stands for, and whether only the beginning of the word was typed. */
export const EDITS: readonly number[] = [0, 0, 0, 1, 1, 2, 2]
export const PARTIAL: readonly number[] = [0, 0, 1, 0, 1, 0, 1]
/** Instead of no match: the word is one that was typed, but at another place. */
export const ELSEWHERE = EDITS.length
export const GRADES = ELSEWHERE + 1

export function matchWord(index: Words, typed: string, forgiving: boolean): WordMatch {
  const limit = forgiving ? editsForgiven(typed) : 0
  return limit === 0 ? matchPlainly(index, typed) : remembered(index, typed, () => matchAlike(index, typed, limit))
}

const MAX_REMEMBERED = 16
const memories = new WeakMap<Words, Map<string, WordMatch>>()

/** The words before the one that is being typed come again with its every letter. */
function remembered(index: Words, typed: string, match: () => WordMatch): WordMatch {
  const memory = memories.get(index) ?? new Map<string, WordMatch>()
  memories.set(index, memory)
  const known = memory.get(typed) ?? match()
  memory.delete(typed)
  memory.set(typed, known)
  const [oldest] = memory.keys()
  if (memory.size > MAX_REMEMBERED && oldest !== undefined) memory.delete(oldest)
  return known
}

function matchPlainly({ words }: Words, typed: string) {
  const grades = new Uint8Array(words.size)
  const matching: number[] = []
  const [from, to] = words.plainRange(typed)
  for (let word = from; word < to; word++) matching.push(word)
  grades.fill(BEGINNING, from, to)
  // Of all words that begin like this, the word itself comes first.
  const exact = from < to && words.text(from) === typed ? from : undefined
  if (exact !== undefined) grades[exact] = EXACT
  return { grades, matching, exact, plain: matching.length }
}

function matchAlike(index: Words, typed: string, limit: number): WordMatch {
  const match = matchPlainly(index, typed)
  const { grades, matching } = match
  findAlike(index, typed, limit, (first, next, whole, beginning) => {
    const grade = gradeOf(whole, beginning)
    for (let word = first; word < next; word++) {
      if (grade === 0 || grades[word] !== 0) continue
      grades[word] = grade
      matching.push(word)
    }
  })
  return match
}

/** Of the whole word and its beginning, whichever takes fewer edits. */
const gradeOf = (whole: number, beginning: number): number =>
  (beginning < whole ? BEGINNING_EDITED[beginning] : EDITED[whole]) as number

/** How many records the lists of the matching words hold. */
export function recordsOf({ matching }: WordMatch, { starts }: Postings): number {
  let records = 0
  for (let at = 0; at < matching.length; at++) {
    const word = matching[at] as number
    records += (starts[word + 1] as number) - (starts[word] as number)
  }
  return records
}
