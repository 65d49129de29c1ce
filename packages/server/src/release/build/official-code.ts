// The official code of a record with those of its ancestors: what it is called in every source, however that numbers it.
import { type Entity, type Identity, identityOf, type Values } from '../../catalog/entity.ts'
import type { Block } from '../../source/source.ts'

/** The rows of an entity by their identifiers. */
export type RowsOf = (entity: string) => ReadonlyMap<Identity, Values>

/** Needs the rows of what the code embeds. */
export function officialCode(entity: Entity, row: Values, rowsOf: RowsOf): string {
  const parts = entity.code.map((field) => {
    const definition = entity.fields[field]
    const value = row[field]
    if (definition?.kind !== 'embed') return value
    const parent = rowsOf(definition.entity.name).get(value as Identity)
    return parent === undefined ? value : officialCode(definition.entity, parent, rowsOf)
  })
  return parts.join('/')
}

/** The entities whose rows the official code of an entity is read from: itself, and what its code embeds. */
export function entitiesInCode(entity: Entity): Entity[] {
  const embedded = entity.code.flatMap((field) => {
    const definition = entity.fields[field]
    return definition?.kind === 'embed' ? entitiesInCode(definition.entity) : []
  })
  return [entity, ...embedded]
}

/** Reads the rows of all entities that an official code is made of. */
export async function rowsInCode(
  entity: Entity,
  read: (entity: Entity) => Promise<AsyncIterable<Block> | Iterable<Block>>,
): Promise<RowsOf> {
  const rows = new Map<string, Map<Identity, Values>>()
  for (const one of entitiesInCode(entity)) {
    if (rows.has(one.name)) continue
    const byId = new Map<Identity, Values>()
    for await (const block of await read(one))
      for (const row of block.rows as readonly Values[]) byId.set(identityOf(one, row), row)
    rows.set(one.name, byId)
  }
  return (name) => rows.get(name) ?? new Map()
}
