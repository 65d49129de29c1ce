// The points of a map as a server sends them: a few bytes each.

export type Points = {
  readonly count: number
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
  /** From west to east and from north to south, 0 to 65535 each. */
  readonly x: Uint16Array
  readonly y: Uint16Array
  readonly groups: Uint8Array
  /** 0 for a record without coordinates, 1 for one of unknown size, and from there on the logarithm of the size. */
  readonly sizes: Uint8Array
  /** The positions of all points, the smallest first. */
  readonly order: Uint32Array
}

const MAGIC = 'NMP1'
const HEADER_BYTES = 40
/** Steps between the bounds of the points, in each direction. */
export const STEPS = 0xffff
export const SIZES = 256

export function parsePoints(buffer: ArrayBuffer): Points {
  const bytes = new Uint8Array(buffer)
  const header = new DataView(buffer)
  const magic = String.fromCharCode(...bytes.subarray(0, MAGIC.length))
  if (magic !== MAGIC) throw new Error(`the points begin with ${magic}`)
  const count = header.getUint32(4, true)
  const degrees = (at: number) => header.getFloat64(8 + 8 * at, true)
  const plane = (at: number) => bytes.subarray(HEADER_BYTES + at * count, HEADER_BYTES + (at + 1) * count)
  const sizes = plane(5)
  return {
    count,
    west: degrees(0),
    east: degrees(1),
    south: degrees(2),
    north: degrees(3),
    x: joined(plane(0), plane(1)),
    y: joined(plane(2), plane(3)),
    groups: plane(4),
    sizes,
    order: bySize(sizes),
  }
}

function joined(high: Uint8Array, low: Uint8Array): Uint16Array {
  const numbers = new Uint16Array(high.length)
  for (let at = 0; at < numbers.length; at++) numbers[at] = ((high[at] as number) << 8) | (low[at] as number)
  return numbers
}

/** A counting sort; records without coordinates are left out. */
function bySize(sizes: Uint8Array): Uint32Array {
  const starts = new Uint32Array(SIZES + 1)
  for (const size of sizes) starts[size + 1] = (starts[size + 1] as number) + 1
  const without = starts[1] as number
  for (let size = 1; size <= SIZES; size++) starts[size] = (starts[size] as number) + (starts[size - 1] as number)
  const order = new Uint32Array(sizes.length)
  for (let at = 0; at < sizes.length; at++) {
    const size = sizes[at] as number
    order[starts[size] as number] = at
    starts[size] = (starts[size] as number) + 1
  }
  return order.subarray(without)
}

export type GroupCentre = {
  readonly group: number
  readonly place: [longitude: number, latitude: number]
  readonly count: number
}

/** The middle of the dots of each group, without dots that are not shown. */
export function centresOf(points: Points, isShown: (position: number) => boolean): GroupCentre[] {
  const { groups, x, y, west, east, south, north } = points
  const byGroup = Map.groupBy(points.order.filter(isShown), (position) => groups[position] as number)
  return Array.from(byGroup, ([group, positions]) => {
    const mean = (steps: Uint16Array) =>
      positions.reduce((sum, position) => sum + (steps[position] as number), 0) / positions.length
    const longitude = west + ((east - west) * mean(x)) / STEPS
    const latitude = north - ((north - south) * mean(y)) / STEPS
    return { group, place: [longitude, latitude], count: positions.length }
  })
}
