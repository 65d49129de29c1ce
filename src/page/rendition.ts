// Records as JSON, newline-delimited JSON or CSV, whole or in part.
import type { Entity } from '../catalog/entity.ts'
import { csvHead, csvRow } from './csv.ts'
import { isWhole, type Selection, type Shape, shapeOf } from './selection.ts'

export const FORMATS = ['json', 'ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

export type Rendition = Selection & { readonly format: Format }

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
