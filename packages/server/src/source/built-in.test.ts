// The rules for every list that ships with the program, whichever is added: in its definition, and in what the descriptor says of
// it in the words of the standard, for those who read the tables with other programs.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtIn, entityNames } from '../../../../test/support/built-in.ts'
import { contractEntities, contractFields } from '../../../../test/support/expected.ts'
import { profileFaults } from '../../../../test/support/profile.ts'
import { shippedFile } from '../base/program.ts'
import { isSafePattern } from '../base/safe-pattern.ts'
import { type EntityData, entityData } from '../catalog/catalog.ts'
import { parseDefinition } from '../catalog/definition-schema.ts'
import { coordinatesOf, type Entity, embedsOf, type Field, identifierOf, publishedFields } from '../catalog/entity.ts'
import { builtInCatalog, builtInCredits } from './built-in.ts'
import { ALIAS_COLUMNS } from './package/defined-aliases.ts'
import { PROFILE_REFERENCE } from './package/profile-file.ts'

type TableField = {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly constraints?: Readonly<Record<string, unknown>>
  readonly 'nomenclator:role'?: string
}
type Resource = {
  readonly name: string
  readonly path: string
  readonly title: string
  readonly schema: {
    readonly fields: readonly TableField[]
    readonly primaryKey?: readonly string[]
    readonly foreignKeys?: readonly unknown[]
  }
  readonly 'nomenclator:role'?: string
  readonly 'nomenclator:definition'?: EntityData
}

function text(path: string): string {
  const bytes = readFileSync(shippedFile(join('data', path)))
  return new TextDecoder().decode(path.endsWith('.gz') ? Bun.gunzipSync(bytes) : bytes)
}
const descriptor = JSON.parse(text('datapackage.json')) as { readonly resources: readonly Resource[] }
const resourceOf = (name: string) => descriptor.resources.find((one) => one.name === name) as Resource
const headers = new Map<string, string[]>()
const headerOf = ({ path }: Resource) =>
  headers.getOrInsertComputed(path, () => (text(path).split('\n', 1)[0] as string).split(','))

/** Follows a dotted path through the embedded entities. */
function fieldAt(entity: Entity, path: string): string | undefined {
  const [field = '', ...rest] = path.split('.')
  const definition = entity.fields[field]
  if (rest.length === 0 || definition?.kind !== 'embed') return rest.length === 0 ? definition?.kind : undefined
  return fieldAt(definition.entity, rest.join('.'))
}

test.each(contractEntities)('%s publishes the fields of the contract of API v1, in order', (entityName) => {
  expect(publishedFields(builtIn(entityName)).map(([name]) => name)).toEqual(contractFields(entityName))
})

describe.each(entityNames)('the definition of %s', (entityName) => {
  const definition = builtIn(entityName)
  const fields = Object.entries(definition.fields)

  test('is sound, and the same as data again', () => {
    const before = entityNames.slice(0, entityNames.indexOf(entityName))
    const known = new Map(before.map((name) => [name, entityData(builtIn(name))]))
    const given = resourceOf(entityName)['nomenclator:definition'] as EntityData
    expect(parseDefinition(given, known)).toEqual({ definition: given })
    expect(JSON.stringify(entityData(definition))).toBe(JSON.stringify(given))
  })

  test('stands under its own name', () => {
    expect(definition.name).toBe(entityName)
  })

  test('has a key of identifiers and a code of its own fields', () => {
    for (const field of definition.key) expect(['id', 'embed']).toContain(definition.fields[field]?.kind ?? 'missing')
    for (const field of definition.code)
      expect(['code', 'embed']).toContain(definition.fields[field]?.kind ?? 'missing')
    expect(definition.key).not.toBeEmpty()
    expect(definition.code).not.toBeEmpty()
  })

  test('copies only fields that are there', () => {
    for (const [, field] of fields) if (field.kind === 'copy') expect(definition.fields[field.of]?.kind).toBe('name')
  })

  test('comes after what it embeds, which one field identifies', () => {
    for (const [, parent] of embedsOf(definition)) {
      expect(entityNames.indexOf(parent.name)).toBeLessThan(entityNames.indexOf(entityName))
      expect(identifierOf(parent)).toStartWith('id')
    }
  })

  test('expects things only of fields that are there', () => {
    for (const { left, right } of definition.expects) {
      expect(fieldAt(definition, left)).toBeDefined()
      expect(fieldAt(definition, right)).toBeDefined()
    }
  })

  test('says something of every field', () => {
    for (const [, { description }] of fields) expect(description.length).toBeGreaterThan(3)
  })

  test('has patterns that are matched in linear time', () => {
    for (const [, field] of fields) if ('pattern' in field) expect(isSafePattern(field.pattern.source)).toBe(true)
  })
})

describe.each(entityNames)('the table of %s in the words of the standard', (entityName) => {
  const definition = builtIn(entityName)
  const resource = resourceOf(entityName)
  const { schema } = resource

  test('has the columns of its file', () => {
    expect(schema.fields.map(({ name }) => name)).toEqual(headerOf(resource))
  })

  test('has every field of the definition but facts that are not known of any record and copies', () => {
    const missing = Object.keys(definition.fields).filter((name) => !headerOf(resource).includes(name))
    for (const name of missing) expect(['fact', 'copy']).toContain(definition.fields[name]?.kind as string)
  })

  test.each(schema.fields.map((field) => [field.name, field] as const))(
    'says of %s what the definition says',
    (_, field) => {
      expect(field).toMatchObject(columnOf(definition, field.name))
      expect(field.constraints ?? {}).toEqual(constraintsOf(definition.fields[field.name] as Field))
    },
  )

  test('has the keys and the title of the definition', () => {
    const references = embedsOf(definition).map(([field, { name, key }]) => ({
      fields: [field],
      reference: { resource: name, fields: key },
    }))
    expect(schema.primaryKey).toEqual(definition.key)
    expect(schema.foreignKeys ?? []).toEqual(references)
    expect(resource).toMatchObject({
      title: definition.title,
      'nomenclator:collection': definition.plural,
      'nomenclator:order': definition.order,
      'nomenclator:code': definition.code,
    })
    expect(Object(resource)['nomenclator:v1']).toBe(definition.v1 === undefined ? undefined : definition.plural)
  })
})

/** A column of a definition, in the words of the standard. */
function columnOf(entity: Entity, name: string) {
  const field = entity.fields[name] as Field
  const type =
    field.kind === 'fact' && field.type !== 'text'
      ? field.type
      : field.kind === 'id' || field.kind === 'embed'
        ? 'integer'
        : 'string'
  const role = roleOf(entity, name)
  return { type, description: field.description, ...(role === undefined ? {} : { 'nomenclator:role': role }) }
}

function roleOf(entity: Entity, name: string): string | undefined {
  const { latitude, longitude } = coordinatesOf(entity) ?? {}
  if (name === latitude) return 'latitude'
  if (name === longitude) return 'longitude'
  const { kind } = entity.fields[name] as Field
  return kind === 'id' || kind === 'embed' ? undefined : kind
}

/** The standard matches a pattern with the whole value. */
function constraintsOf(field: Field) {
  const pattern = 'pattern' in field ? { pattern: field.pattern.source.replace(/^\^|\$$/g, '') } : {}
  const bounds = 'min' in field ? { minimum: field.min, maximum: field.max } : {}
  return { ...(field.kind === 'fact' ? {} : { required: true }), ...pattern, ...bounds }
}

test('every table in data/ is a resource of the descriptor', () => {
  const tables = [...new Bun.Glob('*.csv{,.gz}').scanSync(shippedFile('data'))].sort()
  expect(descriptor.resources.map(({ path }) => path).sort()).toEqual(tables)
})

test('the table of aliases is told by its role', () => {
  const aliases = descriptor.resources.filter((one) => one['nomenclator:role'] === 'aliases')
  expect(aliases.map(({ path, schema }) => [path, schema.fields.map(({ name }) => name)])).toEqual([
    ['aliases.csv', [...ALIAS_COLUMNS]],
  ])
  expect(headerOf(aliases[0] as Resource)).toEqual([...ALIAS_COLUMNS])
})

test('the descriptor holds against the profile beside it', () => {
  expect(profileFaults(descriptor)).toEqual([])
  expect(Object(descriptor).$schema).toBe(PROFILE_REFERENCE)
})

describe('the credits', () => {
  test('are for lists that there are', () => {
    for (const { to, of } of builtInCredits)
      expect([to, of.filter((name) => !builtInCatalog.entities.has(name))]).toEqual([to, []])
  })
})
