// The lists that golden files have responses of: those of API v1, which is frozen, and those that their records embed. A list that is
// added later changes no recorded response.
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import { type Entity, embedsOf } from '../../packages/server/src/catalog/entity.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { bundledSource } from '../../packages/server/src/source/bundled.ts'
import type { Source } from '../../packages/server/src/source/source.ts'
import { variantOf } from './releases.ts'

const withEmbedded = (entity: Entity): Entity[] => [
  ...embedsOf(entity).flatMap(([, parent]) => withEmbedded(parent)),
  entity,
]

const entities = [...builtInCatalog.entities.values()]
const recorded = new Set(entities.filter(({ v1 }) => v1 !== undefined).flatMap(withEmbedded))
export const recordedCatalog = catalogOf(entities.filter((entity) => recorded.has(entity)))

/** The data that ships with the program, of these lists alone. */
export function recordedSource(source: Source = bundledSource()): Source {
  return { ...source, catalog: recordedCatalog, provides: [...recordedCatalog.entities.keys()] }
}

/** A release of such a source, which would else have the other lists without records. */
export const asRecorded = (release: Release): Release => variantOf(release, { catalog: recordedCatalog })
