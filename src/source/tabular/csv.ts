// Reads a CSV file with a header as blocks of rows, in constant memory.
import type { Entity } from '../../catalog/entity.ts'
import type { Faults } from '../faults.ts'
import type { Block, GivenRow, Report } from '../source.ts'
import type { Column } from './columns.ts'
import { type BrokenLine, type CsvRecord, isBroken, parseCsvLines } from './csv-lines.ts'
import { layoutOf, rowOf } from './layout.ts'
import { readLines, UnreadableFile } from './lines.ts'

const HEADER_LINE = 1
const MAX_DIGITS = 15
const ZERO = 0x30

type Place = { readonly file: string; readonly line: number }

export async function* readCsv(path: string, file: string, entity: Entity, report: Report): AsyncGenerator<Block> {
  const { faults } = report
  let columns: readonly Column[] | undefined
  for await (const { first, lines } of readLines(path, file, faults)) {
    const records = parseCsvLines(lines)
    let position = 0
    if (columns === undefined) columns = readHeader(records[position++] as CsvRecord, file, entity, faults)
    const block = { file, lines: [] as number[], rows: [] as GivenRow[] }
    for (; position < records.length; position++) {
      const place = { file, line: first + position }
      const row = readRecord(records[position] as CsvRecord, columns, place, faults)
      if (row === undefined) continue
      block.lines.push(place.line)
      block.rows.push(row)
    }
    yield block
  }
  if (columns !== undefined) return
  faults.add({ file, line: HEADER_LINE, column: 'all', value: 'an empty file', expected: 'a header' })
  throw new UnreadableFile()
}

function readHeader(header: CsvRecord, file: string, entity: Entity, faults: Faults): readonly Column[] {
  const place = { file, line: HEADER_LINE }
  if (isBroken(header)) addBroken(header, `column ${header.column + 1}`, place, faults)
  const columns = isBroken(header) ? undefined : layoutOf(entity, faults)(header, place)
  if (columns === undefined) throw new UnreadableFile()
  return columns
}

function readRecord(record: CsvRecord, columns: readonly Column[], place: Place, faults: Faults): GivenRow | undefined {
  if (isBroken(record)) {
    addBroken(record, columns[record.column]?.name ?? 'all', place, faults)
    return undefined
  }
  if (record.length === columns.length) return rowOf(columns, record, cellOf)
  const value = record.length === 1 ? 'one value' : `${record.length} values`
  faults.add({ ...place, column: 'all', value, expected: `${columns.length} values, as in the header` })
  return undefined
}

function addBroken({ line, expected }: BrokenLine, column: string, place: Place, faults: Faults): void {
  faults.add({ ...place, column, value: line, expected })
}

/** A number that is not plainly one stays text, and the check of the row says so. */
function cellOf(text: string, { number, optional }: Column): string | number | undefined {
  if (!number) return text
  return wholeNumber(text) ?? (optional && text === '' ? undefined : text)
}

/** Digits without a leading zero. By hand, because a regular expression takes five times as long. */
function wholeNumber(text: string): number | undefined {
  if (text.length === 0 || text.length > MAX_DIGITS || (text.length > 1 && text.charCodeAt(0) === ZERO))
    return undefined
  let number = 0
  for (let position = 0; position < text.length; position++) {
    const digit = text.charCodeAt(position) - ZERO
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return number
}
