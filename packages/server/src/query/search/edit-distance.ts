// The edit distance from a typed word to other words: letters inserted, left out, replaced, or swapped with a neighbour.

/** How many letters of a typed word are compared; the rest of a longer one is not. */
const MAX_TYPED = 64
const MAX_EDITS = 2
/** So many letters of a word are compared; the last of them tells only that the word goes on. */
export const MAX_COMPARED = MAX_TYPED + MAX_EDITS + 1

/** From how many letters on a word may have one edit, and two: usually, and where nothing is found otherwise. */
const EDITS_FROM = [
  [4, 8],
  [3, 5],
] as const

/** How many edits away a typed word may be from one of so many letters. */
export function maxEditsOf(letters: number, tolerance: 0 | 1 | 2): number {
  if (tolerance === 0) return 0
  const [one, two] = EDITS_FROM[tolerance - 1] as (typeof EDITS_FROM)[number]
  return letters < one ? 0 : letters < two ? 1 : MAX_EDITS
}

/** How many edits away any word may be from a typed one: letters may have been left out of the word that was meant. */
export function maxLimitOf(typed: string, tolerance: 0 | 1 | 2): number {
  for (let limit = MAX_EDITS; limit > 0; limit--) if (maxEditsOf(typed.length + limit, tolerance) >= limit) return limit
  return 0
}

/** More than any limit. */
export const FAR = 0x40

// The table of the usual dynamic program has a row for each letter of the word and a column for each typed letter: the
// cell is the distance between the two beginnings. Distances over the limit are of no interest, so in each row only the
// cells within `limit` columns of the diagonal are computed, and the cell on either side of them is FAR.
const WIDTH = MAX_TYPED + MAX_EDITS + 3
const ROWS = MAX_COMPARED + 1
const table = new Uint8Array(ROWS * WIDTH)
/** For each row the least distance from the whole typed word to a beginning of the word, up to this row. */
const nearestPrefix = new Uint8Array(ROWS)
const typedLetters = new Uint16Array(MAX_TYPED)

/**
 * Compares a typed word with others, letter by letter. A word that shares its beginning with the one before it continues
 * from the row where they part. The table is shared, so only one comparison can be under way at a time.
 */
export class EditDistance {
  readonly #length: number
  readonly #limit: number

  constructor(typed: string, limit: number) {
    const length = Math.min(typed.length, MAX_TYPED)
    for (let at = 0; at < length; at++) typedLetters[at] = typed.charCodeAt(at)
    for (let column = 0; column <= limit; column++) table[column] = column
    table[limit + 1] = FAR
    nearestPrefix[0] = length <= limit ? length : FAR
    this.#length = length
    this.#limit = limit
  }

  /**
   * Computes the row of the word's letter at `row - 1`; the rows before it must be those of the same word. Returns false
   * once no word with this beginning can come within the limit by its further letters.
   */
  addRow(word: Uint16Array, row: number): boolean {
    const limit = this.#limit
    const length = this.#length
    const letter = word[row - 1] as number
    const letterBefore = row > 1 ? (word[row - 2] as number) : -1
    const current = row * WIDTH
    const previous = current - WIDTH
    const beforePrevious = previous - WIDTH
    const from = Math.max(row - limit, 1)
    const to = Math.min(row + limit, length)
    let left = from === 1 ? row : FAR
    let least = left
    table[current + from - 1] = left
    for (let column = from; column <= to; column++) {
      const typed = typedLetters[column - 1] as number
      let edits = table[previous + column - 1] as number
      if (letter !== typed) {
        edits++
        if (column > 1 && letterBefore === typed && letter === typedLetters[column - 2]) {
          const beforeSwap = table[beforePrevious + column - 2] as number
          if (beforeSwap < edits) edits = beforeSwap + 1
        }
      }
      const above = table[previous + column] as number
      if (above < edits) edits = above + 1
      if (left < edits) edits = left + 1
      table[current + column] = edits
      left = edits
      if (edits < least) least = edits
    }
    table[current + to + 1] = FAR
    const known = nearestPrefix[row - 1] as number
    nearestPrefix[row] = to === length && left < known ? left : known
    return least <= limit
  }

  /** To the word of so many letters, if its last row was computed. */
  toWord(letters: number): number {
    const isInTable = Math.abs(letters - this.#length) <= this.#limit
    return isInTable ? (table[letters * WIDTH + this.#length] as number) : FAR
  }

  /** To the nearest beginning of the word, among those of at most so many letters. */
  toPrefix(letters: number): number {
    return nearestPrefix[letters] as number
  }
}

type Distance = {
  /** From the typed word to the whole word; of no meaning where it is over the limit. */
  readonly toWord: number
  /** To the beginning of the word that is nearest. */
  readonly toPrefix: number
}

const letters = new Uint16Array(MAX_COMPARED)

export function distanceOf(typed: string, word: string, limit: number): Distance {
  const length = Math.min(word.length, MAX_COMPARED)
  for (let at = 0; at < length; at++) letters[at] = word.charCodeAt(at)
  const distance = new EditDistance(typed, limit)
  for (let row = 1; row <= length; row++) {
    if (!distance.addRow(letters, row)) return { toWord: FAR, toPrefix: distance.toPrefix(row) }
  }
  return { toWord: distance.toWord(length), toPrefix: distance.toPrefix(length) }
}
