// The shape of a record on its page, and a small map of where it lies in the record above it.
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { codeIn } from '../catalog/official-code.ts'
import { type Html, html } from '../http/html.ts'
import { embeddedAncestors } from '../http/v2/record-summary.ts'
import { boxOf, type Polygon } from '../release/boundaries/boundary-file.ts'
import type { Release } from '../release/release.ts'
import { PER_DEGREE } from '../source/boundaries/matched-shapes.ts'
import { pointOf } from './dot-map.ts'

export type Shape = readonly Polygon[]

/** The shape of a record, as much of it as a screen shows; undefined where it has none. */
export function shapeOf(release: Release, entity: Entity, record: PublishedRecord): Shape | undefined {
  const file = release.entity(entity.name).boundaries('screen')
  const shape = file?.withCode(codeIn(entity, record) ?? '')
  return shape === undefined ? undefined : file?.polygonsOf(shape)
}

/** The bounds of a shape in degrees. */
export const cornersOf = (shape: Shape) => {
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
export function pathOf(shape: Shape, x: (longitude: number) => number, y: (latitude: number) => number): string {
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

const SIZE = 200
const MARGIN = 6

/** The nearest record above with a shape, and in it the shape or the point of the record; `label` is given the one above. */
export function locatorMap(
  release: Release,
  entity: Entity,
  record: PublishedRecord,
  label: (above: Entity, record: PublishedRecord) => string,
): Html | undefined {
  const [own, point] = [shapeOf(release, entity, record), pointOf(entity, record)]
  const above = embeddedAncestors({ entity, record }).find(
    (one) => shapeOf(release, one.entity, one.record) !== undefined,
  )
  const outer = above && shapeOf(release, above.entity, above.record)
  if (above === undefined || outer === undefined || (own === undefined && point === undefined)) return undefined
  const [southWest, northEast] = cornersOf(outer) as [
    { longitude: number; latitude: number },
    { longitude: number; latitude: number },
  ]
  const narrowing = Math.cos((((southWest.latitude + northEast.latitude) / 2) * Math.PI) / 180)
  const [across, down] = [
    (northEast.longitude - southWest.longitude) * narrowing,
    northEast.latitude - southWest.latitude,
  ]
  const scale = (SIZE - 2 * MARGIN) / Math.max(across, down)
  const x = (longitude: number) => Math.round(((longitude - southWest.longitude) * narrowing * scale + MARGIN) * 2) / 2
  const y = (latitude: number) => Math.round(((northEast.latitude - latitude) * scale + MARGIN) * 2) / 2
  const place =
    own === undefined
      ? html`<circle cx="${x(point?.longitude ?? 0)}" cy="${y(point?.latitude ?? 0)}" r="4"/>`
      : html`<path class="own" d="${pathOf(own, x, y)}"/>`
  const [width, height] = [Math.round(across * scale + 2 * MARGIN), Math.round(down * scale + 2 * MARGIN)]
  const text = label(above.entity, above.record)
  return html`<figure class="locator"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${text}"><path d="${pathOf(outer, x, y)}"/>${place}</svg><figcaption>${text}</figcaption></figure>`
}
