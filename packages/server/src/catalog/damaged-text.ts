// Repairs texts that programs have damaged: read in another encoding than they were written in, or with letters escaped, as
// entities of HTML, in an address of the web or in JSON.
import { own } from '../base/json.ts'

/** The upper halves of the code pages of DOS, which no decoder of the runtime knows. */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
const FIRST_UPPER = 0x80
const upperHalf = Array.from({ length: FIRST_UPPER }, (_, at) => FIRST_UPPER + at)
const decoded = (encoding: Bun.Encoding) => new TextDecoder(encoding).decode(Uint8Array.from(upperHalf))

/** A code page: the characters of its upper half, and the byte of each. */
type Page = { readonly upper: string; readonly bytes: ReadonlyMap<string, number> }
const pageOf = (upper: string): Page => ({
  upper,
  bytes: new Map([...upper].map((character, at) => [character, FIRST_UPPER + at])),
})
const WINDOWS = pageOf(decoded('windows-1252'))
const OTHERS = [CP850, decoded('macintosh'), CP437, decoded('windows-1250')].map(pageOf)

/** The bytes of a text in a code page; undefined where it has characters that are not in it. */
function bytesIn(page: Page, text: string): Uint8Array | undefined {
  const bytes: number[] = []
  for (const character of text) {
    const code = character.charCodeAt(0)
    const byte = code < FIRST_UPPER ? code : (page.bytes.get(character) ?? latin1(page, code))
    if (byte === undefined) return undefined
    bytes.push(byte)
  }
  return Uint8Array.from(bytes)
}

/** Latin-1 has what it calls control characters where Windows has others. */
const latin1 = (page: Page, code: number): number | undefined =>
  page === WINDOWS && code < 2 * FIRST_UPPER ? code : undefined

const textIn = (page: Page, bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte < FIRST_UPPER ? String.fromCharCode(byte) : page.upper[byte - FIRST_UPPER])).join(
    '',
  )

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A text that was written in UTF-8 and read in a code page; undefined where it was not. */
function fromUtf8(page: Page, text: string): string | undefined {
  const bytes = bytesIn(page, text)
  if (bytes === undefined) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Code pages that are taken for one another: in which a text was read, and in which it was written. */
const MISTAKEN: readonly (readonly [Page, Page])[] = [
  ...OTHERS.map((page): [Page, Page] => [page, WINDOWS]),
  ...OTHERS.map((page): [Page, Page] => [WINDOWS, page]),
]

const ENTITY =
  /&(?:#([0-9]{1,6})(?:;|(?![0-9;]))|#x([0-9a-f]{1,5});|([a-z])(acute|grave|uml|tilde|circ|cedil);?|(amp|nbsp);)/gi
const ESCAPE = /(?:<U\+00|_x00)([0-9a-f]{2})[>_]|(?:%(?=[2-9a-f])|(?:=|\\x|[%\\]u00)(?=[89a-f]))([0-9a-f]{2})/gi
const MARKS: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  uml: '\u0308',
  tilde: '\u0303',
  circ: '\u0302',
  cedil: '\u0327',
}
const LAST_CODE = 0x10ffff

/** A text with the letters that were escaped: as a byte of Latin-1, or several of UTF-8. */
const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_, enclosed, open) => String.fromCharCode(Number.parseInt(enclosed ?? open, 16)))

function withoutEntities(text: string): string {
  return text.replace(ENTITY, (whole, decimal, hexadecimal, letter, mark, name) => {
    if (letter !== undefined) return `${letter}${own(MARKS, mark.toLowerCase())}`.normalize('NFC')
    if (name !== undefined) return name.toLowerCase() === 'amp' ? '&' : ' '
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code > LAST_CODE ? whole : String.fromCodePoint(code)
  })
}

/** The first byte of a letter of UTF-8, and the second one lost. */
const BROKEN = 'Ã\ufffd'
const MAY_BE_DAMAGED = /[^ -~\s]|\u00a0|&[#a-z]|[%=\\]|U\+00|_x00/i
/** Greatest number of times that a text may have been read in the wrong encoding. */
const MAX_TIMES = 3

/** The texts that a damaged one may have been, the most usual first; none where it looks undamaged. */
export function* repairsOf(text: string): Generator<string> {
  const met = new Set<string | undefined>([undefined, text])
  for (const repair of MAY_BE_DAMAGED.test(text) ? allRepairsOf(text) : []) {
    if (met.has(repair)) continue
    met.add(repair)
    yield repair as string
  }
}

/** Texts that a damaged one may have been, some of them twice or impossible. */
function* allRepairsOf(text: string): Generator<string | undefined> {
  // An escaped text may have been escaped again.
  const plain = unescaped(withoutEntities(withoutEntities(text)))
  const read = [plain]
  while (read.length <= MAX_TIMES) {
    const before = fromUtf8(WINDOWS, read[0] as string)
    if (before === undefined || before === read[0]) break
    read.unshift(before)
  }
  const once = read.at(-2)
  // A byte that no code page has is lost for good: what was a letter of two bytes is one that is not known.
  for (const one of [once ?? '', plain]) if (one.includes(BROKEN)) yield one.replaceAll(BROKEN, '\ufffd')
  yield* read
  for (const page of OTHERS) yield fromUtf8(page, plain)
  for (const [read, written] of MISTAKEN) {
    const bytes = bytesIn(read, plain)
    yield bytes && textIn(written, bytes)
  }
}

/** Signs that stand for a letter that was lost, and digits that look like one between others. */
const LOST = /(?<=\p{L})[?¿#*_@$□\ufffd]+(?=\p{L}|\s|$)|[?¿#*_@$□\ufffd]+(?=\p{L})|(?<=\p{L})[01](?=\p{L})/gu
/** Letters that are lost in this way, as they are when they have no accent: ñ, á, é, í, ó, ú, ü. */
const LETTERS = ['n', 'a', 'i', 'o', 'e', 'u']
const MAX_LOST = 3
const MAX_RESTORED = 500

/** True if a text has signs in the place of letters. */
export const hasLostLetters = (text: string): boolean => text.search(LOST) !== -1

/** The words that one with signs in place of letters may have been: each sign, each pair or row of signs stands for a letter. */
export function restoredWords(word: string): string[] {
  const runs = [...word.matchAll(LOST)]
  let words = ['']
  let end = 0
  for (const { index, 0: signs } of runs) {
    const before = word.slice(end, index)
    const lengths = new Set(
      [1, signs.length / 2, signs.length].filter((length) => Number.isInteger(length) && length > 0),
    )
    const letters = [...lengths].filter((length) => length <= MAX_LOST).flatMap(lettersOf)
    words = words.flatMap((start) => letters.map((some) => start + before + some))
    if (words.length > MAX_RESTORED) return [word]
    end = index + signs.length
  }
  return words.map((start) => start + word.slice(end))
}

/** All texts of so many letters of those that are lost. */
const lettersOf = (length: number): string[] =>
  length === 0 ? [''] : lettersOf(length - 1).flatMap((start) => LETTERS.map((letter) => start + letter))
