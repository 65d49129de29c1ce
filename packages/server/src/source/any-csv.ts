// Reads any table of CSV, or the first sheet of a workbook as if it were CSV: separator and encoding are detected, and a quoted
// value may go on in the next line.

import { csvCell, hasWidth, parseCsvLine } from './csv.ts'
import { detectEncoding, wideEncoding } from './encoding.ts'
import type { ColumnFault, Faults } from './faults.ts'
import { readLines, type TextFile, UnreadableFile } from './lines.ts'
import { sheetsIn } from './package/spreadsheet.ts'
import { begun } from './package/table-text.ts'

/** The header or a row. */
type CsvLine = {
  /** The text as it stands in the file, without its line end. */
  readonly line: string
  readonly values: readonly string[]
  readonly separator: string
  /** True if a copy should begin with a byte order mark: without one, a spreadsheet takes UTF-8 for the encoding of the machine. */
  readonly needsMark: boolean
}

const SEPARATORS = [',', ';', '\t', '|'] as const
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
  const inUtf8: TextFile = { file, open: () => utf8Bytes(source.open()) }
  for await (const { first, lines, encoding, hasMark, isDamaged } of readLines(inUtf8, faults, detectEncoding)) {
    if (lines[0]?.startsWith(ZIPPED))
      refuse(first, {
        column: 'all',
        value: 'a workbook',
        expected: 'CSV; a workbook (.xlsx) is read where its file is named',
      })
    if (isDamaged) refuse(first, { column: 'all', value: lines[0] ?? '', expected: 'UTF-8, UTF-16 or Windows-1252' })
    for (const [at, next] of lines.entries()) {
      const line: string = unclosed === undefined ? next : `${unclosed.line}\n${next}`
      const number: number = unclosed?.number ?? first + at
      if (line === '' && width !== 1) continue
      if (separator === undefined) {
        separator = DECLARED_SEPARATOR.exec(line)?.[1]
        if (separator !== undefined) continue
        separator = separatorOf(line)
      }
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

/** The line before the header that tells Excel the separator. */
const DECLARED_SEPARATOR = /^"?sep=([,;\t|])"?$/i
/** How a workbook begins. */
const ZIPPED = 'PK\u0003\u0004'

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d]

/** UTF-16 as UTF-8 with a mark, lines that end with carriage returns alone as others do, and any other bytes as they are. */
async function* utf8Bytes(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { start, rest } = await begun(bytes)
  const encoding = wideEncoding(start)
  if (encoding === undefined) {
    const isReturned = start.includes(CARRIAGE_RETURN) && !start.includes(LINE_FEED)
    for await (const chunk of rest)
      yield isReturned ? Buffer.from(chunk.map((byte) => (byte === CARRIAGE_RETURN ? LINE_FEED : byte))) : chunk
    return
  }
  const decoder = new TextDecoder(encoding as Bun.Encoding)
  yield Buffer.from('\ufeff')
  for await (const chunk of rest) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** The header and the rows of the first sheet of a workbook, as lines of CSV. */
export async function* readWorkbook(file: string, faults: Faults): AsyncGenerator<CsvLine> {
  const [sheet] = await sheetsIn({ path: file, name: file })
  let width: number | undefined
  for await (const { lines, rows } of sheet?.rows() ?? [])
    for (const [at, values] of rows.entries()) {
      width ??= values.length
      // Empty cells at the end of a row are not in the file.
      while (values.length < width) values.push('')
      while (values.length > width && values.at(-1) === '') values.pop()
      if (!hasWidth(values, width, { file, line: lines[at] as number }, faults)) throw new UnreadableFile()
      yield { line: values.map((value) => csvCell(value)).join(','), values, separator: ',', needsMark: true }
    }
}

/** The separator that stands most often in the header. */
const separatorOf = (header: string): string =>
  [...SEPARATORS].sort((a, b) => header.split(b).length - header.split(a).length)[0] as string
