// Some rows, field by field: texts are encoded once, and read from then on without making a string of any.
import { type Entity, embedsOf, type Field, factsOf, type Identity, type Values } from './entity.ts'

export type Batch = {
  readonly count: number
  /**
   * Identifiers, the positions of embedded records, or texts in UTF-8 with a NUL between any two: none of them has one. A
   * text that is not known is empty.
   */
  readonly columns: Readonly<Record<string, Uint8Array | Uint32Array>>
  /** Numbers and facts that are looked for by their size; one that is not known is NaN, or an empty text. */
  readonly facts: Readonly<Record<string, Uint8Array | Float64Array>>
}

export type GivenField = {
  readonly name: string
  readonly field: Exclude<Field, { readonly kind: 'copy' | 'fact' }>
  /** The records that are embedded in it. */
  readonly parent: Entity | undefined
}

/** The position of an embedded record that is not there. */
export const NO_POSITION = 0xffff_ffff

/** The position of the record of an entity with an identity. */
export type PositionOf = (entity: string, identity: Identity) => number

/** The fields of a row that make up its record: all but copies and facts. */
export function givenFields(entity: Entity): GivenField[] {
  const parents = new Map(embedsOf(entity))
  return Object.entries(entity.fields).flatMap(([name, field]) =>
    field.kind === 'copy' || field.kind === 'fact' ? [] : [{ name, field, parent: parents.get(name) }],
  )
}

/** True if the values of the field are numbers, which can be filtered by size. */
export const isNumberValue = (field: Field | undefined): boolean =>
  field?.kind === 'value' && ['integer', 'number', 'year'].includes(field.type)

const BETWEEN = '\0'
const NUL = 0
const encoder = new TextEncoder()

export function batchOf(entity: Entity, rows: readonly Values[], positionOf: PositionOf): Batch {
  const given = givenFields(entity)
  const columns = given.map(({ name, field, parent }) => {
    if (field.kind !== 'id' && parent === undefined)
      return [name, encoder.encode(rows.map((row) => row[name] ?? '').join(BETWEEN))]
    const numbers = new Uint32Array(rows.length)
    for (let at = 0; at < rows.length; at++) {
      const value = rows[at]?.[name]
      if (parent === undefined) numbers[at] = value as number
      else numbers[at] = value === undefined ? NO_POSITION : positionOf(parent.name, value)
    }
    return [name, numbers]
  })
  const facts = factsOf(entity).map(([name, { type }]) => {
    if (type === 'text') return [name, encoder.encode(rows.map((row) => row[name] ?? '').join(BETWEEN))]
    return [name, numbersIn(rows, name)]
  })
  const values = given.flatMap(({ name, field }) => (isNumberValue(field) ? [[name, numbersIn(rows, name)]] : []))
  return { count: rows.length, columns: Object.fromEntries(columns), facts: Object.fromEntries([...facts, ...values]) }
}

function numbersIn(rows: readonly Values[], name: string): Float64Array {
  const numbers = new Float64Array(rows.length)
  for (let at = 0; at < rows.length; at++) {
    const value = rows[at]?.[name]
    numbers[at] = value === undefined ? Number.NaN : Number(value)
  }
  return numbers
}

/** Goes through the texts of a column: the one that it is at stands from `start` to `end`. */
export class TextCursor {
  readonly texts: Uint8Array
  start = 0
  end = -1

  constructor(texts: Uint8Array) {
    this.texts = texts
  }

  next(): void {
    this.start = this.end + 1
    const between = this.texts.indexOf(NUL, this.start)
    this.end = between < 0 ? this.texts.length : between
  }
}
