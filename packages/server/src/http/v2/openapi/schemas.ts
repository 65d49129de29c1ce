// The JSON Schemas of the records of a catalog and of their changes, derived from its definitions; document.json has all others.
import type { Catalog } from '../../../catalog/catalog.ts'
import { MAX_TEXT } from '../../../catalog/check.ts'
import {
  type Entity,
  type FactField,
  type Field,
  factsOf,
  hasCoordinates,
  type OfficialCode,
  type ValueType,
} from '../../../catalog/entity.ts'
import { languagesOf } from '../../../catalog/languages/languages.ts'
import { derivedCodesOf } from '../../../catalog/official-code.ts'
import { keyPathsOf, pathsOf } from '../../../catalog/paths.ts'
import { typeNameOf } from '../../../catalog/typescript.ts'
import { distanceNameOf } from '../../../query/near.ts'
import document from './document.json' with { type: 'json' }

export type Json = { readonly [key: string]: unknown }

export const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
export const recordRef = (entity: Entity): Json => schemaRef(schemaName(entity))
/** The schema of the names of an entity's fields. */
export const fieldNameRef = (entity: Entity): Json => schemaRef(fieldNameOf(entity))
const fieldNameOf = (entity: Entity) => `${schemaName(entity)}Field`
export const listOf = (items: Json): Json => ({ type: 'array', items })

export const ID = schemaRef('Id')
export const NOT_EMPTY: Json = { type: 'string', minLength: 1 }
/** A day, or the month or year that it is in. */
export const DATE: Json = {
  type: 'string',
  pattern: '^-?[0-9]{4,}(-[0-9]{2}){0,2}(T.*)?$',
  examples: ['2026-11-30'],
}
const COUNT: Json = { type: 'integer', minimum: 0 }
const TEXT: Json = { type: 'string' }
const described = (schema: Json, description: string): Json => ({ ...schema, description })

/** Properties may be added to any object in the future, so none is closed. */
const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

function fieldSchema(entity: Entity, field: Field): Json {
  switch (field.kind) {
    case 'id':
      return described(ID, field.description)
    case 'code': {
      const text = {
        type: 'string',
        pattern: field.pattern.source,
        description: `${field.description}: ${field.shape}`,
      }
      return nullable(text, field.optional)
    }
    case 'name': {
      const text = { type: 'string', minLength: 1, maxLength: MAX_TEXT, description: field.description }
      return nullable(text, field.optional)
    }
    case 'copy':
      return described(fieldSchema(entity, entity.fields[field.of] as Field), field.description)
    case 'embed':
      return field.optional
        ? { anyOf: [recordRef(field.entity), { type: 'null' }], description: field.description }
        : described(recordRef(field.entity), field.description)
    case 'value':
      return described(nullable(VALUE_SCHEMAS[field.type], field.optional), field.description)
    case 'broader':
      return { anyOf: [keyValueSchema(entity), { type: 'null' }], description: field.description }
    case 'fact':
      return described(factSchema(field), field.description)
  }
}

/** The key of a record that is not given in full. */
function keyValueSchema(entity: Entity): Json {
  const schemas = keyPathsOf(entity).map(({ numeric }) => (numeric ? ID : NOT_EMPTY))
  const [only = NOT_EMPTY, ...more] = schemas
  return more.length === 0
    ? only
    : { type: 'array', prefixItems: schemas, minItems: schemas.length, maxItems: schemas.length }
}

function keySchema(entity: Entity, name: string): Json {
  const field = entity.fields[name]
  if (field?.kind === 'embed') return keyValueSchema(field.entity)
  return field?.kind === 'id' ? ID : NOT_EMPTY
}

const VALUE_SCHEMAS: Readonly<Record<ValueType, Json>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string' },
  year: { type: 'integer' },
  list: { type: 'array', items: {} },
}

const nullable = (schema: Json, isNullable: true | undefined): Json =>
  isNullable ? { ...schema, type: [schema.type as string, 'null'] } : schema

/** A fact that is not known is null. */
function factSchema(fact: FactField): Json {
  if (fact.type === 'text') return { type: ['string', 'null'], pattern: fact.pattern.source }
  return { type: [fact.type, 'null'], minimum: fact.min, maximum: fact.max }
}

const codeSchema = ({ title, description }: OfficialCode): Json =>
  described({ type: ['string', 'null'] }, title === undefined ? description : `${title}: ${description}`)

/** Facts are there on request, official codes unless the record is embedded, and a distance if near is given. */
const recordSchema = (entity: Entity): Json =>
  object(
    {
      ...Object.fromEntries(Object.entries(entity.fields).map(([name, field]) => [name, fieldSchema(entity, field)])),
      ...Object.fromEntries(derivedCodesOf(entity).map((code) => [code.name, codeSchema(code)])),
      ...(hasCoordinates(entity) ? { [distanceNameOf(entity)]: DISTANCE_SCHEMA } : {}),
    },
    [
      ...factsOf(entity).map(([name]) => name),
      ...derivedCodesOf(entity).map(({ name }) => name),
      ...namesLeftOut(entity),
      distanceNameOf(entity),
    ],
  )

/** The names that are left out if lang is another language; a name that is the only one never is. */
const namesLeftOut = (entity: Entity): string[] => {
  const names = Object.entries(entity.fields).filter(([, { kind }]) => kind === 'name')
  const isAlwaysThere = names.length === 1 && names.every(([, field]) => !('optional' in field))
  return languagesOf(entity).length === 0 || isAlwaysThere ? [] : names.map(([name]) => name)
}

export const DISTANCE_SCHEMA = described(COUNT, 'metres from the point of the parameter near')

const changeSchema = (entity: Entity): Json =>
  object(
    {
      collection: { const: entity.plural },
      key: object(Object.fromEntries(entity.key.map((name) => [name, keySchema(entity, name)]))),
      change: schemaRef('ChangeKind'),
      fields: listOf(TEXT),
      old: { anyOf: [recordRef(entity), { type: 'object' }] },
      new: recordRef(entity),
    },
    ['fields', 'old', 'new'],
  )

/** Lists of these are everywhere, and have a name of their own. */
export function sharedListOf(items: Json): Json {
  if (items === ID) return schemaRef('Ids')
  return items === NOT_EMPTY ? schemaRef('Texts') : listOf(items)
}

/** The schema of a change of any record. */
export const changeRef = (entity: Entity): Json => schemaRef(changeName(entity))
const changeName = (entity: Entity) => `${schemaName(entity)}Change`

const DERIVED = /(?:Change|Field|Record)$/

/** The name of the schema of the records of an entity, which is that of no other schema. */
const schemaName = (entity: Entity): string =>
  typeNameOf(entity, (name) => DERIVED.test(name) || Object.hasOwn(document.schemas, name))

/** The schemas of the records of a catalog, of their changes and of the names of their fields, by name. */
export function derivedSchemas({ entities }: Catalog): Json {
  const all = [...entities.values()]
  return Object.fromEntries([
    ...all.map((entity) => [schemaName(entity), recordSchema(entity)]),
    ...all.map((entity) => [changeName(entity), changeSchema(entity)]),
    ...all.map((entity) => [fieldNameOf(entity), { type: 'string', enum: [...pathsOf(entity).keys()] }]),
  ])
}
