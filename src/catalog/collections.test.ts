// The five collections, as clients know them.

import { expect, test } from 'bun:test'
import { collections, entityNames } from '../../test/support/built-in.ts'
import { PER_PAGE } from './collections.ts'

test('each collection publishes one entity under one path', () => {
  expect(collections.map(({ path, entity }) => [path, entity])).toEqual([
    ['/api/v1/localidades', 'localidad'],
    ['/api/v1/municipios', 'municipio'],
    ['/api/v1/paises', 'pais'],
    ['/api/v1/subdisciplinas-conocimiento', 'subdisciplina'],
    ['/api/v1/audiencias', 'audiencia'],
  ])
  for (const { entity } of collections) expect(entityNames as string[]).toContain(entity)
})

test('every collection has a title of its own', () => {
  expect(new Set(collections.map(({ title }) => title)).size).toBe(collections.length)
})

test('a page has ten records', () => {
  expect(PER_PAGE).toBe(10)
})
