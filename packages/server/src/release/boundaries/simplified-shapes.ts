// Simplifies shapes so that a border between two stays the border of both, and no point of it moves further than a tolerance.
import { topology } from 'topojson-server'
import { boxOf, distanceFrom, type GivenShape } from '../../source/boundaries/corners.ts'
import type { Polygon } from './boundary-file.ts'

/** A line of corners that one ring has, or two share. */
type Arc = readonly (readonly [x: number, y: number])[]

/** The shapes with fewer corners, for any tolerance in the units of corners. A shape keeps a ring, however small. */
export function simplifier(shapes: readonly GivenShape[]): (tolerance: number) => GivenShape[] {
  const geometries = shapes.map(({ polygons }) => ({
    type: 'MultiPolygon' as const,
    coordinates: polygons.map((rings) => rings.map(cornersOf)),
  }))
  const { arcs, objects } = topology({ shapes: { type: 'GeometryCollection', geometries } })
  return (tolerance) => {
    const lines = arcs.map((arc) => simplifiedArc(arc, tolerance))
    return shapes.map(({ code, polygons }, at) => {
      const rings = objects.shapes.geometries[at]?.arcs ?? []
      const simplified = rings.flatMap(([outer = [], ...holes]): Polygon[] => {
        const ring = ringOf(lines, outer)
        return ring.length < MIN_RING ? [] : [[ring, ...holes.flatMap((hole) => wholeRing(ringOf(lines, hole)))]]
      })
      return { code, polygons: simplified.length > 0 ? simplified : [[largestRing(polygons)]] }
    })
  }
}

/** Values of a ring with an area: three corners, and the first again. */
const MIN_RING = 8

const wholeRing = (ring: Int32Array): Int32Array[] => (ring.length < MIN_RING ? [] : [ring])

const cornersOf = (ring: Int32Array): Arc =>
  Array.from({ length: ring.length / 2 }, (_, at) => [ring[2 * at] as number, ring[2 * at + 1] as number])

function largestRing(polygons: readonly Polygon[]): Int32Array {
  const size = ([outer]: Polygon) => {
    const [west, south, east, north] = boxOf([outer as Int32Array])
    return (east - west) * (north - south)
  }
  return polygons.reduce((largest, one) => (size(one) > size(largest) ? one : largest))[0] as Int32Array
}

/** The ring of some arcs, each from its end if its number is below zero. */
function ringOf(lines: readonly Arc[], arcs: readonly number[]): Int32Array {
  const corners: number[] = []
  for (const arc of arcs) {
    const line = lines[arc < 0 ? ~arc : arc] as Arc
    const inOrder = arc < 0 ? line.toReversed() : line
    corners.push(...inOrder.slice(corners.length === 0 ? 0 : 1).flat())
  }
  return Int32Array.from(corners)
}

/** Keeps the corner that is furthest from the straight line, as long as it is further than the tolerance (Douglas and Peucker). */
function simplifiedArc(arc: Arc, tolerance: number): Arc {
  const isKept = new Uint8Array(arc.length)
  isKept[0] = 1
  isKept[arc.length - 1] = 1
  const parts: [number, number][] = [[0, arc.length - 1]]
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [from, to] = part
    let [furthest, greatest] = [0, tolerance]
    for (let at = from + 1; at < to; at++) {
      const distance = distanceFrom(arc[at] as Arc[number], arc[from] as Arc[number], arc[to] as Arc[number])
      if (distance > greatest) [furthest, greatest] = [at, distance]
    }
    if (furthest === 0) continue
    isKept[furthest] = 1
    parts.push([from, furthest], [furthest, to])
  }
  return arc.filter((_, at) => isKept[at] === 1)
}
