// Reads a file of one JSON object a line as blocks of rows, in constant memory.
import type { Entity } from '../../catalog/entity.ts'
import type { Faults } from '../faults.ts'
import type { Block, GivenRow, Report } from '../source.ts'
import type { Column } from './columns.ts'
import { layoutOf, rowOf } from './layout.ts'
import { readLines } from './lines.ts'

type Place = { readonly file: string; readonly line: number }

export async function* readNdjson(path: string, file: string, entity: Entity, report: Report): AsyncGenerator<Block> {
  const readObject = objectReader(entity, report.faults)
  for await (const { first, lines } of readLines(path, file, report.faults)) {
    const block = { file, lines: [] as number[], rows: [] as GivenRow[] }
    for (let position = 0; position < lines.length; position++) {
      const place = { file, line: first + position }
      const row = readObject(lines[position] as string, place)
      if (row === undefined) continue
      block.lines.push(place.line)
      block.rows.push(row)
    }
    yield block
  }
}

function objectReader(entity: Entity, faults: Faults): (line: string, place: Place) => GivenRow | undefined {
  const layout = layoutOf(entity, faults)
  let columns: readonly Column[] = []
  return (line, place) => {
    const object = parsed(line)
    if (object === undefined) {
      faults.add({ ...place, column: 'all', value: line, expected: 'one JSON object on the line' })
      return undefined
    }
    const names: string[] = []
    const values: unknown[] = []
    spread(object, '', names, values)
    // Nearly always the same as on the line before.
    const same = names.length === columns.length && names.every((name, position) => name === columns[position]?.name)
    const found = same ? columns : layout(names, place)
    if (found === undefined) return undefined
    columns = found
    return fitting(columns, values, place, faults) ? rowOf(columns, values as (string | number)[], asIs) : undefined
  }
}

type JsonObject = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** An object in an object is its values under dotted names. */
function spread(object: JsonObject, prefix: string, names: string[], values: unknown[]): void {
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (prefix === '' && isObject(value)) spread(value, `${name}.`, names, values)
    else {
      names.push(prefix + name)
      values.push(value)
    }
  }
}

/** What is of another type than the column is told here, because no later check tells `"1"` from `1` in a code. */
function fitting(columns: readonly Column[], values: readonly unknown[], place: Place, faults: Faults): boolean {
  let fits = true
  for (let position = 0; position < columns.length; position++) {
    const { name, number } = columns[position] as Column
    const value = values[position]
    if (typeof value === (number ? 'number' : 'string')) continue
    fits = false
    faults.add({ ...place, column: name, value, expected: number ? 'a number, without quotes' : 'a text, in quotes' })
  }
  return fits
}

const asIs = (value: string | number) => value
