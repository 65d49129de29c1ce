// What the built-in catalog has, for tests that go through all of it.
import { v1PathOf } from '../../packages/server/src/base/api-v1.ts'
import { v1Collections } from '../../packages/server/src/catalog/collections.ts'
import { builtInCatalog, type EntityName } from '../../packages/server/src/catalog/entities.ts'

export const entityNames = [...builtInCatalog.entities.keys()] as EntityName[]
export const collections = v1Collections(builtInCatalog).map((collection) => ({
  ...collection,
  path: v1PathOf(collection),
}))
