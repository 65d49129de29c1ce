// A selection out of a record: some of its fields, and embedded records in full or by their identifiers.
import { type Entity, identifierOf } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'

export type Selection = {
  /** Dotted paths, none of them within another; undefined for all. */
  readonly fields: readonly string[] | undefined
  readonly embed: 'full' | 'id'
}

export const isWhole = ({ fields, embed }: Selection): boolean => fields === undefined && embed === 'full'

export type Shape = (record: PublishedRecord) => PublishedRecord

/** What is wanted of a record, and of what it embeds. */
type Wanted = Map<string, Wanted>

/** Leaves out of a record what is not wanted. */
export function shapeOf(entity: Entity, { fields, embed }: Selection): Shape {
  return shaped(entity, fields === undefined ? undefined : wantedOf(fields), embed)
}

function wantedOf(fields: readonly string[]): Wanted {
  const wanted: Wanted = new Map()
  for (const field of fields) {
    let level = wanted
    for (const step of field.split('.')) {
      const deeper = level.get(step) ?? new Map()
      level.set(step, deeper)
      level = deeper
    }
  }
  // What is wanted whole is wanted with all that is in it.
  for (const field of fields) {
    const steps = field.split('.')
    const last = steps.pop() as string
    steps.reduce((level, step) => level.get(step) as Wanted, wanted).set(last, new Map())
  }
  return wanted
}

function shaped(entity: Entity, wanted: Wanted | undefined, embed: Selection['embed']): Shape {
  const parts = Object.entries(entity.fields)
    .filter(([name]) => wanted === undefined || wanted.has(name))
    .map(([name, field]) => {
      const inner = wanted?.get(name)
      if (field.kind !== 'embed') return { name, take: (value: unknown) => value }
      if (inner !== undefined && inner.size > 0) return { name, take: shaped(field.entity, inner, embed) }
      if (embed === 'full') return { name, take: (value: unknown) => value }
      const identifier = identifierOf(field.entity)
      return { name, take: (value: PublishedRecord) => value[identifier] }
    }) as readonly { name: string; take: (value: unknown) => PublishedRecord[string] }[]
  return (record) => {
    const left: Record<string, PublishedRecord[string]> = {}
    for (const { name, take } of parts) left[name] = take(record[name])
    return left
  }
}
