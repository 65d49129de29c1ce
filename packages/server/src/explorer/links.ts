// The addresses of the pages, and of the records that they show in API v2.

import { KEY_SEPARATOR, keySegment, TREE_SEGMENT, V2_PATH } from '../base/api-v2.ts'
import { valueAt } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { ownerOf } from '../catalog/lineage.ts'
import { keyPathsOf, pathsOf } from '../catalog/paths.ts'
import { PAGE_PATHS } from '../http/routes.ts'
import { percentDecoded } from '../http/v2/key-text.ts'
import { filterParameters } from '../http/v2/parameter-definitions.ts'
import { keyValues } from '../http/v2/record-key.ts'
import type { QueryPairs } from '../http/v2/request/query-string.ts'

export const {
  explore: EXPLORE_PATH,
  map: MAP_PATH,
  picker: PICKER_PATH,
  resolve: RESOLVER_PATH,
  releases: RELEASES_PATH,
  docs: DOCS_PATH,
} = PAGE_PATHS
/** The parameters that every page has: the language and the release. */
export const LANGUAGE_PARAMETER = 'lang'
export const RELEASE_PARAMETER = 'release'
export const RESERVED_PARAMETERS: readonly string[] = [LANGUAGE_PARAMETER, RELEASE_PARAMETER]

export const TREE_PATH = `${EXPLORE_PATH}/${TREE_SEGMENT}`
export const PICKER_FORM_PATH = `${PICKER_PATH}/form.html`

/** Unlike encodeURIComponent it leaves no quote, so that an address can stand between quotes in any shell. */
const encoded = (text: string): string => quoteless(encodeURIComponent(text))

const quoteless = (text: string): string => text.replaceAll("'", '%27')

export function withQuery(path: string, pairs: QueryPairs): string {
  if (pairs.length === 0) return path
  return `${path}?${pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`
}

/** Further parameters after those that an address has. */
export const withMore = (address: string, name: string, value: string): string =>
  `${address}${address.includes('?') ? '&' : '?'}${encoded(name)}=${encoded(value)}`

/** The values that make up the key of a record: those of its owner before its own, where it has one. */
export const keySegments = (entity: Entity, record: PublishedRecord): string[] =>
  keyPathsOf(entity).map(({ steps }) => String(valueAt(record, steps)))

/** Numbers are separated by a sign that no number has, texts by one that is encoded in them. */
export const keySeparator = memoized((entity: Entity): string =>
  keyPathsOf(entity).every(({ numeric }) => numeric) ? '-' : KEY_SEPARATOR,
)

/** The key of a record as one text, which can be taken apart again. */
export const keyText = (entity: Entity, segments: readonly (string | number)[]): string =>
  segments.map((segment) => encoded(String(segment))).join(keySeparator(entity))

export const collectionAddress = ({ plural }: Entity): string => `${EXPLORE_PATH}/${plural}`

export const recordAddress = (entity: Entity, segments: readonly (string | number)[]): string =>
  addressWithin(collectionAddress(entity), keyText(entity, segments))

/** Clients remove segments of dots from an address before they use it, and would open another page. */
const addressWithin = (collection: string, segment: string): string =>
  /^(?:\.|%2e){1,2}$/i.test(segment) ? collection : `${collection}/${segment}`

/** The address of the record that is at a path of API v2. */
export function addressOfPath(entity: Entity, path: string): string {
  const [, own, , last] = path.slice(V2_PATH.length + 1).split('/')
  const key = last === undefined ? (own as string) : `${own}${keySeparator(entity)}${last}`
  return addressWithin(collectionAddress(entity), key)
}

/** The values of the key in the last part of the address of a record; undefined if no record can have them. */
export function segmentsOf(entity: Entity, text: string): string[] | undefined {
  const parts = text.split(keySeparator(entity)).map((part) => percentDecoded(part) ?? '')
  return parts.length === keyPathsOf(entity).length && keyValues(entity, parts) !== undefined ? parts : undefined
}

/** The value that filters a list by a record: its key, as in a path. */
export function filterValue(entity: Entity, record: PublishedRecord): string {
  const segments = keySegments(entity, record)
  return segments.length === 1 ? (segments[0] as string) : keySegment(segments)
}

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, at) => one === b[at])

/** The name by which a list is sorted by a field of its records, or of the records that they embed. */
export const sortParameter = (entity: Entity, steps: readonly string[]): string =>
  [...pathsOf(entity).values()].find((path) => isSame(path.steps, steps))?.slug ?? ''

/** The name of the parameter that filters a list by a field. */
export function filterParameter(entity: Entity, steps: readonly string[], match?: 'min' | 'max'): string {
  const found = filterParameters(entity).find(
    ({ filter }) =>
      filter !== undefined &&
      isSame(filter.path.steps, steps) &&
      (match === undefined ? ['equals', 'contains'].includes(filter.match) : filter.match === match),
  )
  return found?.slug ?? found?.name ?? ''
}

/** The map of a collection. */
export const mapAddress = ({ plural }: Entity): string => `${MAP_PATH}/${plural}`

export const apiCollectionPath = ({ plural }: Entity): string => `${V2_PATH}/${plural}`

/** The path of a record by the values of its key. */
export function apiRecordPath(entity: Entity, segments: readonly string[]): string {
  const owner = ownerOf(entity)
  if (owner === undefined) return addressWithin(apiCollectionPath(entity), quoteless(keySegment(segments)))
  const [first, last] = segments.map((segment) => quoteless(keySegment([segment])))
  return `${apiCollectionPath(owner.entity)}/${first}/${entity.plural}/${last}`
}
