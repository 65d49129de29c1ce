// The collections of API v1, as clients know them.

import { expect, test } from 'bun:test'
import { collections, entityNames } from '../../../../test/support/built-in.ts'
import { lists } from '../../../../test/support/expected.ts'
import { PER_PAGE } from './collections.ts'

test('the collections of the contract come first, in its order', () => {
  const first = collections.slice(0, lists.length).map(({ path, entity }) => ({ path, entity }))
  expect(first as object[]).toEqual(lists.map(({ path, entity }) => ({ path, entity })))
})

test('each collection publishes one entity under one path', () => {
  for (const { entity } of collections) expect(entityNames as string[]).toContain(entity)
  for (const part of ['path', 'entity'] as const)
    expect(new Set(collections.map((collection) => collection[part])).size).toBe(collections.length)
})

test('every collection has a title of its own', () => {
  expect(new Set(collections.map(({ title }) => title)).size).toBe(collections.length)
})

test('a page has ten records', () => {
  expect(PER_PAGE).toBe(10)
})
