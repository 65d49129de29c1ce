// Numbers in names: digits, words and Roman numerals that say the same are the same.

export type NumberWords = {
  /** The numbers that words stand for, cardinal or ordinal, in groups that mean nothing. */
  readonly words: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The word between tens and units, as in "treinta y uno". */
  readonly betweenTens: string
  /** The endings of digits that are an ordinal, as in "2da". */
  readonly ordinalEnds: string
  /** Words before a number that say that it is one, as in "número 3". */
  readonly numberSigns: string
  /** Words after a number that is an ordinal, as in "II sección", or before it. */
  readonly numbered: string
}

/** The Roman numerals up to 39: those beyond are rather words. */
const ROMAN_NUMERALS: ReadonlyMap<string, number> = new Map(
  ['', 'x', 'xx', 'xxx']
    .flatMap((tens) => ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'].map((units) => tens + units))
    .map((numeral, value) => [numeral, value] as const)
    .slice(1),
)
const DIGITS = /^0*([0-9]+)([a-z]*)$/
/** A letter before a number, as in "C-29" and "C29". */
const LETTERED = /^([a-z])0*([0-9]+)$/
const AFTER_NINE = 0x3a
const FIRST_TENS = 20
const LAST_TENS = 90

/** Writes all numbers among folded words as digits. */
export function digitsBy(data: NumberWords): (words: readonly string[]) => readonly string[] {
  const listed = (list: string) => new Set(list.split(' ').filter((word) => word !== ''))
  const [ends, signs, numbered] = [listed(data.ordinalEnds), listed(data.numberSigns), listed(data.numbered)]
  const numbers = new Map(Object.values(data.words).flatMap((group) => Object.entries(group)))
  const spelled = new Set([...numbers.keys(), ...signs, ...ROMAN_NUMERALS.keys()])
  const numberAt = (words: readonly string[], at: number): number | undefined => {
    const word = words[at] ?? ''
    if (word.charCodeAt(0) < AFTER_NINE) {
      const [, digits, end = ''] = DIGITS.exec(word) ?? []
      return digits !== undefined && (end === '' || ends.has(end)) ? Number(digits) : undefined
    }
    const number = numbers.get(word)
    if (number !== undefined) return number
    const roman = ROMAN_NUMERALS.get(word)
    if (roman === undefined) return undefined
    // A letter alone is rather an initial, unless nothing comes after it, or what is numbered stands beside it.
    const isNumber =
      at === words.length - 1 || numbered.has(words[at + 1] as string) || numbered.has(words[at - 1] as string)
    return word.length > 1 || (at > 0 && isNumber) ? roman : undefined
  }
  const mayBeNumber = (word: string) => {
    if (word.charCodeAt(0) < AFTER_NINE) return DIGITS.test(word)
    if (word.charCodeAt(1) < AFTER_NINE) return LETTERED.test(word)
    return spelled.has(word)
  }
  return (words) => {
    if (!words.some(mayBeNumber)) return words
    const written: string[] = []
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as string
      const number = numberAt(words, at)
      if (number === undefined || !Number.isSafeInteger(number)) {
        const isSign = signs.has(word) && at + 1 < words.length && numberAt(words, at + 1) !== undefined
        const [, letter, digits] = (word.charCodeAt(1) < AFTER_NINE && LETTERED.exec(word)) || []
        if (letter !== undefined && digits !== undefined) written.push(letter, digits)
        else if (!isSign) written.push(word)
        continue
      }
      const isTens = number >= FIRST_TENS && number <= LAST_TENS && number % 10 === 0
      const units = isTens && words[at + 1] === data.betweenTens ? numberAt(words, at + 2) : undefined
      // "20 y 5" are two numbers.
      const isOne = numbers.has(word) || numbers.has(words[at + 2] ?? '')
      const hasUnits = units !== undefined && units < 10 && isOne
      // "Sección 2" is the second one too.
      const isAfter = numbered.has(written.at(-1) ?? '') && !DIGITS.test(written.at(-2) ?? '')
      written.splice(isAfter ? -1 : written.length, 0, String(hasUnits ? number + units : number))
      if (hasUnits) at += 2
      // The end of an ordinal may stand apart, as in "2 da sección".
      else if (ends.has(words[at + 1] ?? '') && numbered.has(words[at + 2] ?? '')) at++
    }
    return written
  }
}
