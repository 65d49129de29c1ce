// Who embeds whom: the ways from a record up to its ancestors, and down to its descendants.
import { memoized } from '../base/memoized.ts'
import type { Catalog } from './catalog.ts'
import { type Entity, embedsOf } from './entity.ts'
import { keyPathsOf, pathsOf, type RecordPath } from './paths.ts'

const entityAt = ({ field }: RecordPath): Entity | undefined => (field.kind === 'embed' ? field.entity : undefined)

/** The shortest way from a record to each of its ancestors; of several, the one that is rendered first. */
export const waysFrom = memoized((entity: Entity): ReadonlyMap<Entity, RecordPath> => {
  const ways = new Map<Entity, RecordPath>()
  for (const path of pathsOf(entity).values()) {
    const ancestor = entityAt(path)
    if (ancestor === undefined) continue
    const shortest = ways.get(ancestor)
    if (shortest === undefined || path.steps.length < shortest.steps.length) ways.set(ancestor, path)
  }
  return ways
})

export const pathTo = (entity: Entity, ancestor: Entity): RecordPath | undefined => waysFrom(entity).get(ancestor)

/** Two ways from a record to an ancestor, which one expects to be the same record. */
type WayPair = { readonly left: string; readonly right: string }

/** The pairs of ways to an ancestor that may lead to different records, but for those that follow from another pair. */
export const wayPairs = memoized((entity: Entity): readonly WayPair[] => {
  const ways = [...pathsOf(entity).values()].filter((path) => entityAt(path) !== undefined)
  const target = new Map(ways.map((way) => [way.path, entityAt(way)]))
  const before = ({ steps }: RecordPath) => target.get(steps.slice(0, -1).join('.'))
  const follows = (one: RecordPath, other: RecordPath) =>
    one.steps.at(-1) === other.steps.at(-1) && before(one) !== undefined && before(one) === before(other)
  return ways.flatMap((left, at) =>
    ways
      .slice(at + 1)
      .filter((right) => entityAt(left) === entityAt(right) && !follows(left, right))
      .map((right) => ({ left: left.path, right: right.path })),
  )
})

const descendantsIn = memoized(({ entities }: Catalog): ReadonlyMap<Entity, readonly Entity[]> => {
  const below = new Map<Entity, Entity[]>()
  for (const entity of entities.values())
    for (const ancestor of waysFrom(entity).keys()) below.getOrInsertComputed(ancestor, () => []).push(entity)
  return below
})

/** The entities of a catalog whose records have one of this entity among their ancestors. */
export const descendantsOf = (catalog: Catalog, ancestor: Entity): readonly Entity[] =>
  descendantsIn(catalog).get(ancestor) ?? []

type Step = { readonly field: string; readonly entity: Entity }

/** The fields that lead from a record to its parent, to the parent of that, and so on, through as many as there are. */
export const ancestorsOf = memoized((entity: Entity): readonly Step[] => {
  const chains = embedsOf(entity).map(([field, parent]) => [{ field, entity: parent }, ...ancestorsOf(parent)])
  return chains.toSorted((a, b) => b.length - a.length)[0] ?? []
})

/** An entity and those of its ancestors, the nearest first. */
export const lineageOf = memoized((entity: Entity): readonly Entity[] => [
  entity,
  ...ancestorsOf(entity).map((step) => step.entity),
])

/** The parent under which records are numbered, where they have no identifier of their own. */
export function ownerOf({ key, fields }: Entity): Step | undefined {
  const [field = '', own = '', ...more] = key
  const parent = fields[field]
  if (parent?.kind !== 'embed' || fields[own]?.kind !== 'id' || more.length > 0) return undefined
  return keyPathsOf(parent.entity).length === 1 ? { field, entity: parent.entity } : undefined
}
