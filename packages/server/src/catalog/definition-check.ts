// Says what is wrong with definitions that came from elsewhere, before anything is made of them.
import { isObject } from '../base/json.ts'
import type { EntityData } from './catalog.ts'
import { VALUE_ROLES, VALUE_TYPES } from './entity.ts'

const MAX_FIELD_NAME = 200
const ENTITY_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const COLLECTION = /^[a-z][a-z0-9-]{0,63}$/
const MAX_TEXT = 500
const MAX_FIELDS = 1_000
const MAX_EXPECTATIONS = 50
const MAX_STEPS = 10

/** Names that every object has: a lookup would find them in rows that do not give them. */
export const isFieldName = (name: string): boolean =>
  name !== '' && name.length <= MAX_FIELD_NAME && !/\p{Cc}/u.test(name) && !(name in Object.prototype)

type KnownDefinitions = ReadonlyMap<string, EntityData>
type Unchecked = Readonly<Record<string, unknown>>

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT && !/\p{Cc}/u.test(value)
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)

function isPattern(value: unknown): boolean {
  if (!isText(value)) return false
  try {
    return new RegExp(value).source !== ''
  } catch {
    return false
  }
}

/** Returns the first fault of a definition. It may embed the entities in `known`. */
export function definitionFault(value: unknown, known: KnownDefinitions): string | undefined {
  if (!isObject(value)) return 'a definition is not an object'
  const { name, plural, title, v1, fields, key, code, order, expects } = value
  if (typeof name !== 'string' || !ENTITY_NAME.test(name)) return 'an entity has no sound name'
  const wrong = (what: string) => `${name}: ${what}`
  if (typeof plural !== 'string' || !COLLECTION.test(plural)) return wrong('its collection has no sound name')
  if (!isText(title)) return wrong('it has no title')
  if (value.package !== undefined && !isText(value.package)) return wrong('its package has no sound name')
  if (value.description !== undefined && typeof value.description !== 'string')
    return wrong('its description is no text')
  if (value.group !== undefined && !isGroup(value.group)) return wrong('its group has no sound title')
  if (v1 !== undefined && !Number.isSafeInteger(v1)) return wrong('its place in API v1 is not a number')
  if (order !== 'by key' && order !== 'as given') return wrong('its order is not known')
  if (!isObject(fields) || Object.keys(fields).length === 0 || Object.keys(fields).length > MAX_FIELDS)
    return wrong('it has no sound fields')
  for (const [field, definition] of Object.entries(fields)) {
    const fault = isFieldName(field) ? fieldFault(definition, fields, known) : 'has no sound name'
    if (fault !== undefined) return wrong(`field ${JSON.stringify(field.slice(0, 64))} ${fault}`)
  }
  const kindOf = (field: unknown) =>
    typeof field === 'string' && Object.hasOwn(fields, field) ? kindIn(fields, field) : ''
  if (!areNames(key, (field) => ['id', 'code', 'embed'].includes(String(kindOf(field)))))
    return wrong('its key is not made of identifiers, codes and records')
  const isTree = Object.keys(fields).some((field) => kindOf(field) === 'broader')
  if (isTree && !(isListOfOne(key) && ['id', 'code'].includes(String(kindOf(key[0])))))
    return wrong('it is a tree, and its key is not one identifier or code')
  if (!areNames(code, (field) => ['id', 'embed', 'code', 'name'].includes(String(kindOf(field)))))
    return wrong('its code is not made of its fields')
  if (value.codes !== undefined && !areCodes(value.codes, fields))
    return wrong('its official codes are not composed of its fields')
  if (!Array.isArray(expects) || expects.length > MAX_EXPECTATIONS) return wrong('what it expects is not a list')
  const self = value as unknown as EntityData
  return expects.every((one) => isExpectation(one, self, known)) ? undefined : wrong('what it expects is not sound')
}

const areTexts = (value: unknown) =>
  isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isText)

const isGroup = (value: unknown) =>
  isObject(value) && areTexts(value.title) && (value.description === undefined || areTexts(value.description))

const MAX_CODES = 10
const MAX_PARTS = 10
const MAX_WIDTH = 100
const MAX_SEPARATOR = 5

function areCodes(codes: unknown, fields: Unchecked): boolean {
  if (!Array.isArray(codes) || codes.length === 0 || codes.length > MAX_CODES) return false
  const names = codes.map((code) => (isObject(code) ? code.name : undefined))
  return new Set(names).size === names.length && codes.every((code) => isCode(code, fields))
}

/** One that has the name of a field is that field as it is. */
function isCode(code: unknown, fields: Unchecked): boolean {
  if (!isObject(code) || typeof code.name !== 'string' || !isFieldName(code.name) || !isText(code.description))
    return false
  const { name, title, parts, separator = '' } = code
  if (title !== undefined && !isText(title)) return false
  if (typeof separator !== 'string' || separator.length > MAX_SEPARATOR || /\p{Cc}/u.test(separator)) return false
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > MAX_PARTS) return false
  const isField = Object.hasOwn(fields, name) && kindIn(fields, name) !== 'fact'
  if (Object.hasOwn(fields, name) && !(isField && parts.length === 1 && isAsItIs(parts[0], name))) return false
  return parts.every((part) => isCodePart(part, fields))
}

const isAsItIs = (part: unknown, name: string) =>
  isObject(part) && part.field === name && part.width === undefined && part.values === undefined

function isCodePart(part: unknown, fields: Unchecked): boolean {
  if (!isObject(part) || typeof part.field !== 'string' || !Object.hasOwn(fields, part.field)) return false
  const { width, values } = part
  if (!['id', 'code', 'name', 'embed', 'value', 'fact'].includes(String(kindIn(fields, part.field)))) return false
  const isWidth = Number.isSafeInteger(width) && (width as number) >= 1 && (width as number) <= MAX_WIDTH
  if (width !== undefined && !isWidth) return false
  return values === undefined || (isObject(values) && Object.values(values).every(isText))
}

const isListOfOne = (value: unknown): value is readonly [unknown] => Array.isArray(value) && value.length === 1

const isOneOf = (list: readonly string[], value: unknown) => list.includes(String(value))

const areNames = (value: unknown, isOne: (name: unknown) => boolean) =>
  Array.isArray(value) && value.length > 0 && new Set(value).size === value.length && value.every(isOne)

const kindIn = (fields: Unchecked, name: string): unknown => {
  const field = fields[name]
  return isObject(field) ? field.kind : undefined
}

function fieldFault(field: unknown, fields: Unchecked, known: KnownDefinitions): string | undefined {
  if (!isObject(field) || !isText(field.description)) return 'has no description'
  switch (field.kind) {
    case 'id':
    case 'name':
      return undefined
    case 'code':
      return isPattern(field.pattern) && isText(field.shape) ? undefined : 'has no sound pattern'
    case 'copy':
      return typeof field.of === 'string' && ['name', 'code'].includes(String(kindIn(fields, field.of)))
        ? undefined
        : 'copies what is not there'
    case 'embed': {
      const parent = typeof field.entity === 'string' ? known.get(field.entity) : undefined
      return parent === undefined ? 'embeds an entity that is not defined before it' : undefined
    }
    case 'value':
      return isOneOf(VALUE_TYPES, field.type) && (field.role === undefined || isOneOf(VALUE_ROLES, field.role))
        ? undefined
        : 'is of a type that is not known'
    case 'broader':
      return undefined
    case 'fact':
      if (field.type === 'text')
        return isPattern(field.pattern) && isText(field.shape) ? undefined : 'has no sound pattern'
      return ['integer', 'number'].includes(String(field.type)) && isNumber(field.min) && isNumber(field.max)
        ? undefined
        : 'has no sound bounds'
    default:
      return 'is of a kind that is not known'
  }
}

function isExpectation(value: unknown, entity: EntityData, known: KnownDefinitions): boolean {
  if (!isObject(value)) return false
  const { kind, description, left, relation, right } = value
  const isPath = (path: unknown) => typeof path === 'string' && leadsToField(path.split('.'), entity, known)
  return (
    isText(kind) &&
    isText(description) &&
    (relation === 'equals' || relation === 'begins with') &&
    isPath(left) &&
    isPath(right)
  )
}

/** True if the steps lead through embedded records to a field that every record has. */
function leadsToField(steps: readonly string[], entity: EntityData, known: KnownDefinitions): boolean {
  if (steps.length > MAX_STEPS) return false
  let at: EntityData | undefined = entity
  for (const [position, step] of steps.entries()) {
    const field: EntityData['fields'][string] | undefined =
      at !== undefined && Object.hasOwn(at.fields, step) ? at.fields[step] : undefined
    if (field === undefined) return false
    if (position === steps.length - 1) return field.kind !== 'fact'
    at = field.kind === 'embed' ? known.get(field.entity) : undefined
  }
  return false
}
