// The shapes of the records of a list on disk: by official code, their corners as differences of whole numbers, and a tree over their boxes.
//
// Rings are cut into pieces, each with its box, so that a point is compared with the few corners that are level with it.
import Flatbush from 'flatbush'
import { firstWhich } from '../../base/binary-search.ts'
import type { GivenShape } from '../../source/source.ts'
import type { FileSummary } from '../files/durable-file.ts'
import { ByteList } from '../index/byte-list.ts'
import { NumberList } from '../index/number-list.ts'
import { SectionFile, SectionWriter } from '../index/sections.ts'

/** Longitude and latitude of one corner after the other; the last corner is the first. */
export type Ring = Int32Array
/** The outer ring of a polygon, then its holes. */
export type Polygon = readonly Ring[]
export type Shape = GivenShape

/** The west, south, east and north of something, in the units of corners. */
export type Box = readonly [west: number, south: number, east: number, north: number]

const NODE_SIZE = 16
/** Sides of a piece at most. */
const PIECE = 64
/** Bytes of a corner at most: two numbers of 33 bits. */
const MAX_CORNER_BYTES = 10

export function writeBoundaries(path: string, given: readonly Shape[]): FileSummary {
  const shapes = given.toSorted((a, b) => (a.code < b.code ? -1 : 1))
  const tree = new Flatbush(shapes.length, NODE_SIZE, Int32Array)
  const corners = new ByteList()
  const [boxes, pieceStarts] = [new NumberList(), new NumberList()]
  const [shapeStarts, polygonStarts, ringStarts, codeStarts] = [0, 0, 0, 0].map(() => new NumberList()) as Lists
  let [polygons, rings, codeBytes] = [0, 0, 0]
  for (const { code, polygons: own } of shapes) {
    shapeStarts.push(polygons)
    codeStarts.push(codeBytes)
    codeBytes += Buffer.byteLength(code)
    tree.add(...boxOf(own.flatMap(([outer]) => outer ?? [])))
    for (const polygon of own) {
      polygonStarts.push(rings)
      for (const ring of polygon) {
        ringStarts.push(pieceStarts.length)
        for (let at = 0; at + 2 < ring.length; at += 2 * PIECE) {
          const piece = ring.subarray(at, at + 2 * (PIECE + 1))
          for (const side of boxOf([piece])) boxes.push(side)
          pieceStarts.push(corners.length)
          writeCorners(corners, piece)
        }
      }
      rings += polygon.length
    }
    polygons += own.length
  }
  shapeStarts.push(polygons)
  codeStarts.push(codeBytes)
  polygonStarts.push(rings)
  ringStarts.push(pieceStarts.length)
  pieceStarts.push(corners.length)
  tree.finish()
  using file = new SectionWriter(path)
  for (const [name, list] of Object.entries({ shapeStarts, polygonStarts, ringStarts, pieceStarts, codeStarts, boxes }))
    file.add(name, list.array)
  file.add('codes', Buffer.from(shapes.map(({ code }) => code).join('')))
  file.add('tree', new Uint8Array(tree.data))
  file.add('corners', corners.array.subarray(0, corners.length))
  return file.finish()
}

type Lists = [NumberList, NumberList, NumberList, NumberList]

/** The box around the corners of some rings. */
export function boxOf(rings: readonly Ring[]): Box {
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

/** Each number as the difference from the one two before it, its sign in the lowest bit, seven bits to a byte. */
function writeCorners(bytes: ByteList, corners: Ring): void {
  const target = bytes.room((corners.length / 2) * MAX_CORNER_BYTES)
  let end = bytes.length
  for (let at = 0; at < corners.length; at++) {
    const difference = (corners[at] as number) - (at < 2 ? 0 : (corners[at - 2] as number))
    let rest = difference < 0 ? -2 * difference - 1 : 2 * difference
    for (; rest > 127; rest = Math.floor(rest / 128)) target[end++] = (rest % 128) | 128
    target[end++] = rest
  }
  bytes.grewTo(end)
}

/** The boundaries of a list at one level of detail, mapped into memory: nothing of it is read before it is needed. */
export class BoundaryFile {
  readonly #file: SectionFile
  readonly #boxes: Int32Array
  readonly #pieceStarts: Uint32Array
  readonly #ringStarts: Uint32Array
  readonly #polygonStarts: Uint32Array
  readonly #shapeStarts: Uint32Array
  readonly #corners: Buffer
  readonly #tree: Flatbush
  readonly #piece = new Int32Array(2 * (PIECE + 1))

  constructor(path: string) {
    const file = new SectionFile(path)
    const boxes = file.numbers('boxes')
    const { buffer, byteOffset } = file.bytes('tree')
    this.#file = file
    this.#boxes = new Int32Array(boxes.buffer, boxes.byteOffset, boxes.length)
    this.#pieceStarts = file.numbers('pieceStarts')
    this.#ringStarts = file.numbers('ringStarts')
    this.#polygonStarts = file.numbers('polygonStarts')
    this.#shapeStarts = file.numbers('shapeStarts')
    this.#corners = file.bytes('corners')
    this.#tree = Flatbush.from(buffer, byteOffset)
  }

  get count(): number {
    return this.#shapeStarts.length - 1
  }

  codeOf(shape: number): string {
    const starts = this.#file.numbers('codeStarts')
    return this.#file.bytes('codes').toString('utf8', starts[shape], starts[shape + 1])
  }

  /** The shape with a code; undefined where none has it. */
  withCode(code: string): number | undefined {
    const at = firstWhich((shape) => this.codeOf(shape) >= code, 0, this.count)
    return at < this.count && this.codeOf(at) === code ? at : undefined
  }

  polygonsOf(shape: number): Polygon[] {
    return between(this.#shapeStarts, shape, (polygon) =>
      between(this.#polygonStarts, polygon, (ring) => this.#ringAt(ring)),
    )
  }

  /** The bytes of the corners of a shape: equal bytes are the same shape. */
  bytesOf(shape: number): Uint8Array {
    const [from, to] = this.#piecesOf(shape)
    return this.#corners.subarray(this.#pieceStarts[from], this.#pieceStarts[to])
  }

  boxAt(shape: number): Box {
    const [from, to] = this.#piecesOf(shape)
    const corners = this.#boxes.subarray(4 * from, 4 * to)
    return boxOf([corners])
  }

  /** The shapes that hold a point, on their border or within it. */
  containing(x: number, y: number): number[] {
    return this.#tree.search(x, y, x, y).filter((shape) => this.contains(shape, x, y))
  }

  contains(shape: number, x: number, y: number): boolean {
    const [boxes, piece] = [this.#boxes, this.#piece]
    const [from, to] = this.#piecesOf(shape)
    let isInside = false
    for (let at = from; at < to; at++) {
      const box = 4 * at
      if ((boxes[box + 1] as number) > y || (boxes[box + 3] as number) < y || (boxes[box + 2] as number) < x) continue
      const end = this.#readPiece(at)
      for (let corner = 2; corner < end; corner += 2) {
        const [x1, y1] = [piece[corner - 2] as number, piece[corner - 1] as number]
        const [x2, y2] = [piece[corner] as number, piece[corner + 1] as number]
        // A side counts if it reaches the level of the point from one side of it.
        const crosses = y1 > y !== y2 > y
        if (!crosses && (y1 !== y || y2 !== y) && (x1 !== x || y1 !== y) && (x2 !== x || y2 !== y)) continue
        const side = turn(x1 - x, y1 - y, x2 - x, y2 - y)
        if (side === 0 && Math.min(x1, x2) <= x && x <= Math.max(x1, x2)) return true
        if (crosses && side > 0 === y2 > y1) isInside = !isInside
      }
    }
    return isInside
  }

  /** The shapes that have a part in a box. */
  meeting(box: Box): number[] {
    return this.#tree.search(...box).filter((shape) => this.#meets(shape, box))
  }

  #meets(shape: number, [west, south, east, north]: Box): boolean {
    const [boxes, piece] = [this.#boxes, this.#piece]
    const [from, to] = this.#piecesOf(shape)
    for (let at = from; at < to; at++) {
      const [left, bottom, right, top] = boxes.subarray(4 * at, 4 * at + 4) as unknown as Box
      if (left > east || right < west || bottom > north || top < south) continue
      const end = this.#readPiece(at)
      for (let corner = 2; corner < end; corner += 2) {
        const [x1, y1] = [piece[corner - 2] as number, piece[corner - 1] as number]
        const [x2, y2] = [piece[corner] as number, piece[corner + 1] as number]
        if (Math.max(x1, x2) < west || Math.min(x1, x2) > east || Math.max(y1, y2) < south || Math.min(y1, y2) > north)
          continue
        // The line of the side has corners of the box on both of its sides, or goes through one.
        const turns = BOX_CORNERS.map(([one, other]) => {
          const [x, y] = [one === 0 ? west : east, other === 0 ? south : north]
          return turn(x1 - x, y1 - y, x2 - x, y2 - y)
        })
        if (Math.min(...turns) <= 0 && Math.max(...turns) >= 0) return true
      }
    }
    return this.contains(shape, west, south)
  }

  #ringAt(ring: number): Ring {
    const [from, to] = [this.#ringStarts[ring] as number, this.#ringStarts[ring + 1] as number]
    const corners = new Int32Array(2 * ((to - from) * PIECE + 1))
    let used = 0
    for (let at = from; at < to; at++) {
      // A piece begins with the last corner of the one before it.
      used -= at === from ? 0 : 2
      const end = this.#readPiece(at)
      corners.set(this.#piece.subarray(0, end), used)
      used += end
    }
    return corners.subarray(0, used)
  }

  #piecesOf(shape: number): [from: number, to: number] {
    const ends = [shape, shape + 1].map((one) => {
      const polygon = this.#shapeStarts[one] as number
      return this.#ringStarts[this.#polygonStarts[polygon] as number] as number
    })
    return ends as [number, number]
  }

  /** Reads a piece into its place, and returns the number of values that it has. */
  #readPiece(at: number): number {
    const [bytes, piece] = [this.#corners, this.#piece]
    const end = this.#pieceStarts[at + 1] as number
    let used = 0
    for (let next = this.#pieceStarts[at] as number; next < end; used++) {
      let byte = bytes[next++] as number
      let value = byte & 127
      for (let weight = 128; byte > 127; weight *= 128) {
        byte = bytes[next++] as number
        value += (byte & 127) * weight
      }
      const difference = value % 2 === 1 ? -(value + 1) / 2 : value / 2
      piece[used] = difference + (used < 2 ? 0 : (piece[used - 2] as number))
    }
    return used
  }
}

const BOX_CORNERS = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
] as const

function between<T>(starts: Uint32Array, of: number, read: (at: number) => T): T[] {
  const from = starts[of] as number
  return Array.from({ length: (starts[of + 1] as number) - from }, (_, at) => read(from + at))
}

/** Products of two differences are rounded by less than this. */
const ROUNDING = 8_192

/** Above zero if the second way turns to the left of the first, below if to the right, and zero if they are on one line: exact. */
export function turn(x1: number, y1: number, x2: number, y2: number): number {
  const rounded = x1 * y2 - x2 * y1
  if (Math.abs(rounded) > ROUNDING) return rounded
  return Number(BigInt(x1) * BigInt(y2) - BigInt(x2) * BigInt(y1))
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
