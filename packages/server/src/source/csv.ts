// CSV (RFC 4180), one line at a time: its values, and values as cells that can be written.
import type { Faults, SourceLocation } from './faults.ts'

/** True if a line has as many values as the header; if not, that is a fault. */
export function hasWidth(values: readonly string[], width: number, location: SourceLocation, faults: Faults): boolean {
  if (values.length === width) return true
  const value = values.length === 1 ? 'one value' : `${values.length} values`
  faults.add({ ...location, column: 'all', value, expected: `${width} values, as in the header` })
  return false
}

/** A fault in the quotes of a line, and the value that has it, counted from 0. */
type BadQuotes = {
  readonly position: number
  readonly expected: string
  /** True if a quote is not closed, so that the value may go on in the next line. */
  readonly isOpen?: true
}

const QUOTE = '"'

/** The values of a line, or what is wrong with it. */
export function parseCsvLine(line: string, separator = ','): string[] | BadQuotes {
  if (!line.includes(QUOTE)) return line.split(separator)
  const values: string[] = []
  const bad = (expected: string): BadQuotes => ({ position: values.length, expected })
  for (let start = 0; ; ) {
    let end: number
    if (line.startsWith(QUOTE, start)) {
      const closing = closingQuote(line, start + 1)
      if (closing < 0) return { ...bad('a closing quote on the same line'), isOpen: true }
      end = closing + 1
      if (end < line.length && line[end] !== separator) {
        const named = separator === ',' ? 'a comma' : JSON.stringify(separator)
        return bad(`${named} or the end of the line after the closing quote`)
      }
      values.push(line.slice(start + 1, closing).replaceAll('""', QUOTE))
    } else {
      const next = line.indexOf(separator, start)
      end = next < 0 ? line.length : next
      const value = line.slice(start, end)
      if (value.includes(QUOTE))
        return bad('a value with quotes in it to be quoted whole, and each quote in it doubled')
      values.push(value)
    }
    if (end === line.length) return values
    start = end + 1
  }
}

/** The first quote that is not doubled, or -1. */
export function closingQuote(line: string, from: number): number {
  for (let index = from; ; ) {
    const quote = line.indexOf(QUOTE, index)
    if (quote < 0 || line[quote + 1] !== QUOTE) return quote
    index = quote + 2
  }
}

/** A text as it is, in quotes if it has a separator, a quote or a line end. */
export const csvCell = (text: string, separator = ','): string =>
  text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

// A spreadsheet takes a text that begins with one of = + - @ for a formula, and may run it, unless an apostrophe stands before it. It
// also does so after spaces and letters that are not seen; and behind a separator or a line end within the text, since a program that
// splits at another separator than the one written makes a cell of what follows, without its quotes; after spaces there, only = is
// guarded, since a dash behind a comma is usual in texts. One apostrophe is taken off when the text is read, so a text that has a
// guard of its own gets another.
const SIGN = /[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]/u
const CELL_START =
  /(^[\s\p{Cc}\p{Cf}\p{DI}]*|[,;|\t\r\n\v\f\u0085\u2028\u2029](?:[\s"\p{Cc}\p{Cf}\p{DI}]{0,20}(?='*[=\uff1d\ufe66])|["\p{Cf}\p{DI}]*))/u
    .source
const FORMULA = new RegExp(`${CELL_START}(?='*${SIGN.source})`, 'gu')
const GUARDED = new RegExp(`${CELL_START}'(?='*${SIGN.source})`, 'gu')
const UNGUARDED = new RegExp(`${CELL_START}(?=${SIGN.source})`, 'gu')
/** A number, a date or a telephone number begins like a formula, and computes no more than another number. */
const NUMBERS = /^[+-][\d\s.,:()/+-]*$/

/** A text that was written to be safe in a spreadsheet, as it is. */
export const withoutGuard = (text: string): string => (SIGN.test(text) ? text.replace(GUARDED, '$1') : text)

/** A cell with the text, safe to open in a spreadsheet. */
export const spreadsheetCell = (text: string, separator = ','): string =>
  csvCell(SIGN.test(text) ? text.replace(FORMULA, "$1'") : text, separator)

/** A value that someone else wrote, with guards where it has none; numbers stay as they are. */
export const guarded = (value: string): string =>
  SIGN.test(value) && !NUMBERS.test(value) ? value.replace(UNGUARDED, "$1'") : value

/** A line of someone else's table with more cells after it: as it was, but safe to open in a spreadsheet. */
export function extendedLine(line: string, values: readonly string[], added: string, separator: string): string {
  const safe = values.map(guarded)
  const isSafe = safe.every((value, index) => value === values[index])
  return `${isSafe ? line : safe.map((value) => csvCell(value, separator)).join(separator)}${added}`
}

/** The cells that come after a line, each with the separator before it. */
export const addedCells = (values: readonly string[], separator: string): string =>
  values.map((value) => `${separator}${spreadsheetCell(value, separator)}`).join('')
