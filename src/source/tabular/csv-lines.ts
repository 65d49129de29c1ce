// Takes lines of CSV (RFC 4180) apart, each by itself: a quoted value ends on the line on which it begins.
import { CsvError, parse } from 'csv-parse/sync'

export type BrokenLine = { readonly line: string; readonly column: number; readonly expected: string }
export type CsvRecord = readonly string[] | BrokenLine

export const isBroken = (record: CsvRecord): record is BrokenLine => !Array.isArray(record)

const EXPECTED: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'a value with quotes in it to be quoted whole, and each quote in it doubled',
  CSV_INVALID_CLOSING_QUOTE: 'a comma or the end of the line after the closing quote',
  CSV_QUOTE_NOT_CLOSED: 'a closing quote on the same line',
}

/** The values of each line, or what is wrong with its quotes. */
export function parseCsvLines(lines: readonly string[]): CsvRecord[] {
  // A line without quotes needs no parser, which would take ten times as long over it.
  const quoted = lines.filter(hasQuote)
  if (quoted.length === 0) return lines.map((line) => line.split(','))
  const parsed = takeQuotedApart(quoted)
  let next = 0
  return lines.map((line) => (hasQuote(line) ? (parsed[next++] as CsvRecord) : line.split(',')))
}

const hasQuote = (line: string) => line.includes('"')

/** As many as possible in one go, because the parser takes its time to start. */
function takeQuotedApart(lines: readonly string[]): CsvRecord[] {
  try {
    const records = parse(lines.join('\n'), { record_delimiter: '\n', relax_column_count: true })
    // Fewer, when a quoted value went on over a line end.
    if (records.length === lines.length) return records
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const [line, ...others] = lines
    if (line !== undefined && others.length === 0)
      return [{ line, column: Number(error.column), expected: EXPECTED[error.code] ?? error.message }]
  }
  const middle = lines.length >> 1
  return [...takeQuotedApart(lines.slice(0, middle)), ...takeQuotedApart(lines.slice(middle))]
}
