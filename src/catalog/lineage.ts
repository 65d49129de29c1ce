// Who embeds whom: the ways from a record up to those above it, and down to those below it.
import { type EntityName, entities, entityNames } from './entities.ts'
import { type Entity, embedsOf } from './entity.ts'
import { type FieldPath, pathsOf } from './paths.ts'

const entityAt = ({ field }: FieldPath): Entity | undefined => (field.kind === 'embed' ? field.entity : undefined)

/** The shortest way from a record to one above it; of several, the one that is rendered first. */
export function pathTo(entity: Entity, above: Entity): FieldPath | undefined {
  const ways = [...pathsOf(entity).values()].filter((path) => entityAt(path) === above)
  return ways.toSorted((a, b) => a.steps.length - b.steps.length)[0]
}

/** The entities whose records are below those of another: its children, their children, and so on. */
export const below = (above: Entity): EntityName[] =>
  entityNames.filter((name) => pathTo(entities[name], above) !== undefined)

/** The fields that lead from a record to its parent, to the parent of that, and so on, through as many as there are. */
export function chainOf(entity: Entity): { readonly field: string; readonly entity: Entity }[] {
  const chains = embedsOf(entity).map(([field, parent]) => [{ field, entity: parent }, ...chainOf(parent)])
  return chains.toSorted((a, b) => b.length - a.length)[0] ?? []
}

/** The parent under which records are numbered, where they have no identifier of their own. */
export function ownerOf(entity: Entity): { readonly field: string; readonly entity: Entity } | undefined {
  const [field = ''] = entity.key
  const parent = entity.fields[field]
  return parent?.kind === 'embed' ? { field, entity: parent.entity } : undefined
}
