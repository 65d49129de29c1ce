// Reads a CSV file with a header as blocks of rows, in constant memory.
import { createReadStream } from 'node:fs'
import { CsvError, type Info, parse } from 'csv-parse'
import type { Entity } from '../catalog/entity.ts'
import type { Faults } from './faults.ts'
import type { Block, GivenRow } from './source.ts'

const BLOCK = 1_000
const HEADER_LINE = 1

type Column = { readonly field: string; readonly number: boolean }

/** The columns that a file of this entity has, in any order: its fields, less those that are derived. */
export function columnsOf(entity: Entity): readonly Column[] {
  return Object.entries(entity.fields)
    .filter(([, { kind }]) => kind !== 'copy')
    .map(([field, { kind }]) => ({ field, number: kind === 'id' || kind === 'embed' }))
}

export async function* readCsv(path: string, file: string, entity: Entity, faults: Faults): AsyncGenerator<Block> {
  const parser = createReadStream(path).pipe(parse({ bom: true, info: true, relax_column_count: true }))
  let columns: readonly Column[] | undefined
  let block = newBlock(file)
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      if (columns === undefined) {
        columns = readHeader(record, file, entity, faults)
        if (columns === undefined) return
        continue
      }
      // csv-parse counts the line on which a record ends.
      if (record.length === columns.length) {
        block.lines.push(info.lines)
        block.rows.push(rowOf(record, columns))
      } else {
        const expected = `${columns.length} columns, as in the header`
        faults.add({ file, line: info.lines, column: 'all', value: `${record.length} columns`, expected })
      }
      if (block.rows.length === BLOCK) {
        yield block
        block = newBlock(file)
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    faults.add({
      file,
      line: Number(error['lines'] ?? 0),
      column: String(error['column'] ?? 'all'),
      value: error.code,
      expected: error.message,
    })
  }
  if (columns === undefined) faults.add({ file, line: HEADER_LINE, column: 'all', value: '', expected: 'a header' })
  yield block
}

const newBlock = (file: string) => ({ file, lines: [] as number[], rows: [] as GivenRow[] })

function readHeader(
  header: readonly string[],
  file: string,
  entity: Entity,
  faults: Faults,
): readonly Column[] | undefined {
  const known = columnsOf(entity)
  const names = known.map(({ field }) => field)
  const wrong = (column: string, expected: string) =>
    faults.add({ file, line: HEADER_LINE, column, value: column, expected })
  for (const name of names) if (!header.includes(name)) wrong(name, 'this column, which is missing')
  for (const [position, name] of header.entries()) {
    if (!names.includes(name)) wrong(name, `a known column: ${names.join(', ')}`)
    else if (header.indexOf(name) !== position) wrong(name, 'each column once')
  }
  const columns = header.flatMap((name) => known.filter(({ field }) => field === name))
  return header.length === names.length && new Set(columns).size === names.length ? columns : undefined
}

function rowOf(record: readonly string[], columns: readonly Column[]): GivenRow {
  const row: Record<string, string | number> = {}
  for (let position = 0; position < columns.length; position++) {
    const { field, number } = columns[position] as Column
    const text = record[position] as string
    // A number that is not plainly one stays text, and the check of the row says so.
    row[field] = number && /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : text
  }
  return row
}
