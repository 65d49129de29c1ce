// Which parts of a text match the typed words.
import { placedWords } from '../../catalog/words.ts'

type Range = readonly [start: number, end: number]

/**
 * In code units of UTF-16, as JavaScript counts them; the end is just after the last. A word that begins with a typed one is
 * highlighted as far as it was typed, any other word that is known to match as a whole.
 */
export function highlights(text: string, typed: readonly string[], matched: readonly string[] = []): Range[] {
  const ranges: Range[] = []
  for (const { word, start, end } of placedWords(text)) {
    let longest = 0
    for (const one of typed) if (one.length > longest && word.startsWith(one)) longest = one.length
    if (longest === 0 && matched.includes(word)) longest = word.length
    // Folding may have made the word longer or shorter than it is written; then all of it is highlighted.
    const isBegun = longest < word.length && word.length === end - start
    if (longest > 0) ranges.push([start, isBegun ? start + longest : end])
  }
  return ranges
}
