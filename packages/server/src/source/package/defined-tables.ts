// Tables whose lists are defined to the letter: files of CSV or NDJSON whose cells are taken as they are.
import { parseDecimal } from '../../base/decimal-number.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import { type Catalog, type EntityData, entityData } from '../../catalog/catalog.ts'
import { hasWidth, withoutGuard } from '../csv.ts'
import type { Faults } from '../faults.ts'
import type { TellFinding } from '../findings.ts'
import { readUtf8Lines, type TextFile, UnreadableFile } from '../lines.ts'
import type { Block, GivenRow, Report, Source } from '../source.ts'
import { type CsvColumn, columnMatcher, type KnownDefinitions, rowMaker } from './columns.ts'
import { ndjsonRowParser } from './ndjson.ts'
import { delimitedRows } from './read/delimited.ts'
import { textChunks } from './read/text.ts'
import { UnreadableTable } from './read/unreadable-table.ts'

export const DEFINED_FORMATS = ['csv', 'ndjson'] as const

export type DefinedTable = TextFile & {
  readonly format: (typeof DEFINED_FORMATS)[number]
  /** Whether an apostrophe stands before what a spreadsheet would take for a formula, as in the CSV of API v2. */
  readonly isGuarded?: true
}

type DefinedLists = Pick<Source, 'catalog' | 'provides' | 'expected' | 'read'>

/** The lists that have a table, by name and in the order of the catalog. */
export function definedLists(catalog: Catalog, tables: ReadonlyMap<string, DefinedTable>): DefinedLists {
  const known = new Map([...catalog.entities].map(([name, entity]) => [name, entityData(entity)]))
  return {
    catalog,
    provides: [...known.keys()].filter((name) => tables.has(name)),
    expected: () => undefined,
    read: (name, report) => rowsIn(tables.get(name) as DefinedTable, known.get(name) as EntityData, known, report),
  }
}

/** What cannot be read to its end stops the import at once: every record that embeds one of the missing would be a fault. */
async function* rowsIn(
  table: DefinedTable,
  entity: EntityData,
  known: KnownDefinitions,
  report: Report,
): AsyncGenerator<Block> {
  const { faults, findings } = report
  let count = 0
  try {
    const blocks =
      table.format === 'csv' ? csvBlocks(table, entity, known, report) : ndjsonBlocks(table, entity, known, faults)
    for await (const block of blocks) {
      count += block.rows.length
      yield block
    }
  } catch (error) {
    if (error instanceof UnreadableTable) faults.add(error.fault)
    else if (!(error instanceof UnreadableFile)) throw error
    faults.throwIfAny()
  }
  if (count === 0) findings.add('no-records', 'a file holds no records', table.file)
}

async function* csvBlocks(
  table: DefinedTable,
  entity: EntityData,
  known: KnownDefinitions,
  { faults, findings }: Report,
) {
  const { file, isGuarded } = table
  const cellOf = isGuarded ? guardedCell : plainCell
  let toRow: ReturnType<typeof rowMaker<string>> | undefined
  let width = 0
  for await (const { lines, rows } of csvRows(table, findings)) {
    if (toRow === undefined) {
      const [header, line] = [rows.shift(), lines.shift()]
      if (header === undefined || line === undefined) continue
      const columns = columnMatcher(entity, known, faults)(header, { file, line })
      if (columns === undefined) throw new UnreadableFile()
      toRow = rowMaker(columns, cellOf, faults)
      width = columns.length
    }
    const block = { file, lines: [] as number[], rows: [] as GivenRow[] }
    for (let at = 0; at < rows.length; at++) {
      const [values, line] = [rows[at] as string[], lines[at] as number]
      const location = { file, line }
      if (!hasWidth(values, width, location, faults)) continue
      block.lines.push(line)
      block.rows.push(toRow(values, location))
    }
    yield block
  }
  if (toRow === undefined)
    throw new UnreadableTable({ file, line: 1, column: 'all', value: 'an empty file', expected: 'a header' })
}

/** The cells of a file, those of the header first. */
export const csvRows = ({ file, open }: TextFile, findings?: Report['findings']) => {
  const tell: TellFinding = (...found) => findings?.add(...found)
  const dialect = { delimiter: ',' }
  return delimitedRows(textChunks(open(), { file, encoding: 'utf-8', tell }), { file, dialect, tell })
}

/** What should be a number and is not stays a text, which the check of the row refuses. */
function plainCell(text: string, { type }: CsvColumn): string | number | undefined {
  if (text === '') return undefined
  if (type === 'text') return text
  return (type === 'decimal' ? parseDecimal(text) : parseWholeNumber(text)) ?? text
}

const guardedCell = (text: string, column: CsvColumn) =>
  plainCell(column.type === 'text' ? withoutGuard(text) : text, column)

async function* ndjsonBlocks({ file, open }: TextFile, entity: EntityData, known: KnownDefinitions, faults: Faults) {
  const parseRow = ndjsonRowParser(entity, known, faults)
  for await (const { first, lines } of readUtf8Lines({ file, open }, faults)) {
    const block = { file, lines: [] as number[], rows: [] as GivenRow[] }
    for (let index = 0; index < lines.length; index++) {
      const location = { file, line: first + index }
      const row = parseRow(lines[index] as string, location)
      if (row === undefined) continue
      block.lines.push(location.line)
      block.rows.push(row)
    }
    yield block
  }
}
