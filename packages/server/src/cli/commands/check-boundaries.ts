// nomenclator check --boundaries: the records whose coordinates do not lie in the boundaries of what they belong to.
import { OperationalError } from '../../base/operational-error.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Polygon } from '../../release/boundaries/boundary-file.ts'
import { type PointBelow, pointsBelow, shapeReader } from '../../release/boundaries/boundary-records.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { codeReader } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import { distanceFrom, PER_DEGREE, unitsOf } from '../../source/boundaries/corners.ts'
import { jsonText } from '../flags/json-flag.ts'

/** Shapes of others are simplified, and coordinates are of the middle of a place: so far outside it is no finding. */
const MAX_KILOMETRES = 3
const KILOMETRES_IN_DEGREE = 111.195
const MAX_SHOWN = 20

type Outside = { readonly code: string | undefined; readonly above: string | undefined; readonly kilometres: number }
type Checked = {
  list: string
  boundaries: string
  inside: number
  near: number
  withoutShape: number
  outside: Outside[]
}

/** The report on the current release of a home, in words or as JSON. */
export function checkBoundaries(home: string, isJson: boolean): string {
  const store = new ReleaseStore(home)
  const digest = store.currentDigest()
  if (digest === undefined) throw new OperationalError(`there are no releases in ${home}`)
  const release = store.read(digest)
  const checked = [...release.catalog.entities.values()].flatMap((entity) => checkedBelow(release, entity))
  if (isJson) return jsonText({ release: release.digest, checked })
  return (
    checked.map(textOf).join('') || 'This release has no boundaries; import them with nomenclator import boundaries.\n'
  )
}

function checkedBelow(release: Release, entity: Entity): Checked[] {
  const file = release.entity(entity.name).boundaries('full')
  if (file === undefined) return []
  const codeAbove = codeReader(release, entity)
  const shapeAt = shapeReader(release, entity, file)
  const shapes = Array.from({ length: release.entity(entity.name).count }, (_, position) => shapeAt(position))
  const byList = new Map<Entity, Checked>()
  for (const point of pointsBelow(release, entity)) {
    const { list, position, above, longitude, latitude } = point
    const empty = { inside: 0, near: 0, withoutShape: 0, outside: [] }
    const checked = byList.getOrInsertComputed(list, () => ({ list: list.plural, boundaries: entity.plural, ...empty }))
    const shape = shapes[above]
    if (shape === undefined) checked.withoutShape++
    else if (file.contains(shape, unitsOf(longitude), unitsOf(latitude))) checked.inside++
    else {
      const kilometres = kilometresTo(file.polygonsOf(shape), point)
      if (kilometres <= MAX_KILOMETRES) checked.near++
      else checked.outside.push({ code: codeReader(release, list)(position), above: codeAbove(above), kilometres })
    }
  }
  for (const { outside } of byList.values()) outside.sort((a, b) => b.kilometres - a.kilometres)
  return [...byList.values()]
}

/** The distance of a point from the nearest border of a shape. */
function kilometresTo(polygons: readonly Polygon[], { longitude, latitude }: PointBelow): number {
  const narrowing = Math.cos((latitude * Math.PI) / 180)
  let least = Number.POSITIVE_INFINITY
  for (const ring of polygons.flat())
    for (let at = 2; at < ring.length; at += 2) {
      const [from, to] = [at - 2, at].map((corner) => {
        const [x, y] = [(ring[corner] as number) / PER_DEGREE, (ring[corner + 1] as number) / PER_DEGREE]
        return [(x - longitude) * narrowing, y - latitude] as const
      }) as [[number, number], [number, number]]
      least = Math.min(least, distanceFrom([0, 0], from, to))
    }
  return Math.round(least * KILOMETRES_IN_DEGREE * 10) / 10
}

function textOf({ list, boundaries, inside, near, withoutShape, outside }: Checked): string {
  const all = inside + near + outside.length
  const share = (100 * (inside + near)) / Math.max(all, 1)
  const lines = outside
    .slice(0, MAX_SHOWN)
    .map(({ code, above, kilometres }) => `  ${code} is ${kilometres} km from ${above}\n`)
  const more = outside.length > MAX_SHOWN ? `  … and ${outside.length - MAX_SHOWN} more: --json has all\n` : ''
  return `${list} in the boundaries of ${boundaries}: ${share.toFixed(2)} % of ${all} lie in them (${inside}) or within ${MAX_KILOMETRES} km (${near}); ${outside.length} do not. ${withoutShape} more belong to records without a shape.\n${lines.join('')}${more}`
}
