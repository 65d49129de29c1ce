// A record as an entity of the reconciliation protocol: its identifier, such as `municipios/817`, its name and its type.

import { parseWholeNumber } from '../../base/whole-number.ts'
import { MAX_ID } from '../../catalog/check.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { firstWhere } from '../../query/filter.ts'
import type { Release } from '../../release/release.ts'
import { keyOf } from '../v2/record-key.ts'
import { namingOf, publishedRecord } from '../v2/search.ts'

/** The place of a record among those of its entity. */
export type RecordPlace = { readonly entity: Entity; readonly position: number }

/** The identifier of a record: its collection and the values of its key, with slashes between them. */
export const entityId = (entity: Entity, record: PublishedRecord): string =>
  [entity.plural, ...Object.values(keyOf(entity, record))].join('/')

/** The record that an identifier stands for; undefined where there is none. */
export function findEntity(release: Release, id: string): RecordPlace | undefined {
  const [plural = '', ...texts] = id.split('/')
  const entity = release.catalog.collections.get(plural)
  if (entity === undefined || texts.length !== entity.key.length) return undefined
  const key = texts.map((text) => parseWholeNumber(text, { max: MAX_ID }))
  const filters = entity.key.map((field, at) => ({
    steps: [field],
    match: 'equals' as const,
    values: key.slice(at, at + 1).filter((value) => value !== undefined),
  }))
  if (filters.some(({ values }) => values.length === 0)) return undefined
  const position = firstWhere(release, entity, filters)
  return position === undefined ? undefined : { entity, position }
}

export const readRecord = (release: Release, { entity, position }: RecordPlace): PublishedRecord =>
  publishedRecord(release, entity.name, position)

export type NamedRecord = { readonly entity: Entity; readonly record: PublishedRecord }

/** The ancestors of a record, the nearest first. */
export function ancestorsOfRecord({ entity, record }: NamedRecord): NamedRecord[] {
  let ancestor = record
  return namingOf(entity).ancestors.map((step) => {
    ancestor = ancestor[step.field] as PublishedRecord
    return { entity: step.entity, record: ancestor }
  })
}

export const nameOf = ({ entity, record }: NamedRecord): string => record[namingOf(entity).nameField] as string

/** What tells it from others of its name: what it is, and where. */
export function descriptionOf(named: NamedRecord): string {
  const breadcrumb = ancestorsOfRecord(named).map(nameOf)
  return [named.entity.name, ...(breadcrumb.length === 0 ? [] : [breadcrumb.join(', ')])].join(' · ')
}

/** A type of the protocol is a collection. */
export const typeOf = ({ plural, title }: Entity) => ({ id: plural, name: title })
