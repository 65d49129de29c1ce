// The key and the code of a record, by which it is told from others.
import { isObject, valueAt } from '../base/json.ts'
import type { Entity } from '../catalog/entity.ts'

/** The key or the code of a record as text; an embedded record in it stands for its identifier. */
export function partsOf(entity: Entity, which: 'key' | 'code', record: unknown): string | undefined {
  if (!isObject(record)) return undefined
  const parts = entity[which].map((name) => {
    const field = entity.fields[name]
    return valueAt(record, field?.kind === 'embed' ? [name, field.entity.key[0] ?? ''] : [name])
  })
  return parts.some((part) => part === undefined || part === null) ? undefined : parts.map(String).join('/')
}
