// The paths of API v2, derived from a catalog: which there are, and which route is at one.
import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { descendantsOf, ownerOf, pathTo } from '../../catalog/lineage.ts'
import { ProblemError } from '../problem.ts'
import { OPENAPI_PATH, RESOLVE_PATH, V2_PATH, V2_SEGMENTS } from '../routes.ts'

/** A record that a path names before the records below it, as estados/9 in estados/9/municipios. */
export type ParentInPath = {
  readonly entity: Entity
  /** Its identifier or its official code. */
  readonly name: string
  /** The fields that lead to it from the records below it. */
  readonly steps: readonly string[]
}

/** What is read out of one release. */
export type CatalogRoute =
  | { readonly kind: 'index' }
  | { readonly kind: 'search' }
  | { readonly kind: 'resolve' }
  | { readonly kind: 'list'; readonly entity: Entity; readonly parent: ParentInPath | undefined }
  | RecordRoute
  | { readonly kind: 'bulk'; readonly entity: Entity; readonly parent: ParentInPath | undefined }

/** One record. */
type RecordRoute = {
  readonly kind: 'record'
  readonly entity: Entity
  /** Its identifier or its official code. */
  readonly name: string
  readonly parent: ParentInPath | undefined
}

/** What is about the releases themselves, and about the API. */
export type ServiceRoute =
  | { readonly kind: 'releases' }
  | { readonly kind: 'release'; readonly digest: string }
  | { readonly kind: ReleasePart; readonly digest: string }
  | { readonly kind: 'changes' }
  | { readonly kind: 'openapi' }

/** What there is of one release besides its description. */
const RELEASE_PARTS = ['manifest', 'checksums', 'signature'] as const
type ReleasePart = (typeof RELEASE_PARTS)[number]

const { all: BULK, search: SEARCH, resolve: RESOLVE, releases: RELEASES, changes: CHANGES } = V2_SEGMENTS

const collectionPath = ({ plural }: Entity) => `${V2_PATH}/${plural}`

/** The path of a record, with its variable segments in braces. */
export function recordTemplate(entity: Entity): string {
  const owner = ownerOf(entity)
  const parent = owner === undefined ? V2_PATH : `${collectionPath(owner.entity)}/{${owner.field}}`
  return `${parent}/${entity.plural}/{${entity.key.at(-1)}}`
}

/** The path of the records below one, with its variable segments in braces. */
export const childrenTemplate = (parent: Entity, child: Entity): string =>
  `${collectionPath(parent)}/{${parent.key[0]}}/${child.plural}`

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
  return [
    V2_PATH,
    ...entities.map(collectionPath),
    ...entities.map((entity) => bulkTemplate(collectionPath(entity))),
    ...entities.map(recordTemplate),
    ...children,
    ...children.map(bulkTemplate),
    `${V2_PATH}/${SEARCH}`,
    RESOLVE_PATH,
    `${V2_PATH}/${RELEASES}`,
    releaseTemplate,
    ...RELEASE_PARTS.map(releasePartTemplate),
    `${V2_PATH}/${CHANGES}`,
  ]
})

/** The segments of a path after that of API v2, decoded; of a path that cannot be decoded, undefined. */
function segmentsOf(path: string): readonly string[] | undefined {
  if (path === V2_PATH) return []
  const segments = path.slice(V2_PATH.length + 1).split('/')
  if (segments.includes('')) return undefined
  if (!path.includes('%')) return segments
  const decoded = segments.map(percentDecoded).filter((segment) => segment !== undefined)
  return decoded.length === segments.length ? decoded : undefined
}

/** The decoded text; undefined where it is not UTF-8, percent-encoded. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export function serviceRouteAt(path: string): ServiceRoute | undefined {
  if (path === OPENAPI_PATH) return { kind: 'openapi' }
  const [first, digest, below, ...rest] = segmentsOf(path) ?? []
  if (rest.length > 0) return undefined
  if (below !== undefined) {
    const part = first === RELEASES ? RELEASE_PARTS.find((one) => one === below) : undefined
    return part && digest !== undefined ? { kind: part, digest } : undefined
  }
  if (first === RELEASES) return digest === undefined ? { kind: 'releases' } : { kind: 'release', digest }
  return first === CHANGES && digest === undefined ? { kind: 'changes' } : undefined
}

export function catalogRouteAt(catalog: Catalog, path: string): CatalogRoute {
  const segments = segmentsOf(path)
  const route = segments === undefined ? undefined : routeOf(catalog, segments)
  if (route === undefined) throw new ProblemError({ kind: 'not-found', known: v2Paths(catalog) })
  return route
}

function routeOf({ collections }: Catalog, segments: readonly string[]): CatalogRoute | undefined {
  const [first, name, below, childName, ...more] = segments
  if (first === undefined) return { kind: 'index' }
  if (first === SEARCH && name === undefined) return { kind: 'search' }
  if (first === RESOLVE && name === undefined) return { kind: 'resolve' }
  const entity = collections.get(first)
  if (entity === undefined || more.length > 0) return undefined
  if (name === undefined) return { kind: 'list', entity, parent: undefined }
  if (below === undefined)
    return name === BULK
      ? { kind: 'bulk', entity, parent: undefined }
      : { kind: 'record', entity, name, parent: undefined }
  const child = collections.get(below)
  if (child === undefined) return undefined
  if (childName === undefined || childName === BULK) {
    const way = pathTo(child, entity)
    const kind = childName === undefined ? 'list' : 'bulk'
    return way && { kind, entity: child, parent: { entity, name, steps: way.steps } }
  }
  return ownerOf(child)?.entity === entity ? recordRoute(child, [name, childName]) : undefined
}

/** The route of a record by its identifiers; undefined where there are not as many as its path has. */
export function recordRoute(entity: Entity, identifiers: readonly string[]): RecordRoute | undefined {
  const owner = ownerOf(entity)
  const [first = '', second = '', ...more] = identifiers
  if (more.length > 0 || first === '' || (second === '') !== (owner === undefined)) return undefined
  if (owner === undefined) return { kind: 'record', entity, name: first, parent: undefined }
  return { kind: 'record', entity, name: second, parent: { entity: owner.entity, name: first, steps: [owner.field] } }
}
