// How many edits apart two words are: letters put in, left out, changed, or swapped with their neighbour.

/** Longer words are compared by their beginnings. */
const LONGEST = 64
/** No more is ever forgiven. */
const MOST_EDITS = 2
/** Of a word that is compared, so many letters matter; one more tells that it goes on. */
export const LETTERS_COMPARED = LONGEST + MOST_EDITS + 1
const ROOM = LETTERS_COMPARED + 1

export type Distance = {
  /** To the whole word, or more than the limit. */
  readonly whole: number
  /** To the beginning of it that is nearest. */
  readonly beginning: number
}

const FAR = 0x40
const rows = [new Uint8Array(ROOM), new Uint8Array(ROOM), new Uint8Array(ROOM)] as const

/** What was typed, to be compared with many words. */
export class Typed {
  readonly #letters = new Uint16Array(LONGEST)
  readonly #length: number
  readonly limit: number

  constructor(typed: string, limit: number) {
    this.#length = Math.min(typed.length, LONGEST)
    for (let at = 0; at < this.#length; at++) this.#letters[at] = typed.charCodeAt(at)
    this.limit = limit
  }

  /** The distance to the whole word times 256, and that to its nearest beginning; each is more than the limit if it is far. */
  distanceTo(word: Uint16Array, length: number): number {
    const { limit } = this
    const height = this.#length
    // A beginning longer than this is farther off than the limit.
    const width = Math.min(length, height + limit)
    if (width < height - limit) return (FAR << 8) | FAR
    let [older, previous, current] = rows as readonly [Uint8Array, Uint8Array, Uint8Array]
    for (let column = 0; column <= limit + 1; column++) previous[column] = column
    for (let row = 1; row <= height; row++) {
      const letter = this.#letters[row - 1] as number
      const before = row > 1 ? this.#letters[row - 2] : -1
      // What is farther from the diagonal than the limit is farther off than the limit.
      const from = Math.max(row - limit, 1)
      const to = Math.min(row + limit, width)
      let least = from === 1 ? row : FAR
      current[from - 1] = least
      for (let column = from; column <= to; column++) {
        const other = word[column - 1] as number
        let edits = (previous[column - 1] as number) + (letter === other ? 0 : 1)
        if ((previous[column] as number) < edits) edits = (previous[column] as number) + 1
        if ((current[column - 1] as number) < edits) edits = (current[column - 1] as number) + 1
        if (column > 1 && before === other && letter === word[column - 2] && (older[column - 2] as number) < edits)
          edits = (older[column - 2] as number) + 1
        current[column] = edits
        if (edits < least) least = edits
      }
      if (least > limit) return (FAR << 8) | FAR
      current[to + 1] = FAR
      const free = older
      older = previous
      previous = current
      current = free
    }
    let beginning = FAR
    for (let column = Math.max(height - limit, 0); column <= width; column++) {
      if ((previous[column] as number) < beginning) beginning = previous[column] as number
    }
    return ((width === length ? (previous[width] as number) : FAR) << 8) | beginning
  }
}

const letters = new Uint16Array(LETTERS_COMPARED)

/** The distance of what was typed to a word, as far as it is within the limit. */
export function distanceOf(typed: string, word: string, limit: number): Distance {
  const length = Math.min(word.length, LETTERS_COMPARED)
  for (let at = 0; at < length; at++) letters[at] = word.charCodeAt(at)
  const both = new Typed(typed, limit).distanceTo(letters, length)
  return { whole: both >>> 8, beginning: both & 0xff }
}

/** One edit is forgiven from four letters, two from eight. */
export const editsForgiven = (word: string): number => (word.length < 4 ? 0 : word.length < 8 ? 1 : MOST_EDITS)
