// What is counted, under which route, and what becomes of the counts of several processes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  countersOf,
  DURATION_BOUNDS,
  LAG_BOUNDS,
  Metrics,
  mergeSnapshots,
  ROUTES,
  routeOf,
  STATUS_CLASSES,
} from './metrics.ts'

describe('the route of', () => {
  test.each([
    ['/', 'home'],
    ['/api/v1', 'v1 index'],
    ['/api/v1/', 'v1 index'],
    ['/api/v1/paises', 'v1 page'],
    ['/api/v1/nothing/at/all', 'v1 page'],
    ['/api/v2', 'v2 index'],
    ['/api/v2/', 'v2 index'],
    ['/api/v2/paises', 'v2 list'],
    ['/api/v2/paises/', 'v2 list'],
    ['/api/v2/paises/all', 'v2 bulk'],
    ['/api/v2/paises/484', 'v2 record'],
    ['/api/v2/estados/9/municipios', 'v2 list'],
    ['/api/v2/municipios/7/localidades/1', 'v2 record'],
    ['/api/v2/municipios/7/localidades/all', 'v2 bulk'],
    ['/api/v2/a/b/c/d/e', 'other'],
    ['/api/v2/search', 'v2 search'],
    ['/api/v2/releases', 'v2 releases'],
    ['/api/v2/releases/abc', 'v2 releases'],
    ['/api/v2/changes', 'v2 changes'],
    ['/reconcile', 'reconcile'],
    ['/reconcile/suggest/entity', 'reconcile'],
    ['/reconciled', 'other'],
    ['/api/openapi.json', 'openapi'],
    ['/explore', 'explorer'],
    ['/explore/paises/484', 'explorer'],
    ['/releases', 'explorer'],
    ['/docs/run', 'explorer'],
    ['/explorer', 'other'],
    ['/map', 'map'],
    ['/map/points/0/localidades.bin', 'map'],
    ['/picker/levels.json', 'picker'],
    ['/assets/explorer.js', 'assets'],
    ['/api', 'other'],
    ['/etc/passwd', 'other'],
    ['', 'other'],
    ['*', 'other'],
  ] as const)('%p is %s', (path, route) => expect(routeOf(path)).toBe(route))

  test('anything is one of a closed set', () => {
    const paths = fc.oneof(
      fc.string(),
      fc.array(fc.webSegment()).map((parts) => `/api/v2/${parts.join('/')}`),
    )
    fc.assert(fc.property(paths, (path) => expect(ROUTES).toContain(routeOf(path))))
  })
})

const requests = fc.array(
  fc.record({
    route: fc.constantFrom(...ROUTES),
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
        for (const [number, route] of ROUTES.entries()) {
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

test('of a process that has ended, the counters stay and the gauges go', () => {
  const metrics = Object.assign(new Metrics(), { connections: 5, streams: 6, unsentBytes: 7, swaps: 8 })
  const left = countersOf(metrics.snapshot())
  expect(left).toMatchObject({ connections: 0, streams: 0, unsentBytes: 0, residentBytes: 0, swaps: 8 })
})

test('a snapshot survives the way to another process', () => {
  const snapshot = Object.assign(new Metrics(), { scrubSound: true }).snapshot()
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
})
