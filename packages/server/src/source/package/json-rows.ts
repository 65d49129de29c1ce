// Rows that stand as JSON in a file or in the descriptor: objects, or lists of which the first is the header.
import { isObject } from '../../base/json.ts'
import type { RawRows } from './delimited.ts'

const MAX_COLUMNS = 5_000

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
