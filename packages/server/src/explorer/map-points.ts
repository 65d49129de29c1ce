// The records of an entity as points of a map: a few bytes each, in the order of the records. docs/explorer.md has the format.
import { memoized } from '../base/memoized.ts'
import { type Coordinates, coordinatesOf, type Entity, embeddedAt } from '../catalog/entity.ts'
import { pathTo } from '../catalog/lineage.ts'
import { queryWithin } from '../http/v2/find.ts'
import type { ListRequest } from '../http/v2/request/records-request.ts'
import { find } from '../query/finder.ts'
import type { IndexColumn } from '../release/index/index-file.ts'
import type { OpenEntity, Release } from '../release/release.ts'
import { filterParameter } from './links.ts'
import { sizeFieldOf } from './sizes.ts'

/** The west and east, south and north of all points, in degrees. */
export type Bounds = { readonly west: number; readonly east: number; readonly south: number; readonly north: number }

/** The groups that give points their colours: ancestors of the records, each with a small number. */
export type MapGroups = {
  readonly entity: Entity
  /** The parameter that filters by it. */
  readonly parameter: string
  /** The fields that lead to it from a record. */
  readonly steps: readonly string[]
  /** The positions of the ancestors that have any record; the number of a group is its place among them. */
  readonly positions: readonly number[]
  /** True if there are records without such an ancestor: they are a group after all others. */
  readonly hasOthers: boolean
}

const MAGIC = 'NMP1'
const HEADER_BYTES = 40
const PLANES = 6
/** Steps between the bounds, in each direction. */
const STEPS = 0xffff
/** One number of a byte is left for records that are in no group. */
const MAX_GROUPS = 255
const SIZE_UNKNOWN = 1
const SIZES_PER_DOUBLING = 8
const MAX_SIZE = 255

/** The bounds of all points of an entity; undefined if no record has coordinates. */
export const boundsOf = memoized(({ index }: OpenEntity): Bounds | undefined => {
  const { coordinates } = index.points
  if (coordinates.length === 0) return undefined
  let [west, east, south, north] = [180, -180, 90, -90]
  for (let at = 0; at < coordinates.length; at += 2) {
    const [longitude, latitude] = [coordinates[at] as number, coordinates[at + 1] as number]
    if (longitude < west) west = longitude
    if (longitude > east) east = longitude
    if (latitude < south) south = latitude
    if (latitude > north) north = latitude
  }
  return { west, east, south, north }
})

/** The level with the most ancestors that a byte can number; undefined if all records have the same ancestors. */
export const mapGroups = (release: Release, entity: Entity): MapGroups | undefined =>
  groupsOf(release.entity(entity.name), release)

const groupsOf = memoized(({ definition }: OpenEntity, release: Release) => findGroups(release, definition))

function findGroups(release: Release, entity: Entity): MapGroups | undefined {
  const candidates = [...release.catalog.entities.values()].flatMap((ancestor) => {
    const steps = pathTo(entity, ancestor)?.steps
    if (steps === undefined || release.entity(ancestor.name).count > MAX_GROUPS) return []
    return [
      { entity: ancestor, parameter: filterParameter(entity, steps), steps, ...ancestorsInUse(release, entity, steps) },
    ]
  })
  const [most] = candidates.toSorted((a, b) => b.positions.length - a.positions.length)
  return most !== undefined && groupCount(most) > 1 ? most : undefined
}

const groupCount = ({ positions, hasOthers }: Pick<MapGroups, 'positions' | 'hasOthers'>): number =>
  positions.length + Number(hasOthers)

/** The positions of the ancestors at the end of some steps that any record has, and whether any has none. */
function ancestorsInUse(release: Release, entity: Entity, steps: readonly string[]) {
  let at = entity
  let used: number[] | undefined
  let hasOthers = false
  for (const step of steps) {
    const { starts, values } = release.entity(at.name).index.column(step)
    const all = Array.from({ length: starts.length - 1 }, (_, value) => value)
    const found =
      used === undefined
        ? all.filter((value) => (starts[value + 1] as number) > (starts[value] as number))
        : [...new Set(used.map((position) => values[position] as number))]
    at = embeddedAt(at, step)
    const { count } = release.entity(at.name)
    used = found.filter((value) => value < count)
    hasOthers ||= used.length < found.length
  }
  return { positions: (used ?? []).sort((a, b) => a - b), hasOthers }
}

/** Reads the position of the ancestor at the end of some steps; NONE or beyond the last if there is none. */
function ancestorReader(release: Release, entity: Entity, steps: readonly string[]): (position: number) => number {
  let at = entity
  const columns = steps.map((step): IndexColumn => {
    const column = release.entity(at.name).index.column(step)
    at = embeddedAt(at, step)
    return column
  })
  const [first, ...rest] = columns.map(({ values }) => values)
  if (first === undefined) return (position) => position
  return (position) => {
    let ancestor = first[position] as number
    for (const values of rest) ancestor = values[ancestor] ?? NONE
    return ancestor
  }
}

const NONE = 0xffff_ffff

/** Reads the number of the group of a record; without groups, all records are in one. */
export function groupReader(release: Release, entity: Entity): (position: number) => number {
  const groups = mapGroups(release, entity)
  if (groups === undefined) return () => 0
  const ancestorAt = ancestorReader(release, entity, groups.steps)
  const numbers = new Uint8Array(release.entity(groups.entity.name).count)
  for (const [number, position] of groups.positions.entries()) numbers[position] = number
  const others = groups.positions.length
  return (position) => numbers[ancestorAt(position)] ?? others
}

const MIN_HUES = 32
const FIRST_HUE = 23
const TURN = 360

/** A hue for every group, in degrees: groups that are near each other get hues that are far apart. */
export const groupHues = (release: Release, entity: Entity): readonly number[] =>
  huesOf(release.entity(entity.name), release)

const huesOf = memoized((open: OpenEntity, release: Release) => chosenHues(groupCentres(release, open)))

type Centre = readonly [x: number, y: number]

/** The middle of the points of every group, in degrees. */
function groupCentres(release: Release, { definition, index }: OpenEntity): Centre[] {
  const groupOf = groupReader(release, definition)
  const { positions, coordinates } = index.points
  const found = mapGroups(release, definition)
  const groups = found === undefined ? 1 : groupCount(found)
  const [xs, ys, counts] = [new Float64Array(groups), new Float64Array(groups), new Float64Array(groups)]
  for (let at = 0; at < positions.length; at++) {
    const group = groupOf(positions[at] as number)
    xs[group] = (xs[group] as number) + (coordinates[2 * at] as number)
    ys[group] = (ys[group] as number) + (coordinates[2 * at + 1] as number)
    counts[group] = (counts[group] as number) + 1
  }
  return Array.from(counts, (count, group) => [
    (xs[group] as number) / Math.max(count, 1),
    (ys[group] as number) / Math.max(count, 1),
  ])
}

function chosenHues(centres: readonly Centre[]): number[] {
  const count = Math.max(MIN_HUES, centres.length)
  const free = new Set(Array.from({ length: count }, (_, hue) => hue))
  const chosen: number[] = []
  for (const [x, y] of centres) {
    const likeness = (hue: number) =>
      chosen.reduce((sum, otherHue, other) => {
        const [otherX, otherY] = centres[other] as Centre
        const apart = Math.abs(hue - otherHue)
        const turn = Math.min(apart, count - apart) / count
        return sum + 1 / ((turn + 0.02) * ((x - otherX) ** 2 + (y - otherY) ** 2 + 0.1))
      }, 0)
    const best = [...free].reduce((least, hue) => (likeness(hue) < likeness(least) ? hue : least))
    chosen.push(best)
    free.delete(best)
  }
  return chosen.map((hue) => Math.round((hue / count) * TURN + FIRST_HUE) % TURN)
}

const POINTS_PER_PIECE = 4_096

/** The bytes of the points in small pieces, so that other jobs run between them. */
export function* pointPieces(release: Release, { definition, index, count }: OpenEntity): Generator<Uint8Array> {
  const bounds = boundsOf(release.entity(definition.name)) ?? { west: 0, east: 0, south: 0, north: 0 }
  yield header(count, bounds)
  const { latitude, longitude } = coordinatesOf(definition) as Coordinates
  const longitudes = factValues(index.column(longitude))
  const latitudes = factValues(index.column(latitude))
  const sizeField = sizeFieldOf(definition)
  const sizes = sizeField === undefined ? () => undefined : factValues(index.column(sizeField))
  const groupAt = groupReader(release, definition)

  const x = stepsBetween(bounds.west, bounds.east)
  const y = stepsBetween(bounds.north, bounds.south)
  const planes = Array.from({ length: PLANES }, () => new Uint8Array(count))
  const [xHigh, xLow, yHigh, yLow, groupOf, size] = planes as [Plane, Plane, Plane, Plane, Plane, Plane]
  for (let at = 0; at < count; at++) {
    if (at % POINTS_PER_PIECE === 0) yield NOTHING
    groupOf[at] = groupAt(at)
    const [longitude, latitude] = [longitudes(at), latitudes(at)]
    if (longitude === undefined || latitude === undefined) continue
    const [column, row] = [x(longitude), y(latitude)]
    xHigh[at] = column >> 8
    xLow[at] = column & 0xff
    yHigh[at] = row >> 8
    yLow[at] = row & 0xff
    size[at] = sizeOf(sizes(at))
  }
  yield* planes
}

type Plane = Uint8Array<ArrayBuffer>
/** An empty piece: the caller may pause here. */
const NOTHING = new Uint8Array()

export const pointBytes = ({ count }: OpenEntity): number => HEADER_BYTES + PLANES * count

function header(count: number, { west, east, south, north }: Bounds): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES)
  const view = new DataView(bytes.buffer)
  bytes.set(Buffer.from(MAGIC))
  view.setUint32(4, count, true)
  for (const [at, degrees] of [west, east, south, north].entries()) view.setFloat64(8 + 8 * at, degrees, true)
  return bytes
}

function factValues(column: IndexColumn): (position: number) => number | undefined {
  if (column.kind !== 'number fact') throw new Error('only numbers can be drawn')
  const { values, known } = column
  return (position) => known[values[position] as number]
}

const stepsBetween = (from: number, to: number) => (value: number) =>
  from === to ? 0 : Math.round(((value - from) / (to - from)) * STEPS)

/** The logarithm of a number, so that a byte holds a village and a city alike. */
const sizeOf = (value: number | undefined): number =>
  value === undefined
    ? SIZE_UNKNOWN
    : Math.min(SIZE_UNKNOWN + 1 + Math.round(Math.log2(1 + Math.max(value, 0)) * SIZES_PER_DOUBLING), MAX_SIZE)

/** The records of a list: one bit for each record of the entity, the lowest of a byte first. */
export function foundBits(release: Release, list: ListRequest): Uint8Array {
  const { entity } = list
  const bits = new Uint8Array(Math.ceil(release.entity(entity.name).count / 8))
  const found = find(release, entity.name, { ...queryWithin(release, list), sorts: [] })
  for (const position of found.slice(0, found.total))
    bits[position >> 3] = (bits[position >> 3] as number) | (1 << (position & 7))
  return bits
}
