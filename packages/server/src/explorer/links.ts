// The addresses of the pages, and of what they show in API v2.

import { valueAt } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { ownerOf } from '../catalog/lineage.ts'
import { fieldSlug } from '../catalog/slug.ts'
import { PAGE_PATHS, V2_PATH } from '../http/routes.ts'
import { percentDecoded } from '../http/v2/paths.ts'

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

/** The steps to each value that makes up the key of a record; a record in the key stands for the values of its own. */
export const keyPaths = memoized((entity: Entity): readonly (readonly string[])[] =>
  entity.key.flatMap((field) => {
    const definition = entity.fields[field]
    return definition?.kind === 'embed' ? keyPaths(definition.entity).map((rest) => [field, ...rest]) : [[field]]
  }),
)

/** The values that make up the key of a record: those of its owner before its own, where it has one. */
export const keySegments = (entity: Entity, record: PublishedRecord): string[] =>
  keyPaths(entity).map((steps) => String(valueAt(record, steps)))

/** Between numbers a sign that none of them has; between texts, which may have any sign, one that is encoded in them. */
export const keySeparator = memoized((entity: Entity): string =>
  keyPaths(entity).every((steps) => isNumber(entity, steps)) ? '-' : ',',
)

function isNumber(entity: Entity, [first = '', ...rest]: readonly string[]): boolean {
  const field = entity.fields[first]
  return field?.kind === 'embed' ? isNumber(field.entity, rest) : field?.kind === 'id'
}

/** Several values as one text, which can be taken apart again. */
export const keyText = (entity: Entity, segments: readonly (string | number)[]): string =>
  segments.map((segment) => encoded(String(segment))).join(keySeparator(entity))

export const collectionAddress = ({ plural }: Entity): string => `${EXPLORE_PATH}/${plural}`

export const recordAddress = (entity: Entity, segments: readonly (string | number)[]): string =>
  `${collectionAddress(entity)}/${keyText(entity, segments)}`

/** The address of the record that is at a path of API v2. */
export function addressOfPath(entity: Entity, path: string): string {
  const [, own, , below] = path.slice(V2_PATH.length + 1).split('/')
  return `${collectionAddress(entity)}/${below === undefined ? own : `${own}${keySeparator(entity)}${below}`}`
}

/** The values of the key in the last part of the address of a record; undefined where they can be those of none. */
export function segmentsOf(entity: Entity, text: string): string[] | undefined {
  const parts = text.split(keySeparator(entity)).map((part) => percentDecoded(part) ?? '')
  const paths = keyPaths(entity)
  const isSound = (part: string, at: number) =>
    part !== '' && (!isNumber(entity, paths[at] ?? []) || /^[0-9]+$/.test(part))
  return parts.length === paths.length && parts.every(isSound) ? parts : undefined
}

/** How a field of a record, or of what it embeds, is named in a query. */
export function parameterOf(entity: Entity, [first = '', ...rest]: readonly string[]): string {
  const slug = fieldSlug(entity, first)
  const field = entity.fields[first]
  return field?.kind === 'embed' && rest.length > 0 ? `${slug}.${parameterOf(field.entity, rest)}` : slug
}

/** The map of a collection. */
export const mapAddress = ({ plural }: Entity): string => `${MAP_PATH}/${plural}`

export const apiCollectionPath = ({ plural }: Entity): string => `${V2_PATH}/${plural}`

/** The path of a record by the values of its key. */
export function apiRecordPath(entity: Entity, segments: readonly string[]): string {
  const owner = ownerOf(entity)
  const parts = segments.map(encoded)
  if (owner === undefined) return `${apiCollectionPath(entity)}/${parts.join(',')}`
  return `${apiCollectionPath(owner.entity)}/${parts.slice(0, -1).join(',')}/${entity.plural}/${parts.at(-1)}`
}
