// Records as CSV (RFC 4180): embedded records flattened into dotted columns, safe to open in a spreadsheet.
import { isObject, valueAt } from '../../base/json.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { spreadsheetCell } from '../../source/csv.ts'
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
    // The columns of a whole record are its own values, and in one language others may stand in their place.
    const isRaw = isWhole({ ...selection, language: undefined })
    const shape = shapeOf(entity, { ...selection, language: undefined })
    const rowOf = isRaw
      ? (record: PublishedRecord) => rowIn(columns, record)
      : (record: PublishedRecord) => rowIn(columns, shape(record))
    return {
      head: Buffer.from(columns.map(({ title }) => spreadsheetCell(title)).join(',') + END),
      records: (jsons) => {
        let rows = ''
        for (const record of parsedRecords(entity, jsons)) rows += rowOf(record)
        return [Buffer.from(rows)]
      },
      gap: NO_BYTES,
      tail: NO_BYTES,
    }
  },
}

function rowIn(columns: readonly Column[], record: PublishedRecord): string {
  let cells = ''
  for (const [at, column] of columns.entries()) cells += (at === 0 ? '' : ',') + cellOf(valueIn(record, column))
  return cells + END
}

function valueIn(record: PublishedRecord, { steps, read }: Column): unknown {
  if (read === undefined) return valueAt(record, steps)
  const owner = valueAt(record, steps.slice(0, -1))
  return isObject(owner) ? read(owner as PublishedRecord) : null
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return spreadsheetCell(value)
  return Array.isArray(value) ? spreadsheetCell(listText(value)) : scalarText(value)
}

/** Numbers with all their digits, true and false; texts as they are. */
const scalarText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A number that would lose digits in JavaScript is parsed as an object, which is written with all of them. */
const { isRawJSON: isNumber } = JSON as unknown as { readonly isRawJSON: (value: unknown) => boolean }

const BETWEEN_ELEMENTS = ';'

/** The elements with a semicolon between them; JSON where that could be read otherwise. */
function listText(list: readonly unknown[]): string {
  const texts = list.map((element) => (isPlain(element) ? scalarText(element) : undefined))
  const isClear = texts.every((text) => text !== undefined && text !== '' && !text.includes(BETWEEN_ELEMENTS))
  return isClear ? texts.join(BETWEEN_ELEMENTS) : JSON.stringify(list)
}

const isPlain = (element: unknown) => typeof element !== 'object' || isNumber(element)
