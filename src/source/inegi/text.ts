// Decides which of the two encodings of INEGI a table is in, and decodes its pages.
import { isAscii, isUtf8 } from 'node:buffer'

export type Encoding = 'utf-8' | 'windows-1252'

const windows1252 = new TextDecoder('windows-1252')
const MARK = Buffer.from([0xef, 0xbb, 0xbf])
const UTF_16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]

const startsWith = (bytes: Buffer, mark: Buffer) => bytes.subarray(0, mark.length).equals(mark)

export const isUtf16 = (bytes: Buffer): boolean => UTF_16_MARKS.some((mark) => startsWith(bytes, mark))

/** How many of the bytes from here belong to one sound character of several bytes; 0 when they do not. */
function characterAt(bytes: Buffer, at: number): number {
  const lead = bytes[at] as number
  const length = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  for (let next = 1; next < length; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

/**
 * A page with letters beyond ASCII tells. In Windows-1252 they stand alone and hardly ever look like UTF-8, while a
 * table in UTF-8 that was damaged is still mostly sound: so the kind there is more of decides, and what does not fit
 * it is a fault instead of a guess.
 */
export function encodingOf(page: Buffer): Encoding | undefined {
  if (isAscii(page)) return undefined
  let sound = 0
  let stray = 0
  for (let at = 0; at < page.length; ) {
    if ((page[at] as number) < 0x80) {
      at++
      continue
    }
    const length = characterAt(page, at)
    if (length > 0) sound++
    else stray++
    at += length || 1
  }
  return sound >= stray ? 'utf-8' : 'windows-1252'
}

export type DecodedPage = {
  readonly text: string
  readonly encoding: Encoding | undefined
  /** Whether some of it was not in the encoding; U+FFFD stands where. */
  readonly broken: boolean
}

/** Makes the decoder of one table, to be called with its pages in order. */
export function pageDecoder(): (page: Buffer) => DecodedPage {
  let encoding: Encoding | undefined
  let isFirst = true
  return (page) => {
    const marked = isFirst && startsWith(page, MARK)
    const bytes = marked ? page.subarray(MARK.length) : page
    isFirst = false
    if (marked) encoding = 'utf-8'
    encoding ??= encodingOf(bytes)
    if (encoding !== 'windows-1252') {
      return { text: bytes.toString('utf8'), encoding, broken: encoding === 'utf-8' && !isUtf8(bytes) }
    }
    const text = bytes.toString('latin1')
    // The two differ only where Latin-1 has control characters.
    return { text: /[\x80-\x9f]/.test(text) ? windows1252.decode(bytes) : text, encoding, broken: false }
  }
}
