// The paths of lists and records, derived from their definitions: as templates with variables in braces, and as a path names a record.

import { KEY_SEPARATOR, V2_PATH, V2_SEGMENTS } from '../../base/api-v2.ts'
import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { broaderOf, type Entity } from '../../catalog/entity.ts'
import { descendantsOf, ownerOf } from '../../catalog/lineage.ts'
import { keyPathsOf, type RecordPath } from '../../catalog/paths.ts'
import type { NameInPath } from './key-text.ts'

/** A record that a path names before a list of it, as estados/9 in estados/9/municipios. */
export type ParentInPath = NameInPath & {
  readonly entity: Entity
  /** The fields that lead to it from the records of that list. */
  readonly steps: readonly string[]
}

/** Relations in a tree to the record that the path names. */
export const TREE_AXES = [V2_SEGMENTS.children, V2_SEGMENTS.ancestors, V2_SEGMENTS.descendants] as const
export type TreeAxis = (typeof TREE_AXES)[number]

export type RecordRoute = NameInPath & {
  readonly kind: 'record'
  readonly entity: Entity
  readonly parent: ParentInPath | undefined
}

/** The place of a list of records: by itself, or below or around a record that the path names. */
export type Place = {
  readonly entity: Entity
  readonly path: string
  /** The entity of the record that the path names. */
  readonly named?: Entity
  readonly axis?: TreeAxis
}

const collectionPath = ({ plural }: Entity) => `${V2_PATH}/${plural}`

/** The values in the path of a record, by the names that they have in braces. */
export const recordVariables = (entity: Entity): readonly (readonly [name: string, path: RecordPath])[] =>
  entity.key.flatMap((field) => {
    const paths = keyPathsOf(entity).filter(({ steps }) => steps[0] === field)
    const [own = ''] = paths[0]?.slug.split('.') ?? []
    return paths.map((path) => [paths.length === 1 ? own : path.slug.replaceAll('.', '_'), path] as const)
  })

const inBraces = (entity: Entity) => recordVariables(entity).map(([name]) => `{${name}}`)

/** The path of a record, with its variable segments in braces. */
export function recordTemplate(entity: Entity): string {
  const owner = ownerOf(entity)
  if (owner === undefined) return `${collectionPath(entity)}/${inBraces(entity).join(KEY_SEPARATOR)}`
  const [first, last] = inBraces(entity)
  return `${collectionPath(owner.entity)}/${first}/${entity.plural}/${last}`
}

/** The lists of records below one that the path names. */
export const placesBelow = (catalog: Catalog, parent: Entity): readonly Place[] =>
  descendantsOf(catalog, parent).map((entity) => ({
    entity,
    path: `${collectionPath(parent)}/${inBraces(parent).join(KEY_SEPARATOR)}/${entity.plural}`,
    named: parent,
  }))

/** The lists of the records around one of a tree. */
export const placesAround = (entity: Entity): readonly (Place & { readonly axis: TreeAxis })[] =>
  broaderOf(entity) === undefined
    ? []
    : TREE_AXES.map((axis) => ({ entity, path: `${recordTemplate(entity)}/${axis}`, named: entity, axis }))

/** All places of lists: those by themselves, those below a record, and those around one. */
export const placesOf = memoized((catalog: Catalog) => {
  const entities = [...catalog.entities.values()]
  return {
    own: entities.map((entity): Place => ({ entity, path: collectionPath(entity) })),
    below: entities.flatMap((parent) => placesBelow(catalog, parent)),
    around: entities.flatMap(placesAround),
  }
})

/** The path of all records at the path of a list. */
export const bulkTemplate = ({ path }: Place): string => `${path}/${V2_SEGMENTS.all}`

/** The route of a record by its identifiers; undefined if their number is another. */
export function recordRoute(entity: Entity, identifiers: readonly string[]): RecordRoute | undefined {
  if (identifiers.length !== keyPathsOf(entity).length || identifiers.includes('')) return undefined
  const owner = ownerOf(entity)
  const [first = '', second = ''] = identifiers
  if (owner === undefined)
    return { kind: 'record', entity, name: identifiers.join(KEY_SEPARATOR), key: identifiers, parent: undefined }
  const parent = { entity: owner.entity, name: first, key: [first], steps: [owner.field] }
  return { kind: 'record', entity, name: second, key: [second], parent }
}
