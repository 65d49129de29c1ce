// What lies below some parents: counted, and listed in the order of positions.
import { expect, test } from 'bun:test'
import type { AncestorLevel } from '../search/ancestor-match.ts'
import { countBelow, type Parent, recordsBelow } from './parents.ts'

/** The children of three parents: 1 and 4, 0 and 5, none. */
const children = { starts: Uint32Array.of(0, 2, 4, 4), positions: Uint32Array.of(1, 4, 0, 5) }
const level = { children } as unknown as AncestorLevel
const parent = (position: number): Parent => ({ position, cost: 0, how: [], isDoubtful: false })

test.each([
  ['of one', [1], [0, 5]],
  ['of two, the second of which has the first record', [0, 1], [0, 1, 4, 5]],
  ['of one that has none', [2], []],
])('the records %s', (_, positions, expected) => {
  const parents = positions.map(parent)
  expect(Array.from(recordsBelow(level, parents) ?? [])).toEqual(expected)
  expect(countBelow(level, parents)).toBe(expected.length)
})

test('where they are not listed, there may be any number', () => {
  const unlisted = { children: undefined } as unknown as AncestorLevel
  expect(recordsBelow(unlisted, [parent(0)])).toBeUndefined()
  expect(countBelow(unlisted, [parent(0)])).toBe(Number.POSITIVE_INFINITY)
  expect(recordsBelow(level, [])).toBeUndefined()
})
