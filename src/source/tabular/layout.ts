// Makes out which column stands where, or what is wrong with the columns given.
import type { Entity } from '../../catalog/entity.ts'
import { nearest } from '../../nearest.ts'
import type { Faults } from '../faults.ts'
import type { GivenRow } from '../source.ts'
import { type Column, columnsOf } from './columns.ts'

type Place = { readonly file: string; readonly line: number }
type Wrong = { readonly column: string; readonly value: string | undefined; readonly expected: string }

/** The columns with these names, in their order; nothing when they are not right, and then the faults are told. */
export type Layout = (names: readonly string[], place: Place) => readonly Column[] | undefined

export function layoutOf(entity: Entity, faults: Faults): Layout {
  const columns = columnsOf(entity)
  const known = new Map(columns.map((column) => [column.name, column]))
  const fields = Map.groupBy(columns, ({ field }) => field)
  return (names, place) => {
    const given = new Set(names)
    const wrongs = [
      ...names.flatMap((name, position) => {
        if (!known.has(name)) return [wrong(name, name, unknownColumn(entity, name, [...known.keys()]))]
        return names.indexOf(name) === position ? [] : [wrong(name, name, 'each column once')]
      }),
      ...[...fields.values()].flatMap((ways) => wrongsOfField(ways, given)),
    ]
    for (const one of wrongs) faults.add({ ...place, ...one })
    return wrongs.length === 0 ? names.map((name) => known.get(name) as Column) : undefined
  }
}

const wrong = (column: string, value: string | undefined, expected: string): Wrong => ({ column, value, expected })

function unknownColumn(entity: Entity, name: string, known: readonly string[]): string {
  const field = Object.hasOwn(entity.fields, name) ? entity.fields[name] : undefined
  if (field?.kind === 'copy') return `no such column: it is derived from ${field.of}`
  const meant = nearest(name, known)
  return meant === undefined ? `one of ${known.join(', ')}` : `a known column; did you mean ${meant}?`
}

/** A field has one column of its own name; a record to embed has the columns of its code as another way. */
function wrongsOfField([whole, ...parts]: readonly Column[], given: ReadonlySet<string>): Wrong[] {
  if (whole === undefined) return []
  const named = parts.filter(({ name }) => given.has(name))
  const code = parts.map(({ name }) => name).join(' and ')
  if (given.has(whole.name))
    return named.map(({ name }) => wrong(name, name, `either ${whole.name} or ${code}, not both`))
  if (named.length > 0) {
    const missing = parts.filter((part) => !named.includes(part))
    return missing.map(({ name }) => wrong(name, undefined, 'this column, which is missing'))
  }
  if (whole.optional) return []
  return [wrong(whole.name, undefined, `this column${code && ` or ${code}`}, which is missing`)]
}

type Cell = string | number
type Cells = Record<string, Cell>

/** A row of what was given in these columns; what makes no cell is left out. */
export function rowOf<T>(
  columns: readonly Column[],
  given: readonly T[],
  cellOf: (value: T, column: Column) => Cell | undefined,
): GivenRow {
  const row: Record<string, Cell | Cells> = {}
  for (let position = 0; position < columns.length; position++) {
    const column = columns[position] as Column
    const cell = cellOf(given[position] as T, column)
    if (cell === undefined) continue
    if (column.part === undefined) row[column.field] = cell
    else codeIn(row, column.field)[column.part] = cell
  }
  return row
}

function codeIn(row: Record<string, Cell | Cells>, field: string): Cells {
  const begun = row[field]
  if (typeof begun === 'object') return begun
  const code: Cells = {}
  row[field] = code
  return code
}
