// How many edits apart two words are: letters put in, left out, changed, or swapped with their neighbour.

/** Longer words are compared by their beginnings. */
const LONGEST = 64
/** No more is ever forgiven. */
const MAX_EDITS = 2
/** Of a word that is compared, so many letters matter; one more tells that it goes on. */
export const LETTERS_COMPARED = LONGEST + MAX_EDITS + 1

export type Distance = {
  /** To the whole word, or more than the limit. */
  readonly whole: number
  /** To the beginning of it that is nearest. */
  readonly beginning: number
}

export const FAR = 0x40
/** A cell for each letter typed and one before them, and one on either side that is far. */
const WIDTH = LONGEST + MAX_EDITS + 3
const DEPTHS = LETTERS_COMPARED + 1
/** Row by row for each letter of a word: how far what was typed up to some letter is from the word up to this one. */
const cells = new Uint8Array(DEPTHS * WIDTH)
const nearest = new Uint8Array(DEPTHS)
const typedLetters = new Uint16Array(LONGEST)

/**
 * What was typed, compared with a word letter by letter; another word that begins alike goes on from the letter where
 * they part. Only one comparison goes on at a time.
 */
export class Typed {
  readonly #length: number
  readonly limit: number

  constructor(typed: string, limit: number) {
    const length = Math.min(typed.length, LONGEST)
    for (let at = 0; at < length; at++) typedLetters[at] = typed.charCodeAt(at)
    for (let column = 0; column <= limit; column++) cells[column] = column
    cells[limit + 1] = FAR
    nearest[0] = length <= limit ? length : FAR
    this.#length = length
    this.limit = limit
  }

  /** Takes the letter of a word that makes it so deep; says whether the word, however it goes on, may still come nearer. */
  step(word: Uint16Array, depth: number): boolean {
    const { limit } = this
    const letters = typedLetters
    const length = this.#length
    const letter = word[depth - 1] as number
    const before = depth > 1 ? (word[depth - 2] as number) : -1
    const row = depth * WIDTH
    const above = row - WIDTH
    const beforeAbove = above - WIDTH
    // What is farther from the diagonal than the limit is farther off than the limit.
    const from = Math.max(depth - limit, 1)
    const to = Math.min(depth + limit, length)
    let left = from === 1 ? depth : FAR
    let least = left
    cells[row + from - 1] = left
    for (let column = from; column <= to; column++) {
      const other = letters[column - 1] as number
      let edits = cells[above + column - 1] as number
      if (letter !== other) {
        edits++
        if (column > 1 && before === other && letter === letters[column - 2]) {
          const swapped = cells[beforeAbove + column - 2] as number
          if (swapped < edits) edits = swapped + 1
        }
      }
      const leftOut = cells[above + column] as number
      if (leftOut < edits) edits = leftOut + 1
      if (left < edits) edits = left + 1
      cells[row + column] = edits
      left = edits
      if (edits < least) least = edits
    }
    cells[row + to + 1] = FAR
    const known = nearest[depth - 1] as number
    nearest[depth] = to === length && left < known ? left : known
    return least <= limit
  }

  /** To the word that is so deep; only where its last letter may have come nearer. */
  wholeAt(depth: number): number {
    const { limit } = this
    return Math.abs(depth - this.#length) > limit ? FAR : (cells[depth * WIDTH + this.#length] as number)
  }

  /** To the nearest beginning of a word that is at least so deep. */
  beginningAt(depth: number): number {
    return nearest[depth] as number
  }
}

const letters = new Uint16Array(LETTERS_COMPARED)

/** The distance of what was typed to a word, as far as it is within the limit. */
export function distanceOf(typed: string, word: string, limit: number): Distance {
  const length = Math.min(word.length, LETTERS_COMPARED)
  for (let at = 0; at < length; at++) letters[at] = word.charCodeAt(at)
  const comparison = new Typed(typed, limit)
  for (let depth = 1; depth <= length; depth++) {
    if (!comparison.step(letters, depth)) return { whole: FAR, beginning: comparison.beginningAt(depth) }
  }
  return { whole: comparison.wholeAt(length), beginning: comparison.beginningAt(length) }
}

/** One edit is forgiven from four letters, two from eight. */
export const editsForgiven = (word: string): number => (word.length < 4 ? 0 : word.length < 8 ? 1 : MAX_EDITS)
