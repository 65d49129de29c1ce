// The addresses of the pages, and of what they show in API v2.

import { type Entity, identifierOf } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { ownerOf } from '../catalog/lineage.ts'
import { PAGE_PATHS, V2_PATH } from '../http/routes.ts'

export type Pairs = readonly (readonly [name: string, value: string])[]

export const {
  explore: EXPLORE_PATH,
  map: MAP_PATH,
  picker: PICKER_PATH,
  releases: RELEASES_PATH,
  docs: DOCS_PATH,
} = PAGE_PATHS
export const TREE_PATH = `${EXPLORE_PATH}/tree`

/** Unlike encodeURIComponent it leaves no quote, so that an address can stand between quotes in any shell. */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll("'", '%27')

export function withQuery(path: string, pairs: Pairs): string {
  if (pairs.length === 0) return path
  return `${path}?${pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`
}

/** Further parameters after those that an address has. */
export const withMore = (address: string, name: string, value: string): string =>
  `${address}${address.includes('?') ? '&' : '?'}${encoded(name)}=${encoded(value)}`

/** The identifiers that make up the key of a record: its owner's before its own, where it has one. */
export function keySegments(entity: Entity, record: PublishedRecord): string[] {
  const owner = ownerOf(entity)
  const own = String(record[entity.key.at(-1) as string])
  if (owner === undefined) return [own]
  return [String((record[owner.field] as PublishedRecord)[identifierOf(owner.entity)]), own]
}

const KEY_SEPARATOR = '-'

export const collectionAddress = ({ plural }: Entity): string => `${EXPLORE_PATH}/${plural}`

export const recordAddress = (entity: Entity, segments: readonly (string | number)[]): string =>
  `${collectionAddress(entity)}/${segments.join(KEY_SEPARATOR)}`

/** The identifiers in the last part of the address of a record. */
export const segmentsOf = (entity: Entity, id: string): string[] =>
  ownerOf(entity) === undefined ? [id] : id.split(KEY_SEPARATOR)

/** The map of a collection. */
export const mapAddress = ({ plural }: Entity): string => `${MAP_PATH}/${plural}`

export const apiCollectionPath = ({ plural }: Entity): string => `${V2_PATH}/${plural}`

/** The path of a record; undefined where there are not as many identifiers as it has. */
export function apiRecordPath(entity: Entity, segments: readonly string[]): string | undefined {
  const owner = ownerOf(entity)
  const [first = '', second, ...rest] = segments.map(encoded)
  if (rest.length > 0 || first === '' || second === '') return undefined
  if (owner === undefined) return second === undefined ? `${apiCollectionPath(entity)}/${first}` : undefined
  return second === undefined ? undefined : `${apiCollectionPath(owner.entity)}/${first}/${entity.plural}/${second}`
}
