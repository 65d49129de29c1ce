// Where in a text the words stand that were typed.
import { placedWords } from '../catalog/words.ts'
import { distanceOf, editsForgiven } from './typos.ts'

export type Range = readonly [start: number, end: number]

/** In code units of UTF-16, as texts are counted in JavaScript; end is just after the last. */
export function highlights(text: string, typed: readonly string[]): Range[] {
  return placedWords(text).flatMap(({ word, start, end }): Range[] => {
    const lengths = typed.flatMap((one) => lengthMatched(one, word))
    if (lengths.length === 0) return []
    const longest = Math.max(...lengths)
    // Folding may have made the word longer or shorter than it is written; then all of it is meant.
    return [[start, longest < word.length && word.length === end - start ? start + longest : end]]
  })
}

/** How much of a word was typed. */
function lengthMatched(typed: string, word: string): number[] {
  if (word.startsWith(typed)) return [typed.length]
  const limit = editsForgiven(typed)
  if (limit === 0) return []
  const { whole, beginning } = distanceOf(typed, word, limit)
  if (Math.min(whole, beginning) > limit) return []
  return [whole <= limit ? word.length : Math.min(typed.length, word.length)]
}
