// The rows to resolve in the body of a request: JSON, lines of JSON, or CSV.
import { isUtf8 } from 'node:buffer'
import { messageOf } from '../../../base/failure.ts'
import { isObject } from '../../../base/json.ts'
import { nearest } from '../../../base/nearest.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { folded } from '../../../catalog/words.ts'
import { MAX_ROW_CHARACTERS, partNames, type RowToResolve } from '../../../query/resolve/resolve.ts'
import { parseCsvLine } from '../../../source/tabular/csv.ts'
import type { HttpRequest } from '../../exchange.ts'
import { ProblemError, quoted } from '../../problem.ts'

export const MAX_ROWS = 10_000

const TYPES = {
  'application/json': jsonRows,
  'application/x-ndjson': lineRows,
  'text/csv': csvRows,
} as const satisfies Readonly<Record<string, (text: string, catalog: Catalog) => RowToResolve[]>>
const TYPE_NAMES = Object.keys(TYPES).join(', ')
const OTHER_NAMES: Readonly<Record<string, keyof typeof TYPES>> = {
  'application/ndjson': 'application/x-ndjson',
  'application/jsonl': 'application/x-ndjson',
}

const badBody = (wrong: string) => new ProblemError({ kind: 'bad-body', wrong })
const badRow = (row: number, wrong: string, allowed: string) =>
  new ProblemError({ kind: 'bad-row', row, wrong, allowed })

export function rowsOf(catalog: Catalog, { headers, body = new Uint8Array() }: HttpRequest): RowToResolve[] {
  const contentType = headers.get('content-type') ?? ''
  const [name = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const type = OTHER_NAMES[name] ?? name
  const isOtherCharset = parameters.some((one) => one.startsWith('charset=') && !/^charset="?utf-?8"?$/.test(one))
  const coding = headers.get('content-encoding')?.trim().toLowerCase()
  if (!Object.hasOwn(TYPES, type) || isOtherCharset)
    throw new ProblemError({ kind: 'unsupported-media-type', type: contentType, allowed: TYPE_NAMES })
  if (coding !== undefined && coding !== '' && coding !== 'identity')
    throw new ProblemError({ kind: 'unsupported-media-type', type: `${contentType}, ${coding}`, allowed: TYPE_NAMES })
  if (!isUtf8(body)) throw badBody('the body is not UTF-8')
  const text = Buffer.from(body.buffer, body.byteOffset, body.length)
    .toString()
    .replace(/^\ufeff/, '')
  const rows = TYPES[type as keyof typeof TYPES](text, catalog)
  if (rows.length === 0) throw badBody('the body has no rows')
  return rows
}

function checkedCount(rows: number): void {
  if (rows > MAX_ROWS) throw new ProblemError({ kind: 'too-many-rows', max: MAX_ROWS })
}

function jsonRows(text: string, catalog: Catalog): RowToResolve[] {
  const parsed = parsedJson(text)
  if ('wrong' in parsed) throw badBody(`the body is not JSON: ${parsed.wrong}`)
  const { value } = parsed
  if (!Array.isArray(value)) throw badBody('the body is JSON, but not an array of rows')
  checkedCount(value.length)
  return value.map((row, at) => jsonRow(row, at + 1, catalog))
}

function lineRows(text: string, catalog: Catalog): RowToResolve[] {
  const rows: RowToResolve[] = []
  for (const line of linesOf(text)) {
    if (line.trim() === '') continue
    checkedCount(rows.length + 1)
    const parsed = parsedJson(line)
    if ('wrong' in parsed) throw badRow(rows.length + 1, `the line is not JSON: ${parsed.wrong}`, ROW_ALLOWED)
    rows.push(jsonRow(parsed.value, rows.length + 1, catalog))
  }
  return rows
}

const ROW_ALLOWED = 'a text, or an object with a text for each part'
const MAX_REASON = 100

function parsedJson(text: string): { readonly value: unknown } | { readonly wrong: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { wrong: messageOf(error).slice(0, MAX_REASON) }
  }
}

function jsonRow(row: unknown, number: number, catalog: Catalog): RowToResolve {
  if (typeof row === 'string') return textRow(row, number)
  if (!isObject(row))
    throw badRow(number, `it is ${Array.isArray(row) ? 'an array' : quoted(String(row))}`, ROW_ALLOWED)
  const cells = Object.entries(row).map(([name, value]): readonly [string, string] => {
    if (value === null) return [name, '']
    if (typeof value === 'string' || typeof value === 'number') return [name, String(value)]
    throw badRow(number, `${quoted(name)} is neither a text nor a number`, 'a text, a number or null')
  })
  return rowOf(
    cells,
    columnsOf(
      cells.map(([name]) => name),
      number,
      catalog,
    ),
    number,
  )
}

function csvRows(text: string, catalog: Catalog): RowToResolve[] {
  let columns: readonly Column[] | undefined
  let names: readonly string[] = []
  const rows: RowToResolve[] = []
  for (const line of linesOf(text)) {
    if (line === '' && (columns === undefined || columns.length > 1)) continue
    const values = parseCsvLine(line)
    if ('expected' in values)
      throw badRow(
        rows.length + (columns === undefined ? 0 : 1),
        `the quotes of value ${values.position + 1} are not closed or not doubled`,
        values.expected,
      )
    if (columns === undefined) {
      names = values
      columns = columnsOf(values, 0, catalog)
      continue
    }
    checkedCount(rows.length + 1)
    const number = rows.length + 1
    if (values.length !== columns.length)
      throw badRow(number, `it has ${values.length} values`, `${columns.length} values, as in the header`)
    rows.push(
      rowOf(
        values.map((value, at) => [names[at] as string, value] as const),
        columns,
        number,
      ),
    )
  }
  return rows
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end === -1 ? text.length : end)
    yield line.endsWith('\r') ? line.slice(0, -1) : line
    start = end === -1 ? text.length : end + 1
  }
}

/** The entity of a part, or free text. */
type Column = string | typeof FREE_TEXT
const FREE_TEXT = 'q'

/** What the columns of a table are, or the members of a row. */
function columnsOf(names: readonly string[], row: number, catalog: Catalog): readonly Column[] {
  const entities = partNames(catalog)
  const allowed = () => [FREE_TEXT, ...catalog.entities.keys()].join(', ')
  const columns = names.map((name): Column => {
    const key = folded(name.trim())
    const entity = key === FREE_TEXT ? FREE_TEXT : entities.get(key)
    if (entity !== undefined) return entity
    const meant = nearest(key, [FREE_TEXT, ...entities.keys()])
    throw badRow(
      row,
      `there is no part ${quoted(name)}`,
      `${allowed()}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    )
  })
  if (columns.includes(FREE_TEXT) && columns.length > 1)
    throw badRow(row, `${FREE_TEXT} stands beside other parts`, `${FREE_TEXT} alone, or parts without it`)
  const twice = columns.find((column, at) => columns.indexOf(column) !== at)
  if (twice !== undefined) throw badRow(row, `${twice} is given twice`, 'each part once')
  return columns
}

function rowOf(
  cells: readonly (readonly [name: string, text: string])[],
  columns: readonly Column[],
  row: number,
): RowToResolve {
  if (columns[0] === FREE_TEXT) return textRow(cells[0]?.[1] ?? '', row)
  return {
    parts: new Map(
      cells.map(([name, text], at) => {
        checkLength(name, text, row)
        return [columns[at] as string, text]
      }),
    ),
  }
}

function textRow(text: string, row: number): RowToResolve {
  checkLength('it', text, row)
  return { text }
}

function checkLength(what: string, text: string, row: number): void {
  if (text.length > MAX_ROW_CHARACTERS)
    throw badRow(row, `${what} has ${text.length} characters`, `at most ${MAX_ROW_CHARACTERS}`)
}
