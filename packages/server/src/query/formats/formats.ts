// The formats of records, one line for each.
import type { Entity } from '../../catalog/entity.ts'
import type { Release } from '../../release/release.ts'
import { aboutRecords } from './about.ts'
import { csv } from './csv.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import type { RecordEncoder, RecordFormat, RecordOptions } from './record-format.ts'
import { xlsx } from './xlsx.ts'

export const recordFormats = {
  json,
  ndjson,
  csv,
  xlsx,
} as const satisfies Readonly<Record<string, RecordFormat>>

export type FormatName = keyof typeof recordFormats
export const FORMATS = Object.keys(recordFormats) as readonly FormatName[]

/** A selection of fields, and the format to write them in. */
export type Rendition = RecordOptions & { readonly format: FormatName }

export function contentTypeOf(format: FormatName): string {
  const { mediaTypes, parameters }: RecordFormat = recordFormats[format]
  return parameters === undefined ? mediaTypes[0] : `${mediaTypes[0]}; ${parameters}`
}

export const recordEncoder = (release: ReadRelease, entity: Entity, rendition: Rendition): RecordEncoder =>
  recordFormats[rendition.format].encoder(entity, rendition, aboutRecords(release, entity))

type ReadRelease = Pick<Release, 'digest' | 'manifest'>

/** The whole body at once, for as many records as a page has. */
export const bodyOf = ({ head, records, tail }: RecordEncoder, jsons: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([head, ...records(jsons), tail()])
