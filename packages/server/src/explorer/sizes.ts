// By which field the records of a list are larger or smaller than others, where that is known.
import { memoized } from '../base/memoized.ts'
import type { Entity } from '../catalog/entity.ts'

/** The names under which lists tell how many people live somewhere, the only size that is known to be one. */
const SIZE_FIELDS = ['poblacion', 'population']

/** The field that has the size of a record, as a number; undefined where none does. */
export const sizeFieldOf = memoized(({ fields }: Entity): string | undefined =>
  SIZE_FIELDS.find((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return (field?.kind === 'fact' && field.type !== 'text') || (field?.kind === 'value' && isNumber(field.type))
  }),
)

const isNumber = (type: string): boolean => type === 'integer' || type === 'number'
