// Which of the known words someone probably meant.

/** The known word within two edits of the one given, if there is one and any of the word is left then. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // Words of other lengths are farther away, and what was given may be as long as a URL.
  const near = known.filter((candidate) => Math.abs(candidate.length - word.length) <= 2)
  const ranked = near.map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
  const best = ranked.sort((a, b) => a.edits - b.edits)[0]
  return best !== undefined && best.edits <= 2 && best.edits < word.length ? best.candidate : undefined
}

function editsBetween(a: string, b: string): number {
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
