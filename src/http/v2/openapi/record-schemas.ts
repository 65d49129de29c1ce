// The JSON Schemas of records, from the definitions of their entities: whole, in part, by key, and as they change.
import { MAX_ID, MAX_TEXT } from '../../../catalog/check.ts'
import { type Entity, type Field, identifierOf } from '../../../catalog/entity.ts'
import { leavesOf } from '../../../catalog/paths.ts'
import { codeFields } from '../record-key.ts'
import { type Json, listOf, object, type Parts } from './parts.ts'

export const ID: Json = { type: 'integer', minimum: 0, maximum: MAX_ID }

const fieldsOf = (entity: Entity, schemaOf: (field: Field) => Json): Json =>
  Object.fromEntries(Object.entries(entity.fields).map(([name, field]) => [name, schemaOf(field)]))

function valueSchema(entity: Entity, field: Exclude<Field, { kind: 'embed' }>): Json {
  const description = field.description
  switch (field.kind) {
    case 'id':
      return { ...ID, description }
    case 'code':
      return { type: 'string', pattern: field.pattern.source, description: `${description}: ${field.shape}` }
    case 'name':
      return { type: 'string', minLength: 1, maxLength: MAX_TEXT, description }
    case 'copy': {
      const original = entity.fields[field.of]
      if (original === undefined || original.kind === 'embed') throw new Error(`${field.of} cannot be copied`)
      return { ...valueSchema(entity, original), description }
    }
  }
}

/** With every field, and every embedded record in full. */
export const wholeRecord = (parts: Parts, entity: Entity): Json =>
  parts.schema(entity.name, () => {
    const fields = fieldsOf(entity, (field) =>
      field.kind === 'embed'
        ? { ...wholeRecord(parts, field.entity), description: field.description }
        : valueSchema(entity, field),
    )
    return object(fields)
  })

/** With the fields that were asked for; an embedded record may be a part too, or stand for its identifier. */
const partOfRecord = (parts: Parts, entity: Entity): Json =>
  parts.schema(`${entity.name}.part`, () => {
    const fields = fieldsOf(entity, (field) => {
      if (field.kind !== 'embed') return valueSchema(entity, field)
      const identifier = field.entity.fields[identifierOf(field.entity)] as Field
      return { anyOf: [partOfRecord(parts, field.entity), { ...ID, description: identifier.description }] }
    })
    const description = `What is left of a ${entity.name} by the parameters fields and embed`
    return { ...object(fields, Object.keys(fields)), minProperties: 1, description }
  })

export const wholeOrPart = (
  parts: Parts,
  entity: Entity,
  around: (record: Json) => Json = (record) => record,
): Json => ({
  anyOf: [around(wholeRecord(parts, entity)), around(partOfRecord(parts, entity))],
})

export const keySchema = (parts: Parts, entity: Entity): Json =>
  parts.schema(`${entity.name}.key`, () => {
    const fields = entity.key.map((name) => [name, { ...ID, description: (entity.fields[name] as Field).description }])
    return object(Object.fromEntries(fields))
  })

/** What became of one record between two releases. */
export const changeSchema = (parts: Parts, entity: Entity): Json =>
  parts.schema(`${entity.name}.change`, () => {
    const record = wholeRecord(parts, entity)
    const common = { collection: { const: entity.plural }, key: keySchema(parts, entity) }
    const fields = listOf({ type: 'string', enum: leavesOf(entity).map(({ path }) => path) })
    return {
      oneOf: [
        object({ ...common, change: { const: 'added' }, new: record }),
        object({ ...common, change: { const: 'removed' }, old: record }),
        object({ ...common, change: { const: 'changed' }, fields, old: record, new: record }),
      ],
    }
  })

const inner = ({ source }: RegExp) => `(?:${source.replace(/^\^|\$$/g, '')})`

/** The official code of a record as it stands at the end of a path. */
export function codeInPath(entity: Entity): Json {
  const patterns = codeFields(entity).map((name) => {
    const field = entity.fields[name]
    if (field?.kind === 'code') return inner(field.pattern)
    const code = field?.kind === 'embed' ? field.entity.fields[field.entity.code[0] as string] : undefined
    if (code?.kind !== 'code') throw new Error(`${entity.name}.${name} is no part of a code`)
    return `(?:[0-9]+|${inner(code.pattern)})`
  })
  return { type: 'string', pattern: `^${patterns.join('-')}$`, description: `official code: ${entity.code.join('-')}` }
}
