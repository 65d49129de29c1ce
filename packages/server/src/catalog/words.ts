// How names are read by people: words without accents or case.

const MARKS = /\p{M}+/gu
/** Letters that no accent can be taken from. */
const OTHER_FORMS = new Map(Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i' }))
const OTHER_FORM = /[ßæœøđłı]/g

function foldedAny(text: string): string {
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(OTHER_FORM, (letter) => OTHER_FORMS.get(letter) as string)
}

/** The folded form of every character below 256 that has one as long as itself; 0 for the others, and for those that stand apart. */
export const foldTable = (apart: string): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, code) => {
    const form = foldedAny(String.fromCharCode(code))
    const only = form.length === 1 ? form.charCodeAt(0) : 0
    return only > 255 || apart.includes(String.fromCharCode(code)) ? 0 : only
  })
const FOLDS = foldTable('')

const NOT_LATIN = /[^ -\xff]/
const scratch = Buffer.alloc(1_024)

/** Nearly all names are short and Latin, and are folded byte by byte, which takes a tenth of the time; undefined for others. */
export function foldedByTable(text: string, table: Uint8Array): string | undefined {
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
export const folded = (text: string): string => foldedByTable(text, FOLDS) ?? foldedAny(text)

const WORD = /[\p{L}\p{N}]+/gu

/** The folded words of a text, in order. */
export const wordsOf = (text: string): string[] => folded(text).match(WORD) ?? []

type PlacedWord = { readonly word: string; readonly start: number; readonly end: number }

const PLACED_WORD = /[\p{L}\p{N}\p{M}]+/gu

/** The words of a text, each with its place in the text as it was written. */
export function placedWords(text: string): PlacedWord[] {
  const plain = foldedByTable(text, FOLDS)
  if (plain !== undefined) return wordsInPlace(plain)
  return [...text.matchAll(PLACED_WORD)].flatMap(({ 0: written, index }) =>
    wordsOf(written).map((word) => ({ word, start: index, end: index + written.length })),
  )
}

/** The words of a folded text whose letters stand where they were written. */
function wordsInPlace(plain: string): PlacedWord[] {
  let end = 0
  return (plain.match(WORD) ?? []).map((word) => {
    const start = plain.indexOf(word, end)
    end = start + word.length
    return { word, start, end }
  })
}
