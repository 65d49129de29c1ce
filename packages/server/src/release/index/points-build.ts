// Builds the spatial index of an entity: the points of all records whose coordinates are known, ordered as a k-d tree.
import KDBush from 'kdbush'
import { forceGc } from '../build/force-gc.ts'
import { POINT_NODE_SIZE } from './index-file.ts'
import type { SectionWriter } from './sections.ts'

/** Degrees by position, NaN where they are not known. Where no point is known, nothing is written. */
export function writePoints(file: SectionWriter, degrees: () => Degrees): void {
  const points = pointsOf(degrees())
  if (points === undefined) return
  const { tree, known } = points
  forceGc(known.length)
  tree.finish()
  const { ids, coords } = tree
  // In place where they are many; a few points have numbers too small for a position.
  const positions = ids instanceof Uint32Array ? ids : new Uint32Array(ids.length)
  for (let at = 0; at < ids.length; at++) positions[at] = known[ids[at] as number] as number
  file.add('pointPositions', positions)
  file.add('pointCoordinates', new Uint8Array(coords.buffer, coords.byteOffset, coords.byteLength))
}

type Degrees = { readonly latitudes: Float64Array; readonly longitudes: Float64Array }

/** The tree before it is put in order, and the positions of its points. */
function pointsOf({ latitudes, longitudes }: Degrees) {
  const isKnown = (position: number) => !Number.isNaN(latitudes[position]) && !Number.isNaN(longitudes[position])
  let count = 0
  for (let position = 0; position < latitudes.length; position++) if (isKnown(position)) count++
  if (count === 0) return undefined
  const known = new Uint32Array(count)
  const tree = new KDBush(count, POINT_NODE_SIZE)
  for (let position = 0; position < latitudes.length; position++)
    if (isKnown(position)) known[tree.add(longitudes[position] as number, latitudes[position] as number)] = position
  return { tree, known }
}
