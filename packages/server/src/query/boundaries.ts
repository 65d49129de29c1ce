// Finds records by where they lie: those whose shape holds a point, and those with a shape or a point in a box.
import type { Entity } from '../catalog/entity.ts'
import { lineageOf, pathTo } from '../catalog/lineage.ts'
import type { BoundaryFile } from '../release/boundaries/boundary-file.ts'
import { positionsOfShapes, shapeReader } from '../release/boundaries/boundary-records.ts'
import type { Release } from '../release/release.ts'
import { type Box, unitsOf } from '../source/boundaries/corners.ts'
import { type Near, pointTree } from './near.ts'

export type GeoPoint = Omit<Near, 'within'>

/** A list with boundaries, which is another list or one above it; the steps lead there from a record. */
type Bounded = { readonly entity: Entity; readonly file: BoundaryFile; readonly steps: readonly string[] }

/** The nearest list with boundaries, from a list on upwards. */
export function boundedList(release: Release, entity: Entity): Bounded | undefined {
  for (const one of lineageOf(entity)) {
    const file = release.entity(one.name).boundaries('full')
    if (file !== undefined) return { entity: one, file, steps: pathTo(entity, one)?.steps ?? [] }
  }
  return undefined
}

/** The positions of the records of a list with boundaries whose shape holds a point, ascending. */
export const positionsContaining = (
  release: Release,
  { entity, file }: Bounded,
  { latitude, longitude }: GeoPoint,
): Uint32Array => positionsOfShapes(release, entity, file, file.containing(unitsOf(longitude), unitsOf(latitude)))

/**
 * The positions of the records with a part of their shape in a box, ascending; of records without a shape, those with their
 * point in it. A box whose west is greater than its east goes over the antimeridian.
 */
export function positionsInBox(release: Release, entity: Entity, [west, south, east, north]: Box): Uint32Array {
  const boxes: Box[] =
    west <= east
      ? [[west, south, east, north]]
      : [
          [west, south, 180, north],
          [-180, south, east, north],
        ]
  const open = release.entity(entity.name)
  const file = open.boundaries('full')
  const shapeAt = file === undefined ? () => undefined : shapeReader(release, entity, file)
  const found = boxes.flatMap((box) => {
    const points = pointTree(open.index).range(...box)
    const shapes = file?.meeting(box.map(unitsOf) as unknown as Box) ?? []
    const withShape = file === undefined ? [] : positionsOfShapes(release, entity, file, shapes)
    return [...points.filter((position) => shapeAt(position) === undefined), ...withShape]
  })
  return Uint32Array.from(new Set(found)).sort()
}
