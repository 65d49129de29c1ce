// A definition becomes data and is read from it again without a change, down to the order of its keys.
import { expect, test } from 'bun:test'
import { entityData, orderedCatalog } from './catalog.ts'

test('a definition is the same text after it was read from data', () => {
  const parent = {
    name: 'comet',
    plural: 'comets',
    title: 'Comets',
    fields: {
      sign: { kind: 'code', description: 'sign', pattern: '^[A-Z]$', shape: 'a letter' },
      cometId: { kind: 'id', description: 'number' },
    },
    key: ['cometId'],
    code: ['sign'],
    order: 'by key',
    expects: [],
  } as const
  const child = {
    ...parent,
    name: 'tail',
    plural: 'tails',
    fields: {
      tailId: { kind: 'id', description: 'number' },
      comet: { kind: 'embed', description: 'its comet', entity: 'comet' },
    },
    key: ['tailId'],
    code: ['tailId'],
  } as const
  const { entities } = orderedCatalog([child, parent])
  expect([...entities.values()].map((entity) => JSON.stringify(entityData(entity)))).toEqual([
    JSON.stringify(parent),
    JSON.stringify(child),
  ])
})
