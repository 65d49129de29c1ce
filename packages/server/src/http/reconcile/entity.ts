// A record as an entity of the reconciliation protocol: its identifier, such as `municipios/817`, its name and its type.

import { valueAt } from '../../base/json.ts'
import type { Entity } from '../../catalog/entity.ts'
import { keyPathsOf } from '../../catalog/paths.ts'
import { firstWhere, keyFilters } from '../../query/filter.ts'
import { nameShown } from '../../query/formats/shown-names.ts'
import { recordsCoded } from '../../release/aliases.ts'
import type { Release } from '../../release/release.ts'
import { percentDecoded } from '../v2/key-text.ts'
import { keyValues } from '../v2/record-key.ts'
import { ancestorsOfRecord, type EntityRecord, publishedRecord } from '../v2/record-summary.ts'

/** The place of a record among those of its entity. */
export type RecordPlace = { readonly entity: Entity; readonly position: number }

/** The identifier of a record: its collection and the values of its key, encoded, with slashes between them. */
export const entityId = ({ entity, record }: EntityRecord): string =>
  [entity.plural, ...keyPathsOf(entity).map(({ steps }) => encodeURIComponent(String(valueAt(record, steps))))].join(
    '/',
  )

/** The record of an identifier, or of a collection and official code such as `municipios/16112`; undefined if there is none. */
export function findEntity(release: Release, id: string): RecordPlace | undefined {
  const [plural = '', ...segments] = id.split('/')
  const entity = release.catalog.collections.get(plural)
  if (entity === undefined || segments.length === 0) return undefined
  // Clients may have decoded it, which does no harm to a single value.
  const texts = keyPathsOf(entity).length === 1 ? [segments.join('/')] : segments
  const key = keyValues(
    entity,
    texts.map((text) => percentDecoded(text) ?? text),
  )
  const position = key && firstWhere(release, entity, keyFilters(entity, key))
  const found = position ?? recordsCoded(release, entity, percentDecoded(segments.join('/')) ?? '').positions[0]
  return found === undefined ? undefined : { entity, position: found }
}

export const recordAt = (release: Release, { entity, position }: RecordPlace): EntityRecord => ({
  entity,
  record: publishedRecord(release, entity.name, position),
})

export const nameOf = ({ entity, record }: EntityRecord): string => nameShown(entity, record)

/** The identifier and the name of a record, and its list and ancestors, by which people tell it from others of its name. */
export function summaryOf(release: Release, place: RecordPlace) {
  const found = recordAt(release, place)
  const breadcrumb = ancestorsOfRecord(release, found, place.position).map(nameOf)
  const description = [place.entity.name, ...(breadcrumb.length === 0 ? [] : [breadcrumb.join(', ')])].join(' · ')
  return { id: entityId(found), name: nameOf(found), description }
}

/** A type of the protocol is a collection. */
export const typeOf = ({ plural, title }: Entity) => ({ id: plural, name: title })
