// Records as CSV (RFC 4180): embedded records flattened into dotted columns, safe to open in a spreadsheet.
import { spreadsheetCell } from '../../source/csv.ts'
import { parsedRecords } from './json.ts'
import { NO_BYTES, type RecordFormat } from './record-format.ts'
import { columnsOf, columnValues } from './selection.ts'

const END = '\r\n'
/** Byte order mark, by which Excel knows that a file is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

export const csv: RecordFormat = {
  title: 'CSV',
  description: '(RFC 4180) a header line, and a column for every value, embedded ones by their dotted path',
  // CSV for people is CSV for Excel.
  downloadParameters: [['excel', 'true']],
  cost: { perKilobyte: 14 },
  mediaTypes: ['text/csv'],
  parameters: 'charset=utf-8; header=present',
  hasColumns: true,
  encoder: (entity, selection) => {
    const valuesOf = columnValues(entity, selection)
    const titles = columnsOf(entity, selection).map(({ title }) => spreadsheetCell(title))
    return {
      head: Buffer.from(`${selection.forExcel === true ? BYTE_ORDER_MARK : ''}${titles.join(',')}${END}`),
      records: (jsons) => {
        let rows = ''
        for (const record of parsedRecords(entity, jsons)) rows += rowOf(valuesOf(record))
        return [Buffer.from(rows)]
      },
      gap: NO_BYTES,
      tail: () => NO_BYTES,
    }
  },
}

function rowOf(values: readonly unknown[]): string {
  let cells = ''
  for (let at = 0; at < values.length; at++) cells += (at === 0 ? '' : ',') + cellOf(values[at])
  return cells + END
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
export function listText(list: readonly unknown[]): string {
  const texts = list.map((element) => (isPlain(element) ? scalarText(element) : undefined))
  const isClear = texts.every((text) => text !== undefined && text !== '' && !text.includes(BETWEEN_ELEMENTS))
  return isClear ? texts.join(BETWEEN_ELEMENTS) : JSON.stringify(list)
}

const isPlain = (element: unknown) => typeof element !== 'object' || isNumber(element)
