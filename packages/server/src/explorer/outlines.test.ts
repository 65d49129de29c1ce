// Outlines of groups of dots: where they run, what they enclose, and when there are none.
import { describe, expect, test } from 'bun:test'
import { regionsOf } from './browser/outlines.ts'
import { type Points, parsePoints } from './browser/points.ts'

type Dot = readonly [x: number, y: number, group: number]

/** Points as a server sends them, between 0 and 10 degrees in both directions. */
function pointsOf(dots: readonly Dot[]): Points {
  const bytes = new Uint8Array(40 + 6 * dots.length)
  const view = new DataView(bytes.buffer)
  bytes.set(Buffer.from('NMP1'))
  view.setUint32(4, dots.length, true)
  for (const [at, degrees] of [0, 10, 0, 10].entries()) view.setFloat64(8 + 8 * at, degrees, true)
  for (const [at, [x, y, group]] of dots.entries())
    for (const [plane, value] of [x >> 8, x & 255, y >> 8, y & 255, group, 2].entries())
      bytes[40 + plane * dots.length + at] = value
  return parsePoints(bytes.buffer)
}

const SIDE = 60
const WHOLE = 65_535
const MIDDLE = WHOLE / 2

/** A square of dots side by side. */
const square = (groupAt: (x: number, y: number) => number | undefined): Dot[] =>
  Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [(at % SIDE) / (SIDE - 1), Math.floor(at / SIDE) / (SIDE - 1)]
    const group = groupAt(x, y)
    return group === undefined ? [] : [[Math.round(x * WHOLE), Math.round(y * WHOLE), group] as const]
  }).flat()

const halves = (x: number) => (x < 0.5 ? 0 : 1)

/** The corners of lines as pairs. */
const cornersOf = (line: readonly number[]): [number, number][] =>
  Array.from({ length: line.length / 2 }, (_, at) => [line[2 * at] as number, line[2 * at + 1] as number])

describe('two halves', () => {
  const regions = regionsOf(pointsOf(square(halves)), 1)

  test('meet in a line from one side to the other', () => {
    const between = regions?.outlines.map(cornersOf).filter((line) => line.every(([x]) => Math.abs(x - MIDDLE) < 3_000))
    expect(between).toHaveLength(1)
    const rows = between?.[0]?.map(([, y]) => y) ?? []
    expect(Math.min(...rows)).toBeLessThan(2_000)
    expect(Math.max(...rows)).toBeGreaterThan(63_000)
  })

  test('have their middles inside, and are of one size', () => {
    const [left, right] = [regions?.centres.get(0), regions?.centres.get(1)]
    expect(left?.x).toBeWithin(8_000, 26_000)
    expect(right?.x).toBeWithin(40_000, 58_000)
    for (const centre of [left, right]) expect(centre?.y).toBeWithin(8_000, 58_000)
    expect(Math.abs((left?.cells ?? 0) - (right?.cells ?? 0))).toBeLessThan(200)
  })
})

test('a hole has no outline, and a bay has', () => {
  const isIn = (from: number, to: number, value: number) => value > from && value < to
  const hole = regionsOf(
    pointsOf(square((x, y) => (isIn(0.15, 0.35, x) && isIn(0.4, 0.6, y) ? undefined : halves(x)))),
    1,
  )
  const bay = regionsOf(pointsOf(square((x, y) => (x < 0.35 && isIn(0.3, 0.7, y) ? undefined : halves(x)))), 1)
  const inside = (regions: typeof hole) =>
    regions?.outlines.flatMap(cornersOf).filter(([x, y]) => isIn(0.1, 0.4, x / WHOLE) && isIn(0.25, 0.75, y / WHOLE))
  expect(inside(hole)).toEqual([])
  expect(inside(bay)?.length).toBeGreaterThan(10)
})

test.each([
  ['of one group', square(() => 3)],
  ['too few to tell', square(halves).slice(0, 900)],
])('dots %s have no outlines', (_, dots) => expect(regionsOf(pointsOf(dots), 1)).toBeUndefined())
