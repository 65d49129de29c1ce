// NDJSON: one JSON object on each line.
import { isObject, type JsonObject } from '../../base/json.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Faults, SourceLocation } from '../faults.ts'
import { type Column, checkCopies, columnMatcher, type RowParser, rowOf } from './columns.ts'

export function ndjsonRowParser(entity: Entity, faults: Faults): RowParser {
  const matchColumns = columnMatcher(entity, faults)
  let lastColumns: readonly Column[] = []
  return (line, location) => {
    const object = parseObject(line)
    if (object === undefined) {
      faults.add({ ...location, column: 'all', value: line, expected: 'one JSON object on the line' })
      return undefined
    }
    const names: string[] = []
    const values: unknown[] = []
    flattenInto(names, values, object, '')
    const columns = hasNames(lastColumns, names) ? lastColumns : matchColumns(names, location)
    if (columns === undefined) return undefined
    lastColumns = columns
    if (!haveRightTypes(values, columns, location, faults)) return undefined
    checkCopies(columns, values, location, faults)
    return rowOf(columns, values, (value) => value ?? undefined)
  }
}

/** Nearly every line has the same names as the one before. */
const hasNames = (columns: readonly Column[], names: readonly string[]) =>
  names.length === columns.length && names.every((name, position) => name === columns[position]?.name)

function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The values of an object in the object get dotted names; one within that is left as it is. */
function flattenInto(names: string[], values: unknown[], object: JsonObject, prefix: string): void {
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (prefix === '' && isObject(value)) flattenInto(names, values, value, `${name}.`)
    else {
      names.push(prefix + name)
      values.push(value)
    }
  }
}

/** Types are checked here, because no later check tells `"1"` from `1` in a code. */
function haveRightTypes(
  values: readonly unknown[],
  columns: readonly Column[],
  location: SourceLocation,
  faults: Faults,
): values is readonly (string | number | null)[] {
  let areRight = true
  for (let position = 0; position < columns.length; position++) {
    const { name, number, fact } = columns[position] as Column
    const value = values[position]
    if (typeof value === (number ? 'number' : 'string') || (fact && value === null)) continue
    areRight = false
    faults.add({
      ...location,
      column: name,
      value,
      expected: number ? 'a number, without quotes' : 'a text, in quotes',
    })
  }
  return areRight
}
