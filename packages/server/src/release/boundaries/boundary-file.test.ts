// Boundaries on disk against naive models: a count of crossings with exact numbers, and the distance of every corner from a border.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { distanceFrom, type GivenShape } from '../../source/boundaries/corners.ts'
import { BoundaryFile, writeBoundaries } from './boundary-file.ts'
import { simplifier } from './simplified-shapes.ts'

setDefaultTimeout(120_000)

const directory = mkdtempSync(join(tmpdir(), 'nomenclator-test-'))
afterAll(() => rmSync(directory, { recursive: true }))
let files = 0
function written(shapes: readonly GivenShape[]): BoundaryFile {
  const path = join(directory, String(files++))
  writeBoundaries(path, shapes)
  return new BoundaryFile(path)
}

/** A ring around the middle of a square, with a corner in each of some directions. */
const star = (x: number, y: number, reaches: readonly number[]): Int32Array => {
  const corners = reaches.flatMap((reach, at) => {
    const angle = (2 * Math.PI * at) / reaches.length
    return [Math.round(x + reach * Math.cos(angle)), Math.round(y + reach * Math.sin(angle))]
  })
  return Int32Array.from([...corners, corners[0] as number, corners[1] as number])
}

/** Corners on a small grid, so that points fall on them and on borders, and far apart on the Earth. */
const anyShapes = (size: number): fc.Arbitrary<GivenShape[]> => {
  const reach = (min: number, max: number) => fc.integer({ min: Math.ceil(min * size), max: Math.floor(max * size) })
  const ringOf = (min: number, max: number) => fc.array(reach(min, max), { minLength: 3, maxLength: 150 })
  const place = fc.integer({ min: -size, max: size })
  const shape = fc
    .tuple(place, place, ringOf(0.5, 1), fc.option(ringOf(0.1, 0.24)), fc.boolean())
    .map(([x, y, outer, hole, hasIsland]) => {
      const rings = [star(x, y, outer), ...(hole === null ? [] : [star(x, y, hole)])]
      return [rings, ...(hasIsland ? [[star(x + 3 * size, y, [size / 2, size / 2, size / 2])]] : [])]
    })
  return fc
    .array(shape, { minLength: 1, maxLength: 6 })
    .map((all) => all.map((polygons, at) => ({ code: `c${at}`, polygons })))
}
const SIZES = [8, 400, 200_000_000] as const
const anyCase = fc.constantFrom(...SIZES).chain((size) =>
  fc.record({
    shapes: anyShapes(size),
    x: fc.integer({ min: -2 * size, max: 4 * size }),
    y: fc.integer({ min: -2 * size, max: 2 * size }),
    across: fc.integer({ min: 0, max: size }),
    up: fc.integer({ min: 0, max: size }),
  }),
)

/** Crossings of the sides of all rings with a ray, counted with exact numbers; true on any side. */
function holds({ polygons }: GivenShape, x: number, y: number): boolean {
  let crossings = 0
  for (const ring of polygons.flat())
    for (let at = 2; at < ring.length; at += 2) {
      const [x1, y1, x2, y2] = [...ring.subarray(at - 2, at + 2)].map(BigInt) as [bigint, bigint, bigint, bigint]
      const [px, py] = [BigInt(x), BigInt(y)]
      const side = (x2 - x1) * (py - y1) - (y2 - y1) * (px - x1)
      const between = (one: bigint, other: bigint, value: bigint) =>
        (one <= value && value <= other) || (other <= value && value <= one)
      if (side === 0n && between(x1, x2, px) && between(y1, y2, py)) return true
      if (y1 > py !== y2 > py && side > 0n === y2 > y1) crossings++
    }
  return crossings % 2 === 1
}

describe('boundaries on disk', () => {
  test('hold the points that a count of crossings says, on borders and in holes too', () => {
    fc.assert(
      fc.property(anyCase, ({ shapes, x, y }) => {
        const file = written(shapes)
        const [{ polygons }] = shapes as [GivenShape]
        const [cornerX, cornerY] = (polygons[0]?.[0] ?? []) as Int32Array
        for (const point of [
          [x, y],
          [cornerX, cornerY],
          [cornerX, y],
          [x, cornerY],
        ] as [number, number][]) {
          const expected = shapes.filter((shape) => holds(shape, ...point)).map(({ code }) => code)
          expect(
            file
              .containing(...point)
              .map((shape) => file.codeOf(shape))
              .toSorted(),
          ).toEqual(expected)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('meet the boxes that have a point of theirs', () => {
    const small = fc.record({
      shapes: anyShapes(8),
      x: fc.integer({ min: -20, max: 36 }),
      y: fc.integer({ min: -20, max: 20 }),
      across: fc.integer({ min: 0, max: 6 }),
      up: fc.integer({ min: 0, max: 6 }),
    })
    const crosses = ({ polygons }: GivenShape, box: readonly [number, number, number, number]) => {
      const [west, south, east, north] = box
      const rings = polygons.flat()
      // Clips every side to the box (Liang and Barsky).
      return rings.some((ring) =>
        Array.from({ length: ring.length / 2 - 1 }, (_, at) => ring.subarray(2 * at, 2 * at + 4)).some(
          ([x1 = 0, y1 = 0, x2 = 0, y2 = 0]) => {
            let [from, to] = [0, 1]
            for (const [step, room] of [
              [x1 - x2, x1 - west],
              [x2 - x1, east - x1],
              [y1 - y2, y1 - south],
              [y2 - y1, north - y1],
            ] as [number, number][]) {
              if (step === 0 && room < 0) return false
              if (step < 0) from = Math.max(from, room / step)
              if (step > 0) to = Math.min(to, room / step)
            }
            return from <= to + 1e-12
          },
        ),
      )
    }
    fc.assert(
      fc.property(small, ({ shapes, x, y, across, up }) => {
        const file = written(shapes)
        const box = [x, y, x + across, y + up] as const
        const expected = shapes.filter((shape) => holds(shape, x, y) || crosses(shape, box)).map(({ code }) => code)
        expect(
          file
            .meeting(box)
            .map((shape) => file.codeOf(shape))
            .toSorted(),
        ).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  test('are read as they were written, by code', () => {
    fc.assert(
      fc.property(anyCase, ({ shapes }) => {
        const file = written(shapes)
        const read = shapes.map(({ code }) => file.polygonsOf(file.withCode(code) as number))
        expect([file.count, file.withCode('b'), file.withCode('c00')]).toEqual([shapes.length, undefined, undefined])
        expect(read).toEqual(shapes.map(({ polygons }) => polygons as Int32Array[][]))
      }),
    )
  })
})

/** Squares beside one another, whose common borders have the same corners. */
const anyGrid = fc
  .record({
    columns: fc.integer({ min: 1, max: 4 }),
    rows: fc.integer({ min: 1, max: 3 }),
    seed: fc.integer({ min: 0 }),
  })
  .map(({ columns, rows, seed }) => {
    const random = (at: number) => (Math.imul(at + 1, 2_654_435_761 + 2 * seed) >>> 0) / 2 ** 32
    const STEP = 1_000
    const CORNERS = 12
    /** The corners from one crossing to the next, moved aside by what the way itself says. */
    const way = (x: number, y: number, toX: number, toY: number): number[][] => {
      const isBack = toX < x || toY < y
      if (isBack) return way(toX, toY, x, y).toReversed()
      return Array.from({ length: CORNERS + 1 }, (_, at) => {
        const aside =
          at === 0 || at === CORNERS ? 0 : Math.round((random(((x * 7 + y) * 7 + toX + toY * 3) * 31 + at) - 0.5) * 300)
        const [part, isAcross] = [at / CORNERS, toY === y]
        return [
          Math.round((x + (toX - x) * part) * STEP) + (isAcross ? 0 : aside),
          Math.round((y + (toY - y) * part) * STEP) + (isAcross ? aside : 0),
        ]
      })
    }
    return Array.from({ length: columns * rows }, (_, at): GivenShape => {
      const [x, y] = [at % columns, Math.floor(at / columns)]
      const sides = [way(x, y, x + 1, y), way(x + 1, y, x + 1, y + 1), way(x + 1, y + 1, x, y + 1), way(x, y + 1, x, y)]
      const corners = [...sides.flatMap((side) => side.slice(0, -1)), sides[0]?.[0] as number[]]
      return { code: String(at), polygons: [[Int32Array.from(corners.flat())]] }
    })
  })

const sidesOf = (ring: Int32Array) =>
  Array.from(
    { length: ring.length / 2 - 1 },
    (_, at) => [...ring.subarray(2 * at, 2 * at + 4)] as [number, number, number, number],
  )
const gapFrom = (ring: Int32Array, x: number, y: number) =>
  Math.min(...sidesOf(ring).map(([x1, y1, x2, y2]) => distanceFrom([x, y], [x1, y1], [x2, y2])))

describe('simplified borders', () => {
  test('have every point within the tolerance of the border as it was, and the other way round', () => {
    fc.assert(
      fc.property(anyGrid, fc.integer({ min: 0, max: 250 }), (shapes, tolerance) => {
        const simplified = simplifier(shapes)(tolerance)
        for (const [at, { polygons }] of shapes.entries()) {
          const [before, after] = [polygons[0]?.[0], simplified[at]?.polygons[0]?.[0]] as [Int32Array, Int32Array]
          expect(after.length).toBeLessThanOrEqual(before.length)
          for (const [x1, y1, x2, y2] of sidesOf(after))
            for (const part of [0, 0.3, 0.7])
              expect(gapFrom(before, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)).toBeLessThanOrEqual(
                tolerance + 1e-6,
              )
          for (const [x, y] of sidesOf(before)) expect(gapFrom(after, x, y)).toBeLessThanOrEqual(tolerance + 1e-6)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('stay the borders of both sides', () => {
    fc.assert(
      fc.property(anyGrid, fc.integer({ min: 0, max: 250 }), (shapes, tolerance) => {
        const sides = simplifier(shapes)(tolerance).flatMap(({ polygons }) => polygons.flat().flatMap(sidesOf))
        const named = sides.map(([x1, y1, x2, y2]) => [`${x1},${y1}`, `${x2},${y2}`].toSorted().join(' '))
        const counts = new Set(
          Map.groupBy(named, (side) => side)
            .values()
            .map(({ length }) => length),
        )
        // Borders between two squares are those of both, and all others of one.
        expect([...counts].every((count) => count <= 2)).toBe(true)
        const before = shapes.flatMap(({ polygons }) => polygons.flat().flatMap(sidesOf)).length
        if (tolerance === 0) expect(sides.length).toBeLessThanOrEqual(before)
        const shared = named.length - new Set(named).size
        if (shapes.length > 1) expect(shared).toBeGreaterThan(0)
      }),
      { numRuns: 60 },
    )
  })

  test('leave a shape with a ring, however small it is', () => {
    const square = (code: string, x: number, size: number): GivenShape => ({
      code,
      polygons: [[Int32Array.from([x, 0, x + size, 0, x + size, size, x, size, x, 0])]],
    })
    const [large, small] = simplifier([square('1', 0, 10_000), square('2', 20_000, 10)])(500)
    expect([large?.polygons, small?.polygons].map((polygons) => polygons?.flat().map((ring) => ring.length))).toEqual([
      [10],
      [10],
    ])
  })
})
