// Reads any table of CSV: separator and encoding are detected, and a quoted value may go on in the next line.

import { hasWidth, parseCsvLine } from './csv.ts'
import { detectEncoding } from './encoding.ts'
import type { ColumnFault, Faults } from './faults.ts'
import { readLines, type TextFile, UnreadableFile } from './lines.ts'

/** The header or a row. */
type CsvLine = {
  /** The text as it stands in the file, without its line end. */
  readonly line: string
  readonly values: readonly string[]
  readonly separator: string
  /** Whether a copy should begin with a byte order mark: without one, a spreadsheet takes UTF-8 for the encoding of the machine. */
  readonly needsMark: boolean
}

const SEPARATORS = [',', ';', '\t'] as const
/** The most characters of a line with its continuations. */
const MAX_CONTINUED = 100_000

/** The header and the rows. Nothing is read after the first fault. */
export async function* readAnyCsv(source: TextFile, faults: Faults): AsyncGenerator<CsvLine> {
  const { file } = source
  const refuse = (line: number, fault: ColumnFault): never => {
    faults.add({ file, line, ...fault })
    throw new UnreadableFile()
  }
  let separator: string | undefined
  let width: number | undefined
  let unclosed: { readonly line: string; readonly number: number } | undefined
  for await (const { first, lines, encoding, hasMark, isDamaged } of readLines(source, faults, detectEncoding)) {
    if (isDamaged) refuse(first, { column: 'all', value: lines[0] ?? '', expected: 'UTF-8 or Windows-1252' })
    for (const [at, next] of lines.entries()) {
      const line: string = unclosed === undefined ? next : `${unclosed.line}\n${next}`
      const number: number = unclosed?.number ?? first + at
      if (line === '' && width !== 1) continue
      separator ??= separatorOf(line)
      const values = parseCsvLine(line, separator)
      if ('expected' in values) {
        if (!values.isOpen || line.length >= MAX_CONTINUED)
          refuse(number, { column: `column ${values.position + 1}`, value: line, expected: values.expected })
        unclosed = { line, number }
        continue
      }
      unclosed = undefined
      width ??= values.length
      if (!hasWidth(values, width, { file, line: number }, faults)) throw new UnreadableFile()
      yield { line, values, separator, needsMark: hasMark || encoding === 'windows-1252' }
    }
  }
  if (unclosed !== undefined)
    refuse(unclosed.number, { column: 'all', value: unclosed.line, expected: 'a closing quote' })
}

/** The separator that stands most often in the header. */
const separatorOf = (header: string): string =>
  [...SEPARATORS].sort((a, b) => header.split(b).length - header.split(a).length)[0] as string
