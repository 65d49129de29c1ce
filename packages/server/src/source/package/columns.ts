// The columns that the table of a defined list may have, all derived from its definition: which were given, what is wrong with
// them, and the rows that they make.
import { nearest } from '../../base/nearest.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import type { ColumnFault, Faults, SourceLocation } from '../faults.ts'
import type { GivenRow } from '../source.ts'

/** The definitions by name. */
export type KnownDefinitions = ReadonlyMap<string, EntityData>

export type CsvColumn = {
  readonly name: string
  /** The field of the row that it fills. */
  readonly field: string
  readonly type: 'text' | 'whole number' | 'decimal'
  /** Set when it gives a record to embed by its official code: the field of that code. */
  readonly part?: string
  /** Set when it gives one of several values of a key: which of them. */
  readonly keyPart?: number
  /** Whether the value may be left out: an identifier is then found by the official code, and a fact is not known. */
  readonly optional?: true
  /** Set when its values are derived from those of another field, with which they are only compared. */
  readonly copyOf?: string
  /** Set when it has an official code that is put together of other values: nothing is made of it. */
  readonly isComposed?: true
}

/** A column for each value of a row; a reference has one for each value of the key that it gives. */
export function columnsOf(entity: EntityData, known: KnownDefinitions): readonly CsvColumn[] {
  const used = new Set(Object.keys(entity.fields))
  return Object.entries(entity.fields).flatMap(([field, definition]): CsvColumn[] => {
    const parent = parentOf(entity, field, known)
    const parts = parent === undefined ? [] : keyPartsOf(parent, known)
    if (parts.length > 1)
      return parts.map((part, keyPart) => ({ name: freeName(`${field}.${part}`, used), field, type: 'text', keyPart }))
    const isIdentifier = definition.kind === 'id' && entity.key.length === 1 && entity.key[0] === field
    const optional = isIdentifier || definition.kind === 'fact' ? { optional: true as const } : {}
    return definition.kind === 'copy' ? [] : [{ name: field, field, type: typeOf(entity, field, known), ...optional }]
  })
}

/** The names of the columns by the field that they fill. */
export const columnNames = (entity: EntityData, known: KnownDefinitions): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...Map.groupBy(columnsOf(entity, known), ({ field }) => field)].map(([field, columns]) => [
      field,
      columns.map(({ name }) => name),
    ]),
  )

/** Columns that a table may have in the place of one: those of the official code of a record to embed, with dotted names. */
export function codeColumns(entity: EntityData, field: string, known: KnownDefinitions): readonly CsvColumn[] {
  const parent = entity.fields[field]?.kind === 'embed' ? parentOf(entity, field, known) : undefined
  if (parent === undefined || keyPartsOf(parent, known).length > 1) return []
  return parent.code.map((part) => ({ name: `${field}.${part}`, field, type: typeOf(parent, part, known), part }))
}

/** The official codes that API v2 gives besides the fields. */
const composedColumns = ({ codes = [], fields }: EntityData): CsvColumn[] =>
  codes.flatMap(({ name }) =>
    name === '' || Object.hasOwn(fields, name)
      ? []
      : [{ name, field: name, type: 'text', optional: true, isComposed: true }],
  )

/** A derived field needs no column, but may have one, as in what API v2 gives. */
const copyColumns = (entity: EntityData): CsvColumn[] =>
  Object.entries(entity.fields).flatMap(([name, field]) =>
    field.kind === 'copy' ? [{ name, field: name, type: 'text', copyOf: field.of }] : [],
  )

/** What a field refers to. */
function parentOf(entity: EntityData, name: string, known: KnownDefinitions): EntityData | undefined {
  const field = entity.fields[name]
  if (field?.kind === 'broader') return entity
  return field?.kind === 'embed' ? known.get(field.entity) : undefined
}

function freeName(name: string, used: Set<string>): string {
  let free = name
  while (used.has(free)) free += '.'
  used.add(free)
  return free
}

/** The names of the values that a key consists of: an embedded record stands for those of its own key. */
function keyPartsOf(entity: EntityData, known: KnownDefinitions): string[] {
  return entity.key.flatMap((name) => {
    const parent = parentOf(entity, name, known)
    const parts = parent === undefined ? [] : keyPartsOf(parent, known)
    return parts.length <= 1 ? [name] : parts.map((part) => `${name}.${part}`)
  })
}

/** Identifiers are numbers, and so are number facts, and references to what has a number for a key. */
function typeOf(entity: EntityData, name: string, known: KnownDefinitions): CsvColumn['type'] {
  const field = entity.fields[name]
  if (field?.kind === 'id') return 'whole number'
  if (field?.kind === 'fact') return field.type === 'text' ? 'text' : 'decimal'
  const parent = parentOf(entity, name, known)
  const [key = '', ...others] = parent?.key ?? []
  return others.length === 0 && parent?.fields[key]?.kind === 'id' ? 'whole number' : 'text'
}

/** Gives the columns with these names, in their order; undefined when they are not right, and then it adds the faults. */
type ColumnMatcher = (names: readonly string[], location: SourceLocation) => readonly CsvColumn[] | undefined

export function columnMatcher(entity: EntityData, known: KnownDefinitions, faults: Faults): ColumnMatcher {
  const byField = Map.groupBy(columnsOf(entity, known), ({ field }) => field)
  const fields = [...byField].map(([field, own]) => ({ own, code: codeColumns(entity, field, known) }))
  const all = [...fields.flatMap(({ own, code }) => [...own, ...code]), ...copyColumns(entity)]
  const byName = new Map([...all, ...composedColumns(entity)].map((one) => [one.name, one]))
  return (names, location) => {
    const given = new Set(names)
    const columnFaults: ColumnFault[] = []
    for (const [position, name] of names.entries()) {
      if (!byName.has(name))
        columnFaults.push(
          unknownColumn(
            name,
            all.map((one) => one.name),
          ),
        )
      else if (names.indexOf(name) < position)
        columnFaults.push({ column: name, value: name, expected: 'each column once' })
    }
    for (const { own, code } of fields) columnFaults.push(...fieldFaults(own, code, given))
    for (const fault of columnFaults) faults.add({ ...location, ...fault })
    return columnFaults.length === 0 ? names.map((name) => byName.get(name) as CsvColumn) : undefined
  }
}

function unknownColumn(name: string, names: readonly string[]): ColumnFault {
  const suggestion = nearest(name, names)
  const expected =
    suggestion === undefined ? `one of ${names.join(', ')}` : `a known column; did you mean ${suggestion}?`
  return { column: name, value: name, expected }
}

/** A field is given in its own columns, or a record to embed in all the columns of its code: never in both. */
function fieldFaults(own: readonly CsvColumn[], code: readonly CsvColumn[], names: ReadonlySet<string>): ColumnFault[] {
  const missing = ({ name: column }: CsvColumn, or = '') => ({
    column,
    value: undefined,
    expected: `this column${or}, which is missing`,
  })
  const [ownNames, codeNames] = [own, code].map((columns) => columns.map(({ name }) => name).join(' and '))
  const lacking = own.filter(({ name }) => !names.has(name))
  const ofCode = code.filter(({ name }) => names.has(name))
  if (lacking.length < own.length) {
    const expected = `either ${ownNames} or ${codeNames}, not both`
    return [
      ...lacking.map((column) => missing(column)),
      ...ofCode.map(({ name }) => ({ column: name, value: name, expected })),
    ]
  }
  if (ofCode.length > 0) return code.filter((part) => !ofCode.includes(part)).map((part) => missing(part))
  return lacking.flatMap((column) => (column.optional ? [] : [missing(column, codeNames && ` or ${codeNames}`)]))
}

type Cell = string | number
/** A value of a file as one of a row; undefined where there is none. */
type CellOf<T> = (value: T, column: CsvColumn) => Cell | undefined

/** Makes a row out of the values that a line has in these columns, and adds a fault for a derived value that is another. */
export function rowMaker<T>(
  columns: readonly CsvColumn[],
  cellOf: CellOf<T>,
  faults: Faults,
): (values: readonly T[], location: SourceLocation) => GivenRow {
  const copies = columns.flatMap(({ name, copyOf }, at) =>
    copyOf === undefined ? [] : [{ name, copyOf, at, of: columns.findIndex((column) => column.name === copyOf) }],
  )
  const fields = [
    ...Map.groupBy(
      columns.flatMap((column, at) => ((column.copyOf ?? column.isComposed) ? [] : [{ column, at }])),
      ({ column }) => column.field,
    ),
  ].map(([field, own]) => [field, fieldMaker(own, cellOf)] as const)
  return (values, location) => {
    for (const { name, copyOf, at, of } of copies)
      if (values[at] !== values[of])
        faults.add({
          ...location,
          column: name,
          value: values[at],
          expected: `the value of ${copyOf}, from which it is derived`,
        })
    const row: Record<string, GivenRow[string]> = {}
    for (const [field, make] of fields) {
      const value = make(values)
      if (value !== undefined) row[field] = value
    }
    return row
  }
}

type GivenColumn = { readonly column: CsvColumn; readonly at: number }

function fieldMaker<T>(
  columns: readonly GivenColumn[],
  cellOf: CellOf<T>,
): (values: readonly T[]) => GivenRow[string] | undefined {
  const [{ column, at }, ...others] = columns as readonly [GivenColumn, ...GivenColumn[]]
  if (column.part !== undefined)
    return (values) =>
      Object.fromEntries(
        columns.map(({ column, at }) => [column.part as string, cellOf(values[at] as T, column) ?? '']),
      )
  if (others.length === 0) return (values) => cellOf(values[at] as T, column)
  // The values of a key that has several are one text, in the order of the key; where all are missing there is none.
  const inOrder = columns.toSorted((one, other) => (one.column.keyPart ?? 0) - (other.column.keyPart ?? 0))
  return (values) => {
    const parts = inOrder.map(({ column, at }) => cellOf(values[at] as T, column) ?? '')
    return parts.every((part) => part === '') ? undefined : parts.join('\0')
  }
}
