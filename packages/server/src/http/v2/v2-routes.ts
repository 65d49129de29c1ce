// Finds the route of API v2 that a path leads to: one with a path of its own, or a list or record of a catalog.

import { V2_PATH, V2_SEGMENTS } from '../../base/api-v2.ts'
import { memoized } from '../../base/memoized.ts'
import { nearest } from '../../base/nearest.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { broaderOf, type Entity } from '../../catalog/entity.ts'
import { ownerOf, pathTo } from '../../catalog/lineage.ts'
import { ProblemError } from '../problem.ts'

import { READ_PATHS, type ReadRouteName } from './fixed-routes.ts'
import { type NameInPath, nameIn, percentDecoded, type Segment } from './key-text.ts'
import {
  bulkTemplate,
  type ParentInPath,
  type Place,
  placesOf,
  type RecordRoute,
  recordTemplate,
  TREE_AXES,
  type TreeAxis,
} from './record-paths.ts'

/** Records of an entity: all, those that embed a parent, or those around one of their own in their tree. */
type RecordsRoute = {
  readonly entity: Entity
  readonly parent: ParentInPath | undefined
  readonly node?: (NameInPath & { readonly axis: TreeAxis }) | undefined
}

/** A route to records of a release. */
export type CatalogRoute =
  | ({ readonly kind: 'list' } & RecordsRoute)
  | ({ readonly kind: 'bulk' } & RecordsRoute)
  | RecordRoute

/** A route with a path of its own, which may have the digest of a release in it. */
export type FixedRoute<K = ReadRouteName> = K extends unknown ? { readonly kind: K; readonly digest: string } : never

const readRoutes = Object.entries(READ_PATHS) as readonly (readonly [ReadRouteName, string])[]
const routeByPath = new Map(readRoutes.map(([kind, path]) => [path, kind]))

/** Those below the path of API v2, taken apart into segments. */
const routesBelow = readRoutes
  .filter(([, path]) => path.startsWith(V2_PATH))
  .map(([kind, path]) => ({ kind, path, parts: path.split('/').slice(V2_PATH.split('/').length) }))

/** Every path there is, with its variable segments in braces. */
export const v2Paths = memoized((catalog: Catalog): readonly string[] => {
  const { own, below, around } = placesOf(catalog)
  const lists = (places: readonly Place[]) => [...places.map(({ path }) => path), ...places.map(bulkTemplate)]
  const records = [...catalog.entities.values()].map(recordTemplate)
  const [index = '', ...others] = routesBelow.map(({ path }) => path)
  return [index, ...lists(own), ...records, ...lists(below), ...lists(around), ...others]
})

/** The segments of a path after that of API v2; undefined if it cannot be decoded. */
function segmentsOf(path: string): readonly Segment[] | undefined {
  if (path === V2_PATH) return []
  const segments = path.slice(V2_PATH.length + 1).split('/')
  if (segments.includes('')) return undefined
  if (!path.includes('%')) return segments.map((sent) => ({ sent, text: sent }))
  const decoded = segments.flatMap((sent) => {
    const text = percentDecoded(sent)
    return text === undefined ? [] : [{ sent, text }]
  })
  return decoded.length === segments.length ? decoded : undefined
}

const VARIABLE = '{digest}'

export function fixedRouteAt(path: string): FixedRoute | undefined {
  const segments = path.startsWith(V2_PATH) ? segmentsOf(path) : undefined
  const isAt = (parts: readonly string[]) =>
    parts.length === segments?.length && parts.every((part, at) => part === VARIABLE || part === segments[at]?.text)
  const kind = routeByPath.get(path) ?? routesBelow.find(({ parts }) => isAt(parts))?.kind
  return kind && { kind, digest: segments?.[1]?.text ?? '' }
}

export function catalogRouteAt(catalog: Catalog, path: string): CatalogRoute {
  const segments = segmentsOf(path)
  const route = segments === undefined ? undefined : routeOf(catalog, segments)
  if (route === undefined)
    throw new ProblemError({
      kind: 'not-found',
      known: v2Paths(catalog),
      // A getter, since only the response needs it.
      get hint() {
        return hintFor(catalog, segments ?? [])
      },
    })
  return route
}

/** Offers the nearest list, or other part of the API, for one that a path has misspelt. */
function hintFor({ collections }: Catalog, segments: readonly Segment[]): string | undefined {
  const at = segments.findIndex(({ text }, place) => place % 2 === 0 && !collections.has(text))
  const others = at === 0 ? routesBelow.flatMap(({ parts: [first] }) => first ?? []) : TREE_AXES
  const meant = at === -1 ? undefined : nearest(segments[at]?.text ?? '', [...collections.keys(), ...others])
  const path = segments.map(({ sent }, place) => (place === at ? meant : sent)).join('/')
  return meant === undefined ? undefined : `Did you mean ${V2_PATH}/${path}?`
}

function routeOf({ collections }: Catalog, segments: readonly Segment[]): CatalogRoute | undefined {
  const [first, own, list, last, ...more] = segments
  const entity = first && collections.get(first.text)
  if (entity === undefined || more.length > 0) return undefined
  if (own === undefined) return { kind: 'list', entity, parent: undefined }
  // A key that is this word is sent with one of its letters encoded.
  if (list === undefined && own.sent === V2_SEGMENTS.all) return { kind: 'bulk', entity, parent: undefined }
  if (list === undefined) return { kind: 'record', entity, ...nameIn(entity, own), parent: undefined }
  return routeInRecord(collections, entity, nameIn(entity, own), list, last)
}

/** The route to a list of a record, or to a record in such a list. */
function routeInRecord(
  collections: Catalog['collections'],
  entity: Entity,
  named: NameInPath,
  list: Segment,
  last: Segment | undefined,
): CatalogRoute | undefined {
  const kind = last === undefined ? 'list' : 'bulk'
  const isList = last === undefined || last.sent === V2_SEGMENTS.all
  const axis = broaderOf(entity) === undefined ? undefined : TREE_AXES.find((one) => one === list.sent)
  if (axis !== undefined) return isList ? { kind, entity, parent: undefined, node: { ...named, axis } } : undefined
  const child = collections.get(list.text)
  if (child === undefined) return undefined
  if (isList) {
    const way = pathTo(child, entity)
    return way && { kind, entity: child, parent: { entity, ...named, steps: way.steps } }
  }
  const owner = ownerOf(child)
  if (owner?.entity !== entity) return undefined
  const parent = { entity, ...named, steps: [owner.field] }
  return { kind: 'record', entity: child, name: last.text, key: [last.text], parent }
}
