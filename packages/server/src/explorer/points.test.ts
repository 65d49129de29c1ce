// The middles of groups of dots, where the map writes their names.
import { expect, test } from 'bun:test'
import { centresOf, parsePoints, STEPS } from './browser/points.ts'

type Dot = readonly [x: number, y: number, group: number, size: number]

/** Points as a server sends them, from 0 to 10 degrees in both directions. */
function pointsOf(dots: readonly Dot[]) {
  const bytes = new Uint8Array(40 + 6 * dots.length)
  const view = new DataView(bytes.buffer)
  bytes.set(Buffer.from('NMP1'))
  view.setUint32(4, dots.length, true)
  for (const [at, degrees] of [0, 10, 0, 10].entries()) view.setFloat64(8 + 8 * at, degrees, true)
  for (const [at, [x, y, group, size]] of dots.entries())
    for (const [plane, value] of [x >> 8, x & 255, y >> 8, y & 255, group, size].entries())
      bytes[40 + plane * dots.length + at] = value
  return parsePoints(bytes.buffer)
}

test('the middle of a group is that of its dots that are shown and have coordinates', () => {
  const points = pointsOf([
    [0, 0, 0, 2],
    [STEPS, STEPS, 1, 2],
    [0, STEPS, 0, 2],
    // Neither a record without coordinates nor one that a search leaves out moves a middle.
    [STEPS, STEPS, 0, 0],
    [0, STEPS, 1, 2],
  ])
  expect(centresOf(points, (position) => position !== 4).toSorted((a, b) => a.group - b.group)).toEqual([
    { group: 0, place: [0, 5], count: 2 },
    { group: 1, place: [10, 0], count: 1 },
  ])
})
