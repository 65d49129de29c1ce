// Rows that stand as JSON, in an array or one on each line: objects, or lists of which the first is the header.
import { isObject, parseJson } from '../../../base/json.ts'
import type { RawRows } from './delimited.ts'
import { jsonFault, placeAt } from './json-syntax.ts'
import { UnreadableTable } from './unreadable-table.ts'

const MAX_COLUMNS = 5_000
const MAX_JSON = 256 << 20
const MAX_LINE = 4 << 20
const MAX_EXCERPT = 60

/** The header and the rows as text; undefined where the value is no table. Lines are numbers of records. */
export function jsonRows(value: unknown): RawRows | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  if (value.every(Array.isArray)) {
    const rows = value as readonly unknown[][]
    return { lines: rows.map((_, index) => index), rows: rows.map((row) => row.map(cellText)) }
  }
  if (!value.every(isObject)) return undefined
  const header = new Set<string>()
  for (const row of value) for (const name of Object.keys(row)) if (header.size < MAX_COLUMNS) header.add(name)
  const names = [...header]
  const rows = value.map((row) => names.map((name) => (Object.hasOwn(row, name) ? cellText(row[name]) : '')))
  return { lines: [0, ...rows.map((_, index) => index + 1)], rows: [names, ...rows] }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The rows of a text that is one array. */
export async function* arrayRows(chunks: AsyncIterable<string>, file: string): AsyncGenerator<RawRows> {
  const pieces: string[] = []
  let length = 0
  for await (const piece of chunks) {
    pieces.push(piece)
    length += piece.length
    if (length > MAX_JSON)
      throw unusable(file, 1, `more than ${MAX_JSON >> 20} MB`, 'less, or the same as CSV, which is read in pieces')
  }
  const text = pieces.join('')
  const fault = jsonFault(text)
  if (fault !== undefined) {
    const { line, column } = placeAt(text, fault.offset)
    const value = text.slice(fault.offset, fault.offset + MAX_EXCERPT)
    throw new UnreadableTable({ file, line, column: `column ${column}`, value, expected: fault.expected })
  }
  const rows = jsonRows(parseJson(text))
  if (rows === undefined) throw unusable(file, 1, 'JSON that is no table', 'a list of objects, or of lists')
  yield rows
}

const unusable = (file: string, line: number, value: string, expected: string) =>
  new UnreadableTable({ file, line, column: 'all', value, expected })

/** Takes the fault of a line, which is then left out. */
type OnFault = (fault: UnreadableTable['fault']) => void

/** The rows of a text with one object or one list on each line; all lines are read once to know the names in the objects. */
export async function* lineRows(
  open: () => AsyncIterable<string>,
  file: string,
  onFault: OnFault,
): AsyncGenerator<RawRows> {
  const header = new Set<string>()
  for await (const values of lineValues(open(), file, () => undefined))
    for (const { value } of values)
      if (isObject(value)) for (const name of Object.keys(value)) if (header.size < MAX_COLUMNS) header.add(name)
  const names = [...header]
  if (names.length > 0) yield { lines: [0], rows: [names] }
  for await (const values of lineValues(open(), file, onFault)) {
    const lines: number[] = []
    const rows: string[][] = []
    for (const { value, line } of values) {
      if (isObject(value)) rows.push(names.map((name) => (Object.hasOwn(value, name) ? cellText(value[name]) : '')))
      else if (Array.isArray(value) && names.length === 0) rows.push(value.map(cellText))
      else {
        const found = JSON.stringify(value).slice(0, MAX_EXCERPT)
        onFault({ file, line, column: 'all', value: found, expected: 'an object, as on the other lines' })
        continue
      }
      lines.push(line)
    }
    yield { lines, rows }
  }
}

type LineValue = { readonly line: number; readonly value: unknown }

/** The values of the lines of a text, as many at a time as come together; lines without anything have none. */
export async function* lineValues(
  chunks: AsyncIterable<string>,
  file: string,
  onFault: OnFault,
): AsyncGenerator<readonly LineValue[]> {
  let rest = ''
  let number = 0
  const valuesIn = (lines: readonly string[]): readonly LineValue[] => {
    const values: LineValue[] = []
    for (const line of lines) {
      number++
      const text = line.replace(/^\ufeff/, '').trim()
      if (text === '') continue
      const fault =
        jsonFault(text) ?? (/^[[{]/.test(text) ? undefined : { offset: 0, expected: 'an object, or a list' })
      if (fault === undefined) values.push({ line: number, value: parseJson(text) })
      else {
        const value = text.slice(fault.offset, fault.offset + MAX_EXCERPT)
        onFault({ file, line: number, column: `column ${fault.offset + 1}`, value, expected: fault.expected })
      }
    }
    return values
  }
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE)
      throw unusable(file, number + 1, 'a longer line', `lines of at most ${MAX_LINE} letters`)
    yield valuesIn(lines)
  }
  yield valuesIn([rest])
}
