// The rows to resolve in the body of a request: JSON, lines of JSON, or CSV.
import { isUtf8 } from 'node:buffer'
import { checkpoint } from '../../../base/checkpoint.ts'
import { isObject, parseJson } from '../../../base/json.ts'
import { nearest } from '../../../base/nearest.ts'
import { messageOf } from '../../../base/operational-error.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { folded } from '../../../catalog/words.ts'
import type { GeoPoint } from '../../../query/boundaries.ts'
import { MAX_ROW_CHARACTERS, partNames, type RowToResolve } from '../../../query/resolve/resolve.ts'
import { parseCsvLine } from '../../../source/csv.ts'
import { MAX_ROW_BYTES, MAX_ROW_VALUES, MAX_ROWS } from '../../bodies/body-limits.ts'
import { type RowType, rowTypeOf } from '../../bodies/body-types.ts'
import { badBody, badRow, elementsOf, linesOf } from '../../bodies/row-texts.ts'
import type { HttpRequest } from '../../exchange.ts'
import { ProblemError, quoted } from '../../problem.ts'
import { coordinateNamed, type PlacedRow, pointFrom } from '../boundary-points.ts'

/** The rows of a body, each parsed when it is due: parsed, they take many times the room of the body. */
export type RowsInBody = Iterable<PlacedRow> & { readonly length: number }

/** All rows are read before the first is resolved: a body with a bad row is refused as a whole. */
export function rowsOf(catalog: Catalog, { headers, body = new Uint8Array() }: HttpRequest): RowsInBody {
  const type = rowTypeOf(headers)
  if (!isUtf8(body)) throw badBody('the body is not UTF-8')
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const columnsOf = columnFinder(catalog)
  const rows = () => READERS[type](bytes, columnsOf)
  let length = 0
  for (const _row of rows()) {
    if (++length > MAX_ROWS) throw new ProblemError({ kind: 'too-many-rows', max: MAX_ROWS })
    checkpoint()
  }
  if (length === 0) throw badBody('the body has no rows')
  return { length, [Symbol.iterator]: rows }
}

type Rows = Generator<PlacedRow>

const READERS: Readonly<Record<RowType, (body: Buffer, columnsOf: ColumnFinder) => Rows>> = {
  'application/json': jsonRows,
  'application/x-ndjson': lineRows,
  'text/csv': csvRows,
}

function* jsonRows(body: Buffer, columnsOf: ColumnFinder): Rows {
  let count = 0
  for (const element of elementsOf(body)) yield jsonRow(textOf(element, ++count), 'it', count, columnsOf)
}

function* lineRows(body: Buffer, columnsOf: ColumnFinder): Rows {
  let count = 0
  for (const line of linesOf(body)) {
    const text = textOf(line, count + 1)
    if (text.trim() !== '') yield jsonRow(text, 'the line', ++count, columnsOf)
  }
}

function textOf(bytes: Buffer, row: number): string {
  if (bytes.length > MAX_ROW_BYTES)
    throw badRow(row, `it has more than ${MAX_ROW_BYTES} bytes`, `at most ${MAX_ROW_BYTES}`)
  return bytes.toString()
}

const MAX_REASON = 100

function jsonRow(text: string, what: string, number: number, columnsOf: ColumnFinder): RowToResolve {
  const row = parsedJson(text, what, number)
  if (typeof row === 'string') return textRow(row, number)
  if (!isObject(row)) throw badRow(number, `it is ${Array.isArray(row) ? 'an array' : quoted(String(row))}`)
  const names = Object.keys(row)
  const texts = names.map((name) => {
    const value = row[name]
    if (typeof value === 'string') return value
    if (value === null) return ''
    if (typeof value === 'number') return String(value)
    throw badRow(number, `${quoted(name)} is neither a text nor a number`, 'a text, a number or null')
  })
  return rowOf(names, texts, columnsOf(names, number), number)
}

function parsedJson(text: string, what: string, number: number): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw badRow(number, `${what} is not JSON: ${messageOf(error).slice(0, MAX_REASON)}`)
  }
}

function* csvRows(body: Buffer, columnsOf: ColumnFinder): Rows {
  let columns: readonly RowPart[] | undefined
  let names: readonly string[] = []
  let count = 0
  for (const line of linesOf(body)) {
    if (line.length === 0 && columns?.length !== 1) continue
    const number = columns === undefined ? 0 : ++count
    const values = parseCsvLine(textOf(line, number))
    if ('expected' in values)
      throw badRow(number, `the quotes of value ${values.position + 1} are not closed or not doubled`, values.expected)
    if (columns === undefined) {
      names = values
      columns = columnsOf(values, 0)
    } else if (values.length === columns.length) yield rowOf(names, values, columns, number)
    else throw badRow(number, `it has ${values.length} values`, `${columns.length} values, as in the header`)
  }
}

/** The entity of a part, free text, or a coordinate. */
type RowPart = string | typeof FREE_TEXT | { readonly coordinate: keyof GeoPoint }
const FREE_TEXT = 'q'

/** Finds the part of each column of a table, or of each member of a row. */
type ColumnFinder = (names: readonly string[], row: number) => readonly RowPart[]

/** The names of rows repeat one another, so each is looked up once. */
function columnFinder(catalog: Catalog): ColumnFinder {
  const found = new Map<string, RowPart>()
  return (names, row) => {
    if (names.length > MAX_ROW_VALUES)
      throw badRow(row, `it has more than ${MAX_ROW_VALUES} values`, `at most ${MAX_ROW_VALUES}`)
    const columns = names.map((name) => {
      const column = found.get(name) ?? columnOf(catalog, name, row)
      found.set(name, column)
      return column
    })
    if (columns.filter((column) => typeof column === 'string').length > 1 && columns.includes(FREE_TEXT))
      throw badRow(row, `${FREE_TEXT} stands beside other parts`, `${FREE_TEXT} alone, or parts without it`)
    const twice = columns.find((column, at) => columns.indexOf(column) !== at)
    if (twice !== undefined) throw badRow(row, `${partName(twice)} is given twice`, 'each part once')
    return columns
  }
}

/** One value for each coordinate, so that columns can be compared. */
const COORDINATES = { latitude: { coordinate: 'latitude' }, longitude: { coordinate: 'longitude' } } as const

const partName = (part: RowPart): string => (typeof part === 'string' ? part : part.coordinate)

function columnOf(catalog: Catalog, name: string, row: number): RowPart {
  const entities = partNames(catalog)
  const key = folded(name.trim())
  const entity = key === FREE_TEXT ? FREE_TEXT : entities.get(key)
  if (entity !== undefined) return entity
  const coordinate = coordinateNamed(name)
  if (coordinate !== undefined) return COORDINATES[coordinate]
  const meant = nearest(key, [FREE_TEXT, ...entities.keys()])
  const allowed = [FREE_TEXT, ...catalog.entities.keys()].join(', ')
  throw badRow(
    row,
    `there is no part ${quoted(name)}`,
    `${allowed}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  )
}

function rowOf(
  names: readonly string[],
  texts: readonly string[],
  columns: readonly RowPart[],
  row: number,
): PlacedRow {
  const parts = new Map<string, string>()
  const given: Partial<Record<keyof GeoPoint, string>> = {}
  for (const [at, text] of texts.entries()) {
    checkLength(names[at] as string, text, row)
    const column = columns[at] as RowPart
    if (typeof column === 'string') parts.set(column, text)
    else given[column.coordinate] = text
  }
  const point = pointFrom(given)
  const text = parts.get(FREE_TEXT)
  return { ...(text === undefined ? { parts } : { text }), ...(point === undefined ? {} : { point }) }
}

function textRow(text: string, row: number): RowToResolve {
  checkLength('it', text, row)
  return { text }
}

function checkLength(what: string, text: string, row: number): void {
  if (text.length > MAX_ROW_CHARACTERS)
    throw badRow(row, `${what} has ${text.length} characters`, `at most ${MAX_ROW_CHARACTERS}`)
}
