// Which parts of a text match the typed words.
import { placedWords } from '../../catalog/words.ts'

type Range = readonly [start: number, end: number]

/**
 * In code units of UTF-16, as JavaScript counts them; the end is just after the last. A word that begins with a typed one is
 * highlighted as far as it was typed, any other word that is known to match as a whole.
 */
export function highlights(text: string, typed: readonly string[], matched: readonly string[] = []): Range[] {
  return placedWords(text).flatMap(({ word, start, end }): Range[] => {
    const lengths = typed.filter((one) => word.startsWith(one)).map((one) => one.length)
    if (matched.includes(word) && lengths.length === 0) lengths.push(word.length)
    if (lengths.length === 0) return []
    const longest = Math.max(...lengths)
    // Folding may have made the word longer or shorter than it is written; then all of it is highlighted.
    return [[start, longest < word.length && word.length === end - start ? start + longest : end]]
  })
}
