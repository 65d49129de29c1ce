// The rules for every list that ships with the program, whichever is added: in its definition, and in the descriptor, which those
// who read the tables with other programs use too.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtIn, entityNames } from '../../../../test/support/built-in.ts'
import { contractEntities, contractFields } from '../../../../test/support/expected.ts'
import { profileFaults } from '../../../../test/support/profile.ts'
import { shippedFile } from '../base/program.ts'
import { isSafePattern } from '../base/safe-pattern.ts'
import { entityData } from '../catalog/catalog.ts'
import { parseDefinition } from '../catalog/definition-schema.ts'
import { type Entity, embedsOf, identifierOf, publishedFields } from '../catalog/entity.ts'
import { builtInCatalog, builtInCredits } from './built-in.ts'
import { ALIAS_COLUMNS } from './package/defined-aliases.ts'
import { PROFILE_REFERENCE } from './package/profile-file.ts'

type Resource = {
  readonly name: string
  readonly path: string
  readonly schema: { readonly fields: readonly { readonly name: string }[] }
  readonly 'nomenclator:role'?: string
}

function text(path: string): string {
  const bytes = readFileSync(shippedFile(join('data', path)))
  return new TextDecoder().decode(path.endsWith('.gz') ? Bun.gunzipSync(bytes) : bytes)
}
const descriptor = JSON.parse(text('datapackage.json')) as { readonly resources: readonly Resource[] }
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

  test('is sound', () => {
    const before = entityNames.slice(0, entityNames.indexOf(entityName))
    const known = new Map(before.map((name) => [name, entityData(builtIn(name))]))
    expect(parseDefinition(entityData(definition), known)).toEqual({ definition: entityData(definition) })
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

test.each(descriptor.resources)('the schema of $name has the columns of $path', (resource) => {
  expect(resource.schema.fields.map(({ name }) => name)).toEqual(headerOf(resource))
})

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
