// Some rows, field by field: texts are encoded once, and read from then on without making a string of any.
import { type Entity, embedsOf, factsOf, type Values } from './entity.ts'

export type Batch = {
  readonly count: number
  /** Numbers, or texts in UTF-8 with a line feed between any two: none of them has one. */
  readonly columns: Readonly<Record<string, Uint8Array | Uint32Array>>
  /** The same for facts; one that is not known is NaN, or an empty text. */
  readonly facts: Readonly<Record<string, Uint8Array | Float64Array>>
}

export type GivenField = {
  readonly name: string
  readonly kind: 'id' | 'embed' | 'name' | 'code'
  /** What is embedded in it. */
  readonly parent: Entity | undefined
}

/** The fields of a row that make up its record: all but copies and facts. */
export function givenFields(entity: Entity): GivenField[] {
  const parents = new Map(embedsOf(entity))
  return Object.entries(entity.fields).flatMap(([name, { kind }]) =>
    kind === 'copy' || kind === 'fact' ? [] : [{ name, kind, parent: parents.get(name) }],
  )
}

const BETWEEN = '\n'
const LINE_FEED = 0x0a
const encoder = new TextEncoder()

export function batchOf(entity: Entity, rows: readonly Values[]): Batch {
  const columns = givenFields(entity).map(({ name, kind }) => {
    if (kind === 'name' || kind === 'code')
      return [name, encoder.encode(rows.map((row) => row[name] as string).join(BETWEEN))]
    const numbers = new Uint32Array(rows.length)
    for (let at = 0; at < rows.length; at++) numbers[at] = rows[at]?.[name] as number
    return [name, numbers]
  })
  const facts = factsOf(entity).map(([name, { type }]) => {
    if (type === 'text') return [name, encoder.encode(rows.map((row) => row[name] ?? '').join(BETWEEN))]
    const numbers = new Float64Array(rows.length)
    for (let at = 0; at < rows.length; at++) numbers[at] = (rows[at]?.[name] as number | undefined) ?? Number.NaN
    return [name, numbers]
  })
  return { count: rows.length, columns: Object.fromEntries(columns), facts: Object.fromEntries(facts) }
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
    const feed = this.texts.indexOf(LINE_FEED, this.start)
    this.end = feed < 0 ? this.texts.length : feed
  }
}
