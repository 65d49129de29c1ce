// NDJSON of a defined list: one JSON object on each line.
import { isObject, type JsonObject } from '../../base/json.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import type { Faults, SourceLocation } from '../faults.ts'
import type { GivenRow } from '../source.ts'
import { type CsvColumn, columnMatcher, type KnownDefinitions, rowMaker } from './columns.ts'

/** Makes a row of the value of a line; undefined when it holds none, and then it adds a fault. */
type RowParser = (value: unknown, location: SourceLocation) => GivenRow | undefined

export function ndjsonRowParser(entity: EntityData, known: KnownDefinitions, faults: Faults): RowParser {
  const matchColumns = columnMatcher(entity, known, faults)
  const cellOf = (value: string | number | null) => value ?? undefined
  let columns: readonly CsvColumn[] = []
  let toRow = rowMaker(columns, cellOf, faults)
  return (value, location) => {
    const found = namesAndValues(value)
    if (found === undefined) {
      const expected = 'one JSON object on the line'
      faults.add({ ...location, column: 'all', value: JSON.stringify(value), expected })
      return undefined
    }
    const { names, values } = found
    if (!hasNames(columns, names)) {
      const matched = matchColumns(names, location)
      if (matched === undefined) return undefined
      columns = matched
      toRow = rowMaker(columns, cellOf, faults)
    }
    return haveRightTypes(values, columns, location, faults) ? toRow(values, location) : undefined
  }
}

/** Nearly every line has the same names as the one before. */
const hasNames = (columns: readonly CsvColumn[], names: readonly string[]) =>
  names.length === columns.length && names.every((name, position) => name === columns[position]?.name)

type NamesAndValues = { readonly names: string[]; readonly values: unknown[] }

/** What the object on a line has; undefined where it is none. */
export const namesAndValues = (value: unknown): NamesAndValues | undefined =>
  isObject(value) ? flattenInto({ names: [], values: [] }, value, '') : undefined

/** The values of an object in the object get dotted names; one within that is left as it is. */
function flattenInto(found: NamesAndValues, object: JsonObject, prefix: string): NamesAndValues {
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (prefix === '' && isObject(value)) flattenInto(found, value, `${name}.`)
    else {
      found.names.push(prefix + name)
      found.values.push(value)
    }
  }
  return found
}

/** Types are checked here, because no later check tells `"1"` from `1` in a code. */
function haveRightTypes(
  values: readonly unknown[],
  columns: readonly CsvColumn[],
  location: SourceLocation,
  faults: Faults,
): values is readonly (string | number | null)[] {
  let areRight = true
  for (let position = 0; position < columns.length; position++) {
    const { name, type, optional } = columns[position] as CsvColumn
    const value = values[position]
    const isFact = optional === true && type !== 'whole number'
    if (typeof value === (type === 'text' ? 'string' : 'number') || (isFact && value === null)) continue
    areRight = false
    const expected = type === 'text' ? 'a text, in quotes' : 'a number, without quotes'
    faults.add({ ...location, column: name, value, expected })
  }
  return areRight
}
