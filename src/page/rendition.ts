// Records as JSON, newline-delimited JSON or CSV, whole or in part.
import { type Entity, identifierOf } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { csvHead, csvRow } from './csv.ts'

export const FORMATS = ['json', 'ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

export type Rendition = {
  readonly format: Format
  /** Dotted paths of what is wanted; undefined stands for all. */
  readonly fields: readonly string[] | undefined
  /** Embedded records in full, or only by their identifiers. */
  readonly embed: 'full' | 'id'
}

export const isWhole = ({ fields, embed }: Rendition): boolean => fields === undefined && embed === 'full'

type Shape = (record: PublishedRecord) => PublishedRecord

/** What is wanted of a record, and of what it embeds. */
type Wanted = Map<string, Wanted>

/** Leaves out of a record what is not wanted. */
export function shapeOf(entity: Entity, { fields, embed }: Rendition): Shape {
  return shaped(entity, fields === undefined ? undefined : wantedOf(fields), embed)
}

function wantedOf(fields: readonly string[]): Wanted {
  const wanted: Wanted = new Map()
  for (const field of fields) {
    let level = wanted
    for (const step of field.split('.')) {
      const deeper = level.get(step) ?? new Map()
      level.set(step, deeper)
      level = deeper
    }
  }
  // What is wanted whole is wanted with all that is in it.
  for (const field of fields) {
    const steps = field.split('.')
    const last = steps.pop() as string
    steps.reduce((level, step) => level.get(step) as Wanted, wanted).set(last, new Map())
  }
  return wanted
}

function shaped(entity: Entity, wanted: Wanted | undefined, embed: Rendition['embed']): Shape {
  const parts = Object.entries(entity.fields)
    .filter(([name]) => wanted === undefined || wanted.has(name))
    .map(([name, field]) => {
      const inner = wanted?.get(name)
      if (field.kind !== 'embed') return { name, take: (value: unknown) => value }
      if (inner !== undefined && inner.size > 0) return { name, take: shaped(field.entity, inner, embed) }
      if (embed === 'full') return { name, take: (value: unknown) => value }
      const identifier = identifierOf(field.entity)
      return { name, take: (value: PublishedRecord) => value[identifier] }
    }) as readonly { name: string; take: (value: unknown) => PublishedRecord[string] }[]
  return (record) => Object.fromEntries(parts.map(({ name, take }) => [name, take(record[name])]))
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Writes records one after the other; `json` is each as it is published. */
export type Pen = {
  readonly head: Uint8Array
  readonly record: (json: Uint8Array) => Uint8Array
  /** What stands between two records. */
  readonly gap: Uint8Array
  /** What stands after the last record, if there is one, and if there is none. */
  readonly tail: Uint8Array
}

const text = (value: string) => encoder.encode(value)
const NOTHING = new Uint8Array()

export function penFor(entity: Entity, rendition: Rendition): Pen {
  if (rendition.format === 'csv') {
    const shape = shapeOf(entity, rendition)
    const row = csvRow(entity, rendition)
    const record = (json: Uint8Array) => text(row(shape(JSON.parse(decoder.decode(json)))))
    return { head: text(csvHead(entity, rendition)), record, gap: NOTHING, tail: NOTHING }
  }
  const record = isWhole(rendition) ? (json: Uint8Array) => json : reshaper(shapeOf(entity, rendition))
  return rendition.format === 'json'
    ? { head: text('['), record, gap: text(','), tail: text(']') }
    : { head: NOTHING, record: (json) => Buffer.concat([record(json), text('\n')]), gap: NOTHING, tail: NOTHING }
}

const reshaper = (shape: Shape) => (json: Uint8Array) => text(JSON.stringify(shape(JSON.parse(decoder.decode(json)))))

/** The whole body at once, for as many records as a page has. */
export function bodyOf(pen: Pen, records: readonly Uint8Array[]): Uint8Array {
  const pieces: Uint8Array[] = [pen.head]
  for (const [at, json] of records.entries()) {
    if (at > 0) pieces.push(pen.gap)
    pieces.push(pen.record(json))
  }
  pieces.push(pen.tail)
  return Buffer.concat(pieces)
}
