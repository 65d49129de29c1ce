// The formats of records, one line for each.
import type { Entity } from '../../catalog/entity.ts'
import { csv } from './csv.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import type { RecordEncoder, RecordFormat } from './record-format.ts'
import type { Selection } from './selection.ts'

export const recordFormats = {
  json,
  ndjson,
  csv,
} as const satisfies Readonly<Record<string, RecordFormat>>

export type Format = keyof typeof recordFormats
export const FORMATS = Object.keys(recordFormats) as readonly Format[]

/** Which of each record is given, and in which format. */
export type Rendition = Selection & { readonly format: Format }

export function contentTypeOf(format: Format): string {
  const { mediaTypes, parameters }: RecordFormat = recordFormats[format]
  return parameters === undefined ? mediaTypes[0] : `${mediaTypes[0]}; ${parameters}`
}

export const recordEncoder = (entity: Entity, rendition: Rendition): RecordEncoder =>
  recordFormats[rendition.format].encoder(entity, rendition)

/** The whole body at once, for as many records as a page has. */
export const bodyOf = ({ head, records, tail }: RecordEncoder, jsons: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([head, ...records(jsons), tail])
