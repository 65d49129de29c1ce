// The shapes of the records of a list on disk: by official code, their corners as differences of whole numbers, and a tree over their boxes.
//
// Rings are cut into pieces, each with its box, so that a point is compared with the few corners that are level with it.
import Flatbush from 'flatbush'
import { firstWhich } from '../../base/binary-search.ts'
import { type Box, boxOf, type GivenShape, PER_DEGREE, turn } from '../../source/boundaries/corners.ts'
import type { FileSummary } from '../files/durable-file.ts'
import { ByteList } from '../index/byte-list.ts'
import { NumberList } from '../index/number-list.ts'
import { SectionFile, SectionWriter } from '../index/sections.ts'

/** The outer ring of a polygon, then its holes; the last corner of a ring is the first. */
export type Polygon = readonly Int32Array[]

const NODE_SIZE = 16
/** Sides of a piece at most. */
const PIECE = 64
/** Bytes of a corner at most: two numbers of 33 bits. */
const MAX_CORNER_BYTES = 10

/** What has a start for each of its parts, and an end after the last: polygons of a shape, rings of those, pieces of those, and bytes. */
const STARTS = ['shapes', 'polygons', 'rings', 'pieces', 'names'] as const
type Starts<T> = Readonly<Record<(typeof STARTS)[number], T>>
const startsFrom = <T>(make: (name: string) => T) =>
  Object.fromEntries(STARTS.map((name) => [name, make(name)])) as Starts<T>

export function writeBoundaries(path: string, given: readonly GivenShape[]): FileSummary {
  const inOrder = given.toSorted((a, b) => (a.code < b.code ? -1 : 1))
  const tree = new Flatbush(inOrder.length, NODE_SIZE, Int32Array)
  const [corners, codes, boxes] = [new ByteList(), new ByteList(), new NumberList()]
  const starts = startsFrom(() => new NumberList())
  const begin = () => {
    starts.shapes.push(starts.polygons.length)
    starts.names.push(codes.length)
  }
  for (const { code, polygons } of inOrder) {
    begin()
    const name = Buffer.from(code)
    codes.push(name, 0, name.length)
    tree.add(...boxOf(polygons.flat()))
    for (const rings of polygons) {
      starts.polygons.push(starts.rings.length)
      for (const ring of rings) {
        starts.rings.push(starts.pieces.length)
        for (let at = 0; at + 2 < ring.length; at += 2 * PIECE) {
          const piece = ring.subarray(at, at + 2 * (PIECE + 1))
          for (const side of boxOf([piece])) boxes.push(side)
          starts.pieces.push(corners.length)
          writeCorners(corners, piece)
        }
      }
    }
  }
  begin()
  starts.polygons.push(starts.rings.length)
  starts.rings.push(starts.pieces.length)
  starts.pieces.push(corners.length)
  tree.finish()
  using file = new SectionWriter(path)
  for (const name of STARTS) file.add(name, starts[name].array)
  file.add('boxes', boxes.array)
  file.add('codes', codes.array.subarray(0, codes.length))
  file.add('tree', new Uint8Array(tree.data))
  file.add('corners', corners.array.subarray(0, corners.length))
  return file.finish()
}

/** Each number as the difference from the one two before it, its sign in the lowest bit, seven bits to a byte. */
function writeCorners(bytes: ByteList, corners: Int32Array): void {
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

/** A side of a shape, from one corner to the next. */
type Side = (x1: number, y1: number, x2: number, y2: number) => boolean

/** The boundaries of a list at one level of detail, mapped into memory: nothing of it is read before it is needed. */
export class BoundaryFile {
  readonly #starts: Starts<Uint32Array>
  readonly #boxes: Int32Array<ArrayBuffer>
  readonly #codes: Buffer
  readonly #corners: Buffer
  readonly #tree: Flatbush
  readonly #piece = new Int32Array(2 * (PIECE + 1))

  constructor(path: string) {
    const file = new SectionFile(path)
    const boxes = file.numbers('boxes')
    const { buffer, byteOffset } = file.bytes('tree')
    this.#starts = startsFrom((name) => file.numbers(name))
    this.#boxes = new Int32Array(boxes.buffer, boxes.byteOffset, boxes.length)
    this.#codes = file.bytes('codes')
    this.#corners = file.bytes('corners')
    this.#tree = Flatbush.from(buffer, byteOffset)
  }

  get count(): number {
    return this.#starts.shapes.length - 1
  }

  codeOf(shape: number): string {
    return this.#codes.toString('utf8', this.#starts.names[shape], this.#starts.names[shape + 1])
  }

  /** The shape with a code; undefined where none has it. */
  withCode(code: string): number | undefined {
    const at = firstWhich((shape) => this.codeOf(shape) >= code, 0, this.count)
    return at < this.count && this.codeOf(at) === code ? at : undefined
  }

  polygonsOf(shape: number): Polygon[] {
    const { shapes, polygons } = this.#starts
    return partsOf(shapes, shape).map((polygon) => partsOf(polygons, polygon).map((ring) => this.#ringAt(ring)))
  }

  /** The bytes of the corners of a shape: equal bytes are the same shape. */
  bytesOf(shape: number): Uint8Array {
    const [from, to] = this.#piecesOf(shape)
    return this.#corners.subarray(this.#starts.pieces[from], this.#starts.pieces[to])
  }

  /** The shapes that hold a point, on their border or within it. */
  containing(x: number, y: number): number[] {
    return this.#tree.search(x, y, x, y).filter((shape) => this.contains(shape, x, y))
  }

  contains(shape: number, x: number, y: number): boolean {
    let isInside = false
    const isOnSide = this.#anySide(shape, [x, y, Number.POSITIVE_INFINITY, y], (x1, y1, x2, y2) => {
      // A side counts if it reaches the level of the point from one side of it.
      const crosses = y1 > y !== y2 > y
      if (!crosses && y1 !== y && y2 !== y) return false
      const side = turn(x1 - x, y1 - y, x2 - x, y2 - y)
      if (crosses && side > 0 === y2 > y1) isInside = !isInside
      return side === 0 && Math.min(x1, x2) <= x && x <= Math.max(x1, x2)
    })
    return isOnSide || isInside
  }

  /** The shapes that have a part in a box. */
  meeting(box: Box): number[] {
    const [west, south, east, north] = box
    return this.#tree.search(...box).filter((shape) => {
      const crosses = this.#anySide(shape, box, (x1, y1, x2, y2) => {
        const [right, top] = [Math.max(x1, x2), Math.max(y1, y2)]
        if (right < west || Math.min(x1, x2) > east || top < south || Math.min(y1, y2) > north) return false
        // The line of the side has corners of the box on both of its sides, or goes through one.
        const turnTo = (x: number, y: number) => turn(x1 - x, y1 - y, x2 - x, y2 - y)
        const turns = [turnTo(west, south), turnTo(west, north), turnTo(east, south), turnTo(east, north)]
        return Math.min(...turns) <= 0 && Math.max(...turns) >= 0
      })
      return crosses || this.contains(shape, west, south)
    })
  }

  /** True if any side of a shape passes a test, of those in pieces that meet a box. */
  #anySide(shape: number, [west, south, east, north]: Box, test: Side): boolean {
    const [boxes, piece] = [this.#boxes, this.#piece]
    const [from, to] = this.#piecesOf(shape)
    for (let at = from; at < to; at++) {
      const box = 4 * at
      if ((boxes[box] as number) > east || (boxes[box + 1] as number) > north) continue
      if ((boxes[box + 2] as number) < west || (boxes[box + 3] as number) < south) continue
      const end = this.#readPiece(at)
      for (let corner = 2; corner < end; corner += 2) {
        const [x1, y1] = [piece[corner - 2] as number, piece[corner - 1] as number]
        if (test(x1, y1, piece[corner] as number, piece[corner + 1] as number)) return true
      }
    }
    return false
  }

  #ringAt(ring: number): Int32Array {
    const pieces = partsOf(this.#starts.rings, ring)
    const corners = new Int32Array(2 * (pieces.length * PIECE + 1))
    let used = 0
    for (const [at, piece] of pieces.entries()) {
      // A piece begins with the last corner of the one before it.
      used -= at === 0 ? 0 : 2
      const end = this.#readPiece(piece)
      corners.set(this.#piece.subarray(0, end), used)
      used += end
    }
    return corners.subarray(0, used)
  }

  #piecesOf(shape: number): [from: number, to: number] {
    const { shapes, polygons, rings } = this.#starts
    const startOf = (one: number) => rings[polygons[shapes[one] as number] as number] as number
    return [startOf(shape), startOf(shape + 1)]
  }

  /** Reads a piece into its place, and returns the number of values that it has. */
  #readPiece(at: number): number {
    const [bytes, piece] = [this.#corners, this.#piece]
    const end = this.#starts.pieces[at + 1] as number
    let used = 0
    for (let next = this.#starts.pieces[at] as number; next < end; used++) {
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

const partsOf = (starts: Uint32Array, of: number): number[] => {
  const from = starts[of] as number
  return Array.from({ length: (starts[of + 1] as number) - from }, (_, at) => from + at)
}

/** Polygons as a geometry of GeoJSON. */
export function shapeJson(polygons: readonly Polygon[]): string {
  const texts = polygons.map((rings) => `[${rings.map(ringJson).join()}]`)
  return polygons.length === 1
    ? `{"type":"Polygon","coordinates":${texts[0]}}`
    : `{"type":"MultiPolygon","coordinates":[${texts.join()}]}`
}

function ringJson(ring: Int32Array): string {
  const corners: string[] = []
  for (let at = 0; at < ring.length; at += 2)
    corners.push(`[${(ring[at] as number) / PER_DEGREE},${(ring[at + 1] as number) / PER_DEGREE}]`)
  return `[${corners.join()}]`
}
