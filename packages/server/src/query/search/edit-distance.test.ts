// Checks the edit distance against the plainest way to compute it.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { distanceOf, maxEditsOf, maxLimitOf } from './edit-distance.ts'

/** The whole table, cell by cell: letters inserted, left out, replaced, or swapped with a neighbour. */
function plainDistance(one: string, other: string): number {
  const cells: number[][] = []
  const at = (row: number, column: number) => cells[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 0; row <= one.length; row++) {
    cells[row] = []
    for (let column = 0; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const ways = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + changed]
      if (swapped) ways.push(at(row - 2, column - 2) + 1)
      ;(cells[row] as number[])[column] = row + column === 0 ? 0 : Math.min(...ways)
    }
  }
  return at(one.length, other.length)
}

const prefixesOf = (word: string) => Array.from({ length: word.length + 1 }, (_, length) => word.slice(0, length))

/** Over the limit, a distance is only known to be so. */
const within = (distance: number, limit: number) => (distance <= limit ? distance : undefined)

describe('the distance from a typed word to another', () => {
  const cases: [string, string, string, number][] = [
    ['the word itself', 'leon', 'leon', 0],
    ['a letter left out', 'guadaljara', 'guadalajara', 1],
    ['a letter too many', 'merrida', 'merida', 1],
    ['another letter', 'tampicu', 'tampico', 1],
    ['two letters swapped', 'tiujana', 'tijuana', 1],
    ['two swapped at the beginning', 'euvlta', 'vuelta', 2],
    ['two slips', 'gudalajra', 'guadalajara', 2],
  ]
  test.each(cases)('%s', (_what, typed, word, edits) => expect(distanceOf(typed, word, 2).toWord).toBe(edits))

  // Few letters, so that words are alike more often than not.
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ñ'), maxLength: 12 })
  const limit = fc.integer({ min: 0, max: 2 })

  test('is that of the whole table, up to the limit', () => {
    const holds = fc.property(word, word, limit, (typed, other, max) => {
      const { toWord, toPrefix } = distanceOf(typed, other, max)
      expect(within(toWord, max)).toBe(within(plainDistance(typed, other), max))
      const nearest = Math.min(...prefixesOf(other).map((prefix) => plainDistance(typed, prefix)))
      expect(within(toPrefix, max)).toBe(within(nearest, max))
    })
    fc.assert(holds, { numRuns: 2_000 })
  })

  test('is right for words of any length that are compared whole', () => {
    for (let length = 1; length <= 64; length++) {
      const typed = 'ab'.repeat(32).slice(0, length)
      expect([length, distanceOf(typed, `${typed}xy`, 2)]).toEqual([length, { toWord: 2, toPrefix: 0 }])
    }
  })

  test('is the same for the words that come after a long one', () => {
    distanceOf('a'.repeat(64), 'b'.repeat(70), 2)
    expect(distanceOf('leno', 'leon', 1)).toEqual({ toWord: 1, toPrefix: 1 })
  })
})

test.each([
  ['ane', 0, 1],
  ['leon', 1, 1],
  ['tijuana', 1, 2],
  ['veracruz', 2, 2],
])('%s may have %i edits, or %i where nothing is found', (word, edits, more) =>
  expect([maxEditsOf(word.length, 1), maxEditsOf(word.length, 2)]).toEqual([edits, more]),
)

test('a typed word may be as far from another as that one allows', () =>
  expect(['an', 'len', 'aucate', 'ahuacate'].map((typed) => maxLimitOf(typed, 1))).toEqual([0, 1, 2, 2]))
