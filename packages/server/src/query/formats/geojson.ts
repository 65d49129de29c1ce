// Records as GeoJSON: a collection of features, or a sequence of them (RFC 8142), with the point or the shape of each record.
import { type Entity, hasCoordinates } from '../../catalog/entity.ts'
import type { Polygon } from '../../release/boundaries/boundary-file.ts'
import { shapeReader } from '../../release/boundaries/boundary-records.ts'
import type { Release } from '../../release/release.ts'
import { PER_DEGREE } from '../../source/boundaries/corners.ts'
import { pointReader } from '../near.ts'
import { recordJson } from './json.ts'
import { NO_BYTES, type RecordEncoder, type RecordFormat, type RecordOptions } from './record-format.ts'

/** The detail of shapes: all corners, as many as a screen shows, or no geometry. */
export const GEOMETRIES = ['full', 'screen', 'none'] as const
export type Geometry = (typeof GEOMETRIES)[number]

/** Microseconds that compute workers take. */
const cost = { fixed: 1_000, perKilobyte: 8 }

export const geojson: RecordFormat = {
  title: 'GeoJSON',
  description: 'each record is a feature with its point or its boundary',
  mediaTypes: ['application/geo+json'],
  hasColumns: false,
  cost,
  encoder: (entity, options) => ({
    head: Buffer.from('{"type":"FeatureCollection","features":['),
    records: features(entity, options, '', ','),
    gap: Buffer.from(','),
    tail: () => Buffer.from(']}'),
  }),
}

export const geojsonseq: RecordFormat = {
  title: 'GeoJSON Text Sequence',
  description: 'each feature stands after the sign 0x1E, as in /all with geojson',
  mediaTypes: ['application/geo+json-seq'],
  extension: 'geojsons',
  hasColumns: false,
  cost,
  encoder: (entity, options) => ({
    head: NO_BYTES,
    records: features(entity, options, '\x1e', '\n'),
    gap: Buffer.from('\n'),
    tail: () => Buffer.from('\n'),
  }),
}

const CHUNK_BYTES = 1 << 16
const CLOSING = Buffer.from('}')

/** Features in chunks of many, or of one, whose shape may have megabytes. */
function features(entity: Entity, options: RecordOptions, before: string, between: string): RecordEncoder['records'] {
  const properties = recordJson(entity, options, '', '')
  const { geometryAt = () => 'null' } = options
  return function* (jsons, positions = []) {
    let chunks: Uint8Array[] = []
    let bytes = 0
    const add = (chunk: Uint8Array) => {
      chunks.push(chunk)
      bytes += chunk.length
    }
    for (const [at, json] of jsons.entries()) {
      const position = positions[at]
      const geometry = position === undefined ? 'null' : geometryAt(position)
      add(Buffer.from(`${at === 0 ? '' : between}${before}{"type":"Feature","geometry":${geometry},"properties":`))
      for (const chunk of properties([json])) add(chunk)
      add(CLOSING)
      if (bytes < CHUNK_BYTES) continue
      yield Buffer.concat(chunks)
      chunks = []
      bytes = 0
    }
    yield Buffer.concat(chunks)
  }
}

/** Reads the geometry of the record at a position as JSON: its shape, else its point, else null. */
export function geometryReader(release: Release, entity: Entity, geometry: Geometry): (position: number) => string {
  if (geometry === 'none') return () => 'null'
  const open = release.entity(entity.name)
  const file = open.boundaries(geometry)
  const shapeAt = file === undefined ? () => undefined : shapeReader(release, entity, file)
  const pointAt = hasCoordinates(entity) ? pointReader(open) : () => undefined
  return (position) => {
    const shape = shapeAt(position)
    if (file !== undefined && shape !== undefined) return shapeJson(file.polygonsOf(shape))
    const point = pointAt(position)
    return point === undefined ? 'null' : `{"type":"Point","coordinates":[${point.longitude},${point.latitude}]}`
  }
}

function shapeJson(polygons: readonly Polygon[]): string {
  const texts = polygons.map((rings) => `[${rings.map(ringJson).join()}]`)
  return polygons.length === 1
    ? `{"type":"Polygon","coordinates":${texts[0]}}`
    : `{"type":"MultiPolygon","coordinates":[${texts.join()}]}`
}

function ringJson(ring: Int32Array): string {
  const corners: string[] = []
  for (let at = 0; at < ring.length; at += 2)
    corners.push(`[${(ring[at] as number) / PER_DEGREE},${(ring[at + 1] as number) / PER_DEGREE}]`)
  return `[${corners.join()}]`
}
