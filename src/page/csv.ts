// Records as lines of CSV (RFC 4180): embedded records flattened into dotted columns, safe to open in a spreadsheet.
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { type FieldPath, pathsOf } from '../catalog/paths.ts'
import type { Selection } from './selection.ts'

const END = '\r\n'
/** A spreadsheet takes what begins like this for a formula, and may run it. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/
/** Either of them: hardly any value is one, and one look tells. */
const NEEDS_CARE = /^[=+\-@\t]|[",\r\n]/

function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  if (!NEEDS_CARE.test(value)) return value
  const safe = FORMULA.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The columns of what is left of a record, in the order in which it is rendered. */
export function csvColumns(entity: Entity, { fields, embed }: Selection): FieldPath[] {
  const paths = [...pathsOf(entity).values()]
  const isWanted = ({ path }: FieldPath) =>
    fields === undefined || fields.some((field) => field === path || path.startsWith(`${field}.`))
  // An embedded record that stands for its identifier is a column, unless something in it was asked for by name.
  const isOpened = ({ path }: FieldPath) => fields?.some((field) => field.startsWith(`${path}.`)) ?? false
  const isClosed = (steps: readonly string[]) =>
    embed === 'id' &&
    steps.some((_, length) => {
      const parent = length === 0 ? undefined : pathsOf(entity).get(steps.slice(0, length).join('.'))
      return parent !== undefined && !isOpened(parent)
    })
  return paths.filter((path) => {
    if (!isWanted(path) || isClosed(path.steps)) return false
    return path.field.kind !== 'embed' || (embed === 'id' && !isOpened(path))
  })
}

export const csvHead = (entity: Entity, rendition: Selection): string =>
  csvColumns(entity, rendition)
    .map(({ path }) => path)
    .join(',') + END

/** For records that have been left with what is wanted of them. */
export function csvRow(entity: Entity, rendition: Selection): (record: PublishedRecord) => string {
  const columns = csvColumns(entity, rendition)
  return (record) => columns.map(({ steps }) => csvCell(valueAt(record, steps))).join(',') + END
}

function valueAt(record: PublishedRecord, steps: readonly string[]): string | number {
  let value: PublishedRecord[string] = record
  for (const step of steps) value = (value as PublishedRecord)[step] as PublishedRecord[string]
  return value as string | number
}
