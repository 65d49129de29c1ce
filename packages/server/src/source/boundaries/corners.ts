// Corners of shapes as whole numbers, and what is exact or measured between them.

/** Coordinates are whole numbers of this part of a degree: a centimetre. */
export const PER_DEGREE = 1e7

export const unitsOf = (degrees: number): number => Math.round(degrees * PER_DEGREE)

/** The west, south, east and north of something. */
export type Box = readonly [west: number, south: number, east: number, north: number]

/** A shape of one record: by its official code, the rings of its polygons, the outer one of each first. */
export type GivenShape = { readonly code: string; readonly polygons: readonly (readonly Int32Array[])[] }

/** The box around the corners of some rings: longitude and latitude of one after the other. */
export function boxOf(rings: readonly Int32Array[]): Box {
  let [west, south, east, north] = [2 ** 31, 2 ** 31, -(2 ** 31), -(2 ** 31)]
  for (const ring of rings)
    for (let at = 0; at < ring.length; at += 2) {
      const [x, y] = [ring[at] as number, ring[at + 1] as number]
      if (x < west) west = x
      if (x > east) east = x
      if (y < south) south = y
      if (y > north) north = y
    }
  return [west, south, east, north]
}

/** Products of two differences are rounded by less than this. */
const ROUNDING = 8_192

/** Above zero if the second way turns to the left of the first, below if to the right, and zero if they are on one line: exact. */
export function turn(x1: number, y1: number, x2: number, y2: number): number {
  const rounded = x1 * y2 - x2 * y1
  return Math.abs(rounded) > ROUNDING ? rounded : Number(BigInt(x1) * BigInt(y2) - BigInt(x2) * BigInt(y1))
}

type Corner = readonly [x: number, y: number]

/** The distance of a point from the line between two others. */
export function distanceFrom([x, y]: Corner, [x1, y1]: Corner, [x2, y2]: Corner): number {
  const [across, up] = [x2 - x1, y2 - y1]
  const square = across * across + up * up
  const along = square === 0 ? 0 : ((x - x1) * across + (y - y1) * up) / square
  const part = Math.min(Math.max(along, 0), 1)
  return Math.hypot(x - x1 - part * across, y - y1 - part * up)
}
