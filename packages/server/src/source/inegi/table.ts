// A table of INEGI: recognised by its header, and read row by row, each split into fields.

import { detectEncoding, type TextEncoding } from '../encoding.ts'
import type { ColumnFault, Faults } from '../faults.ts'
import { readLines, type TextFile, UnreadableFile } from '../lines.ts'
import { Fields } from './fields.ts'
import { type Layout, layoutOf } from './header.ts'

/** A file that may be a table. */
export type InegiFile = TextFile & {
  /** The zip that it is in. */
  readonly archive: string | undefined
}
export type InegiTable = InegiFile & {
  readonly layout: Layout
  /** The codes in its first row, by which the same table in another encoding is recognised. */
  readonly firstCodes: string
}

/** Reads no further than the first row. What is wrong with the header is a fault, and then there is no table. */
export async function recognise(candidate: InegiFile, faults: Faults): Promise<InegiTable | undefined> {
  try {
    const [header, firstRow = ''] = await firstTwoLines(candidate, faults)
    const layout = header === undefined ? [EMPTY] : UTF_16_START.test(header) ? [UTF_16] : layoutOf(header)
    if ('kind' in layout) return { ...candidate, layout, firstCodes: codesIn(firstRow, layout) }
    for (const fault of layout) faults.add({ file: candidate.file, line: 1, ...fault })
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
  }
  return undefined
}

const EMPTY: ColumnFault = { column: 'all', value: '', expected: 'a header; the file is empty' }
const UTF_16: ColumnFault = { column: 'all', value: 'UTF-16', expected: 'text in UTF-8 or Windows-1252' }
/** The byte order marks of UTF-16, read as Windows-1252. */
const UTF_16_START = /^(?:ÿþ|þÿ)/

async function firstTwoLines(candidate: InegiFile, faults: Faults): Promise<string[]> {
  const firstLines: string[] = []
  for await (const { lines } of readLines(candidate, faults, detectEncoding)) {
    firstLines.push(...lines.slice(0, 2))
    if (firstLines.length >= 2) break
  }
  return firstLines
}

function codesIn(row: string, { columns, levels }: Layout): string {
  const fields = new Fields(columns.length)
  return fields.split(row) ? levels.map(({ code }) => fields.raw(code)).join('') : ''
}

/** Makes something of the fields of a row, or nothing. */
type RowReader<T> = (fields: Fields, line: number, encoding: TextEncoding | undefined) => T | undefined

/** Gives what `readRow` makes of the rows, many at a time. A line that cannot be split is a fault. */
export async function* readTable<T>(table: InegiTable, faults: Faults, readRow: RowReader<T>): AsyncGenerator<T[]> {
  const { columns } = table.layout
  const fields = new Fields(columns.length)
  const addFault = (line: number, fault: ColumnFault) => faults.add({ file: table.file, line, ...fault })
  let rowCount = 0
  try {
    for await (const { first, lines, encoding, isDamaged } of readLines(table, faults, detectEncoding)) {
      const results: T[] = []
      for (let index = 0; index < lines.length; index++) {
        const text = lines[index] as string
        const line = first + index
        if (line === 1 || text === '') continue
        rowCount++
        const isSplit = fields.split(text)
        if (isDamaged) addFault(line, notUtf8(text, isSplit ? fields : undefined, columns))
        else if (!isSplit) addFault(line, wrongCount(fields.count, columns.length))
        else {
          const result = readRow(fields, line, encoding)
          if (result !== undefined) results.push(result)
        }
      }
      yield results
    }
  } catch (error) {
    if (error instanceof UnreadableFile) return
    throw error
  }
  if (rowCount === 0) addFault(1, { column: 'all', value: 'no rows', expected: 'rows below the header' })
}

function notUtf8(line: string, fields: Fields | undefined, columns: readonly string[]): ColumnFault {
  const position = columns.findIndex((_, index) => fields?.raw(index).includes('\ufffd'))
  const value = position < 0 ? line : fields?.raw(position)
  return { column: columns[position] ?? 'all', value, expected: 'sound UTF-8, as in the rest of the file' }
}

function wrongCount(count: number, columns: number): ColumnFault {
  const value = count === 0 ? 'quotes that do not pair' : `${count} columns`
  return { column: 'all', value, expected: `${columns} columns, as in the header` }
}
