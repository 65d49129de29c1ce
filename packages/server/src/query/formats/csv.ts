// Records as CSV (RFC 4180): embedded records flattened into dotted columns, safe to open in a spreadsheet.
import { valueAt } from '../../base/json.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { spreadsheetCell } from '../../source/tabular/csv.ts'
import { parsedRecords } from './json.ts'
import { NO_BYTES, type RecordFormat } from './record-format.ts'
import { type Column, columnsOf, isWhole, shapeOf } from './selection.ts'

const END = '\r\n'

export const csv: RecordFormat = {
  mediaTypes: ['text/csv'],
  parameters: 'charset=utf-8; header=present',
  hasColumns: true,
  encoder: (entity, selection) => {
    const columns = columnsOf(entity, selection)
    const shape = shapeOf(entity, selection)
    // The columns of a whole record are its own values.
    const rowOf = isWhole(selection)
      ? (record: PublishedRecord) => rowIn(columns, record)
      : (record: PublishedRecord) => rowIn(columns, shape(record))
    return {
      head: Buffer.from(columns.map(({ path }) => path).join(',') + END),
      records: (jsons) => {
        let rows = ''
        for (const record of parsedRecords(jsons)) rows += rowOf(record)
        return [Buffer.from(rows)]
      },
      gap: NO_BYTES,
      tail: NO_BYTES,
    }
  },
}

function rowIn(columns: readonly Column[], record: PublishedRecord): string {
  let cells = ''
  for (const [at, { steps }] of columns.entries())
    cells += (at === 0 ? '' : ',') + cellOf(valueAt(record, steps) as string | number | null)
  return cells + END
}

function cellOf(value: string | number | null): string {
  if (value === null) return ''
  return typeof value === 'number' ? String(value) : spreadsheetCell(value)
}
