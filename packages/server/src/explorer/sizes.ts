// The field with the sizes of the records of a list.
import { memoized } from '../base/memoized.ts'
import type { Entity } from '../catalog/entity.ts'

/** Names of fields with a population, the only size that the program recognizes. */
const SIZE_FIELDS = ['poblacion', 'population']

/** The field that has the size of a record, as a number; undefined if none does. */
export const sizeFieldOf = memoized(({ fields }: Entity): string | undefined =>
  SIZE_FIELDS.find((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return (field?.kind === 'fact' && field.type !== 'text') || (field?.kind === 'value' && isNumber(field.type))
  }),
)

const isNumber = (type: string): boolean => type === 'integer' || type === 'number'
