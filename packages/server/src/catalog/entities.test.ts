// What every definition has to keep, whichever entity is added.

import { describe, expect, test } from 'bun:test'
import { entityNames } from '../../../../test/support/built-in.ts'
import { contractEntities, contractFields } from '../../../../test/support/expected.ts'
import { type EntityName, entities } from './entities.ts'
import { type Entity, embedsOf, identifierOf, publishedFields } from './entity.ts'

/** Follows a dotted path through the embedded entities. */
function fieldAt(entity: Entity, path: string): string | undefined {
  const [field = '', ...rest] = path.split('.')
  const definition = entity.fields[field]
  if (rest.length === 0 || definition?.kind !== 'embed') return rest.length === 0 ? definition?.kind : undefined
  return fieldAt(definition.entity, rest.join('.'))
}

test.each(contractEntities)('%s publishes the fields of the contract of API v1, in order', (entityName) => {
  expect(publishedFields(entities[entityName]).map(([name]) => name)).toEqual(contractFields(entityName))
})

describe.each(entityNames)('%s', (entityName) => {
  const definition: Entity = entities[entityName]
  const kinds = Object.entries(definition.fields)

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
    for (const [, field] of kinds) if (field.kind === 'copy') expect(definition.fields[field.of]?.kind).toBe('name')
  })

  test('comes after what it embeds, which one field identifies', () => {
    for (const [, parent] of embedsOf(definition)) {
      expect(entityNames.indexOf(parent.name as EntityName)).toBeLessThan(entityNames.indexOf(entityName))
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
    for (const [, { description }] of kinds) expect(description.length).toBeGreaterThan(3)
  })
})
