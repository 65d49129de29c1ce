// Parses the values of filters: numbers, dates, keys and texts, depending on the field.
import { parseDecimal } from '../../../base/decimal-number.ts'
import { parseWholeNumber } from '../../../base/whole-number.ts'
import { factExpectation, MAX_ID } from '../../../catalog/check.ts'
import { type Entity, type FactField, identityFrom, type ValueType } from '../../../catalog/entity.ts'
import { keyPathsOf, type RecordPath } from '../../../catalog/paths.ts'
import { isDate } from '../../../query/dates.ts'
import { badParameter } from '../../problem.ts'
import { keyNamed } from '../key-text.ts'
import { keyValues } from '../record-key.ts'

export function filterValue(name: string, { field, numeric }: RecordPath, value: string): string | number {
  if (numeric) return identifier(name, value)
  if (field.kind === 'fact' && field.type !== 'text') return factNumber(name, field, value)
  if (field.kind === 'value') return typedValue(name, field.type, value)
  if (field.kind === 'embed' && keyPathsOf(field.entity).length > 1) return keyValue(name, field.entity, value)
  return notEmpty(name, value)
}

function typedValue(name: string, type: ValueType, value: string): string | number {
  switch (type) {
    case 'integer':
    case 'year':
    case 'number': {
      const number = parseDecimal(value)
      const isOne = number !== undefined && (type === 'number' || Number.isInteger(number))
      if (!isOne) throw badParameter(name, value, type === 'number' ? 'a number' : 'a whole number')
      return number
    }
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw badParameter(name, value, 'true, false')
      return value
    case 'date':
      if (!isDate(value)) throw badParameter(name, value, 'a date such as 2026-11-30, a month or a year')
      return value
    default:
      return notEmpty(name, value)
  }
}

/** A key of several values, as in a path. */
function keyValue(name: string, entity: Entity, value: string): string | number {
  const texts = keyNamed(entity, value)
  const values = texts && keyValues(entity, texts)
  const parts = keyPathsOf(entity).map(({ path }) => path)
  if (values === undefined)
    throw badParameter(name, value, `${parts.join(' and ')} with a comma between them, a comma in one of them as %2C`)
  return identityFrom(values)
}

function factNumber(name: string, fact: FactField, value: string): number {
  const number = parseDecimal(value)
  const expected = factExpectation(fact, number)
  if (number === undefined || expected !== undefined) throw badParameter(name, value, `${expected}`)
  return number
}

function identifier(name: string, value: string): number {
  const number = parseWholeNumber(value, { max: MAX_ID })
  if (number === undefined) throw badParameter(name, value, `a whole number from 0 to ${MAX_ID}`)
  return number
}

export function notEmpty(name: string, value: string): string {
  if (value === '') throw badParameter(name, value, 'a value: to ask for any, leave the parameter out')
  return value
}
