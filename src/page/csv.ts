// Records as lines of CSV (RFC 4180): embedded records flattened into dotted columns, safe to open in a spreadsheet.
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { type FieldPath, pathsOf } from '../catalog/paths.ts'
import type { Selection } from './selection.ts'

const END = '\r\n'
/** A spreadsheet takes a cell that begins like this for a formula, and may run it. */
const FORMULA = /^[=+\-@]/

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  return quoted(FORMULA.test(value) ? `'${value}` : value)
}

/** The columns of a selection, in the order in which a record is rendered. */
function csvColumns(entity: Entity, { fields, embed }: Selection): FieldPath[] {
  const paths = [...pathsOf(entity).values()]
  const isSelected = ({ path }: FieldPath) =>
    fields === undefined || fields.some((field) => field === path || path.startsWith(`${field}.`))
  // With embed=id an embedded record is one column, unless some of its own fields are selected.
  const isOpened = ({ path }: FieldPath) => fields?.some((field) => field.startsWith(`${path}.`)) ?? false
  const isClosed = (steps: readonly string[]) =>
    embed === 'id' &&
    steps.some((_, length) => {
      const parent = length === 0 ? undefined : pathsOf(entity).get(steps.slice(0, length).join('.'))
      return parent !== undefined && !isOpened(parent)
    })
  return paths.filter((path) => {
    if (!isSelected(path) || isClosed(path.steps)) return false
    return path.field.kind !== 'embed' || (embed === 'id' && !isOpened(path))
  })
}

export const csvHead = (entity: Entity, rendition: Selection): string =>
  csvColumns(entity, rendition)
    .map(({ path }) => path)
    .join(',') + END

/** For records that have been reduced to the selection. */
export function csvRow(entity: Entity, rendition: Selection): (record: PublishedRecord) => string {
  const columns = csvColumns(entity, rendition)
  return (record) => columns.map(({ steps }) => csvCell(valueAt(record, steps))).join(',') + END
}

function valueAt(record: PublishedRecord, steps: readonly string[]): string | number {
  let value: PublishedRecord[string] = record
  for (const step of steps) value = (value as PublishedRecord)[step] as PublishedRecord[string]
  return value as string | number
}
