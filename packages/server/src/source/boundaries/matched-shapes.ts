// Matches features to the records of a list by official code, and finds what is wrong with their shapes.
import Flatbush from 'flatbush'
import { Findings } from '../findings.ts'
import type { BoundaryFeature } from './boundary-features.ts'
import { type Box, boxOf, type GivenShape, turn, unitsOf } from './corners.ts'

/** The list that boundaries are for. */
export type BoundaryList = {
  readonly plural: string
  readonly codes: ReadonlySet<string>
  /** The characters of each part of a code, where that is fixed, and what is between the parts. */
  readonly widths: readonly (number | undefined)[]
  readonly separator: string
  /** True if a record that is known to lie somewhere does not lie near a box. */
  readonly isElsewhere: (code: string, box: Box) => boolean
}

type MatchedShapes = {
  readonly shapes: readonly GivenShape[]
  readonly findings: ReturnType<Findings['list']>
  /** The properties that had the code. */
  readonly fields: readonly string[]
}

export function matchShapes(
  features: readonly BoundaryFeature[],
  list: BoundaryList,
  fields: readonly string[],
): MatchedShapes {
  const findings = new Findings()
  const byCode = new Map<string, GivenShape['polygons'][number][]>()
  for (const feature of features) {
    const code = codeOf(feature, list, fields)
    const tell = (kind: string, what: string) =>
      findings.add(
        `boundary-${kind}`,
        `a feature ${what}`,
        `feature ${feature.number}, ${code ?? textsOf(feature, fields).join(' ')}`,
      )
    const polygons = feature.polygons.map((rings) =>
      rings.map((ring) => Int32Array.from(ring.flatMap(([x = 0, y = 0]) => [unitsOf(x), unitsOf(y)]))),
    )
    if (code === undefined) tell('unmatched', `matches no record of ${list.plural} by code`)
    else if (polygons.length === 0) tell('empty', 'has no polygon')
    else if (!polygons.flat().every(isClosed)) tell('not-closed', 'has a ring that is not closed')
    else if (!feature.polygons.every(isOnEarth))
      tell('elsewhere', 'has corners that are no degrees of longitude and latitude')
    else if (list.isElsewhere(code, boxOf(polygons.flat()))) tell('elsewhere', 'does not lie where its record lies')
    else {
      if (crossesItself(polygons.flat())) tell('crosses-itself', 'has a border that crosses itself')
      byCode.getOrInsertComputed(code, () => []).push(...polygons.map((rings) => rings.map(turned)))
    }
  }
  const shapes = Array.from(byCode, ([code, polygons]) => ({ code, polygons }))
  return { shapes, findings: findings.list(), fields }
}

const textsOf = ({ properties }: BoundaryFeature, fields: readonly string[]): string[] =>
  fields.map((field) => String(properties[field] ?? '').trim())

/** The code of a feature as the list has it; a number may lack zeros at its beginning. */
function codeOf(
  feature: BoundaryFeature,
  { codes, widths, separator }: BoundaryList,
  fields: readonly string[],
): string | undefined {
  const texts = textsOf(feature, fields)
  const whole = widths.reduce<number>((sum, width) => sum + (width ?? 0), 0)
  const parts = texts.map((text, at) => text.padStart((texts.length === 1 ? whole : widths[at]) ?? 0, '0'))
  return [texts, parts].map((one) => one.join(separator)).find((code) => codes.has(code))
}

/** The properties that have the codes of most records: one with the whole code, or one for each part. Undefined where none are plain. */
export function codeFields(features: readonly BoundaryFeature[], list: BoundaryList): readonly string[] | undefined {
  const names = Object.keys(features[0]?.properties ?? {})
  let ways: string[][] = [[]]
  for (const _ of list.widths)
    ways = ways.flatMap((way) => names.filter((name) => !way.includes(name)).map((name) => [...way, name]))
  const sample = features.filter((_, at) => at % Math.ceil(features.length / SAMPLE) === 0)
  const found = (way: readonly string[], among: readonly BoundaryFeature[]) =>
    new Set(among.flatMap((feature) => codeOf(feature, list, way) ?? [])).size
  const all = [...names.map((name) => [name]), ...(list.widths.length > 1 ? ways.slice(0, MAX_WAYS) : [])]
  const likely = all.filter((way) => found(way, sample) > sample.length / 2)
  const counts = likely.map((way) => found(way, features))
  const most = Math.max(0, ...counts)
  return most > features.length / 2 ? likely[counts.indexOf(most)] : undefined
}

const SAMPLE = 40
const MAX_WAYS = 10_000

/** Values of a ring with an area: those of three corners, and of the first again. */
const MIN_VALUES = 8

const isClosed = (ring: Int32Array): boolean =>
  ring.length >= MIN_VALUES && ring[0] === ring.at(-2) && ring[1] === ring.at(-1)

/** A ring in the order of GeoJSON: the outer one against the clock, holes with it. */
function turned(ring: Int32Array, at: number): Int32Array {
  let area = 0
  for (let corner = 2; corner < ring.length; corner += 2)
    area +=
      (ring[corner - 2] as number) * (ring[corner + 1] as number) -
      (ring[corner] as number) * (ring[corner - 1] as number)
  if (area > 0 === (at === 0)) return ring
  return ring.map((_, place) => ring[ring.length - 2 - (place & ~1) + (place & 1)] as number)
}

const isOnEarth = (rings: BoundaryFeature['polygons'][number]) =>
  rings.flat().every(([x = 181, y = 91]) => Math.abs(x) <= 180 && Math.abs(y) <= 90)

/** True if two sides of some rings have a point in common that is no corner of either. */
function crossesItself(rings: readonly Int32Array[]): boolean {
  const sides = new Float64Array(rings.reduce((sum, ring) => sum + 2 * ring.length - 4, 0))
  let used = 0
  for (const ring of rings)
    for (let at = 0; at + 2 < ring.length; at += 2, used += 4) sides.set(ring.subarray(at, at + 4), used)
  const tree = new Flatbush(sides.length / 4)
  const least = (one: number) => Math.min(sides[one] as number, sides[one + 2] as number)
  const most = (one: number) => Math.max(sides[one] as number, sides[one + 2] as number)
  for (let at = 0; at < sides.length; at += 4) tree.add(least(at), least(at + 1), most(at), most(at + 1))
  tree.finish()
  const isCrossed = (at: number) => {
    const meets = (one: number) => 4 * one > at && isBetween(sides, at, 4 * one) && isBetween(sides, 4 * one, at)
    return tree.collides(least(at), least(at + 1), most(at), most(at + 1), meets)
  }
  for (let at = 0; at < sides.length; at += 4) if (isCrossed(at)) return true
  return false
}

/** True if the ends of one side are on different sides of the line through another. */
function isBetween(sides: Float64Array, line: number, other: number): boolean {
  const [x, y] = [sides[line] as number, sides[line + 1] as number]
  const [across, up] = [(sides[line + 2] as number) - x, (sides[line + 3] as number) - y]
  const turnTo = (at: number) => Math.sign(turn(across, up, (sides[at] as number) - x, (sides[at + 1] as number) - y))
  return turnTo(other) * turnTo(other + 2) < 0
}
