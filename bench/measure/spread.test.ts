// Medians, quantiles and ratios of rounds, and the order of the rounds.
import { describe, expect, test } from 'bun:test'
import { orderOf } from './rounds.ts'
import { quantile, ratioOf, spreadOf } from './spread.ts'

describe('the median and its range', () => {
  const cases = [
    { name: 'one value', values: [3], expected: { median: 3, min: 3, max: 3 } },
    { name: 'an odd count', values: [9, 1, 5], expected: { median: 5, min: 1, max: 9 } },
    { name: 'an even count', values: [4, 1, 100, 2], expected: { median: 3, min: 1, max: 100 } },
    { name: 'numbers are not ordered as text', values: [10, 9, 100], expected: { median: 10, min: 9, max: 100 } },
  ]
  for (const { name, values, expected } of cases) test(name, () => expect(spreadOf(values)).toEqual(expected))

  test('of nothing there is none', () => expect(() => spreadOf([])).toThrow())
})

test('a quantile is one of the values', () => {
  const sorted = Array.from({ length: 1_000 }, (_, index) => index + 1)
  expect([0, 0.5, 0.99, 0.999, 1].map((share) => quantile(sorted, share))).toEqual([1, 500, 990, 999, 1_000])
  expect(quantile([], 0.5)).toBe(0)
})

test('a ratio is taken within each round', () => {
  // The second round was disturbed for both sides alike.
  expect(ratioOf([10, 100, 11], [10, 100, 10])).toEqual({ median: 1, min: 1, max: 1.1 })
  expect(() => ratioOf([1], [1, 2])).toThrow()
})

test('every other round goes backwards', () => {
  expect([0, 1, 2].map((round) => orderOf(['a', 'b', 'c'], round).join(''))).toEqual(['abc', 'cba', 'abc'])
})
