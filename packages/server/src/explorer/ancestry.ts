// The ancestors of a record: the records that it must refer to, up to the outermost.
import { isObject, valueAt } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'

type Step = { readonly field: string; readonly entity: Entity }

/** The steps from a record to its ancestors, the nearest first: the longest chain of references that may not be missing. */
export const belongsTo = memoized(({ fields }: Entity): readonly Step[] => {
  const chains = Object.entries(fields).flatMap(([field, definition]) =>
    definition.kind === 'embed' && definition.optional !== true
      ? [[{ field, entity: definition.entity }, ...belongsTo(definition.entity)]]
      : [],
  )
  return chains.toSorted((a, b) => b.length - a.length)[0] ?? []
})

/** The record that another embeds at the end of some steps; undefined if there is none. */
export function embeddedIn(record: PublishedRecord, steps: readonly string[]): PublishedRecord | undefined {
  const found = valueAt(record, steps)
  return isObject(found) ? (found as PublishedRecord) : undefined
}

export type Ancestors = readonly { readonly entity: Entity; readonly record: PublishedRecord }[]

/** The ancestors of a record, the nearest first. */
export function ancestorRecords(entity: Entity, record: PublishedRecord): Ancestors {
  const [step] = belongsTo(entity)
  const parent = step && embeddedIn(record, [step.field])
  if (step === undefined || parent === undefined) return []
  return [{ entity: step.entity, record: parent }, ...ancestorRecords(step.entity, parent)]
}
