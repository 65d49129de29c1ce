// Builds the spatial index of an entity: the points of all records whose coordinates are known, ordered as a k-d tree.
import KDBush from 'kdbush'
import { POINT_NODE_SIZE } from './index-file.ts'
import type { SectionWriter } from './sections.ts'

/** Degrees by position, NaN where they are not known. Where no point is known, nothing is written. */
export function writePoints(file: SectionWriter, latitudes: Float64Array, longitudes: Float64Array): void {
  const isKnown = (position: number) => !Number.isNaN(latitudes[position]) && !Number.isNaN(longitudes[position])
  let count = 0
  for (let position = 0; position < latitudes.length; position++) if (isKnown(position)) count++
  if (count === 0) return
  const known = new Uint32Array(count)
  const tree = new KDBush(count, POINT_NODE_SIZE)
  for (let position = 0; position < latitudes.length; position++)
    if (isKnown(position)) known[tree.add(longitudes[position] as number, latitudes[position] as number)] = position
  tree.finish()
  const { ids, coords } = tree
  file.add(
    'pointPositions',
    Uint32Array.from(ids, (id) => known[id] as number),
  )
  file.add('pointCoordinates', new Uint8Array(coords.buffer, coords.byteOffset, coords.byteLength))
}
