// Says what is wrong with the values of one row, field by field.
import type { Entity, FactField, Field } from './entity.ts'

type ValueFault = { readonly field: string; readonly value: unknown; readonly expected: string }

export const MAX_ID = 2_147_483_647
export const MAX_TEXT = 1_000

const UNFIT = /[\p{Cc}\ufffd]/u

const isId = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_ID
const ID_SHAPE = `a whole number from 0 to ${MAX_ID}`

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT
}

/** What the field expects instead, or undefined when the value is right. */
function expectation(field: Field, value: unknown): string | undefined {
  switch (field.kind) {
    case 'id':
      return isId(value) ? undefined : ID_SHAPE
    case 'embed':
      return isId(value) ? undefined : `the identifier of a ${field.entity.name}, ${ID_SHAPE}`
    case 'code':
      return isText(value) && field.pattern.test(value) ? undefined : field.shape
    case 'name':
      if (!isText(value) || value.trim() === '') return `a name of 1 to ${MAX_TEXT} characters`
      return UNFIT.test(value) || !value.isWellFormed()
        ? 'a name in sound Unicode without control characters'
        : undefined
    case 'fact':
      return value === undefined ? undefined : factExpectation(field, value)
    case 'copy':
      return value === undefined ? undefined : 'nothing: it is derived'
  }
}

/** What is expected of a fact in place of this value; undefined where it is right. */
export function factExpectation(fact: FactField, value: unknown): string | undefined {
  if (fact.type === 'text') return isText(value) && fact.pattern.test(value) ? undefined : fact.shape
  const { type, min, max } = fact
  const isNumber = type === 'integer' ? Number.isInteger(value) : Number.isFinite(value)
  if (isNumber && (value as number) >= min && (value as number) <= max) return undefined
  return `${type === 'integer' ? 'a whole number' : 'a number'} from ${min} to ${max}`
}

/** Nearly all rows are right. */
const NONE: readonly ValueFault[] = []

/** Checks rows of one entity; the list of fields is laid out once. */
export function rowChecker(entity: Entity): (row: Readonly<Record<string, unknown>>) => readonly ValueFault[] {
  const fields = Object.entries(entity.fields)
  return (row) => {
    let faults = NONE
    for (const [field, definition] of fields) {
      const expected = expectation(definition, row[field])
      if (expected !== undefined) faults = [...faults, { field, value: row[field], expected }]
    }
    return faults
  }
}
