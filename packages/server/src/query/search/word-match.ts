// Which words of an index match a typed word, and how well: the word itself, its abbreviations, words that begin with it,
// and, where that is allowed, words that sound like it or are an edit or two away.
import { checkpoint } from '../../base/checkpoint.ts'
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Language } from '../../catalog/languages/language.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { SortedTexts } from '../../release/index/sorted-texts.ts'
import { letterMask, wordsThatSoundLike } from '../../release/index/word-keys.ts'
import { EditDistance, FAR, MAX_COMPARED, maxEditsOf, maxLimitOf } from './edit-distance.ts'

/** How a typed word matches. */
export type MatchKind = 'exact' | 'abbreviation' | 'alias' | 'code' | 'prefix' | 'by-ear' | 'typo'

/**
 * The grades of a match, the lower the better, but 0 for no match. The cost of each is the share of a word's weight that
 * is lost. A code or an alias of an ancestor is as good as its name; a prefix is worth more the longer it is.
 */
const GRADES = [
  ['none', 'exact', 1],
  ['EXACT', 'exact', 0],
  ['ALIAS', 'alias', 0.01],
  ['CODE', 'code', 0.01],
  ['ABBREVIATION', 'abbreviation', 0.015],
  ['ALIAS_WORD', 'alias', 0.02],
  ['LONG_PREFIX', 'prefix', 0.04],
  ['PREFIX', 'prefix', 0.07],
  ['SHORT_PREFIX', 'prefix', 0.1],
  ['BY_EAR', 'by-ear', 0.12],
  ['EDIT_IN_LONG', 'typo', 0.16],
  ['EDIT', 'typo', 0.22],
  ['EDITED_PREFIX', 'typo', 0.3],
  ['TWO_EDITS', 'typo', 0.34],
  ['TWO_EDITS_PREFIX', 'typo', 0.45],
  ['MANY_EDITS', 'typo', 0.5],
] as const satisfies readonly (readonly [string, MatchKind, number])[]

const grade = (name: (typeof GRADES)[number][0]): number => GRADES.findIndex(([one]) => one === name)
export const EXACT = grade('EXACT')
export const ALIAS = grade('ALIAS')
export const CODE = grade('CODE')
/** One of several words of an alias. */
export const ALIAS_WORD = grade('ALIAS_WORD')
export const ABBREVIATION = grade('ABBREVIATION')
const LONG_PREFIX = grade('LONG_PREFIX')
const PREFIX = grade('PREFIX')
export const SHORT_PREFIX = grade('SHORT_PREFIX')
const BY_EAR = grade('BY_EAR')
const EDIT_IN_LONG = grade('EDIT_IN_LONG')
const EDIT = grade('EDIT')
const EDITED_PREFIX = grade('EDITED_PREFIX')
const TWO_EDITS = grade('TWO_EDITS')
const TWO_EDITS_PREFIX = grade('TWO_EDITS_PREFIX')
const MANY_EDITS = grade('MANY_EDITS')

export const GRADE_COUNT = GRADES.length
export const COSTS = Float64Array.from(GRADES, ([, , cost]) => cost)
export const kindOf = (grade: number): MatchKind => (GRADES[grade] as (typeof GRADES)[number])[1]

export type WordMatch = {
  /** The grade of each word of the index. */
  readonly grades: Uint8Array
  /** The words that match; the typed word itself comes first. */
  readonly matching: readonly number[]
  /** The typed word, if the index has it. */
  readonly exact: number | undefined
}

/** How far a word may be from the typed one: as typed, with usual errors, or with as many as can be made sense of. */
export type Tolerance = 0 | 1 | 2

export const matchWord = (index: WordIndex, typed: string, tolerance: Tolerance): WordMatch =>
  tolerance === 0 ? matchAsTyped(index, typed) : matchFuzzily(index, typed, tolerance)

/** Whether any word of an index matches a typed word as it is. */
export const isMatchedAsTyped = ({ words, language }: WordIndex, typed: string): boolean =>
  words.isBeginning(typed) || language.otherForms(typed).some((form) => words.indexOf(form) !== undefined)

type GrowingMatch = WordMatch & { readonly matching: number[] }

function matchAsTyped({ words, language }: WordIndex, typed: string): GrowingMatch {
  const grades = new Uint8Array(words.size)
  const matching: number[] = []
  const [from, to] = words.plainRange(typed)
  // Of all words that begin like this, the word itself comes first.
  const exact = from < to && words.lengthOf(from) === Buffer.byteLength(typed) ? from : undefined
  for (let word = from; word < to; word++) {
    matching.push(word)
    const share = typed.length / words.lengthOf(word)
    grades[word] = share > 0.7 ? LONG_PREFIX : share > 0.4 ? PREFIX : SHORT_PREFIX
  }
  if (exact !== undefined) grades[exact] = EXACT
  const match = { grades, matching, exact }
  for (const form of language.otherForms(typed)) {
    const word = words.indexOf(form)
    if (word !== undefined) addMatch(match, word, ABBREVIATION)
  }
  return match
}

function matchFuzzily(index: WordIndex, typed: string, tolerance: Tolerance): WordMatch {
  checkpoint()
  const match = matchAsTyped(index, typed)
  for (const word of wordsThatSoundLike(index, typed)) addMatch(match, word, BY_EAR)
  const limit = maxLimitOf(typed, tolerance)
  if (limit === 0) return match
  const maxPrefixEdits = maxEditsOf(typed.length, 1)
  for (const { from, to, length, toWord, toPrefix } of nearWords(index, typed, limit)) {
    const grade = editedGrade(
      toWord <= maxEditsOf(length, tolerance) ? toWord : FAR,
      toPrefix <= maxPrefixEdits ? toPrefix : FAR,
      length,
    )
    if (grade !== 0) for (let word = from; word < to; word++) addMatch(match, word, grade)
  }
  return match
}

/** Neighbouring words that are as near to a typed word: by their beginning, or there is one of so many letters. */
type NearWords = {
  readonly from: number
  readonly to: number
  readonly length: number
  readonly toWord: number
  readonly toPrefix: number
}

const MAX_CACHED = 32
const nearCaches = memoized((_: WordIndex) => new LruCache<readonly NearWords[]>({ maxEntries: MAX_CACHED }))

/** The same words are looked for with more effort when nothing was found with less. */
const nearWords = (index: WordIndex, typed: string, limit: number): readonly NearWords[] =>
  nearCaches(index).get(`${limit} ${typed}`, () => findNear(index, typed, limit))

/**
 * Compares the typed word with all words of the index in their order. Neighbours begin alike, so the rows of the edit
 * distance are kept for the letters that a word shares with the one before it, as if the words were a tree.
 */
function findNear({ words, masks }: WordIndex, typed: string, limit: number): NearWords[] {
  const near: NearWords[] = []
  const shared = sharedLettersIn(words)
  const typedMask = letterMask(typed)
  const distance = new EditDistance(typed, limit)
  let rows = 0
  for (let word = 0; word < masks.length; ) {
    let next = word + 1
    // Each typed letter that the word lacks takes an edit; the lowest bits are taken off one by one, which is sooner done than to count them.
    let lacking = typedMask & ~(masks[word] as number)
    for (let edit = 0; edit < limit; edit++) lacking &= lacking - 1
    if (lacking === 0) {
      const length = words.lettersInto(letters, word)
      let isNear = true
      while (isNear && rows < length) isNear = distance.addRow(letters, ++rows)
      // All words with this beginning are too far, or near by their beginning alone.
      if (!isNear) while ((shared[next] as number) >= rows) next++
      const toPrefix = distance.toPrefix(rows)
      const toWord = isNear ? distance.toWord(length) : FAR
      if (toPrefix <= limit || toWord <= limit) near.push({ from: word, to: next, length, toWord, toPrefix })
    }
    rows = Math.min(rows, shared[next] as number)
    word = next
  }
  return near
}

const letters = new Uint16Array(MAX_COMPARED)
const LONG_WORD = 7

/** The grade of whichever costs less, the whole word or its beginning; 0 where neither is near enough. */
function editedGrade(toWord: number, toPrefix: number, length: number): number {
  const whole = toWord === FAR ? 0 : toWord > maxEditsOf(length, 1) ? MANY_EDITS : wholeGrade(toWord, length)
  const prefix = toPrefix === FAR || toPrefix >= toWord ? 0 : toPrefix > 1 ? TWO_EDITS_PREFIX : EDITED_PREFIX
  return whole === 0 || prefix === 0 ? whole + prefix : Math.min(whole, prefix)
}

const wholeGrade = (toWord: number, length: number): number =>
  toWord > 1 ? TWO_EDITS : length < LONG_WORD ? EDIT : EDIT_IN_LONG

/** A word that matches already keeps the better grade. */
function addMatch({ grades, matching }: GrowingMatch, word: number, grade: number) {
  const before = grades[word] as number
  if (before === 0) matching.push(word)
  if (before === 0 || grade < before) grades[word] = grade
}

/** How many letters each word shares with the one before it; 0 after the last. */
const sharedLettersIn = memoized((words: SortedTexts): Uint8Array => {
  const shared = new Uint8Array(words.size + 1)
  let [before, current] = [new Uint16Array(MAX_COMPARED), new Uint16Array(MAX_COMPARED)]
  for (let word = 0, lengthBefore = 0; word < words.size; word++) {
    const length = words.lettersInto(current, word)
    const shorter = Math.min(length, lengthBefore)
    let same = 0
    while (same < shorter && current[same] === before[same]) same++
    shared[word] = same
    ;[before, current] = [current, before]
    lengthBefore = length
  }
  return shared
})

/** Whether a word says little, since it joins others or says what a place is; it may be dropped before any other. */
export const isLight = ({ isLinking, isNoise }: Language, typed: string): boolean => isLinking(typed) || isNoise(typed)
