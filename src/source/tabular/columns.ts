// Which columns a file of an entity may have, all derived from the entity's definition.
import type { Entity, Field } from '../../catalog/entity.ts'

export type Column = {
  readonly name: string
  /** The field of the row that it fills. */
  readonly field: string
  /** Set when it gives a record to embed by its official code: the field of that code. */
  readonly part: string | undefined
  readonly number: boolean
  /** Whether the value may be left out: it is then settled by official code. */
  readonly optional: boolean
}

/** The field itself, and for a record to embed the fields of its official code, under dotted names. */
export function columnsOf(entity: Entity): readonly Column[] {
  return Object.entries(entity.fields).flatMap(([field, definition]) => {
    if (definition.kind === 'copy') return []
    const optional = entity.key.length === 1 && entity.key[0] === field
    const whole = { name: field, field, part: undefined, number: isNumber(definition), optional }
    return definition.kind === 'embed' ? [whole, ...partsOf(field, definition.entity)] : [whole]
  })
}

function partsOf(field: string, parent: Entity): Column[] {
  return parent.code.map((part) => ({
    name: `${field}.${part}`,
    field,
    part,
    number: isNumber(parent.fields[part] as Field),
    optional: false,
  }))
}

const isNumber = ({ kind }: Field) => kind === 'id' || kind === 'embed'
