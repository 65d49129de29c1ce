// One published record: whether it has the shape that its definition gives, which records it embeds, which copies differ.
import { isObject } from '../../base/json.ts'
import { type Entity, embedsOf, type Field, publishedFields } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'

/** `path` is dotted and leads from the record to the value. */
export type ShapeFault = { readonly path: string; readonly value: unknown; readonly expected: string }
export type ShapeCheck = (record: unknown, faults: ShapeFault[]) => void

/** Finds missing, unknown and wrongly typed values. Values of the right type are checked when the release is built. */
export function shapeChecker(entity: Entity, prefix = ''): ShapeCheck {
  const fields = new Map(
    publishedFields(entity).map(([field, definition]) => [field, valueChecker(`${prefix}${field}`, definition)]),
  )
  return (record, faults) => {
    if (!isObject(record)) {
      faults.push({ path: prefix.slice(0, -1) || 'record', value: record, expected: `the fields of a ${entity.name}` })
      return
    }
    for (const [field, check] of fields) check(record[field], faults)
    const names = Object.keys(record)
    if (names.length === fields.size && faults.length === 0) return
    for (const name of names)
      if (!fields.has(name))
        faults.push({ path: `${prefix}${name}`, value: record[name], expected: `no such field in a ${entity.name}` })
  }
}

function valueChecker(path: string, field: Field): ShapeCheck {
  if (field.kind === 'embed') return shapeChecker(field.entity, `${path}.`)
  const [isValid, expected] =
    field.kind === 'id'
      ? [Number.isInteger, 'a whole number']
      : [(value: unknown) => typeof value === 'string', 'a text']
  return (value, faults) => {
    if (!isValid(value)) faults.push({ path, value, expected })
  }
}

type Visit = (entity: Entity, record: PublishedRecord, path: string) => void

/** Visits all records that a record of sound shape embeds, at any depth. */
export function embeddedVisitor(entity: Entity, prefix = ''): (record: PublishedRecord, visit: Visit) => void {
  const embedded = embedsOf(entity).map(([field, parent]) => {
    const path = `${prefix}${field}`
    return { field, parent, path, inner: embeddedVisitor(parent, `${path}.`) }
  })
  return (record, visit) => {
    for (const { field, parent, path, inner } of embedded) {
      const child = record[field] as PublishedRecord
      visit(parent, child, path)
      inner(child, visit)
    }
  }
}

const NONE: readonly string[] = []

/** Finds the fields of a record that should be copies of other fields and differ from them. */
export function copyChecker(entity: Entity): (record: PublishedRecord) => readonly string[] {
  const copies = Object.entries(entity.fields).flatMap(([field, definition]) =>
    definition.kind === 'copy' ? [[field, definition.of] as const] : [],
  )
  if (copies.length === 0) return () => NONE
  return (record) => copies.filter(([field, of]) => record[field] !== record[of]).map(([field]) => field)
}
