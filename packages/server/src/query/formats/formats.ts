// The formats of records, one line for each.
import type { Entity } from '../../catalog/entity.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { aboutRecords } from './about.ts'
import { csv } from './csv.ts'
import { geojson, geojsonseq } from './geojson.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import { options } from './options.ts'
import type { RecordEncoder, RecordFormat, RecordOptions } from './record-format.ts'
import { memberAdder } from './selection.ts'
import { xlsform } from './xlsform.ts'
import { xlsx } from './xlsx.ts'

export const recordFormats = {
  json,
  ndjson,
  csv,
  xlsx,
  geojson,
  geojsonseq,
  options,
  xlsform,
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

/** Reads what the encoder of a rendition is given of a record; its JSON has further members where a request wants some. */
export function recordReader(
  release: Release,
  entity: OpenEntity,
  rendition: Rendition,
  ownMembers?: (position: number) => object,
): (json: Uint8Array, position: number) => Uint8Array {
  const { reader }: RecordFormat = recordFormats[rendition.format]
  return reader?.(release, entity, rendition, ownMembers) ?? memberAdder(release, entity, rendition, ownMembers)
}

type ReadRelease = Pick<Release, 'digest' | 'manifest'>

/** The whole body at once, for as many records as a page has. */
export const bodyOf = ({ head, records, tail }: RecordEncoder, jsons: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([head, ...records(jsons), tail()])
