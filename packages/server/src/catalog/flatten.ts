// Turns a published record back into a row: embedded records by their identifier, copies left out.
import { parseJson, parseJsonWithDigits, parseOwnJson } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import { type Entity, type Field, type Identity, identityFrom, type Values, type ValueType } from './entity.ts'

/** A record as it is published, of an entity that is only known at run time: embedded records in full. */
export type PublishedRecord = { readonly [field: string]: PublishedValue }
export type PublishedValue = string | number | boolean | null | readonly PublishedValue[] | PublishedRecord

/** How the value of a row is taken from that of its record, which is not null. */
type Taken = (value: PublishedValue) => Identity

const asIs: Taken = (value) => value as Identity
const asJson: Taken = (value) => (typeof value === 'string' ? value : JSON.stringify(value))

const planOf = memoized((entity: Entity): readonly (readonly [field: string, take: Taken])[] =>
  Object.entries(entity.fields).flatMap(([name, field]) =>
    field.kind === 'copy' || field.kind === 'fact' ? [] : [[name, takenFrom(field)] as const],
  ),
)

const takenFrom = (field: Field): Taken => {
  if (field.kind === 'embed') return (record) => identityIn(field.entity, record as PublishedRecord)
  return field.kind === 'value' ? asJson : asIs
}

/** The identity of a published record. */
const identityIn = (entity: Entity, record: PublishedRecord): Identity =>
  identityFrom(
    entity.key.map((name) => {
      const value = record[name] as PublishedValue
      const field = entity.fields[name]
      return field?.kind === 'embed' ? identityIn(field.entity, value as PublishedRecord) : (value as Identity)
    }),
  )

/** The record must have the shape that the entity's definition gives. */
export function flatten(entity: Entity, record: PublishedRecord): Values {
  const row: Record<string, Identity> = {}
  for (const [field, take] of planOf(entity)) {
    const value = record[field]
    if (value !== null && value !== undefined) row[field] = take(value)
  }
  return row
}

/** Parses the JSON of a record, or of several; of numbers that would lose digits, JSON is written with them again. */
export const recordParser = memoized((entity: Entity): ((json: string) => unknown) =>
  hasDigits(entity) ? parseJsonWithDigits : parseJson,
)

const decoder = new TextDecoder()
/** A record of a release, whose numbers may lose digits. */
export const parsedRecord = (json: Uint8Array): PublishedRecord => parseOwnJson(decoder.decode(json))

/** True if a record, or one that it embeds, may have numbers of any length. */
const hasDigits = ({ fields }: Entity): boolean =>
  Object.values(fields).some(
    (field) =>
      (field.kind === 'value' && DIGITS_IN.includes(field.type)) || (field.kind === 'embed' && hasDigits(field.entity)),
  )
const DIGITS_IN: readonly ValueType[] = ['integer', 'number', 'list']
