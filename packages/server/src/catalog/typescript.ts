// A catalog as TypeScript: a type for each kind of record, and the shapes of the collections for nomenclator-client.
import type { Catalog } from './catalog.ts'
import { type Entity, type Field, factsOf, hasNumericKey, publishedFields, type ValueType } from './entity.ts'
import { descendantsOf, ownerOf } from './lineage.ts'
import { pathsOf } from './paths.ts'

/** A name in the style of types: areas-conocimiento becomes AreasConocimiento. */
export const pascalCase = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase())

/** The collections, for `connect<Collections>(url)`; the name of no record, which is in the singular. */
const SHAPES = 'Collections'

export function typescriptOf(catalog: Catalog): string {
  const entities = [...catalog.entities.values()]
  const records = entities.map(
    (entity) =>
      `/** A record of ${entity.plural}. */\nexport type ${pascalCase(entity.name)} = ${recordType(entity)}\n`,
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

function typeOf(field: Field): string {
  if (field.kind === 'fact') return `${field.type === 'text' ? 'string' : 'number'} | null`
  const orNull = 'optional' in field && field.optional ? ' | null' : ''
  if (field.kind === 'embed') return `${pascalCase(field.entity.name)}${orNull}`
  if (field.kind === 'value') return `${VALUE_TYPES[field.type]}${orNull}`
  return `${field.kind === 'id' ? 'number' : 'string'}${orNull}`
}

/** A description must not end the comment that it stands in. */
const documented = ({ description }: Field, indent: string) =>
  `/** ${description.replaceAll('*/', '* /')} */\n${indent}  `

const recordType = (entity: Entity): string =>
  objectType(
    publishedFields(entity).map(
      ([name, field]) => `${documented(field, '')}readonly ${member(name)}: ${typeOf(field)}`,
    ),
    '',
  )

function keyType({ fields }: Entity, name: string): string {
  const field = fields[name]
  if (field?.kind === 'embed') return hasNumericKey(field.entity) ? 'number' : 'string'
  return field?.kind === 'id' ? 'number' : 'string'
}

function shapeOf(catalog: Catalog, entity: Entity): string {
  const facts = factsOf(entity).map(
    ([name, fact]) => `${documented(fact, '    ')}readonly ${member(name)}: ${typeOf(fact)}`,
  )
  const codes = [...pathsOf(entity).values()].filter(({ field }) => field.kind === 'code').map(({ path }) => path)
  const owner = ownerOf(entity)
  const below = descendantsOf(catalog, entity).map(({ plural }) => plural)
  return objectType(
    [
      `readonly record: ${pascalCase(entity.name)}`,
      `readonly facts: ${objectType(facts, '    ')}`,
      `readonly key: { ${entity.key.map((name) => `readonly ${member(name)}: ${keyType(entity, name)}`).join('; ')} }`,
      `readonly codes: ${union(codes)}`,
      `readonly owner: ${union(owner === undefined ? [] : [owner.entity.plural])}`,
      `readonly below: ${union(below)}`,
      `readonly v1: ${entity.v1 !== undefined}`,
    ],
    '  ',
  )
}
