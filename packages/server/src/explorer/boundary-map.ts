// The shape of a record on its page, and that of the record above, in which it lies.
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { codeIn } from '../catalog/official-code.ts'
import { embeddedAncestors } from '../http/v2/record-summary.ts'
import type { Polygon } from '../release/boundaries/boundary-file.ts'
import type { Release } from '../release/release.ts'
import { boxOf, PER_DEGREE } from '../source/boundaries/corners.ts'

/** The shape of a record, as much of it as a screen shows; undefined where it has none. */
export function shapeOf(release: Release, entity: Entity, record: PublishedRecord): readonly Polygon[] | undefined {
  const file = release.entity(entity.name).boundaries('screen')
  const shape = file?.withCode(codeIn(entity, record) ?? '')
  return shape === undefined ? undefined : file?.polygonsOf(shape)
}

/** The bounds of a shape in degrees. */
export const cornersOf = (shape: readonly Polygon[]) => {
  const [west, south, east, north] = boxOf(shape.flat()).map((side) => side / PER_DEGREE) as [
    number,
    number,
    number,
    number,
  ]
  return [
    { longitude: west, latitude: south },
    { longitude: east, latitude: north },
  ]
}

/** The path of a shape in a picture, without corners that fall on the spot of the one before. */
export function pathOf(
  shape: readonly Polygon[],
  x: (longitude: number) => number,
  y: (latitude: number) => number,
): string {
  return shape
    .flat()
    .map((ring) => {
      const spots: string[] = []
      for (let at = 0; at < ring.length; at += 2) {
        const spot = `${x((ring[at] as number) / PER_DEGREE)} ${y((ring[at + 1] as number) / PER_DEGREE)}`
        if (spot !== spots.at(-1)) spots.push(spot)
      }
      return `M${spots.join('L')}Z`
    })
    .join('')
}

/** The nearest record above with a shape. */
export const shapeAbove = (release: Release, entity: Entity, record: PublishedRecord) =>
  embeddedAncestors({ entity, record }).flatMap((above) => {
    const shape = shapeOf(release, above.entity, above.record)
    return shape === undefined ? [] : [{ ...above, shape }]
  })[0]
