// What the records of a list belong to: the records that each of them must refer to, up to the outermost.
import { memoized } from '../base/memoized.ts'
import type { Entity } from '../catalog/entity.ts'

type Step = { readonly field: string; readonly entity: Entity }

/** The steps from a record to what it belongs to, the nearest first, through as many as there are. A reference that may be missing is none. */
export const belongsTo = memoized(({ fields }: Entity): readonly Step[] => {
  const chains = Object.entries(fields).flatMap(([field, definition]) =>
    definition.kind === 'embed' && definition.optional !== true
      ? [[{ field, entity: definition.entity }, ...belongsTo(definition.entity)]]
      : [],
  )
  return chains.toSorted((a, b) => b.length - a.length)[0] ?? []
})
