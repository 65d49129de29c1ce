// A catalog as TypeScript: a type for each kind of record, and the shapes of the collections for nomenclator-client.
import type { Catalog } from './catalog.ts'
import { broaderOf, type Entity, type Field, factsOf, publishedFields, type ValueType } from './entity.ts'
import { languagesOf } from './languages/languages.ts'
import { descendantsOf, ownerOf } from './lineage.ts'
import { type DerivedCode, keyPathsOf, pathsOf, type RecordPath } from './paths.ts'

/** A name in the style of types: areas-conocimiento becomes AreasConocimiento, and area-1 is another than area1. */
export const pascalCase = (name: string): string =>
  name
    .replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z])/g, (_, first: string) => first.toUpperCase())
    .replace(/[^A-Za-z0-9]+/g, '_')

/** The name of a type that is not one of those that there are already. */
export const typeNameOf = ({ name }: Pick<Entity, 'name'>, isTaken: (name: string) => boolean): string =>
  isTaken(pascalCase(name)) ? `${pascalCase(name)}Record` : pascalCase(name)

/** The collections, for `connect<Collections>(url)`; the name of no record, which is in the singular. */
const SHAPES = 'Collections'
/** Names that mean something else in what is written. */
const TAKEN: readonly string[] = [SHAPES, 'Record']
const typeName = (entity: Entity) => typeNameOf(entity, (name) => TAKEN.includes(name) || name.endsWith('Record'))

export function typescriptOf(catalog: Catalog): string {
  const entities = [...catalog.entities.values()]
  const records = entities.map(
    (entity) => `/** A record of ${entity.plural}. */\nexport type ${typeName(entity)} = ${recordType(entity)}\n`,
  )
  const shapes = entities.map((entity) => `  readonly ${member(entity.plural)}: ${shapeOf(catalog, entity)}\n`)
  return [
    ...records,
    `/** All collections, as connect takes them. */\nexport type ${SHAPES} = {\n${shapes.join('')}}\n`,
  ].join('\n')
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const member = (name: string) => (IDENTIFIER.test(name) ? name : quoted(name))
const union = (names: readonly string[]) => (names.length === 0 ? 'never' : names.map(quoted).join(' | '))
/** The widths that formatters use, so that the text need not be formatted again. */
const MAX_LINE = 120
const unionMember = (start: string, names: readonly string[], indent: string) =>
  `${indent}${start} ${union(names)}`.length <= MAX_LINE
    ? `${start} ${union(names)}`
    : `${start}${names.map((name) => `\n${indent}  | ${quoted(name)}`).join('')}`
const objectType = (members: readonly string[], indent: string) =>
  members.length === 0 ? 'Record<never, never>' : `{\n${members.map((one) => `${indent}  ${one}\n`).join('')}${indent}}`

const VALUE_TYPES: Readonly<Record<ValueType, string>> = {
  text: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  date: 'string',
  year: 'number',
  list: 'readonly unknown[]',
}

function typeOf(entity: Entity, field: Field | DerivedCode): string {
  if (field.kind === 'derived') return 'string | null'
  if (field.kind === 'fact') return `${field.type === 'text' ? 'string' : 'number'} | null`
  const orNull = 'optional' in field && field.optional ? ' | null' : ''
  if (field.kind === 'embed') return `${typeName(field.entity)}${orNull}`
  if (field.kind === 'value') return `${VALUE_TYPES[field.type]}${orNull}`
  if (field.kind === 'broader') return `${keyType(entity, entity.key[0] as string)}${orNull}`
  if (field.kind === 'copy') return typeOf(entity, entity.fields[field.of] as Field)
  return `${field.kind === 'id' ? 'number' : 'string'}${orNull}`
}

/** A description must not end the comment that it stands in. */
const documented = ({ description }: Pick<Field, 'description'>, indent: string) =>
  `/** ${description.replaceAll('*/', '* /')} */\n${indent}  `

const recordType = (entity: Entity): string =>
  objectType(
    publishedFields(entity).map(
      ([name, field]) => `${documented(field, '')}readonly ${member(name)}: ${typeOf(entity, field)}`,
    ),
    '',
  )

/** The type of a field of the key: an embedded record stands for its own key. */
function keyType({ fields }: Entity, name: string): string {
  const field = fields[name]
  if (field?.kind === 'embed') return keyTypes(field.entity)
  return field?.kind === 'id' ? 'number' : 'string'
}

const isOfType = (field: Field | DerivedCode, types: readonly ValueType[]) =>
  field.kind === 'value' && types.includes(field.type)

/** The keys of embedded records, if any of them is no number. */
function referencesOf(paths: readonly RecordPath[]): string[] {
  const references = paths.flatMap(({ path, field }) =>
    field.kind === 'embed' ? [{ path, type: keyTypes(field.entity) }] : [],
  )
  if (references.every(({ type }) => type === 'number')) return []
  const members = references.map(({ path, type }) => `readonly ${member(path)}: ${type}`)
  return [`readonly references: { ${members.join('; ')} }`]
}

/** The key of a record: a tuple where it has several values. */
function keyTypes(entity: Entity): string {
  const types = keyPathsOf(entity).map(({ numeric }) => (numeric ? 'number' : 'string'))
  return types.length === 1 ? (types[0] as string) : `readonly [${types.join(', ')}]`
}

function shapeOf(catalog: Catalog, entity: Entity): string {
  const facts = factsOf(entity).map(
    ([name, fact]) => `${documented(fact, '    ')}readonly ${member(name)}: ${typeOf(entity, fact)}`,
  )
  const paths = [...pathsOf(entity).values()]
  const derived = paths.flatMap(({ steps: [name = ''], field }) =>
    field.kind === 'derived' ? [`${documented(field, '    ')}readonly ${member(name)}: ${typeOf(entity, field)}`] : [],
  )
  const pathsWhere = (holds: (field: Field | DerivedCode) => boolean) =>
    paths.filter(({ field }) => holds(field)).map(({ path }) => path)
  const codes = pathsWhere((field) => field.kind === 'code' || field.kind === 'derived' || isOfType(field, ['text']))
  const bounded = pathsWhere((field) => isOfType(field, ['integer', 'number', 'year', 'date']))
  const languages = languagesOf(entity)
  const owner = ownerOf(entity)
  const below = descendantsOf(catalog, entity).map(({ plural }) => plural)
  return objectType(
    [
      `readonly record: ${typeName(entity)}`,
      `readonly facts: ${objectType(facts, '    ')}`,
      ...(derived.length === 0 ? [] : [`readonly derived: ${objectType(derived, '    ')}`]),
      `readonly key: { ${entity.key.map((name) => `readonly ${member(name)}: ${keyType(entity, name)}`).join('; ')} }`,
      unionMember('readonly codes:', codes, '    '),
      ...(owner === undefined ? [] : [`readonly owner: ${union([owner.entity.plural])}`]),
      ...(below.length === 0 ? [] : [unionMember('readonly below:', below, '    ')]),
      ...(entity.v1 === undefined ? [] : ['readonly v1: true']),
      ...(bounded.length === 0 ? [] : [`readonly bounded: ${union(bounded)}`]),
      ...referencesOf(paths),
      ...(broaderOf(entity) === undefined ? [] : ['readonly tree: true']),
      ...(languages.length === 0 ? [] : [`readonly languages: ${union(languages)}`]),
    ],
    '  ',
  )
}
