// The records of a list that shapes belong to, and the points that lie below each of them.
import { memoized } from '../../base/memoized.ts'
import { type Entity, embeddedAt } from '../../catalog/entity.ts'
import { descendantsOf, pathTo } from '../../catalog/lineage.ts'
import { usualCodeOf } from '../../catalog/official-code.ts'
import { unitsOf } from '../../source/boundaries/corners.ts'
import type { BoundaryList } from '../../source/boundaries/matched-shapes.ts'
import { codeReader, positionsWithCode } from '../official-codes.ts'
import type { OpenEntity, Release } from '../release.ts'
import type { BoundaryFile } from './boundary-file.ts'

/** Reads the shape of the record at a position; undefined where it has none. */
export function shapeReader(
  release: Release,
  entity: Entity,
  file: BoundaryFile,
): (position: number) => number | undefined {
  const codeAt = codeReader(release, entity)
  return (position) => {
    const code = codeAt(position)
    return code === undefined ? undefined : file.withCode(code)
  }
}

/** The member of a record with a digest of its shape where releases are compared; a list may have a field of that name. */
export const boundaryNameOf = memoized(({ fields }: Entity): string => {
  let name = 'boundary'
  while (Object.hasOwn(fields, name)) name += '_'
  return name
})

/** Reads a digest of the shape of the record at a position; null where it has none. */
export function shapeDigests(release: Release, entity: OpenEntity): (position: number) => string | null {
  const file = entity.boundaries('full')
  if (file === undefined) return () => null
  const shapeAt = shapeReader(release, entity.definition, file)
  return (position) => {
    const shape = shapeAt(position)
    return shape === undefined ? null : new Bun.CryptoHasher('sha256').update(file.bytesOf(shape)).digest('hex')
  }
}

/** The positions of the records of some shapes, ascending. */
export const positionsOfShapes = (
  release: Release,
  entity: Entity,
  file: BoundaryFile,
  shapes: readonly number[],
): Uint32Array =>
  Uint32Array.from(
    shapes.flatMap((shape) => positionsWithCode(release, entity, file.codeOf(shape), usualCodeOf(entity))),
  ).sort()

/** A record of a list with coordinates, in degrees, and the record of another list that it is or that it lies below. */
export type PointBelow = {
  readonly list: Entity
  readonly position: number
  readonly above: number
  readonly longitude: number
  readonly latitude: number
}

/** The points of the records of an entity, and of all that lie below them. */
export function* pointsBelow(release: Release, entity: Entity): Generator<PointBelow> {
  for (const list of [entity, ...descendantsOf(release.catalog, entity)]) {
    const { positions, coordinates } = release.entity(list.name).index.points
    const aboveAt = list === entity ? (position: number) => position : ancestorReader(release, list, entity)
    for (const [at, position] of positions.entries()) {
      const [longitude, latitude] = [coordinates[2 * at] as number, coordinates[2 * at + 1] as number]
      const above = aboveAt(position)
      if (above !== undefined) yield { list, position, above, longitude, latitude }
    }
  }
}

/** Reads the position of the ancestor of a record; undefined where it has none. */
function ancestorReader(release: Release, list: Entity, ancestor: Entity): (position: number) => number | undefined {
  let at = list
  const columns = (pathTo(list, ancestor)?.steps ?? []).map((step) => {
    const { values } = release.entity(at.name).index.column(step)
    at = embeddedAt(at, step)
    return values
  })
  const { count } = release.entity(ancestor.name)
  return (position) => {
    const above = columns.reduce((value, values) => values[value] ?? count, position)
    return above < count ? above : undefined
  }
}

/** A shape lies elsewhere if none of the points of its record is nearer than a quarter of a degree. */
const NEAR = unitsOf(0.25)

/** A list of a release as features are matched to it. */
export function boundaryListOf(release: Release, entity: Entity): BoundaryList {
  const codeAt = codeReader(release, entity)
  const codes = Array.from({ length: release.entity(entity.name).count }, (_, position) => codeAt(position) ?? '')
  const points = Map.groupBy(pointsBelow(release, entity), ({ above }) => codes[above] ?? '')
  return {
    plural: entity.plural,
    codes: new Set(codes.filter((code) => code !== '')),
    widths: widthsOf(entity),
    separator: usualCodeOf(entity).separator ?? '',
    isElsewhere: (code, [west, south, east, north]) => {
      const known = points.get(code) ?? []
      const isNear = ({ longitude, latitude }: PointBelow) => {
        const [x, y] = [unitsOf(longitude), unitsOf(latitude)]
        return x > west - NEAR && x < east + NEAR && y > south - NEAR && y < north + NEAR
      }
      return known.length > 0 && !known.some(isNear)
    },
  }
}

function widthsOf(entity: Entity): (number | undefined)[] {
  return usualCodeOf(entity).parts.flatMap(({ field, width }) =>
    entity.fields[field]?.kind === 'embed' ? widthsOf(embeddedAt(entity, field)) : [width],
  )
}
