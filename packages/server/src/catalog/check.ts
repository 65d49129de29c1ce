// Says what is wrong with the values of one row, field by field.

import { parseJson } from '../base/json.ts'
import { type Entity, type FactField, type Field, hasNumericKey, type ValueType } from './entity.ts'
import { isNameFact } from './languages/languages.ts'

type ValueFault = { readonly field: string; readonly value: unknown; readonly expected: string }

export const MAX_ID = 2_147_483_647
export const MAX_TEXT = 1_000
/** The most characters of a value that is neither a name nor a code. */
export const MAX_VALUE = 20_000

const UNFIT = /[\p{Cc}\ufffd]/u
/** A text may have several lines. */
const UNFIT_IN_TEXT = /[^\P{Cc}\n\r\t]|\ufffd/u

const isId = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_ID
const ID_SHAPE = `a whole number from 0 to ${MAX_ID}`

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT
}

/** The words for what the field expects; undefined when the value is right. */
function expectation(field: Field, value: unknown): string | undefined {
  if (value === undefined && 'optional' in field && field.optional) return undefined
  switch (field.kind) {
    case 'id':
      return isId(value) ? undefined : ID_SHAPE
    case 'embed':
      if (!hasNumericKey(field.entity)) return isText(value) ? undefined : `the key of a ${field.entity.name}`
      return isId(value) ? undefined : `the identifier of a ${field.entity.name}, ${ID_SHAPE}`
    case 'broader':
      return isText(value) || isId(value) ? undefined : 'the key of another record'
    case 'value':
      return valueExpectation(field.type, value)
    case 'code':
      return isText(value) && field.pattern.test(value) ? undefined : field.shape
    case 'name':
      return nameExpectation(value)
    case 'fact':
      return value === undefined ? undefined : factExpectation(field, value)
    case 'copy':
      return value === undefined ? undefined : 'nothing: it is derived'
  }
}

function nameExpectation(value: unknown): string | undefined {
  if (!isText(value) || value.trim() === '') return `a name of 1 to ${MAX_TEXT} characters`
  return UNFIT.test(value) || !value.isWellFormed() ? 'a name in sound Unicode without control characters' : undefined
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const isBoolean = (text: string) => text === 'true' || text === 'false'

/** The form of values of each type in a row, and the words for a value that has another form. */
const VALUE_SHAPES: Readonly<Record<ValueType, readonly [isOne: (text: string) => boolean, shape: string]>> = {
  text: [
    (text) => !UNFIT_IN_TEXT.test(text) && text.isWellFormed(),
    'a text in sound Unicode without control characters',
  ],
  integer: [(text) => /^-?(?:0|[1-9][0-9]*)$/.test(text), 'a whole number'],
  number: [(text) => NUMBER.test(text) && Number.isFinite(Number(text)), 'a number'],
  boolean: [isBoolean, 'true or false'],
  date: [(text) => /^-?[0-9]{4,}-[0-9]{2}(?:-[0-9]{2})?(?:T.*)?$/.test(text), 'a date such as 2026-11-30'],
  year: [(text) => /^-?(?:0|[1-9][0-9]{0,5})$/.test(text), 'a year'],
  list: [isJsonList, 'a list as JSON'],
}

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(parseJson(text))
  } catch {
    return false
  }
}

function valueExpectation(type: ValueType, value: unknown): string | undefined {
  const [isOne, shape] = VALUE_SHAPES[type]
  if (typeof value !== 'string' || value === '' || value.length > MAX_VALUE)
    return `${shape}, of 1 to ${MAX_VALUE} characters`
  return isOne(value) ? undefined : shape
}

/** The words for what a fact expects; undefined when the value is right. */
export function factExpectation(fact: FactField, value: unknown): string | undefined {
  if (isNameFact(fact)) return nameExpectation(value)
  if (fact.type === 'text') return isText(value) && fact.pattern.test(value) ? undefined : fact.shape
  const { type, min, max } = fact
  const isNumber = type === 'integer' ? Number.isInteger(value) : Number.isFinite(value)
  if (isNumber && (value as number) >= min && (value as number) <= max) return undefined
  return `${type === 'integer' ? 'a whole number' : 'a number'} from ${min} to ${max}`
}

/** False for a segment that clients remove from an address before they send it, encoded or not. */
const isPathSegment = (text: string): boolean => text !== '' && text !== '.' && text !== '..'

const keyExpectation = (value: unknown): string | undefined =>
  typeof value !== 'string' || isPathSegment(value)
    ? undefined
    : 'a key other than . and .., which cannot stand in an address'

/** Nearly all rows are right. */
const NONE: readonly ValueFault[] = []

/** Checks rows of one entity; the list of fields is laid out once. */
export function rowChecker(entity: Entity): (row: Readonly<Record<string, unknown>>) => readonly ValueFault[] {
  const fields = Object.entries(entity.fields)
  const ownKeys = entity.key.filter((field) => entity.fields[field]?.kind !== 'embed')
  const segment = ownKeys.length === 1 ? ownKeys[0] : undefined
  return (row) => {
    let faults = NONE
    for (const [field, definition] of fields) {
      const value = row[field]
      const expected = expectation(definition, value) ?? (field === segment ? keyExpectation(value) : undefined)
      if (expected !== undefined) faults = [...faults, { field, value, expected }]
    }
    return faults
  }
}
