// The order of names in a language: accents and case do not count, but for letters of its own.
import { folded, foldedByTable, foldTable } from '../words.ts'

export type SortOrder = {
  /** Keys of texts: compared by their bytes in UTF-8, they are in order. */
  readonly sortKey: (text: string) => string
  /**
   * Writes the key of a text, both in UTF-8, if the text has letters of Latin-1 alone, as nearly all names do; says where
   * the key ends.
   */
  readonly latinSortKey: (
    text: Uint8Array,
    from: number,
    to: number,
    key: Uint8Array,
    start: number,
  ) => number | undefined
}

/** A key takes no more than so many times the bytes of its text. */
export const LATIN_KEY_GROWS = 2.5

/** Comes after every letter, so that ñ comes after every word with n in its place. */
const AFTER_ALL = '\u{10ffff}'
const LATIN_LETTERS = 256
const LAST_ASCII = 0x7f
/** The first byte of the last letters of Latin-1 in UTF-8. */
const LAST_LATIN_LEAD = 0xc3

/** The order in which each of some letters comes after another one and all that follows it. */
export function sortOrder(ownLetters: Readonly<Record<string, string>>): SortOrder {
  const letters = Object.entries(ownLetters)
  const both = letters.flatMap(([letter]) => [letter, letter.toUpperCase()])
  const table = foldTable(both.join(''))
  const keyOf = new Map(letters.map(([letter, before]) => [letter, `${before}${AFTER_ALL}`]))
  const ownLetter = new RegExp(`(${both.flatMap((letter) => [letter, letter.normalize('NFD')]).join('|')})`)
  const ownKeys = Array.from({ length: LATIN_LETTERS }, (_, code) => {
    const key = keyOf.get(String.fromCharCode(code).toLowerCase())
    return key === undefined ? undefined : Buffer.from(key)
  })

  const sortKeyOfAny = (text: string): string => {
    if (letters.length === 0) return folded(text)
    const pieces = text.split(ownLetter)
    return pieces.map((piece, at) => (at % 2 === 0 ? folded(piece) : keyOf.get(composed(piece)))).join('')
  }

  return {
    sortKey: (text) => foldedByTable(text, table) ?? sortKeyOfAny(text),
    latinSortKey: (text, from, to, key, start) => {
      let end = start
      for (let at = from; at < to; at++) {
        let code = text[at] as number
        if (code > LAST_ASCII) {
          if (code > LAST_LATIN_LEAD) return undefined
          code = ((code & 0x03) << 6) | ((text[++at] as number) & 0x3f)
        }
        const form = table[code] as number
        if (form > 0 && form <= LAST_ASCII) {
          key[end++] = form
          continue
        }
        const own = ownKeys[code]
        if (own === undefined) return undefined
        for (let place = 0; place < own.length; place++) key[end++] = own[place] as number
      }
      return end
    },
  }
}

const composed = (letter: string): string => letter.normalize('NFC').toLowerCase()

/** The order without a language: accents and case do not count. */
export const plainOrder = sortOrder({})
