// The columns that a file of an entity may have, all derived from its definition: which were given, and what is wrong with them.

import { nearest } from '../../base/nearest.ts'
import type { Entity, Field } from '../../catalog/entity.ts'
import type { ColumnFault, Faults, SourceLocation } from '../faults.ts'
import type { GivenRow } from '../source.ts'

export type Column = {
  readonly name: string
  /** The field of the row that it fills. */
  readonly field: string
  /** Set when it gives a record to embed by its official code: the field of that code. */
  readonly part: string | undefined
  readonly number: boolean
  /** Whether it is a fact: numbers may then have a sign and decimals. */
  readonly fact: boolean
  /** Whether the value may be left out: an identifier is then found by the official code, and a fact is not known. */
  readonly optional: boolean
  /** Set when its values are derived from those of another field, with which they are only compared. */
  readonly copyOf?: string
}

/** A column for each field, and for a record to embed also one for each field of its official code, with a dotted name. */
export function columnsOf(entity: Entity): readonly Column[] {
  return Object.entries(entity.fields).flatMap(([field, definition]) => {
    if (definition.kind === 'copy') return []
    if (definition.kind === 'fact')
      return [{ name: field, field, part: undefined, number: definition.type !== 'text', fact: true, optional: true }]
    const optional = entity.key.length === 1 && entity.key[0] === field
    const whole = { name: field, field, part: undefined, number: isNumber(definition), fact: false, optional }
    return definition.kind === 'embed' ? [whole, ...codeColumns(field, definition.entity)] : [whole]
  })
}

/** A derived field needs no column, but may have one, as in what API v2 gives. */
const copyColumns = (entity: Entity): Column[] =>
  Object.entries(entity.fields).flatMap(([name, field]) =>
    field.kind === 'copy'
      ? [{ name, field: name, part: undefined, number: false, fact: false, optional: true, copyOf: field.of }]
      : [],
  )

function codeColumns(field: string, parent: Entity): Column[] {
  return parent.code.map((part) => ({
    name: `${field}.${part}`,
    field,
    part,
    number: isNumber(parent.fields[part] as Field),
    fact: false,
    optional: false,
  }))
}

const isNumber = ({ kind }: Field) => kind === 'id' || kind === 'embed'

/** Gives the columns with these names, in their order; undefined when they are not right, and then it adds the faults. */
type ColumnMatcher = (names: readonly string[], location: SourceLocation) => readonly Column[] | undefined

export function columnMatcher(entity: Entity, faults: Faults): ColumnMatcher {
  const columns = columnsOf(entity)
  const byName = new Map([...columns, ...copyColumns(entity)].map((column) => [column.name, column]))
  const byField = Map.groupBy(columns, ({ field }) => field)
  return (names, location) => {
    const nameSet = new Set(names)
    const columnFaults: ColumnFault[] = []
    for (const [position, name] of names.entries()) {
      if (!byName.has(name)) columnFaults.push(unknownColumn(name, [...byName.keys()]))
      else if (names.indexOf(name) < position)
        columnFaults.push({ column: name, value: name, expected: 'each column once' })
    }
    for (const columnsOfField of byField.values()) columnFaults.push(...fieldFaults(columnsOfField, nameSet))
    for (const fault of columnFaults) faults.add({ ...location, ...fault })
    return columnFaults.length === 0 ? names.map((name) => byName.get(name) as Column) : undefined
  }
}

function unknownColumn(name: string, names: readonly string[]): ColumnFault {
  const suggestion = nearest(name, names)
  const expected =
    suggestion === undefined ? `one of ${names.join(', ')}` : `a known column; did you mean ${suggestion}?`
  return { column: name, value: name, expected }
}

/** A field is given in the column of its own name, or a record to embed in all the columns of its code: never in both. */
function fieldFaults([whole, ...parts]: readonly Column[], names: ReadonlySet<string>): ColumnFault[] {
  if (whole === undefined) return []
  const missing = (column: string, or = '') => ({
    column,
    value: undefined,
    expected: `this column${or}, which is missing`,
  })
  const givenParts = parts.filter(({ name }) => names.has(name))
  const code = parts.map(({ name }) => name).join(' and ')
  if (names.has(whole.name)) {
    const expected = `either ${whole.name} or ${code}, not both`
    return givenParts.map(({ name }) => ({ column: name, value: name, expected }))
  }
  if (givenParts.length > 0) return parts.filter((part) => !givenParts.includes(part)).map(({ name }) => missing(name))
  return whole.optional ? [] : [missing(whole.name, code && ` or ${code}`)]
}

/** Makes a row of one line of a file; undefined when it holds none, and then it adds a fault if it should. */
export type RowParser = (line: string, location: SourceLocation) => GivenRow | undefined

type Cell = string | number
type Code = Record<string, Cell>

/** Derived values must be those that they are derived from. */
export function checkCopies(
  columns: readonly Column[],
  values: readonly unknown[],
  location: SourceLocation,
  faults: Faults,
): void {
  for (let position = 0; position < columns.length; position++) {
    const { name, copyOf } = columns[position] as Column
    if (copyOf === undefined) continue
    const value = values[position]
    if (value !== values[columns.findIndex((column) => column.name === copyOf)])
      faults.add({ ...location, column: name, value, expected: `the value of ${copyOf}, from which it is derived` })
  }
}

/** The row that values in these columns make; a value of which `cellOf` makes nothing is left out. */
export function rowOf<T>(
  columns: readonly Column[],
  values: readonly T[],
  cellOf: (value: T, column: Column) => Cell | undefined,
): GivenRow {
  const row: Record<string, Cell | Code> = {}
  for (let position = 0; position < columns.length; position++) {
    const column = columns[position] as Column
    if (column.copyOf !== undefined) continue
    const cell = cellOf(values[position] as T, column)
    if (cell === undefined) continue
    if (column.part === undefined) row[column.field] = cell
    else codeIn(row, column.field)[column.part] = cell
  }
  return row
}

function codeIn(row: Record<string, Cell | Code>, field: string): Code {
  const existing = row[field]
  const code = typeof existing === 'object' ? existing : {}
  row[field] = code
  return code
}
