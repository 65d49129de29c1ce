// Tables as text: in which encoding a file is, what separates its values, and the CSV that is written.
import { parse, unparse } from 'papaparse'
import { type Cell, type SheetTable, tableOf } from './table.ts'

type DecodedText = { readonly text: string; readonly encoding: string }

const SAMPLE_BYTES = 4_096
/** Nearly every other byte of plain text in UTF-16 is zero. */
const MIN_ZEROS = 0.2

/** UTF-16 by its mark or its zeros, UTF-8 where it is valid, and else Windows-1252, in which Excel writes CSV. */
export function decodedText(bytes: Uint8Array): DecodedText {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decodedAs('utf-16le', bytes)
  if (first === 0xfe && second === 0xff) return decodedAs('utf-16be', bytes)
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (Math.max(even, odd) > sample.length * MIN_ZEROS) return decodedAs(odd > even ? 'utf-16le' : 'utf-16be', bytes)
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return decodedAs('windows-1252', bytes)
  }
}

const ENCODING_NAMES = { 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16', 'windows-1252': 'Windows-1252' } as const

const decodedAs = (label: keyof typeof ENCODING_NAMES, bytes: Uint8Array): DecodedText => ({
  text: new TextDecoder(label).decode(bytes),
  encoding: ENCODING_NAMES[label],
})

/** The sign between values; empty for a list of one column. */
const SEPARATORS = ['\t', ';', ',', '|', ''] as const
export type Separator = (typeof SEPARATORS)[number]

const SAMPLE_LINES = 50
/** A comma with a space after it is one of a sentence or an address, not of a table. */
const MAX_SPACED_COMMAS = 0.8

/** The sign between the values of a text: the first that most of its lines have and that is no comma of a sentence. */
export function separatorOf(text: string): Separator {
  const lines = text
    .split(/\r\n|\n|\r/, SAMPLE_LINES)
    .filter((line) => line.trim() !== '')
    .map((line) => line.replace(/"[^"]*"/g, '""'))
  const isCommon = (sign: string) =>
    lines.length > 0 && lines.filter((line) => line.includes(sign)).length > lines.length / 2
  const found = SEPARATORS.find((sign) => sign !== '' && isCommon(sign)) ?? ''
  return found === ',' && isProse(lines) ? '' : found
}

function isProse(lines: readonly string[]): boolean {
  const text = lines.join('\n')
  const commas = text.split(',').length - 1
  const spaced = text.split(/, /).length - 1
  return spaced >= commas * MAX_SPACED_COMMAS
}

export function parsedTable(name: string, text: string, separator: Separator): SheetTable {
  if (separator === '')
    return tableOf(
      name,
      text.split(/\r\n|\n|\r/).map((line) => [line]),
    )
  const { data } = parse<string[]>(text, { delimiter: separator, skipEmptyLines: 'greedy' })
  return tableOf(name, data)
}

/** The starts of formulas in a text, as `source/csv.ts` of the server guards them. */
const FORMULA =
  /(^[\s\p{Cc}\p{Cf}\p{DI}]*|[,;|\t\r\n\v\f\u0085\u2028\u2029](?:[\s"\p{Cc}\p{Cf}\p{DI}]{0,20}(?='*[=\uff1d\ufe66])|["\p{Cf}\p{DI}]*))(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/gu
const NUMBERS = /^[+-][\d\s.,:()/+-]*$/

/** A formula gets an apostrophe; numbers and telephone numbers stay. */
const guarded = (cell: Cell): Cell =>
  typeof cell === 'string' && !NUMBERS.test(cell) ? cell.replace(FORMULA, "$1'") : cell

/** CSV for spreadsheets: with a byte order mark, by which Excel knows that it is UTF-8. */
export const writtenCsv = (rows: readonly (readonly Cell[])[]): string =>
  `\ufeff${unparse(
    rows.map((row) => row.map(guarded)),
    { newline: '\r\n' },
  )}\r\n`
