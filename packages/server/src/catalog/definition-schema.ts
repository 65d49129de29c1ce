// The schema of definitions: whatever a definition came from, a descriptor, a file or another machine, this reads it.
import { isObject } from '../base/json.ts'
import {
  dictionaryOf,
  listOf,
  mismatchText,
  number,
  objectOf,
  oneOf,
  optional,
  parse,
  type Schema,
  such,
  text,
  variants,
  wholeNumber,
} from '../base/schema.ts'
import { collectionName, entityName, fieldName, languageTag, line, paragraph, pattern } from '../base/texts.ts'
import type { EntityData } from './catalog.ts'
import { VALUE_ROLES, VALUE_TYPES } from './entity.ts'

const MAX_FIELDS = 1_000
const MAX_KEY = 20
const MAX_COLUMNS = 50
const MAX_CODES = 10
const MAX_PARTS = 10
const MAX_WIDTH = 100
const MAX_SEPARATOR = 5
const MAX_VALUES = 1_000
const MAX_EXPECTATIONS = 50
const MAX_LANGUAGES = 100
const MAX_VALUE = 200
const MAX_PATH = 2_000
const MAX_SHOWN = 64
const MAX_COLLECTIONS = 1_000

const isTrue = such('true', (value): value is true => value === true)
const own = { description: paragraph, title: optional(line) }
const mayLack = { optional: optional(isTrue) }
const language = { language: optional(languageTag) }

const field = variants('kind', {
  id: objectOf({ kind: oneOf('id'), ...own }),
  name: objectOf({ kind: oneOf('name'), ...own, ...mayLack, ...language }),
  code: objectOf({ kind: oneOf('code'), ...own, ...mayLack, pattern, shape: line }),
  copy: objectOf({ kind: oneOf('copy'), ...own, of: fieldName }),
  embed: objectOf({ kind: oneOf('embed'), ...own, ...mayLack, entity: entityName }),
  value: objectOf({
    ...{ kind: oneOf('value'), ...own, ...mayLack, ...language },
    ...{ type: oneOf(...VALUE_TYPES), role: optional(oneOf(...VALUE_ROLES)) },
  }),
  broader: objectOf({ kind: oneOf('broader'), ...own, optional: isTrue }),
  fact: variants('type', {
    integer: objectOf({ kind: oneOf('fact'), ...own, type: oneOf('integer'), min: number, max: number }),
    number: objectOf({ kind: oneOf('fact'), ...own, type: oneOf('number'), min: number, max: number }),
    text: objectOf({
      ...{ kind: oneOf('fact'), ...own, ...language, type: oneOf('text'), pattern, shape: line },
      doubtful: optional(line),
    }),
  }),
})

const separator = such(
  `at most ${MAX_SEPARATOR} letters, without control characters`,
  (value): value is string => typeof value === 'string' && value.length <= MAX_SEPARATOR && !/\p{Cc}/u.test(value),
)

const byLanguage = dictionaryOf(languageTag, line, MAX_LANGUAGES)
const codePart = objectOf({
  field: fieldName,
  width: optional(wholeNumber(1, MAX_WIDTH)),
  values: optional(dictionaryOf(text(MAX_VALUE), line, MAX_VALUES)),
})

/** The parts of a definition, each by itself. */
export const definition = objectOf({
  ...{ name: entityName, plural: collectionName, title: line, titles: optional(byLanguage) },
  ...{ description: optional(paragraph), package: optional(line), v1: optional(wholeNumber(0, MAX_COLLECTIONS)) },
  columns: optional(listOf(line, MAX_COLUMNS)),
  group: optional(objectOf({ title: byLanguage, description: optional(byLanguage) })),
  fields: dictionaryOf(fieldName, field, MAX_FIELDS),
  ...{ key: listOf(fieldName, MAX_KEY), code: listOf(fieldName, MAX_KEY), order: oneOf('by key', 'as given') },
  codes: optional(
    listOf(
      objectOf({ name: fieldName, ...own, parts: listOf(codePart, MAX_PARTS), separator: optional(separator) }),
      MAX_CODES,
    ),
  ),
  expects: listOf(
    objectOf({
      kind: line,
      description: line,
      left: text(MAX_PATH),
      relation: oneOf('equals', 'begins with'),
      right: text(MAX_PATH),
    }),
    MAX_EXPECTATIONS,
  ),
}) as unknown as Schema<EntityData>

/** The definitions that one from outside may refer to, by their names. */
type KnownDefinitions = ReadonlyMap<string, EntityData>

/** Reads a definition; otherwise says what is wrong with it. It may embed the entities in `known`. */
export function parseDefinition(
  value: unknown,
  known: KnownDefinitions,
): { readonly definition: EntityData } | { readonly fault: string } {
  const result = parse(definition, value)
  const named = isObject(value) && typeof value.name === 'string' ? value.name.slice(0, MAX_SHOWN) : 'a definition'
  if ('mismatches' in result) return { fault: `${named}: ${result.mismatches.map(mismatchText).join('; ')}` }
  const fault = contradictionIn(result.value, known)
  return fault === undefined ? { definition: result.value } : { fault: `${named}: ${fault}` }
}

/** Finds a part of a definition that contradicts another part. */
export function contradictionIn(entity: EntityData, known: KnownDefinitions): string | undefined {
  const { fields, key, code, codes, expects } = entity
  const kindOf = (name: string) => (Object.hasOwn(fields, name) ? fields[name]?.kind : undefined)
  const are = (names: readonly string[], kinds: readonly string[]) =>
    names.length > 0 &&
    new Set(names).size === names.length &&
    names.every((name) => kinds.includes(kindOf(name) ?? ''))
  if (Object.keys(fields).length === 0) return 'it has no fields'
  for (const [name, one] of Object.entries(fields)) {
    if (one.kind === 'embed' && !known.has(one.entity))
      return `field ${name} embeds ${one.entity}, which is not defined before it`
    if (one.kind === 'copy' && !are([one.of], ['name', 'code']))
      return `field ${name} copies ${one.of}, which is no name or code`
  }
  if (!are(key, ['id', 'code', 'embed'])) return 'its key is not made of identifiers, codes and records'
  const isTree = Object.values(fields).some(({ kind }) => kind === 'broader')
  if (isTree && !(key.length === 1 && are(key, ['id', 'code'])))
    return 'it is a tree, and its key is not one identifier or code'
  if (!are(code, ['id', 'embed', 'code', 'name'])) return 'its code is not made of its fields'
  if (codes?.length === 0) return 'it has no official code, where codes are listed'
  if (codes !== undefined && new Set(codes.map(({ name }) => name)).size < codes.length)
    return 'two of its official codes have one name'
  for (const { name, parts } of codes ?? []) {
    const isComposed = parts.every(({ field }) => are([field], ['id', 'code', 'name', 'embed', 'value', 'fact']))
    if (parts.length === 0 || !isComposed) return `its official code ${name} is not composed of its fields`
    const [{ field, ...form } = { field: '' }] = parts
    const isAsItIs = parts.length === 1 && field === name && Object.keys(form).length === 0 && kindOf(name) !== 'fact'
    if (Object.hasOwn(fields, name) && !isAsItIs)
      return `its official code ${name} has the name of a field that is something else`
  }
  const astray = expects.flatMap(({ left, right }) => [left, right]).find((path) => !leadsToField(path, entity, known))
  return astray === undefined ? undefined : `it expects something of ${astray}, which leads to no field`
}

/** True if a path leads through embedded records to a field that every record has; names of fields may have dots themselves. */
function leadsToField(path: string, { fields }: EntityData, known: KnownDefinitions): boolean {
  if (Object.hasOwn(fields, path)) return fields[path]?.kind !== 'fact'
  const [name = '', step] = Object.entries(fields).find(([field]) => path.startsWith(`${field}.`)) ?? []
  const parent = step?.kind === 'embed' ? known.get(step.entity) : undefined
  return parent !== undefined && leadsToField(path.slice(name.length + 1), parent, known)
}
