// Records as JSON, newline-delimited JSON or CSV, whole or in part.
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
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

const decoder = new TextDecoder()

/** Writes records one after the other, each given as it is published. */
export type RecordEncoder = {
  readonly head: Uint8Array
  /** Some records, with what stands between them, in pieces. */
  readonly records: (jsons: readonly Uint8Array[]) => readonly Uint8Array[]
  /** What stands between these and further ones. */
  readonly gap: Uint8Array
  /** What stands after the last record, if there is one, and if there is none. */
  readonly tail: Uint8Array
}

const text = (value: string) => Buffer.from(value)
const NOTHING = new Uint8Array()

export function recordEncoder(entity: Entity, rendition: Rendition): RecordEncoder {
  if (rendition.format === 'csv') return csvEncoder(entity, rendition)
  const isJson = rendition.format === 'json'
  const [between, after] = isJson ? [',', ''] : ['\n', '\n']
  const records = isWhole(rendition)
    ? (jsons: readonly Uint8Array[]) => spaced(jsons, between, after)
    : reshaper(shapeOf(entity, rendition), between, after)
  return isJson
    ? { head: text('['), records, gap: text(','), tail: text(']') }
    : { head: NOTHING, records, gap: NOTHING, tail: NOTHING }
}

function csvEncoder(entity: Entity, rendition: Rendition): RecordEncoder {
  const shape = shapeOf(entity, rendition)
  const row = csvRow(entity, rendition)
  const rows = (jsons: readonly Uint8Array[]) => parsed(jsons).map((record) => row(shape(record)))
  const records = (jsons: readonly Uint8Array[]) => [text(rows(jsons).join(''))]
  return { head: text(csvHead(entity, rendition)), records, gap: NOTHING, tail: NOTHING }
}

const reshaper = (shape: Shape, between: string, after: string) => (jsons: readonly Uint8Array[]) => {
  const texts = parsed(jsons).map((record) => JSON.stringify(shape(record)))
  return texts.length === 0 ? [] : [text(`${texts.join(between)}${after}`)]
}

const OPENING = text('[')

/** All at once: to read many short texts takes longer than one that is as long as all of them. */
const parsed = (jsons: readonly Uint8Array[]): PublishedRecord[] =>
  jsons.length === 0 ? [] : JSON.parse(decoder.decode(Buffer.concat([OPENING, ...spaced(jsons, ',', ']')])))

/** Nothing where there are none. */
function spaced(jsons: readonly Uint8Array[], between: string, after: string): readonly Uint8Array[] {
  if (jsons.length === 0 || (jsons.length === 1 && after === '')) return jsons
  const gap = text(between)
  const pieces: Uint8Array[] = []
  for (const json of jsons) pieces.push(json, gap)
  pieces[pieces.length - 1] = text(after)
  return pieces
}

/** The whole body at once, for as many records as a page has. */
export const bodyOf = ({ head, records, tail }: RecordEncoder, jsons: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([head, ...records(jsons), tail])
