// The counters of a process, and of several processes together.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ROUTE_LABELS } from '../routes.ts'
import { countersOf, DURATION_BOUNDS, LAG_BOUNDS, Metrics, mergeSnapshots, STATUS_CLASSES } from './metrics.ts'

const requests = fc.array(
  fc.record({
    route: fc.constantFrom(...ROUTE_LABELS),
    status: fc.integer({ min: 200, max: 599 }),
    milliseconds: fc.double({ min: 0, max: 30_000, noNaN: true }),
    bytes: fc.nat(),
  }),
)

function counted(all: typeof requests extends fc.Arbitrary<infer T> ? T : never): Metrics {
  const metrics = new Metrics()
  for (const { route, status, milliseconds, bytes } of all) metrics.countRequest(route, status, milliseconds, bytes)
  return metrics
}

describe('requests', () => {
  test('are counted once: by route and class, by route and bucket, and in the sums', () => {
    fc.assert(
      fc.property(requests, (all) => {
        const snapshot = counted(all).snapshot()
        for (const [number, route] of ROUTE_LABELS.entries()) {
          const own = all.filter((one) => one.route === route)
          for (const [at, name] of STATUS_CLASSES.entries())
            expect(snapshot.requests[number * STATUS_CLASSES.length + at]).toBe(
              own.filter(({ status }) => name.startsWith(String(status)[0] as string)).length,
            )
          const bounds = [0, ...DURATION_BOUNDS.map((bound) => bound * 1_000), Number.POSITIVE_INFINITY]
          for (let bucket = 0; bucket <= DURATION_BOUNDS.length; bucket++) {
            const [low, high] = [bounds[bucket] as number, bounds[bucket + 1] as number]
            const inBucket = own.filter(
              ({ milliseconds }) => (bucket === 0 || milliseconds / 1_000 > low / 1_000) && milliseconds <= high,
            )
            expect(snapshot.durations[number * (DURATION_BOUNDS.length + 1) + bucket]).toBe(inBucket.length)
          }
          expect(snapshot.bodyBytes[number]).toBe(own.reduce((sum, { bytes }) => sum + bytes, 0))
        }
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    [1, 3],
    [1.0001, 4],
    [250, 10],
    [10_000, 15],
    [10_001, 16],
  ])('of %p ms are in bucket %p: a bound belongs to the bucket below it', (milliseconds, bucket) => {
    const { durations } = counted([{ route: 'v1 page', status: 200, milliseconds, bytes: 0 }]).snapshot()
    expect(durations.indexOf(1)).toBe(bucket)
  })

  test('of two processes add up', () => {
    fc.assert(
      fc.property(requests, requests, (some, others) => {
        const both = counted([...some, ...others]).snapshot()
        const merged = mergeSnapshots([counted(some).snapshot(), counted(others).snapshot()])
        expect(merged.requests).toEqual(both.requests)
        expect(merged.durations).toEqual(both.durations)
        expect(merged.bodyBytes).toEqual(both.bodyBytes)
      }),
      { numRuns: 20 },
    )
  })
})

test('of several processes, counts are added, and the latest scrub counts', () => {
  const metrics = (changes: Partial<Metrics>) => Object.assign(new Metrics(), changes)
  const first = metrics({ connections: 1, swaps: 2, slowRequests: 3, scrubSound: true, scrubEnded: 10 })
  const second = metrics({ connections: 10, swaps: 20, errors: 5, scrubSound: false, scrubEnded: 20 })
  const third = metrics({ droppedAccessLines: 9 })
  first.refused.rate = 4
  second.refused.rate = 40
  first.countLag(3)
  second.countLag(4_000)
  const merged = mergeSnapshots([first.snapshot(), second.snapshot(), third.snapshot()])
  expect(merged).toMatchObject({ connections: 11, swaps: 22, slowRequests: 3, errors: 5, droppedAccessLines: 9 })
  expect(merged).toMatchObject({ scrubSound: false, scrubEnded: 20, refused: { rate: 44, streams: 0 } })
  expect(merged.lags).toEqual(LAG_BOUNDS.map((bound) => (bound === 0.005 || bound === 5 ? 1 : 0)).concat(0))
  expect(merged.lagSum).toBeCloseTo(4.003)
})

test('an event loop that is early is not late', () => {
  const metrics = new Metrics()
  metrics.countLag(-5)
  expect([metrics.snapshot().lags[0], metrics.snapshot().lagSum]).toEqual([1, 0])
})

test('of a process that has ended, the counters stay and the gauges go', () => {
  const metrics = Object.assign(new Metrics(), { connections: 5, streams: 6, unsentBytes: 7, swaps: 8 })
  const left = countersOf(metrics.snapshot())
  expect(left).toMatchObject({ connections: 0, streams: 0, unsentBytes: 0, residentBytes: 0, swaps: 8 })
})

test('a snapshot survives the way to another process', () => {
  const snapshot = Object.assign(new Metrics(), { scrubSound: true }).snapshot()
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
})
