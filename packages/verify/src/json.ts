// Values of JSON whose shape is not known.
import type { Entity } from './contract.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at the end of a path through objects. */
export const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce((at, step) => (isObject(at) ? at[step] : undefined), value)

/** The path of a field; an embedded record stands for its own identifier. */
function identifyingPath({ fields }: Entity, name: string): readonly string[] {
  const field = fields[name]
  return field?.kind === 'embed' ? [name, field.entity.key[0]] : [name]
}

/** The key or the code of a record as text; undefined if a part is missing. */
export function partsOf(entity: Entity, which: 'key' | 'code', record: unknown): string | undefined {
  const parts = entity[which].map((name) => valueAt(record, identifyingPath(entity, name)))
  return parts.some((part) => part === undefined || part === null) ? undefined : parts.map(String).join('/')
}

/** The number that decimal digits write, without zeros before it; undefined for any other text. */
export const parseWholeNumber = (text: string): number | undefined =>
  /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined
