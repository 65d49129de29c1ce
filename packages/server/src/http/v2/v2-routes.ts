// The routes of API v2, derived from a catalog: the template of each, and the one that a path leads to.

import { KEY_SEPARATOR, V2_PATH, V2_SEGMENTS } from '../../base/api-v2.ts'
import { memoized } from '../../base/memoized.ts'
import { nearest } from '../../base/nearest.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { broaderOf, type Entity } from '../../catalog/entity.ts'
import { descendantsOf, ownerOf, pathTo } from '../../catalog/lineage.ts'
import { keyPathsOf, type RecordPath } from '../../catalog/paths.ts'
import { ProblemError } from '../problem.ts'
import { OPENAPI_PATH, PROFILE_PATH, RESOLVE_PATH } from '../routes.ts'
import { type NameInPath, nameIn, percentDecoded, type Segment } from './key-text.ts'

/** A record that a path names before a list of it, as estados/9 in estados/9/municipios. */
export type ParentInPath = NameInPath & {
  readonly entity: Entity
  /** The fields that lead to it from the records of that list. */
  readonly steps: readonly string[]
}

/** Relations in a tree to the record that the path names. */
const TREE_AXES = [V2_SEGMENTS.children, V2_SEGMENTS.ancestors, V2_SEGMENTS.descendants] as const
type TreeAxis = (typeof TREE_AXES)[number]
type NodeInPath = NameInPath & { readonly axis: TreeAxis }

/** Records of an entity: all, those that embed a parent, or those around one of their own in their tree. */
type RecordsRoute = {
  readonly entity: Entity
  readonly parent: ParentInPath | undefined
  readonly node?: NodeInPath | undefined
}

/** Routes to the content of one release. */
export type CatalogRoute =
  | { readonly kind: 'index' }
  | { readonly kind: 'search' }
  | { readonly kind: 'resolve' }
  | ({ readonly kind: 'list' } & RecordsRoute)
  | RecordRoute
  | ({ readonly kind: 'bulk' } & RecordsRoute)

type RecordRoute = NameInPath & {
  readonly kind: 'record'
  readonly entity: Entity
  readonly parent: ParentInPath | undefined
}

/** Routes to the releases themselves, and to the description of the API. */
export type ServiceRoute =
  | { readonly kind: 'releases' }
  | ReleaseRoute
  | { readonly kind: 'changes' }
  | { readonly kind: 'openapi' | 'profile' }

/** The description of a release, or a part of it. */
export type ReleaseRoute = { readonly kind: 'release' | ReleasePart; readonly digest: string }

/** Parts of a release that can be read besides its description. */
const RELEASE_PARTS = ['manifest', 'checksums', 'signature'] as const
type ReleasePart = (typeof RELEASE_PARTS)[number]

const { all: BULK, search: SEARCH, resolve: RESOLVE, releases: RELEASES, changes: CHANGES } = V2_SEGMENTS

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

/** The path of a list of a record, with its variable segments in braces. */
export const childrenTemplate = (parent: Entity, child: Entity): string =>
  `${collectionPath(parent)}/${inBraces(parent).join(KEY_SEPARATOR)}/${child.plural}`

/** The paths of the records around one of a tree, with their variable segments in braces. */
export const treeTemplates = (entity: Entity): readonly (readonly [axis: TreeAxis, template: string])[] =>
  broaderOf(entity) === undefined ? [] : TREE_AXES.map((axis) => [axis, `${recordTemplate(entity)}/${axis}`])

/** The path of all records at the path of a list. */
export const bulkTemplate = (list: string): string => `${list}/${BULK}`

export const releaseTemplate = `${V2_PATH}/${RELEASES}/{digest}`
export const releasePartTemplate = (part: ReleasePart): string => `${releaseTemplate}/${part}`

/** Every path there is, with its variable segments in braces. */
export const v2Paths = memoized((catalog: Catalog): readonly string[] => {
  const entities = [...catalog.entities.values()]
  const children = entities.flatMap((parent) =>
    descendantsOf(catalog, parent).map((child) => childrenTemplate(parent, child)),
  )
  const around = entities.flatMap(treeTemplates).map(([, template]) => template)
  return [
    V2_PATH,
    ...entities.map(collectionPath),
    ...entities.map((entity) => bulkTemplate(collectionPath(entity))),
    ...entities.map(recordTemplate),
    ...children,
    ...children.map(bulkTemplate),
    ...around,
    ...around.map(bulkTemplate),
    `${V2_PATH}/${SEARCH}`,
    RESOLVE_PATH,
    `${V2_PATH}/${RELEASES}`,
    releaseTemplate,
    ...RELEASE_PARTS.map(releasePartTemplate),
    `${V2_PATH}/${CHANGES}`,
  ]
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

export function serviceRouteAt(path: string): ServiceRoute | undefined {
  if (path === OPENAPI_PATH) return { kind: 'openapi' }
  if (path === PROFILE_PATH) return { kind: 'profile' }
  const [first, digest, part, ...rest] = (segmentsOf(path) ?? []).map(({ text }) => text)
  if (rest.length > 0) return undefined
  if (part !== undefined) {
    const kind = first === RELEASES ? RELEASE_PARTS.find((one) => one === part) : undefined
    return kind && digest !== undefined ? { kind, digest } : undefined
  }
  if (first === RELEASES) return digest === undefined ? { kind: 'releases' } : { kind: 'release', digest }
  return first === CHANGES && digest === undefined ? { kind: 'changes' } : undefined
}

export function catalogRouteAt(catalog: Catalog, path: string): CatalogRoute {
  const segments = segmentsOf(path)
  const route = segments === undefined ? undefined : routeOf(catalog, segments)
  if (route === undefined)
    throw new ProblemError({ kind: 'not-found', known: v2Paths(catalog), hint: hintFor(catalog, segments ?? []) })
  return route
}

/** Offers the nearest list, or other part of the API, for one that a path has misspelt. */
function hintFor({ collections }: Catalog, segments: readonly Segment[]): string | undefined {
  const at = segments.findIndex(({ text }, place) => place % 2 === 0 && !collections.has(text))
  const others = at === 0 ? [SEARCH, RESOLVE, RELEASES, CHANGES] : TREE_AXES
  const meant = at === -1 ? undefined : nearest(segments[at]?.text ?? '', [...collections.keys(), ...others])
  const path = segments.map(({ sent }, place) => (place === at ? meant : sent)).join('/')
  return meant === undefined ? undefined : `Did you mean ${V2_PATH}/${path}?`
}

function routeOf({ collections }: Catalog, segments: readonly Segment[]): CatalogRoute | undefined {
  const [first, own, list, last, ...more] = segments
  if (first === undefined) return { kind: 'index' }
  if (first.text === SEARCH && own === undefined) return { kind: 'search' }
  if (first.text === RESOLVE && own === undefined) return { kind: 'resolve' }
  const entity = collections.get(first.text)
  if (entity === undefined || more.length > 0) return undefined
  if (own === undefined) return { kind: 'list', entity, parent: undefined }
  // A key that is this word is sent with one of its letters encoded.
  if (list === undefined && own.sent === BULK) return { kind: 'bulk', entity, parent: undefined }
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
  const isList = last === undefined || last.sent === BULK
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
