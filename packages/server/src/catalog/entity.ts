// The little language in which a catalog is defined.
import { memoized } from '../base/memoized.ts'

type Own = {
  readonly description: string
  /** The name for people, where it differs from the name of the field. */
  readonly title?: string
}
/** Absent where every record has one. */
type MayLack = { readonly optional?: true }
type IdField = Own & { readonly kind: 'id' }
type NameField = Own &
  MayLack & {
    readonly kind: 'name'
    /** The language that it is in (BCP 47); absent where that is not known. */
    readonly language?: string
  }
type CodeField = Own & MayLack & { readonly kind: 'code'; readonly pattern: RegExp; readonly shape: string }
type CopyField = Own & { readonly kind: 'copy'; readonly of: string }
export type EmbedField = Own & MayLack & { readonly kind: 'embed'; readonly entity: Entity }

export const VALUE_TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'year', 'list'] as const
export type ValueType = (typeof VALUE_TYPES)[number]
/** The meanings of values that the program makes use of. */
export const VALUE_ROLES = ['alias', 'description', 'latitude', 'longitude', 'validFrom', 'validTo'] as const
export type ValueRole = (typeof VALUE_ROLES)[number]
/**
 * Anything else that is published of a record. A row gives it as text: numbers, booleans and lists as JSON, so that a number
 * keeps its digits.
 */
export type ValueField = Own &
  MayLack & { readonly kind: 'value'; readonly type: ValueType; readonly role?: ValueRole; readonly language?: string }
/** The key of the record above it in a tree of records of the same entity; absent at a root. */
type BroaderField = Own & { readonly kind: 'broader'; readonly optional: true }
type NumberFactField = Own & {
  readonly kind: 'fact'
  readonly type: 'integer' | 'number'
  readonly min: number
  readonly max: number
}
type TextFactField = Own & {
  readonly kind: 'fact'
  readonly type: 'text'
  readonly pattern: RegExp
  readonly shape: string
  /** The language (BCP 47) in which it is a name of the record; absent where it is no name. */
  readonly language?: string
  /** The value of records that may have been retired already, so that more of them may go at once than of others. */
  readonly doubtful?: string
}
/** A field that a record may lack and that API v1 does not publish. */
export type FactField = NumberFactField | TextFactField
export type Field = IdField | NameField | CodeField | CopyField | EmbedField | ValueField | BroaderField | FactField

/** A part of an official code: the value of a field; of a record that is embedded there, its own official code. */
export type CodePart = {
  readonly field: string
  /** The number of characters: digits are filled up with zeros, and a longer value makes no code. */
  readonly width?: number
  /** The text for each value; a value without one makes no code. */
  readonly values?: Readonly<Record<string, string>>
}

/** A code that people know a record by. It is derived from the record, and is no part of it as it is published in API v1. */
export type OfficialCode = Own & {
  /** The member of a record that has the code. A code that is one field as it stands has the name of that field. */
  readonly name: string
  /** The outermost parent comes first. */
  readonly parts: readonly [CodePart, ...CodePart[]]
  /** The text between the parts, if any. */
  readonly separator?: string
}

/** A rule that records are expected, but not obliged, to satisfy: a breach is a finding, never a fault. */
export type Expectation = {
  readonly kind: string
  readonly description: string
  /** Two dotted paths from the record. */
  readonly left: string
  readonly relation: 'equals' | 'begins with'
  readonly right: string
}

/** Texts by their language (BCP 47). */
export type ByLanguage = Readonly<Record<string, string>>

/** A subject that several lists share. */
export type ListGroup = { readonly title: ByLanguage; readonly description?: ByLanguage }

export type Entity = {
  readonly name: string
  /** The name of its collection, in paths. */
  readonly plural: string
  /** The name of its collection for people, in English where it is one of ours. */
  readonly title: string
  /** The title in other languages, by their BCP 47 tags. */
  readonly titles?: ByLanguage
  /** What people call columns that name a record of it, besides its own names and those of its fields. */
  readonly columns?: readonly string[]
  /** A sentence about it. */
  readonly description?: string
  /** The lists that it is shown with; where it is absent, those of the list that its records belong to. */
  readonly group?: ListGroup
  /** The name of the package that it belongs to; absent for those that came before packages. */
  readonly package?: string
  /** Its place among the collections of API v1; absent where it is not one of them. */
  readonly v1?: number
  /** The fields in the order in which they are rendered. */
  readonly fields: { readonly [name: string]: Field }
  /**
   * The fields that identify a record among those of its entity, each an identifier, a code, or an embedded record, which
   * stands for its own key.
   */
  readonly key: readonly string[]
  /** The fields that make up the official code, by which a record is recognised from one import to the next. */
  readonly code: readonly string[]
  /** The codes that people know a record by, the usual one first; where none is declared, they follow from `code`. */
  readonly codes?: readonly OfficialCode[]
  readonly order: 'by key' | 'as given'
  readonly expects: readonly Expectation[]
}

/**
 * A record as it is before it is rendered: every embedded record by what it is referred to by, copies left out; what is not known
 * is not there.
 */
export type Values = Readonly<Record<string, string | number>>

/** The value by which a record is referred to: that of its key, or those of several fields as one text. */
export type Identity = string | number

export type FactValue = string | number

/** The single field that other entities refer to it by. */
export function identifierOf(entity: Entity): string {
  const [field, ...rest] = entity.key
  if (field === undefined || rest.length > 0) throw new Error(`the key of ${entity.name} is not one field`)
  return field
}

/** Between the values of a key that has several. No value has it. */
const BETWEEN_PARTS = '\0'

export const identityOf = ({ key }: Entity, row: Values): Identity =>
  key.length === 1 ? (row[key[0] as string] as Identity) : key.map((field) => row[field]).join(BETWEEN_PARTS)

/** The identity of a record whose key has these values. */
export const identityFrom = (values: readonly Identity[]): Identity =>
  values.length === 1 ? (values[0] as Identity) : values.join(BETWEEN_PARTS)

/** The values that an identity was made of: one that is a number alone stays one. */
export const partsOf = (identity: Identity): readonly Identity[] =>
  typeof identity === 'number' ? [identity] : identity.split(BETWEEN_PARTS)

/** True if its key is one whole number. */
export const hasNumericKey = ({ key, fields }: Entity): boolean =>
  key.length === 1 && fields[key[0] as string]?.kind === 'id'

/** The field of a record that has the key of the one above it in a tree. */
export const broaderOf = memoized(({ fields }: Entity): string | undefined =>
  Object.keys(fields).find((name) => fields[name]?.kind === 'broader'),
)

type Embeds = readonly (readonly [field: string, entity: Entity])[]

/** The fields that embed another record, and whose. */
export const embedsOf = memoized(
  ({ fields }: Entity): Embeds =>
    Object.entries(fields).flatMap(([name, field]) => (field.kind === 'embed' ? [[name, field.entity] as const] : [])),
)

/** The fields of an entity as it is published, in their order: all but facts. */
export const publishedFields = ({ fields }: Entity): (readonly [name: string, field: Exclude<Field, FactField>])[] =>
  Object.entries(fields).flatMap(([name, field]) => (field.kind === 'fact' ? [] : [[name, field] as const]))

/** The fields of an entity that are facts. */
export const factsOf = memoized(({ fields }: Entity): readonly (readonly [name: string, fact: FactField])[] =>
  Object.entries(fields).flatMap(([name, field]) => (field.kind === 'fact' ? [[name, field] as const] : [])),
)

export type Coordinates = { readonly latitude: string; readonly longitude: string }

/** The names of the facts that tell where a record is in what was defined before values had roles. */
const BUILT_IN_COORDINATES: Coordinates = { latitude: 'latitud', longitude: 'longitud' }

/** The fields that tell where a record is, in degrees; undefined where none does. */
export const coordinatesOf = memoized(({ fields }: Entity): Coordinates | undefined => {
  const withRole = (role: ValueRole) =>
    Object.keys(fields).find((name) => {
      const field = fields[name]
      return field?.kind === 'value' && field.role === role && field.type === 'number'
    })
  const { latitude = withRole('latitude'), longitude = withRole('longitude') } = factCoordinates(fields) ?? {}
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude }
})

function factCoordinates(fields: Entity['fields']): Coordinates | undefined {
  const areFacts = Object.values(BUILT_IN_COORDINATES).every((name) => {
    const field = fields[name]
    return field?.kind === 'fact' && field.type === 'number'
  })
  return areFacts ? BUILT_IN_COORDINATES : undefined
}

/** True if records of the entity may have coordinates. */
export const hasCoordinates = (entity: Entity): boolean => coordinatesOf(entity) !== undefined

/** The entity that a field embeds or refers to. The field must be one that does. */
export function embeddedAt(entity: Entity, name: string): Entity {
  const field = entity.fields[name]
  if (field?.kind === 'broader') return entity
  if (field?.kind !== 'embed') throw new Error(`${entity.name}.${name} embeds nothing`)
  return field.entity
}

/** The field that names a record for people: its name, or what it is identified by where it has none. */
export const nameFieldOf = ({ fields, key }: Entity): string =>
  Object.keys(fields).find((field) => fields[field]?.kind === 'name') ?? (key.at(-1) as string)
