// Parses whole numbers strictly: digits and nothing else.

const ZERO = 0x30
const NINE = 0x39
/** Every number of this many digits is exact. */
const MAX_DIGITS = 15
const MAX_WHOLE_NUMBER = 10 ** MAX_DIGITS - 1

type WholeNumberOptions = {
  readonly min?: number
  readonly max?: number
  /** If true, `007` is 7; otherwise it is no number. */
  readonly leadingZeros?: boolean
}

/** The number that a text is, or undefined: for a sign, a blank, a fraction, no digit, and numbers out of bounds. */
export function parseWholeNumber(
  text: string,
  { min = 0, max = MAX_WHOLE_NUMBER, leadingZeros = false }: WholeNumberOptions = {},
): number | undefined {
  if (!leadingZeros && text.length > 1 && text.charCodeAt(0) === ZERO) return undefined
  const number = parseDigits(text, 0, text.length)
  return number === undefined || number < min || number > max ? undefined : number
}

/**
 * The number that the digits from `start` up to `end` make, with or without leading zeros; undefined unless they are
 * 1 to 15 digits. A loop, because a regular expression takes five times as long.
 */
export function parseDigits(text: string, start: number, end: number): number | undefined {
  if (end <= start || end - start > MAX_DIGITS) return undefined
  let number = 0
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index)
    // Beyond the end of the text it is NaN, which no comparison holds for.
    if (!(code >= ZERO && code <= NINE)) return undefined
    number = number * 10 + code - ZERO
  }
  return number
}
