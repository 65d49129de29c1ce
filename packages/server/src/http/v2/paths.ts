// The paths of API v2, derived from a catalog: which there are, and which route is at one.
import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { broaderOf, type Entity } from '../../catalog/entity.ts'
import { descendantsOf, ownerOf, pathTo } from '../../catalog/lineage.ts'
import { type FieldPath, keyPathsOf } from '../../catalog/paths.ts'
import { ProblemError } from '../problem.ts'
import { OPENAPI_PATH, RESOLVE_PATH, V2_PATH, V2_SEGMENTS } from '../routes.ts'

/** How a path names a record. */
export type NameInPath = {
  /** Its identifier or its official code, as one text. */
  readonly name: string
  /** The values of its key; undefined where there are not as many as it has. */
  readonly key: readonly string[] | undefined
}

/** A record that a path names before the records below it, as estados/9 in estados/9/municipios. */
export type ParentInPath = NameInPath & {
  readonly entity: Entity
  /** The fields that lead to it from the records below it. */
  readonly steps: readonly string[]
}

/** Where records are in a tree, seen from the one that the path names. */
const TREE_AXES = [V2_SEGMENTS.children, V2_SEGMENTS.ancestors, V2_SEGMENTS.descendants] as const
export type TreeAxis = (typeof TREE_AXES)[number]
type NodeInPath = NameInPath & { readonly axis: TreeAxis }

/** Records of an entity: all, those below a record that it embeds, or those around one of its own in their tree. */
type RecordsRoute = {
  readonly entity: Entity
  readonly parent: ParentInPath | undefined
  readonly node?: NodeInPath | undefined
}

/** What is read out of one release. */
export type CatalogRoute =
  | { readonly kind: 'index' }
  | { readonly kind: 'search' }
  | { readonly kind: 'resolve' }
  | ({ readonly kind: 'list' } & RecordsRoute)
  | RecordRoute
  | ({ readonly kind: 'bulk' } & RecordsRoute)

/** One record. */
type RecordRoute = NameInPath & {
  readonly kind: 'record'
  readonly entity: Entity
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

/** The values in the path of a record, by the names that they have in braces. */
export const recordVariables = (entity: Entity): readonly (readonly [name: string, path: FieldPath])[] =>
  entity.key.flatMap((field) => {
    const paths = keyPathsOf(entity).filter(({ steps }) => steps[0] === field)
    const [own = ''] = paths[0]?.slug.split('.') ?? []
    return paths.map((path) => [paths.length === 1 ? own : path.slug.replaceAll('.', '_'), path] as const)
  })

/** Between the values of a key that has several, in the last segment of a path. */
export const KEY_SEPARATOR = ','

const inBraces = (entity: Entity) => recordVariables(entity).map(([name]) => `{${name}}`)

/** The path of a record, with its variable segments in braces. */
export function recordTemplate(entity: Entity): string {
  const owner = ownerOf(entity)
  if (owner === undefined) return `${collectionPath(entity)}/${inBraces(entity).join(KEY_SEPARATOR)}`
  const [first, last] = inBraces(entity)
  return `${collectionPath(owner.entity)}/${first}/${entity.plural}/${last}`
}

/** The path of the records below one, with its variable segments in braces. */
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

/** A segment of a path: as it was sent, which words that mean something must be, and decoded. */
type Segment = { readonly sent: string; readonly text: string }

/** The segments of a path after that of API v2; of a path that cannot be decoded, undefined. */
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
  const [first, digest, below, ...rest] = (segmentsOf(path) ?? []).map(({ text }) => text)
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

function routeOf({ collections }: Catalog, segments: readonly Segment[]): CatalogRoute | undefined {
  const [first, own, below, last, ...more] = segments
  if (first === undefined) return { kind: 'index' }
  if (first.text === SEARCH && own === undefined) return { kind: 'search' }
  if (first.text === RESOLVE && own === undefined) return { kind: 'resolve' }
  const entity = collections.get(first.text)
  if (entity === undefined || more.length > 0) return undefined
  if (own === undefined) return { kind: 'list', entity, parent: undefined }
  // A key that is this word is sent with one of its letters encoded.
  if (below === undefined && own.sent === BULK) return { kind: 'bulk', entity, parent: undefined }
  if (below === undefined) return { kind: 'record', entity, ...nameIn(entity, own), parent: undefined }
  return routeBelow(collections, entity, nameIn(entity, own), below, last)
}

/** What is below a record that is named, or around it in its tree. */
function routeBelow(
  collections: Catalog['collections'],
  entity: Entity,
  named: NameInPath,
  below: Segment,
  last: Segment | undefined,
): CatalogRoute | undefined {
  const kind = last === undefined ? 'list' : 'bulk'
  const isList = last === undefined || last.sent === BULK
  const axis = broaderOf(entity) === undefined ? undefined : TREE_AXES.find((one) => one === below.sent)
  if (axis !== undefined) return isList ? { kind, entity, parent: undefined, node: { ...named, axis } } : undefined
  const child = collections.get(below.text)
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

/** A key of several values is taken apart before it is decoded. */
function nameIn(entity: Entity, { sent, text }: Segment): NameInPath {
  if (keyPathsOf(entity).length === 1) return { name: text, key: [text] }
  return { name: text, key: partsOf(entity, sent.split(KEY_SEPARATOR).map(percentDecoded)) }
}

/** The values of a key as one text, as in a path: undefined where there are not as many as it has. */
export const keyNamed = (entity: Entity, text: string): readonly string[] | undefined =>
  keyPathsOf(entity).length === 1 ? [text] : partsOf(entity, text.split(KEY_SEPARATOR).map(percentDecoded))

function partsOf(entity: Entity, parts: readonly (string | undefined)[]): readonly string[] | undefined {
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length && parts.length === keyPathsOf(entity).length ? known : undefined
}

/** The route of a record by its identifiers; undefined where there are not as many as its path has. */
export function recordRoute(entity: Entity, identifiers: readonly string[]): RecordRoute | undefined {
  if (identifiers.length !== keyPathsOf(entity).length || identifiers.includes('')) return undefined
  const owner = ownerOf(entity)
  const [first = '', second = ''] = identifiers
  if (owner === undefined)
    return { kind: 'record', entity, name: identifiers.join(KEY_SEPARATOR), key: identifiers, parent: undefined }
  const parent = { entity: owner.entity, name: first, key: [first], steps: [owner.field] }
  return { kind: 'record', entity, name: second, key: [second], parent }
}

/** A segment that means something else where it stands alone is encoded, though it needs not be. */
const RESERVED: ReadonlySet<string> = new Set([BULK])

/** The values of a key as the last segment of a path. */
export function keySegment(values: readonly (string | number)[]): string {
  const segment = values.map((value) => encodeURIComponent(value)).join(KEY_SEPARATOR)
  // Segments of dots alone are taken out of an address by whoever sends it.
  if (RESERVED.has(segment)) return `%${segment.charCodeAt(0).toString(16)}${segment.slice(1)}`
  return /^\.{1,2}$/.test(segment) ? segment.replaceAll('.', '%2E') : segment
}
