// What is wrong with one published record: each fault under the check that it belongs to.
import { isObject, type JsonObject } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import { MAX_ID, MAX_TEXT } from '../catalog/check.ts'
import { type Entity, type Field, publishedFields } from '../catalog/entity.ts'

/** The checks that are made on records. */
export type RecordCheck =
  | 'fields'
  | 'embedded'
  | 'integers'
  | 'strings'
  | 'codes'
  | 'description'
  | 'never-null'
  | 'id-range'
  | 'names'
  | 'names-nfc'
  | 'names-blanks'
  | 'names-encoding'
  | 'narrow-codes'
  | 'no-other-fields'

export type RecordFault = {
  readonly check: RecordCheck
  /** Dotted, from the record to the value. */
  readonly path: string
  readonly came: unknown
  readonly expected: string
}

/** Codes that are numeric text, and the least digits that official ones have. */
export const NUMERIC_CODES: Readonly<Record<string, number>> = { cveMunicipio: 3, cveLocalidad: 4, cveArea: 1 }

/** Where the contract is wider than the definition, which then holds only as advice. */
const CONTRACT_SHAPES: Readonly<Record<string, readonly [pattern: RegExp, shape: string]>> = {
  cveEstado: [/^\p{Lu}+$/u, 'upper-case letters'],
  ...Object.fromEntries(Object.keys(NUMERIC_CODES).map((name) => [name, [/^[0-9]+$/, 'numeric text']] as const)),
  clave: [/^[\p{L}\p{N}]+$/u, 'camel-case text'],
}

const UNFIT = /[\p{Cc}\ufffd]/u
/** A blank at an end, two in a row, one that is not the plain one, or a character that is not seen at all. */
const UNSEEN = /^\s|\s$|\s\s|[^\S ]|\p{Cf}/u
/** UTF-8 read as Latin-1, an entity of HTML, or a letter that a character set did not have. */
const GARBLED = /[ÃÂ][\u0080-\u00bf]|&(?:[A-Za-z]+|#x?[0-9A-Fa-f]+);|\p{L}\?\p{L}/u
type Add = (check: RecordCheck, path: string, came: unknown, expected: string) => void

export function recordFaults(entity: Entity, record: unknown): RecordFault[] {
  const faults: RecordFault[] = []
  const add: Add = (check, path, came, expected) => faults.push({ check, path, came, expected })
  if (isObject(record)) inspect(entity, record, '', add)
  else add('fields', 'record', record, `a ${entity.name} object`)
  return faults
}

const shapeOf = memoized((entity: Entity) => {
  const fields = publishedFields(entity)
  return { fields, names: new Set(fields.map(([name]) => name)) }
})

function inspect(entity: Entity, record: JsonObject, prefix: string, add: Add): void {
  const { fields, names } = shapeOf(entity)
  for (const [name, field] of fields) {
    const path = `${prefix}${name}`
    const value = record[name]
    if (!Object.hasOwn(record, name))
      add(prefix === '' ? 'fields' : 'embedded', path, undefined, `the field ${name} in every ${entity.name}`)
    else if (value === null) add('never-null', path, null, 'a value')
    else if (field.kind === 'embed') {
      if (isObject(value)) inspect(field.entity, value, `${path}.`, add)
      else add('embedded', path, value, `a ${field.entity.name} object`)
    } else checkValue(field, name, path, value, record, add)
  }
  for (const name of Object.keys(record))
    if (!names.has(name)) add('no-other-fields', `${prefix}${name}`, record[name], `no such field in a ${entity.name}`)
}

function checkValue(
  field: Exclude<Field, { kind: 'embed' | 'fact' }>,
  name: string,
  path: string,
  value: unknown,
  record: JsonObject,
  add: Add,
): void {
  if (field.kind === 'id') {
    if (!Number.isInteger(value)) add('integers', path, value, 'an integer')
    else if (!((value as number) >= 0 && (value as number) <= MAX_ID))
      add('id-range', path, value, `a whole number from 0 to ${MAX_ID}`)
  } else if (typeof value !== 'string') add('strings', path, value, 'a string')
  else if (field.kind === 'copy') {
    if (typeof record[field.of] === 'string' && value !== record[field.of])
      add('description', path, value, `the value of ${field.of}, ${JSON.stringify(record[field.of])}`)
  } else if (field.kind === 'code') {
    const [pattern, shape] = CONTRACT_SHAPES[name] ?? [field.pattern, field.shape]
    if (!pattern.test(value)) add('codes', path, value, shape)
    else if (!field.pattern.test(value)) add('narrow-codes', path, value, field.shape)
  } else if (value.trim() === '' || value.length > MAX_TEXT || UNFIT.test(value) || !value.isWellFormed())
    add('names', path, value, `1 to ${MAX_TEXT} characters without control characters`)
  else {
    if (value !== value.normalize('NFC'))
      add('names-nfc', path, codePointsOf(value), codePointsOf(value.normalize('NFC')))
    if (GARBLED.test(value)) add('names-encoding', path, value, 'the letters themselves')
    else if (UNSEEN.test(value)) add('names-blanks', path, value, 'single blanks between words, and none at the ends')
  }
}

/** Both forms look the same, so that what is not ASCII is shown by its number. */
const codePointsOf = (text: string) =>
  text.replace(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** The first number that is written with a fraction or an exponent: to many clients it is no integer, whatever its value. */
export function writtenFraction(json: string): string | undefined {
  if (!/[0-9][.eE]/.test(json)) return undefined
  return json
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .match(/-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g)
    ?.find((number) => /[.eE]/.test(number))
}

const namesIn = (value: unknown): number => {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + namesIn(one), 0)
  if (!isObject(value)) return 0
  return Object.values(value).reduce((sum: number, one) => sum + namesIn(one), Object.keys(value).length)
}

/** Whether an object was written with a name twice: then more names were written than are in its value. */
export const hasRepeatedName = (json: string, value: unknown): boolean =>
  (json.match(/"(?:[^"\\]|\\.)*"[ \t\r\n]*:/g)?.length ?? 0) > namesIn(value)
