// The formats of records, one line for each.
import type { Entity } from '../../catalog/entity.ts'
import type { Release } from '../../release/release.ts'
import { aboutRecords } from './about.ts'
import { csv } from './csv.ts'
import { geojson, geojsonseq, geometryReader } from './geojson.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import type { RecordEncoder, RecordFormat, RecordOptions } from './record-format.ts'
import { xlsx } from './xlsx.ts'

export const recordFormats = {
  json,
  ndjson,
  csv,
  xlsx,
  geojson,
  geojsonseq,
} as const satisfies Readonly<Record<string, RecordFormat>>

export type FormatName = keyof typeof recordFormats
export const FORMATS = Object.keys(recordFormats) as readonly FormatName[]

/** A selection of fields, and the format to write them in. */
export type Rendition = RecordOptions & { readonly format: FormatName }

export function contentTypeOf(format: FormatName): string {
  const { mediaTypes, parameters }: RecordFormat = recordFormats[format]
  return parameters === undefined ? mediaTypes[0] : `${mediaTypes[0]}; ${parameters}`
}

export function recordEncoder(release: Release, entity: Entity, rendition: Rendition): RecordEncoder {
  const { format, geometry } = rendition
  const shapes = geometry === undefined ? {} : { geometryAt: geometryReader(release, entity, geometry) }
  return recordFormats[format].encoder(entity, { ...rendition, ...shapes }, aboutRecords(release, entity))
}

/** True for the formats whose records are features. */
export const hasGeometry = (format: FormatName): boolean => format === 'geojson' || format === 'geojsonseq'

/** The whole body at once, for as many records as a page has. */
export const bodyOf = (
  { head, records, tail }: RecordEncoder,
  jsons: readonly Uint8Array[],
  positions?: ArrayLike<number>,
): Uint8Array => Buffer.concat([head, ...records(jsons, positions), tail()])
