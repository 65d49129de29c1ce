// The paths of API v2, derived from the definitions, with their variable parts in braces.
import type { Catalog } from '../../catalog/catalog.ts'
import { V2_PATH } from '../../catalog/collections.ts'
import type { Entity } from '../../catalog/entity.ts'
import { descendantsOf, ownerOf } from '../../catalog/lineage.ts'

/** The path of a single record. */
export function recordTemplate(entity: Entity): string {
  const owner = ownerOf(entity)
  const own = `${entity.plural}/{${entity.key.at(-1)}}`
  return owner === undefined ? `${V2_PATH}/${own}` : `${V2_PATH}/${owner.entity.plural}/{${owner.field}}/${own}`
}

/** The path of the records below one. */
export const childrenTemplate = (parent: Entity, child: Entity): string =>
  `${V2_PATH}/${parent.plural}/{${parent.key[0]}}/${child.plural}`

export function v2Paths(catalog: Catalog): readonly string[] {
  const entities = [...catalog.entities.values()]
  const lists = entities.map(({ plural }) => `${V2_PATH}/${plural}`)
  return [
    V2_PATH,
    ...lists,
    ...lists.map((path) => `${path}/all`),
    ...entities.map(recordTemplate),
    ...entities.flatMap((parent) => descendantsOf(catalog, parent).map((child) => childrenTemplate(parent, child))),
    `${V2_PATH}/search`,
    `${V2_PATH}/releases`,
    `${V2_PATH}/releases/{digest}`,
    `${V2_PATH}/changes`,
  ]
}
