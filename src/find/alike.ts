// Which words of an index are alike to one that was typed: those that begin alike are compared only once so far.
import type { Words } from '../release/index/index-file.ts'
import { bitsOf, letterMask } from '../release/index/letters.ts'
import type { SortedTexts } from '../release/index/sorted-texts.ts'
import { FAR, LETTERS_COMPARED, Typed } from './typos.ts'

/** Words from one to just before another, and how far they all are: the whole word, and its nearest beginning. */
export type Found = (from: number, to: number, whole: number, beginning: number) => void

const letters = new Uint16Array(LETTERS_COMPARED)

/** Tells all words that are within so many edits, whole or by their beginning, in order. */
export function findAlike({ words, masks }: Words, typed: string, limit: number, found: Found): void {
  const shared = sharedIn(words)
  const mask = letterMask(typed)
  const comparison = new Typed(typed, limit)
  // So many letters of the word at hand have been compared, as those of one before it.
  let known = 0
  for (let word = 0; word < masks.length; ) {
    let next = word + 1
    if (bitsOf(mask & ~(masks[word] as number)) <= limit) {
      const length = words.lettersInto(letters, word)
      let isNear = true
      while (isNear && known < length) isNear = comparison.step(letters, ++known)
      // What begins as far off as this is as far off, however it goes on.
      if (!isNear) while ((shared[next] as number) >= known) next++
      const beginning = comparison.beginningAt(known)
      if (beginning <= limit) found(word, next, isNear ? comparison.wholeAt(length) : FAR, beginning)
    }
    known = Math.min(known, shared[next] as number)
    word = next
  }
}

const sharedByWords = new WeakMap<SortedTexts, Uint8Array>()

/** How many letters each word shares with the one before it, and none after the last; reckoned once, when first needed. */
function sharedIn(words: SortedTexts): Uint8Array {
  const known = sharedByWords.get(words)
  if (known !== undefined) return known
  const shared = new Uint8Array(words.size + 1)
  let [before, current] = [new Uint16Array(LETTERS_COMPARED), new Uint16Array(LETTERS_COMPARED)]
  for (let word = 0, lengthBefore = 0; word < words.size; word++) {
    const length = words.lettersInto(current, word)
    const most = Math.min(length, lengthBefore)
    let same = 0
    while (same < most && current[same] === before[same]) same++
    shared[word] = same
    ;[before, current] = [current, before]
    lengthBefore = length
  }
  sharedByWords.set(words, shared)
  return shared
}
