// Finds the one of some words that a misspelt one probably stands for.

const MAX_DISTANCE = 2

/** The known word with the smallest edit distance, if that is at most 2 and less than the length of the word itself. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // Words of other lengths have a larger distance, and computing it would be slow for a word as long as a URL.
  const candidates = known.filter((candidate) => Math.abs(candidate.length - word.length) <= MAX_DISTANCE)
  const ranked = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
  const best = ranked.sort((a, b) => a.distance - b.distance)[0]
  return best !== undefined && best.distance <= MAX_DISTANCE && best.distance < word.length ? best.candidate : undefined
}

/** The end of a message about a word that is not among the known ones. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

/** Insertions, deletions and replacements of a letter (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] as number) + 1, (current[column - 1] as number) + 1))
    }
    previous = current
  }
  return previous[b.length] as number
}
