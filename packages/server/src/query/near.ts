// Finds the records nearest to a point: in whole metres along a great circle, those as near as each other by position.
import { around } from 'geokdbush'
import KDBush from 'kdbush'
import { indexInAscending, lowerBound } from '../base/binary-search.ts'
import { memoized } from '../base/memoized.ts'
import { type Coordinates, coordinatesOf, type Entity } from '../catalog/entity.ts'
import { type EntityIndex, type IndexColumn, POINT_NODE_SIZE } from '../release/index/index-file.ts'
import type { OpenEntity } from '../release/release.ts'

/** The name under which a distance is published, of whatever list: a word of API v2, which clients know. */
export const DISTANCE = 'distancia'

/** The member `distance` as a list names it, which may have a field of that name. */
export const distanceNameOf = memoized(({ fields }: Entity): string => {
  let name = DISTANCE
  while (Object.hasOwn(fields, name)) name += '_'
  return name
})

export type Near = {
  /** Degrees north and east. */
  readonly latitude: number
  readonly longitude: number
  /** The greatest distance, in metres; undefined for any. */
  readonly within: number | undefined
}

const EARTH_RADIUS = 6_371_000
const RADIANS = Math.PI / 180

/** The distance of the record at a position, in whole metres; NaN where its coordinates are not known. */
type Distance = (position: number) => number

export function distanceFrom(entity: OpenEntity, { latitude, longitude }: Near): Distance {
  const { latitudes, longitudes } = columnsOf(entity)
  const cosine = Math.cos(latitude * RADIANS)
  return (position) => {
    const north = latitudes.known[latitudes.values[position] as number] as number
    const east = longitudes.known[longitudes.values[position] as number] as number
    const square = haversine(north - latitude) + cosine * Math.cos(north * RADIANS) * haversine(east - longitude)
    // Rounding takes the square of antipodes beyond 1.
    return Math.round(2 * EARTH_RADIUS * Math.asin(Math.min(Math.sqrt(square), 1)))
  }
}

function haversine(degrees: number): number {
  const sine = Math.sin((degrees * RADIANS) / 2)
  return sine * sine
}

function columnsOf({ definition, index }: OpenEntity) {
  const { latitude, longitude } = coordinatesOf(definition) as Coordinates
  return { latitudes: numberFacts(index, latitude), longitudes: numberFacts(index, longitude) }
}

/** Reads the point of the record at a position; undefined where its coordinates are not known. */
export function pointReader(entity: OpenEntity): (position: number) => Omit<Near, 'within'> | undefined {
  const { latitudes, longitudes } = columnsOf(entity)
  return (position) => {
    const latitude = latitudes.known[latitudes.values[position] as number]
    const longitude = longitudes.known[longitudes.values[position] as number]
    return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude }
  }
}

/** The number of records at some positions that have coordinates. */
function countLocated(entity: OpenEntity, positions: Uint32Array): number {
  const { latitudes, longitudes } = columnsOf(entity)
  const isKnown = ({ values, known }: typeof latitudes, position: number) => (values[position] as number) < known.length
  let count = 0
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number
    if (isKnown(latitudes, position) && isKnown(longitudes, position)) count++
  }
  return count
}

function numberFacts(index: EntityIndex, name: string): Extract<IndexColumn, { kind: 'number fact' }> {
  const column = index.column(name)
  if (column.kind !== 'number fact') throw new Error(`${name} is not a fact that is a number`)
  return column
}

/** Distance and position are packed into one number, since arrays of numbers are sorted without calling a comparison. */
const SHIFT = 2 ** 28

const pack = (distance: number, position: number) => distance * SHIFT + position
const distanceIn = (packed: number) => Math.floor(packed / SHIFT)

function positionsIn(packed: Float64Array): Uint32Array {
  const positions = new Uint32Array(packed.length)
  // Many times as fast as Uint32Array.from.
  for (let at = 0; at < packed.length; at++) {
    const one = packed[at] as number
    positions[at] = one - distanceIn(one) * SHIFT
  }
  return positions
}

/** All candidates with coordinates, within the greatest distance, in order. Undefined stands for all records. */
export function nearestFirst(entity: OpenEntity, near: Near, candidates: Uint32Array | undefined): Uint32Array {
  const distance = distanceFrom(entity, near)
  const { within = Number.POSITIVE_INFINITY } = near
  const positions = withoutFar(candidates, reachableFrom(entity, near))
  const packed = new Float64Array(positions.length)
  let used = 0
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number
    const metres = distance(position)
    if (metres <= within) packed[used++] = pack(metres, position)
  }
  return positionsIn(packed.subarray(0, used).sort())
}

/** The candidates; where fewer records than that can be reached, only those of them that can. */
function withoutFar(candidates: Uint32Array | undefined, reachable: Uint32Array): Uint32Array {
  if (candidates === undefined) return reachable
  return candidates.length <= reachable.length
    ? candidates
    : reachable.filter((position) => indexInAscending(candidates, position) !== -1)
}

/** How much of a degree of latitude is a metre, or a little more. */
const DEGREES_PER_METRE = (1 / RADIANS / EARTH_RADIUS) * 1.000_001

/** Records with coordinates, all of those within the greatest distance among them: a band between two latitudes. */
function reachableFrom(entity: OpenEntity, { latitude, within }: Near): Uint32Array {
  if (within === undefined) return entity.index.points.positions
  const { known, starts, positions } = columnsOf(entity).latitudes
  const reach = (within + 1) * DEGREES_PER_METRE
  return positions.subarray(starts[lowerBound(known, latitude - reach)], starts[lowerBound(known, latitude + reach)])
}

/** Greatest number of records that are taken from the tree; beyond it all candidates are sorted once. */
const MAX_FROM_TREE = 1_000
/** Number of further records to take: others in the tree may be as near as the last, to the metre. */
const SPARE = 6

/**
 * Candidates in the order of their distance, of which mostly the first are wanted: those are taken from the spatial
 * index, without a look at the others.
 */
export class NearestCandidates {
  readonly total: number
  readonly #near: Near
  readonly #distance: Distance
  readonly #tree: KDBush
  readonly #isCandidate: ((position: number) => boolean) | undefined
  readonly #order: () => Uint32Array

  /** Undefined candidates stand for all records; `order` gives all of them in order. */
  constructor(entity: OpenEntity, near: Near, candidates: Uint32Array | undefined, order: () => Uint32Array) {
    this.#near = near
    this.#distance = distanceFrom(entity, near)
    this.#tree = pointTree(entity.index)
    this.#order = order
    if (candidates === undefined) {
      this.total = entity.index.points.positions.length
      return
    }
    this.total = countLocated(entity, candidates)
    const flags = new Uint8Array(entity.count)
    for (let at = 0; at < candidates.length; at++) flags[candidates[at] as number] = 1
    this.#isCandidate = (position) => flags[position] === 1
  }

  slice(from: number, to: number): Uint32Array {
    return this.#first(to).subarray(from, to)
  }

  placeOf(position: number): number {
    if (Number.isNaN(this.#distance(position)) || this.#isCandidate?.(position) === false) return -1
    const place = this.#first(MAX_FROM_TREE).indexOf(position)
    return place === -1 ? this.#order().indexOf(position) : place
  }

  /** The first candidates, at least so many if there are. */
  #first(count: number): Uint32Array {
    if (count > MAX_FROM_TREE) return this.#order()
    const { latitude, longitude } = this.#near
    for (let taken = count + SPARE; taken < 4 * MAX_FROM_TREE; taken *= 3) {
      const found = around(this.#tree, longitude, latitude, taken, undefined, this.#isCandidate)
      const packed = Float64Array.from(found, (position) => pack(this.#distance(position), position)).sort()
      if (found.length < taken) return positionsIn(packed)
      // The tree may hold more that are as near as the last one, give or take a metre.
      const end = distanceIn(packed.at(-1) as number) - 1
      const sure = packed.filter((one) => distanceIn(one) < end)
      if (sure.length >= count) return positionsIn(sure)
    }
    return this.#order()
  }
}

/** The tree over the arrays of an index, of which nothing is copied. */
export const pointTree = memoized(({ points }: EntityIndex): KDBush => {
  const tree = new KDBush(0, POINT_NODE_SIZE)
  tree.ids = points.positions
  tree.coords = points.coordinates
  tree._finished = true
  return tree
})
