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

const BEYOND = MAX_DISTANCE + 1

/**
 * Insertions, deletions and replacements of a letter (Levenshtein), as far as they count: a path is compared with the
 * names of a thousand lists, so only what is near the diagonal is computed.
 */
function editDistance(a: string, b: string): number {
  const width = b.length + 1
  let previous = new Uint8Array(width).fill(BEYOND)
  let current = new Uint8Array(width)
  for (let column = 0; column <= MAX_DISTANCE && column < width; column++) previous[column] = column
  for (let row = 1; row <= a.length; row++) {
    current.fill(BEYOND)
    let least = BEYOND
    for (let column = Math.max(row - MAX_DISTANCE, 0); column <= row + MAX_DISTANCE && column < width; column++) {
      const above = (previous[column] as number) + 1
      const before = column === 0 ? BEYOND : (current[column - 1] as number) + 1
      const isSame = a.charCodeAt(row - 1) === b.charCodeAt(column - 1)
      const replaced = column === 0 ? BEYOND : (previous[column - 1] as number) + (isSame ? 0 : 1)
      const distance = Math.min(above, before, replaced, BEYOND)
      current[column] = distance
      if (distance < least) least = distance
    }
    if (least === BEYOND) return BEYOND
    ;[previous, current] = [current, previous]
  }
  return previous[b.length] as number
}
