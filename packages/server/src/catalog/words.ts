// How names are read by people: words without accents or case to search by, and Spanish order to sort by.

const MARKS = /\p{M}+/gu
/** Letters that no accent can be taken from. */
const OTHER_FORMS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i' }
const OTHER_FORM = /[ßæœøđłı]/g

function foldedAny(text: string): string {
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(OTHER_FORM, (letter) => OTHER_FORMS[letter] as string)
}

/** The folded form of every character below 256 that has one as long as itself; 0 for the others. */
const tableOf = (apart: string) =>
  Uint8Array.from({ length: 256 }, (_, code) => {
    const form = foldedAny(String.fromCharCode(code))
    const only = form.length === 1 ? form.charCodeAt(0) : 0
    return only > 255 || apart.includes(String.fromCharCode(code)) ? 0 : only
  })
const FOLDS = tableOf('')
const SORTS = tableOf('ñÑ')

const NOT_LATIN = /[^ -\xff]/
const scratch = Buffer.alloc(1_024)

/** Nearly all names are short and Latin, and are folded byte by byte, which takes a tenth of the time. */
function byTable(text: string, table: Uint8Array): string | undefined {
  if (text.length > scratch.length || NOT_LATIN.test(text)) return undefined
  const length = scratch.write(text, 0, 'latin1')
  for (let at = 0; at < length; at++) {
    const form = table[scratch[at] as number] as number
    if (form === 0) return undefined
    scratch[at] = form
  }
  return scratch.toString('latin1', 0, length)
}

/** The text without accents and case: what a person who types in a hurry would type. */
export const folded = (text: string): string => byTable(text, FOLDS) ?? foldedAny(text)

/** Comes after every letter, so that ñ comes after every word with n in its place. */
const AFTER_ALL = '\u{10ffff}'
const ENYE = /[ñÑ]|[nN]\u0303/g

/** Compared by their bytes in UTF-8, these keys are in Spanish order: accents and case are ignored, ñ comes after n. */
export const sortKey = (text: string): string =>
  byTable(text, SORTS) ?? text.split(ENYE).map(folded).join(`n${AFTER_ALL}`)

/**
 * Writes the key of a text, both in UTF-8, if the text has letters of Latin-1 alone, as nearly all names do; says where
 * the key ends.
 */
export function latinSortKey(
  text: Uint8Array,
  from: number,
  to: number,
  key: Uint8Array,
  start: number,
): number | undefined {
  let end = start
  for (let at = from; at < to; at++) {
    let code = text[at] as number
    if (code > LAST_ASCII) {
      if (code > LAST_LATIN_LEAD) return undefined
      code = ((code & 0x03) << 6) | ((text[++at] as number) & 0x3f)
    }
    const form = SORTS[code] as number
    if (form > 0 && form <= LAST_ASCII) key[end++] = form
    else if (code === ENYE_CODE || code === CAPITAL_ENYE_CODE)
      for (let place = 0; place < ENYE_KEY.length; place++) key[end++] = ENYE_KEY[place] as number
    else return undefined
  }
  return end
}

/** A key takes no more than so many times the bytes of its text. */
export const LATIN_KEY_GROWS = 2.5

const ENYE_KEY = Buffer.from(`n${AFTER_ALL}`)
const ENYE_CODE = 0xf1
const CAPITAL_ENYE_CODE = 0xd1
const LAST_ASCII = 0x7f
/** The first byte of the last letters of Latin-1 in UTF-8. */
const LAST_LATIN_LEAD = 0xc3

const WORD = /[\p{L}\p{N}]+/gu

/** The folded words of a text, in order. */
export const wordsOf = (text: string): string[] => folded(text).match(WORD) ?? []

type PlacedWord = { readonly word: string; readonly start: number; readonly end: number }

const PLACED_WORD = /[\p{L}\p{N}\p{M}]+/gu

/** The same words, with where each stands in the text as it was written. */
export function placedWords(text: string): PlacedWord[] {
  return [...text.matchAll(PLACED_WORD)].flatMap(({ 0: written, index }) =>
    wordsOf(written).map((word) => ({ word, start: index, end: index + written.length })),
  )
}
