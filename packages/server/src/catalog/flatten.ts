// Turns a published record back into a row: embedded records by their identifier, copies left out.
import { memoized } from '../base/memoized.ts'
import { type Entity, identifierOf, type Values } from './entity.ts'

/** A record as it is published, of an entity that is only known at run time: embedded records in full. */
export type PublishedRecord = { readonly [field: string]: string | number | PublishedRecord }

type Plan = readonly { readonly field: string; readonly identifier: string | undefined }[]

const planOf = memoized(
  (entity: Entity): Plan =>
    Object.entries(entity.fields).flatMap(([field, definition]) =>
      definition.kind === 'copy' || definition.kind === 'fact'
        ? []
        : [{ field, identifier: definition.kind === 'embed' ? identifierOf(definition.entity) : undefined }],
    ),
)

/** The record must have the shape that the entity's definition gives. */
export function flatten(entity: Entity, record: PublishedRecord): Values {
  const row: Record<string, string | number> = {}
  for (const { field, identifier } of planOf(entity)) {
    const value = record[field]
    row[field] = (identifier === undefined ? value : (value as PublishedRecord)[identifier]) as string | number
  }
  return row
}
