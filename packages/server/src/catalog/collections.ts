// The collections of the API: every entity in v2, some of them in v1, and under which paths.
import type { Catalog } from './catalog.ts'

/** Records on a page of API v1, and so on a line of a record file. */
export const PER_PAGE = 10

export const V1_PATH = '/api/v1'
export const V2_PATH = '/api/v2'
export const OPENAPI_PATH = '/api/openapi.json'
/** Where the Reconciliation Service API is. */
export const RECONCILE_PATH = '/reconcile'
const RECONCILE_PREFIX = `${RECONCILE_PATH}/`
export const isReconcilePath = (path: string): boolean => path === RECONCILE_PATH || path.startsWith(RECONCILE_PREFIX)
/** The path of API v2 that takes a body. */
export const RESOLVE_PATH: string = `${V2_PATH}/resolve`

/** A collection of API v1. */
export type Collection = {
  readonly name: string
  readonly title: string
  readonly entity: string
  readonly path: string
}

const collectionsByCatalog = new WeakMap<Catalog, readonly Collection[]>()

/** The collections of API v1, in the order in which it lists them. */
export function v1Collections(catalog: Catalog): readonly Collection[] {
  const known = collectionsByCatalog.get(catalog)
  if (known !== undefined) return known
  const collections = [...catalog.entities.values()]
    .filter(({ v1 }) => v1 !== undefined)
    .toSorted((a, b) => (a.v1 as number) - (b.v1 as number))
    .map(({ name, plural, title }) => ({
      name: plural,
      title,
      entity: name,
      path: `${V1_PATH}/${plural}`,
    }))
  collectionsByCatalog.set(catalog, collections)
  return collections
}
