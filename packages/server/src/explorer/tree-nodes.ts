// The trees of a catalog, and how an address names a node of one.
import { memoized } from '../base/memoized.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { broaderOf, type Entity } from '../catalog/entity.ts'
import { belongsTo } from './ancestry.ts'
import { keyText, segmentsOf } from './links.ts'
import type { View } from './view.ts'

/** A tree: levels of which each has its own entity, from the roots to the leaves, or one entity whose records are a tree. */
export type ShownTree =
  | { readonly kind: 'levels'; readonly levels: readonly Entity[] }
  | { readonly kind: 'forest'; readonly entity: Entity }

/** The trees of a catalog. If several entities belong to one, the first continues the levels. */
export const treesOf = memoized(({ entities }: Catalog): readonly ShownTree[] => {
  const all = [...entities.values()]
  const childOf = (parent: Entity) => all.find((entity) => belongsTo(entity)[0]?.entity === parent)
  const roots = all.filter((entity) => belongsTo(entity).length === 0 && childOf(entity) !== undefined)
  const chains = roots.map((root): ShownTree => {
    const levels = [root]
    for (let next = childOf(root); next !== undefined; next = childOf(next)) levels.push(next)
    return { kind: 'levels', levels }
  })
  const forests = all
    .filter((entity) => broaderOf(entity) !== undefined)
    .map((entity): ShownTree => ({ kind: 'forest', entity }))
  return [...chains, ...forests]
})

export const rootOf = (tree: ShownTree): Entity => (tree.kind === 'forest' ? tree.entity : (tree.levels[0] as Entity))

/** True if nodes of an entity can be opened in a tree of levels. */
export const isInTree = ({ api }: View, entity: Entity): boolean =>
  treesOf(api.catalog).some((tree) => tree.kind === 'levels' && tree.levels.slice(0, -1).includes(entity))

/** The parameter that names a node which is open. */
export const OPEN_NODE = 'open'

/** A node as a collection, a colon and a key. */
export const nodeText = (entity: Entity, segments: readonly string[]): string =>
  `${entity.plural}:${keyText(entity, segments)}`

export type NamedNode = { readonly entity: Entity; readonly segments: readonly string[] }

/** The node that a text names; undefined if it can be none. */
export function nodeNamed({ collections }: Catalog, text: string): NamedNode | undefined {
  const end = text.indexOf(':')
  const entity = collections.get(text.slice(0, Math.max(end, 0)))
  const segments = entity && segmentsOf(entity, text.slice(end + 1))
  return entity === undefined || segments === undefined ? undefined : { entity, segments }
}

/** The identifier of the element of a node. An entity may be a level of one tree and have one of its own. */
export const nodeId = (tree: ShownTree['kind'], entity: Entity, segments: readonly string[]): string =>
  `${tree === 'levels' ? 'node' : 'branch'}-${nodeText(entity, segments).replace(':', '-')}`

/** A node that is deeper than this is not opened: each level takes its place on the page. */
export const MAX_DEPTH = 200
