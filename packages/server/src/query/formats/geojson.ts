// Records as GeoJSON: a collection of features, or a sequence of them (RFC 8142), with the point or the shape of each record.
import { type Entity, hasCoordinates } from '../../catalog/entity.ts'
import { shapeJson } from '../../release/boundaries/boundary-file.ts'
import { shapeReader } from '../../release/boundaries/boundary-records.ts'
import type { Release } from '../../release/release.ts'
import { pointReader } from '../near.ts'
import { json, recordJson } from './json.ts'
import { ndjson } from './ndjson.ts'
import type { Geometry, RecordFormat } from './record-format.ts'
import { memberAdder, type Selection } from './selection.ts'

/** Features are whole already. */
const WHOLE: Selection = { fields: undefined, facts: false, embed: 'full' }

const COLLECTION = Buffer.from('{"type":"FeatureCollection","features":[')
const COLLECTION_END = Buffer.from(']}')

export const geojson: RecordFormat = {
  title: 'GeoJSON',
  description: 'each record is a feature with its point or its boundary',
  mediaTypes: ['application/geo+json'],
  hasColumns: false,
  // Compute workers make features.
  cost: { fixed: 1_000, perKilobyte: 8 },
  reader: featureReader(''),
  encoder: (entity, _, about) => ({
    ...json.encoder(entity, WHOLE, about),
    head: COLLECTION,
    tail: () => COLLECTION_END,
  }),
}

const { title: _, ...untitled } = geojson

/** The form of whole lists; nobody has to choose it, so it has no title. */
export const geojsonseq: RecordFormat = {
  ...untitled,
  description: 'each feature stands after the sign 0x1E, as in /all with geojson',
  mediaTypes: ['application/geo+json-seq'],
  extension: 'geojsons',
  reader: featureReader('\x1e'),
  encoder: (entity, _, about) => ndjson.encoder(entity, WHOLE, about),
}

/** True for the formats whose records are features. */
export const hasGeometry = (format: string): boolean => format === 'geojson' || format === 'geojsonseq'

function featureReader(before: string): NonNullable<RecordFormat['reader']> {
  return (release, entity, options, ownMembers) => {
    const addMembers = memberAdder(release, entity, options, ownMembers)
    const properties = recordJson(entity.definition, options, '', '')
    const geometryAt = geometryReader(release, entity.definition, options.geometry ?? 'none')
    return (record, position) => {
      const head = `${before}{"type":"Feature","geometry":${geometryAt(position)},"properties":`
      return Buffer.concat([Buffer.from(head), ...properties([addMembers(record, position)]), CLOSING])
    }
  }
}

const CLOSING = Buffer.from('}')

/** A collection of features, each with its geometry as JSON, and its properties. */
export function featureCollection(features: Iterable<readonly [geometry: string, properties: object]>): Buffer {
  const texts = Array.from(
    features,
    ([geometry, properties]) => `{"type":"Feature","geometry":${geometry},"properties":${JSON.stringify(properties)}}`,
  )
  return Buffer.concat([COLLECTION, Buffer.from(texts.join()), COLLECTION_END])
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
