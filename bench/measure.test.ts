// Medians, quantiles and ratios of rounds, the order of the rounds, windows that are repeated, and what loads request.
import { describe, expect, test } from 'bun:test'
import { loads, parseWrk } from './load.ts'
import { firstSound, orderOf, type Sample } from './measure.ts'
import { quantile, ratioOf, spreadOf } from './spread.ts'

describe('the median and its range', () => {
  const cases = [
    { name: 'one value', values: [3], expected: { median: 3, min: 3, max: 3, rounds: 1 } },
    {
      name: 'an odd count, not ordered as text',
      values: [10, 9, 100],
      expected: { median: 10, min: 9, max: 100, rounds: 3 },
    },
    { name: 'an even count', values: [4, 1, 100, 2], expected: { median: 3, min: 1, max: 100, rounds: 4 } },
  ]
  for (const { name, values, expected } of cases) test(name, () => expect(spreadOf(values)).toEqual(expected))

  test('of nothing there is none', () => expect(() => spreadOf([])).toThrow())
})

test('a quantile is one of the values', () => {
  const sorted = Array.from({ length: 1_000 }, (_, index) => index + 1)
  expect([0, 0.5, 0.99, 1].map((share) => quantile(sorted, share))).toEqual([1, 500, 990, 1_000])
})

test('a ratio is taken within each round', () => {
  // The second round was disturbed for both sides alike.
  expect(ratioOf([10, 100, 11], [10, 100, 10])).toEqual({ median: 1, min: 1, max: 1.1, rounds: 3 })
  expect(() => ratioOf([1], [1, 2])).toThrow()
})

test('every other round goes backwards', () => {
  expect([0, 1, 2].map((round) => orderOf(['a', 'b', 'c'], round).join(''))).toEqual(['abc', 'cba', 'abc'])
})

test('random pages are the same in every run, spread over the catalog, and the last page is not among them', () => {
  const pages = loads.random.pages(30_014)
  expect(pages).toEqual(loads.random.pages(30_014))
  expect(Math.min(...pages)).toBeGreaterThanOrEqual(1)
  expect(Math.max(...pages)).toBeLessThanOrEqual(30_013)
  expect(new Set(pages.map((page) => Math.floor((page * 10) / 30_014))).size).toBe(10)
  expect(loads.deep.pages(30_014)).toEqual([30_013])
})

test('the result of wrk stands after whatever else it prints', () => {
  const result = { requests: 10, seconds: 2, errors: 0, p50Micros: 1.5, p99Micros: 2 }
  expect(parseWrk(`Running 2s test\nRequests/sec: 5\n${JSON.stringify(result)}\n`)).toEqual(result)
  expect(() => parseWrk('unable to connect to 127.0.0.1:1 Connection refused')).toThrow('unable to connect')
})

describe('a window', () => {
  const window = (errors: number, requestsPerSecond = 50_000): Sample => ({
    ...{ errors, requestsPerSecond, cpuMicros: 10, userMicros: 4, systemMicros: 6 },
    ...{ p50Micros: 1, p99Micros: 2, busy: 1, others: 0, generatorBusy: 0.5 },
  })
  const measured = (windows: Sample[], rate?: number) => {
    const left = [...windows]
    return firstSound(async () => left.shift() as Sample, rate === undefined ? {} : { rate })
  }

  test('without errors is taken', async () =>
    expect(await measured([window(0)])).toEqual({ sample: window(0), discarded: [] }))

  test('with errors is repeated', async () =>
    expect(await measured([window(65), window(0)])).toEqual({ sample: window(0), discarded: [window(65)] }))

  test('is given up after the third', async () =>
    expect(await measured([window(1), window(2), window(3), window(0)])).toEqual({
      sample: undefined,
      discarded: [window(1), window(2), window(3)],
    }))

  test('has to reach its rate', async () =>
    expect(await measured([window(0, 19_000), window(0, 19_900)], 20_000)).toEqual({
      sample: window(0, 19_900),
      discarded: [window(0, 19_000)],
    }))
})
