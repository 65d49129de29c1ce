// Which words of an index match a typed word, and how well: the word itself, words that begin with it, and, where edits
// are allowed, words that are or begin like it but for an edit or two.
import { LruCache } from '../lru-cache.ts'
import type { Words } from '../release/index/index-file.ts'
import { bitsOf, letterMask } from '../release/index/letters.ts'
import type { SortedTexts } from '../release/index/sorted-texts.ts'
import { EditDistance, FAR, MAX_COMPARED, maxEditsOf } from './edit-distance.ts'

/** How well an indexed word matches a typed one: the lower the better, but 0 for no match. */
export const EXACT = 1
const PREFIX = 2
/** By the number of edits. */
const EDITED = [EXACT, 3, 5]
const EDITED_PREFIX = [PREFIX, 4, 6]

/** By grade: how many edits it takes, and whether only the beginning of the word was typed. */
export const EDITS: readonly number[] = [0, 0, 0, 1, 1, 2, 2]
export const PARTIAL: readonly number[] = [0, 0, 1, 0, 1, 0, 1]

export type WordMatch = {
  /** The grade of each word of the index. */
  readonly grades: Uint8Array
  /** The words that match: so many without edits, of which the typed word itself comes first, then those with edits. */
  readonly matching: readonly number[]
  readonly withoutEdits: number
  /** The typed word, if the index has it. */
  readonly exact: number | undefined
}

const MAX_CACHED = 16
const caches = new WeakMap<Words, LruCache<WordMatch>>()

export function matchWord(index: Words, typed: string, allowEdits: boolean): WordMatch {
  const maxEdits = allowEdits ? maxEditsOf(typed) : 0
  if (maxEdits === 0) return matchWithoutEdits(index, typed)
  // The words before the one that is being typed come again with its every letter.
  const cache = caches.get(index) ?? new LruCache<WordMatch>({ maxEntries: MAX_CACHED })
  caches.set(index, cache)
  return cache.get(typed, () => matchWithEdits(index, typed, maxEdits))
}

function matchWithoutEdits({ words }: Words, typed: string) {
  const grades = new Uint8Array(words.size)
  const matching: number[] = []
  const [from, to] = words.plainRange(typed)
  for (let word = from; word < to; word++) matching.push(word)
  grades.fill(PREFIX, from, to)
  // Of all words that begin like this, the word itself comes first.
  const exact = from < to && words.text(from) === typed ? from : undefined
  if (exact !== undefined) grades[exact] = EXACT
  return { grades, matching, withoutEdits: matching.length, exact }
}

/**
 * Compares the typed word with all words of the index in their order. Neighbours begin alike, so the rows of the edit
 * distance are kept for the letters that a word shares with the one before it, as if the words were a tree.
 */
function matchWithEdits(index: Words, typed: string, maxEdits: number): WordMatch {
  const match = matchWithoutEdits(index, typed)
  const { words, masks } = index
  const shared = sharedLettersIn(words)
  const typedMask = letterMask(typed)
  const distance = new EditDistance(typed, maxEdits)
  let rows = 0
  for (let word = 0; word < masks.length; ) {
    let next = word + 1
    // Each typed letter that the word lacks takes an edit.
    if (bitsOf(typedMask & ~(masks[word] as number)) <= maxEdits) {
      const length = words.lettersInto(letters, word)
      let isNear = true
      while (isNear && rows < length) isNear = distance.addRow(letters, ++rows)
      // All words with this beginning are too far, or near by their beginning alone.
      if (!isNear) while ((shared[next] as number) >= rows) next++
      const toPrefix = distance.toPrefix(rows)
      if (toPrefix <= maxEdits) addMatches(match, word, next, gradeOf(isNear ? distance.toWord(length) : FAR, toPrefix))
    }
    rows = Math.min(rows, shared[next] as number)
    word = next
  }
  return match
}

const letters = new Uint16Array(MAX_COMPARED)

/** By whichever takes fewer edits, the whole word or its beginning. */
const gradeOf = (toWord: number, toPrefix: number): number =>
  (toPrefix < toWord ? EDITED_PREFIX[toPrefix] : EDITED[toWord]) as number

/** Gives the words from one to just before another a grade, except those that match without edits. */
function addMatches(
  { grades, matching }: ReturnType<typeof matchWithoutEdits>,
  from: number,
  to: number,
  grade: number,
) {
  for (let word = from; word < to; word++) {
    if (grades[word] !== 0) continue
    grades[word] = grade
    matching.push(word)
  }
}

const sharedByWords = new WeakMap<SortedTexts, Uint8Array>()

/** How many letters each word shares with the one before it; 0 after the last. Computed once, when first needed. */
function sharedLettersIn(words: SortedTexts): Uint8Array {
  const known = sharedByWords.get(words)
  if (known !== undefined) return known
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
  sharedByWords.set(words, shared)
  return shared
}
