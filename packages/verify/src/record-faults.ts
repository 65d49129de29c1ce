// The faults of one published record, each under the check that it belongs to.
import { type ContractEntity, type ContractField, MAX_ID, MAX_NAME } from './contract.ts'
import { isObject, type ParsedJson, type ParsedObject } from './json.ts'

/** The checks that are made on records. */
export const RECORD_CHECKS = [
  ...(['fields', 'embedded', 'integers', 'strings', 'codes', 'description'] as const),
  ...(['never-null', 'no-other-fields', 'id-range', 'code-zeros'] as const),
  ...(['names', 'names-nfc', 'names-blanks', 'names-encoding'] as const),
]
export type RecordCheck = (typeof RECORD_CHECKS)[number]

export type RecordFault = {
  readonly check: RecordCheck
  /** Dotted, from the record to the value. */
  readonly path: string
  readonly came: unknown
  readonly expected: string
}

/** The most faults of a record that are looked at. */
const MAX_FAULTS = 1_000

const UNFIT = /[\p{Cc}\ufffd]/u
/** A blank at an end, two in a row, one that is not the plain one, or a character that nobody sees. */
const UNSEEN = /^\s|\s$|\s\s|[^\S ]|\p{Cf}/u
/** UTF-8 read as Latin-1, an entity of HTML, or a letter that a character set did not have. */
const GARBLED = /[ÃÂ][\u0080-\u00bf]|&(?:[A-Za-z]+|#x?[0-9A-Fa-f]+);|\p{L}\?\p{L}/u

type Add = (check: RecordCheck, path: string, came: unknown, expected: string) => void

export function recordFaults(entity: ContractEntity, record: unknown): RecordFault[] {
  const faults: RecordFault[] = []
  const add: Add = (check, path, came, expected) => {
    if (faults.length < MAX_FAULTS) faults.push({ check, path, came, expected })
  }
  if (isObject(record)) inspect(entity, record, '', add)
  else add('fields', 'record', record, `a ${entity.name} object`)
  return faults
}

function inspect(entity: ContractEntity, record: ParsedObject, prefix: string, add: Add): void {
  for (const [name, field] of Object.entries(entity.fields)) {
    const path = `${prefix}${name}`
    const value = record[name]
    if (!Object.hasOwn(record, name))
      add(prefix === '' ? 'fields' : 'embedded', path, undefined, `the field ${name} in every ${entity.name}`)
    else if (value === null) add('never-null', path, null, 'a value')
    else if (field.kind !== 'embed')
      checkValue(field, value, record, (...fault) => add(fault[0], path, value, fault[1]))
    else if (isObject(value)) inspect(field.entity, value, `${path}.`, add)
    else add('embedded', path, value, `a ${field.entity.name} object`)
  }
  for (const name of Object.keys(record))
    if (!Object.hasOwn(entity.fields, name))
      add('no-other-fields', `${prefix}${name}`, record[name], `no such field in a ${entity.name}`)
}

function checkValue(
  field: ContractField,
  value: unknown,
  record: ParsedObject,
  add: (check: RecordCheck, expected: string) => void,
): void {
  if (field.kind === 'id') {
    if (!Number.isInteger(value)) add('integers', 'an integer')
    else if (Number(value) < 0 || Number(value) > MAX_ID) add('id-range', `a whole number from 0 to ${MAX_ID}`)
  } else if (typeof value !== 'string') add('strings', 'a string')
  else if (field.kind === 'copy') {
    const original = record[field.of]
    if (typeof original === 'string' && value !== original)
      add('description', `the value of ${field.of}, ${JSON.stringify(original)}`)
  } else if (field.kind === 'code') {
    if (!field.pattern.test(value)) add('codes', field.shape)
    else if (value.length < (field.digits ?? 0)) add('code-zeros', `${field.digits} digits`)
  } else if (value.trim() === '' || value.length > MAX_NAME || UNFIT.test(value) || !value.isWellFormed())
    add('names', `1 to ${MAX_NAME} characters without control characters`)
  else {
    if (value !== value.normalize('NFC')) add('names-nfc', 'NFC')
    if (GARBLED.test(value)) add('names-encoding', 'the letters themselves')
    else if (UNSEEN.test(value)) add('names-blanks', 'single blanks between words, and none at the ends')
  }
}

const countNames = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce((sum: number, one) => sum + countNames(one), own)
}

/** True if an object was written with a name twice: then more names were written than are in its value. */
export const hasRepeatedName = ({ value, names }: ParsedJson): boolean => names > countNames(value)
