// Which parts of a text match the typed words.
import { placedWords } from '../catalog/words.ts'
import { distanceOf, maxEditsOf } from './edit-distance.ts'

type Range = readonly [start: number, end: number]

/** In code units of UTF-16, as JavaScript counts them; the end is just after the last. */
export function highlights(text: string, typed: readonly string[]): Range[] {
  return placedWords(text).flatMap(({ word, start, end }): Range[] => {
    const lengths = typed.flatMap((one) => lengthMatched(one, word))
    if (lengths.length === 0) return []
    const longest = Math.max(...lengths)
    // Folding may have made the word longer or shorter than it is written; then all of it is highlighted.
    return [[start, longest < word.length && word.length === end - start ? start + longest : end]]
  })
}

/** How many letters of a word match, if it matches at all. */
function lengthMatched(typed: string, word: string): number[] {
  if (word.startsWith(typed)) return [typed.length]
  const maxEdits = maxEditsOf(typed)
  if (maxEdits === 0) return []
  const { toWord, toPrefix } = distanceOf(typed, word, maxEdits)
  if (Math.min(toWord, toPrefix) > maxEdits) return []
  return [toWord <= maxEdits ? word.length : Math.min(typed.length, word.length)]
}
