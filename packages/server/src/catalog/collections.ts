// The collections: which names none can have, and which are those of API v1, in which order.
import { TREE_SEGMENT, V2_SEGMENTS } from '../base/api-v2.ts'
import { memoized } from '../base/memoized.ts'
import type { Catalog, EntityData } from './catalog.ts'

/** Records on a page of API v1, and so on a line of a record file. */
export const PER_PAGE = 10

/** A collection of API v1. */
export type CatalogCollection = {
  readonly name: string
  readonly title: string
  readonly entity: string
}

/** The collections of API v1, in the order in which it lists them. */
export const v1Collections = memoized(({ entities }: Catalog): readonly CatalogCollection[] =>
  [...entities.values()]
    .filter(({ v1 }) => v1 !== undefined)
    .toSorted((a, b) => (a.v1 as number) - (b.v1 as number))
    .map(({ name, plural, title }) => ({ name: plural, title, entity: name })),
)

/** Segments of addresses that mean something else where a collection or a record could be named; no list of a package is called so. */
export const RESERVED_COLLECTIONS: ReadonlySet<string> = new Set([...Object.values(V2_SEGMENTS), TREE_SEGMENT])

/** Says what a definition has that another has too, or that only the program may have. */
export function clashOf({ name, plural }: EntityData, known: ReadonlyMap<string, EntityData>): string | undefined {
  if (known.has(name)) return `${name} is defined twice`
  if ([...known.values()].some((other) => other.plural === plural)) return `two lists are the collection ${plural}`
  return RESERVED_COLLECTIONS.has(plural) ? `the collection ${plural} means something else in addresses` : undefined
}
