// How many edits apart two words are: letters put in, left out, changed, or swapped with their neighbour.

/** Longer words are compared by their beginnings. */
const LONGEST = 64
/** No more is ever forgiven. */
const MOST_EDITS = 2
const WIDTH = LONGEST + MOST_EDITS + 1
const rows = [new Uint8Array(WIDTH), new Uint8Array(WIDTH), new Uint8Array(WIDTH)]

export type Distance = {
  /** To the whole word, or more than the limit. */
  readonly whole: number
  /** To the beginning of it that is nearest. */
  readonly beginning: number
}

const FAR: Distance = { whole: LONGEST, beginning: LONGEST }

/** The distance of what was typed to a word, as far as it is within the limit. */
export function distanceOf(typed: string, word: string, limit: number): Distance {
  const height = Math.min(typed.length, LONGEST)
  // A beginning longer than this is farther off than the limit.
  const width = Math.min(word.length, height + limit)
  if (width < height - limit) return FAR
  let [older, previous, current] = rows as [Uint8Array, Uint8Array, Uint8Array]
  for (let column = 0; column <= width; column++) previous[column] = column
  for (let row = 1; row <= height; row++) {
    current[0] = row
    let least = row
    const letter = typed.charCodeAt(row - 1)
    for (let column = 1; column <= width; column++) {
      const other = word.charCodeAt(column - 1)
      let edits = (previous[column - 1] as number) + (letter === other ? 0 : 1)
      edits = Math.min(edits, (previous[column] as number) + 1, (current[column - 1] as number) + 1)
      const swapped =
        row > 1 && column > 1 && letter === word.charCodeAt(column - 2) && typed.charCodeAt(row - 2) === other
      if (swapped) edits = Math.min(edits, (older[column - 2] as number) + 1)
      current[column] = edits
      if (edits < least) least = edits
    }
    if (least > limit) return FAR
    ;[older, previous, current] = [previous, current, older]
  }
  let beginning = LONGEST
  for (let column = 0; column <= width; column++) beginning = Math.min(beginning, previous[column] as number)
  return { whole: width === word.length ? (previous[width] as number) : LONGEST, beginning }
}

/** One edit is forgiven from four letters, two from eight. */
export const editsForgiven = (word: string): number => (word.length < 4 ? 0 : word.length < 8 ? 1 : 2)
