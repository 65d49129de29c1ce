// How well a record matches the typed words, as one number: the lower, the better.
import type { Words } from '../release/index/index-file.ts'
import type { Postings } from '../release/index/postings.ts'
import type { AncestorMatch } from './ancestor-match.ts'
import { EDITS, EXACT, matchWord, PARTIAL, type WordMatch } from './word-match.ts'

/** A typed word, and where it is found. */
export type TypedWord = WordMatch & {
  readonly text: string
  /** How many entries the posting lists of the matching words have. */
  readonly inNames: number
  readonly inCodes: number
  readonly ancestors: readonly AncestorMatch[]
}

export function typedWord(
  words: Words,
  text: string,
  allowEdits: boolean,
  ancestors: readonly AncestorMatch[],
): TypedWord {
  const match = matchWord(words, text, allowEdits)
  const { matching } = match
  return {
    ...match,
    text,
    inNames: entriesOf(matching, words.inNames),
    inCodes: entriesOf(matching, words.inCodes),
    ancestors,
  }
}

function entriesOf(words: readonly number[], { starts }: Postings): number {
  let entries = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number
    entries += (starts[word + 1] as number) - (starts[word] as number)
  }
  return entries
}

/** Every score is below this. */
export const SCORES = 1 << 15
export const NO_MATCH = 0xffff

/** How the name of a record matches the typed words as a whole, best first. */
const MatchKind = {
  /** The name is what was typed, or the code is. */
  same: 0,
  /** No word of the name is left over, but they are in another order, or some typed words are those of ancestors. */
  complete: 1,
  /** The name begins with what was typed. */
  begins: 2,
  /** Every typed word is in the name, in any order. */
  words: 3,
  otherwise: 4,
} as const

// A score is made of these, the most significant first, each in bits of its own:
//   edits     how many edits the typed words need
//   kind      the kind of match
//   partial   of how many words only the beginning was typed
//   first     0 if the first word of the name is among those that match
//   besides   how many further words the name has
const EDITS_AT = 12
const KIND_AT = 9
const PARTIAL_AT = 6
const FIRST_AT = 5
const MAX_EDITS = 7
const MAX_PARTIAL = 7
const MAX_BESIDES = (1 << FIRST_AT) - 1

const scoreFrom = (edits: number, kind: number, partial: number, first: number, besides: number): number =>
  (Math.min(edits, MAX_EDITS) << EDITS_AT) |
  (kind << KIND_AT) |
  (Math.min(partial, MAX_PARTIAL) << PARTIAL_AT) |
  (first << FIRST_AT) |
  Math.min(besides, MAX_BESIDES)

/** The part of a score that counts for more than the entity of the record: edits, kind of match and partial words. */
export const coarseScore = (score: number): number => score >>> PARTIAL_AT

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
    const { grades, inCodes, ancestors } = typed[at] as TypedWord
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
      best = ancestorGrade(ancestors, position)
      if (best === 0) return NO_MATCH
      inOrder = false
    } else {
      own++
      if (inOrder && (from + at >= to || grades[names[from + at] as number] !== best)) inOrder = false
    }
    edits += EDITS[best] as number
    partial += PARTIAL[best] as number
  }
  // A record is not found by the words of its ancestors alone.
  if (own === 0) return NO_MATCH
  const besides = Math.max(to - from - own, 0)
  const isWhole = partial === 0 && besides === 0
  let kind: number = MatchKind.otherwise
  if ((isWhole && inOrder) || (isCode && typed.length === 1)) kind = MatchKind.same
  else if (isWhole) kind = MatchKind.complete
  else if (inOrder) kind = MatchKind.begins
  else if (partial === 0 && own === typed.length) kind = MatchKind.words
  return scoreFrom(edits, kind, partial, first, besides)
}

/** The same for a single typed word that is in no code, which is the search with the most candidates. */
export function scoreOfSingle({ names, nameStarts }: Words, grades: Uint8Array, position: number): number {
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
  let kind: number = partial === 0 ? MatchKind.words : MatchKind.otherwise
  if (beginning === best) kind = partial === 0 && besides === 0 ? MatchKind.same : MatchKind.begins
  return scoreFrom(EDITS[best] as number, kind, partial, beginning === 0 ? 1 : 0, besides)
}

/** How well the best of a record's codes matches. A mistyped code is another code, so edits do not count. */
function codeGrade({ codes, codeStarts }: Words, grades: Uint8Array, position: number): number {
  const to = codeStarts[position + 1] as number
  let best = 0
  for (let place = codeStarts[position] as number; place < to; place++) {
    const grade = grades[codes[place] as number] as number
    if (grade !== 0 && EDITS[grade] === 0 && (best === 0 || grade < best)) best = grade
  }
  return best
}

function ancestorGrade(ancestors: readonly AncestorMatch[], position: number): number {
  let best = 0
  for (let at = 0; at < ancestors.length; at++) {
    const { parents, grades } = ancestors[at] as AncestorMatch
    const grade = grades[parents[position] as number] as number
    if (grade !== 0 && (best === 0 || grade < best)) best = grade
  }
  return best
}

/**
 * A lower bound of the score of a record, from one word of its name and the number of words in it. `grade` is that of the
 * word for the typed word at the same place, or ELSEWHERE, as gradesAt has it. The bound holds where no typed word is in
 * codes and none is typed twice.
 *
 * - If the name has the typed words in order, the word counts with this grade. The match is `same` at best, or `begins` if
 *   the name has further words. If the word was typed in part, it is `begins` with a partial word.
 * - Otherwise it is `complete` at best, for which each word of the name must be one that was typed. It is `words` at best if
 *   this one is not, or if the name has further words.
 * - Every typed word stands for at most one word of the name, so as many as the name has more are further words.
 */
export function scoreLowerBound(grade: number, nameLength: number, typedLength: number): number {
  const besides = Math.min(Math.max(nameLength - typedLength, 0), MAX_BESIDES)
  if (grade === 0 || (grade === ELSEWHERE && besides > 0)) return (MatchKind.words << KIND_AT) | besides
  if (besides > 0) return (MatchKind.begins << KIND_AT) | ((PARTIAL[grade] as number) << PARTIAL_AT) | besides
  return grade === ELSEWHERE || PARTIAL[grade] === 1 ? MatchKind.complete << KIND_AT : 0
}

/** The grade of a word that does not match the typed word at its place, but is another typed word. */
export const ELSEWHERE = EDITS.length

/** What scoreLowerBound has to know of each word of the index, if it stands at this place of a name. */
export function gradesAt(place: number, typed: readonly TypedWord[]): Uint8Array | undefined {
  const here = typed[place]
  if (here === undefined || typed.length === 1) return here?.grades
  const grades = here.grades.slice()
  for (const { exact } of typed) if (exact !== undefined && grades[exact] === 0) grades[exact] = ELSEWHERE
  return grades
}

/** A lower bound where so many of the typed words are in the name only in part or with an edit: at best it begins so. */
export const inexactLowerBound = (inexact: number): number =>
  inexact === 0 ? 0 : (MatchKind.begins << KIND_AT) | (Math.min(inexact, MAX_PARTIAL) << PARTIAL_AT)

/** What an edit adds to a score. */
export const ONE_EDIT = 1 << EDITS_AT
