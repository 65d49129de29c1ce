// Tables whose lists are defined to the letter: files of CSV or NDJSON whose cells are taken as they are.
import { parseDecimal } from '../../base/decimal-number.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import { type Catalog, type EntityData, entityData } from '../../catalog/catalog.ts'
import { withoutGuard } from '../csv.ts'
import type { Findings, TellFinding } from '../findings.ts'
import { type TextFile, UnreadableFile } from '../lines.ts'
import type { Block, GivenRow, Report, Source } from '../source.ts'
import { type CsvColumn, columnMatcher, columnsOf, type KnownDefinitions, rowMaker } from './columns.ts'
import { ndjsonRowParser } from './ndjson.ts'
import { partsIn } from './read/formats.ts'
import { lineValues } from './read/json.ts'
import { type Table, tableOf } from './read/rows.ts'
import { textChunks } from './read/text.ts'
import { UnreadableTable } from './read/unreadable-table.ts'
import { local } from './table.ts'

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
      table.format === 'csv' ? csvBlocks(table, entity, known, report) : ndjsonBlocks(table, entity, known, report)
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

async function* csvBlocks(table: DefinedTable, entity: EntityData, known: KnownDefinitions, report: Report) {
  const cellOf = table.isGuarded ? guardedCell : plainCell
  const names = columnsOf(entity, known).map(({ name }) => name)
  const { header, headerLine, rows } = await csvTable(table, names, report.findings)
  const columns = columnMatcher(entity, known, report.faults)(header, { file: table.file, line: headerLine })
  if (columns === undefined) throw new UnreadableFile()
  const toRow = rowMaker(columns, cellOf, report.faults)
  for await (const { file, lines, rows: texts } of rows(report))
    yield { file, lines, rows: texts.map((values, at) => toRow(values, { file, line: lines[at] as number })) }
}

/** The table of a file of CSV, whose values are taken as they stand. */
export async function csvTable(given: TextFile, names: readonly string[], findings: Findings): Promise<Table> {
  const dialect = { delimiter: ',' }
  const [part] = await partsIn(given, { ...local, format: 'csv', encoding: 'utf-8', dialect })
  return tableOf([part], { names, isVerbatim: true }, findings)
}

/** What should be a number and is not stays a text, which the check of the row refuses. */
function plainCell(text: string, { type }: CsvColumn): string | number | undefined {
  if (text === '') return undefined
  if (type === 'text') return text
  return (type === 'decimal' ? parseDecimal(text) : parseWholeNumber(text)) ?? text
}

const guardedCell = (text: string, column: CsvColumn) =>
  plainCell(column.type === 'text' ? withoutGuard(text) : text, column)

async function* ndjsonBlocks(table: DefinedTable, entity: EntityData, known: KnownDefinitions, report: Report) {
  const { file } = table
  const parseRow = ndjsonRowParser(entity, known, report.faults)
  for await (const values of objectLines(table, report)) {
    const block = { file, lines: [] as number[], rows: [] as GivenRow[] }
    for (const { line, value } of values) {
      const row = parseRow(value, { file, line })
      if (row === undefined) continue
      block.lines.push(line)
      block.rows.push(row)
    }
    yield block
  }
}

/** The values of the lines of a file of NDJSON. */
export const objectLines = ({ file, open }: TextFile, { faults, findings }: Report) => {
  const tell: TellFinding = (...found) => findings.add(...found)
  const chunks = textChunks(open(), { file, encoding: 'utf-8', tell })
  return lineValues(chunks, file, (fault) => faults.add(fault))
}
