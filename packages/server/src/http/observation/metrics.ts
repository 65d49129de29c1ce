// The counters of one process: plain numbers, so that counting costs next to nothing.
import { ROUTE_LABELS, type RouteLabel } from '../routes.ts'

/** The limit that turned a client away. */
export type RefusalReason = 'connections' | 'streams' | 'bytes' | 'rate' | 'compute'

export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const

/** Upper bounds of the buckets of durations, in seconds; the last bucket has none. */
export const DURATION_BOUNDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const
export const LAG_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

const DURATION_BUCKETS = DURATION_BOUNDS.length + 1
const CLASSES = STATUS_CLASSES.length
const FIRST_CLASS = 2
const routeNumber = Object.fromEntries(ROUTE_LABELS.map((label, at) => [label, at])) as Readonly<
  Record<RouteLabel, number>
>

export class Metrics {
  /** Open at this moment. */
  connections = 0
  /** Streamed responses under way at this moment. */
  streams = 0
  /** Bytes of responses that clients have not taken yet, and of requests that wait behind them. */
  unsentBytes = 0
  /** Requests that compute workers have at this moment. */
  computing = 0
  /** Processor time that requests used in compute workers. */
  computeSeconds = 0
  readonly refused: Record<RefusalReason, number> = { connections: 0, streams: 0, bytes: 0, rate: 0, compute: 0 }
  /** Changes from one release to another. */
  swaps = 0
  /** True if the last scrub found every file sound; undefined before the first one has ended. */
  scrubSound: boolean | undefined = undefined
  /** When the last scrub ended, in seconds since 1970. */
  scrubEnded = 0
  /** Requests that took longer than --slow-request. */
  slowRequests = 0
  /** Faults of the service: responses with status 500, and bodies that were cut off. */
  errors = 0
  /** Lines that the access log could not take. */
  droppedAccessLines = 0
  readonly #requests = new Float64Array(ROUTE_LABELS.length * CLASSES)
  readonly #durations = new Float64Array(ROUTE_LABELS.length * DURATION_BUCKETS)
  readonly #durationSums = new Float64Array(ROUTE_LABELS.length)
  readonly #bodyBytes = new Float64Array(ROUTE_LABELS.length)
  readonly #lags = new Float64Array(LAG_BOUNDS.length + 1)
  #lagSum = 0

  /** Counts a request that has its response. */
  countRequest(route: RouteLabel, status: number, milliseconds: number, bodyBytes: number): void {
    const number = routeNumber[route]
    const at = number * CLASSES + ((status / 100) | 0) - FIRST_CLASS
    this.#requests[at] = (this.#requests[at] ?? 0) + 1
    const seconds = milliseconds / 1_000
    const bucket = number * DURATION_BUCKETS + bucketOf(DURATION_BOUNDS, seconds)
    this.#durations[bucket] = (this.#durations[bucket] ?? 0) + 1
    this.#durationSums[number] = (this.#durationSums[number] ?? 0) + seconds
    this.#bodyBytes[number] = (this.#bodyBytes[number] ?? 0) + bodyBytes
  }

  /** Counts the delay of a timer. */
  countLag(milliseconds: number): void {
    const seconds = Math.max(milliseconds, 0) / 1_000
    const bucket = bucketOf(LAG_BOUNDS, seconds)
    this.#lags[bucket] = (this.#lags[bucket] ?? 0) + 1
    this.#lagSum += seconds
  }

  /** The counters as plain JSON, which a worker sends its supervisor. */
  snapshot() {
    return {
      pid: process.pid,
      ...countersIn(this),
      refused: { ...this.refused },
      /** Requests by route and status class, one route after the other. */
      requests: [...this.#requests],
      /** Requests by route and bucket, one route after the other; not cumulative. */
      durations: [...this.#durations],
      /** Seconds by route. */
      durationSums: [...this.#durationSums],
      /** Bytes of bodies by route. */
      bodyBytes: [...this.#bodyBytes],
      /** Samples by bucket; not cumulative. */
      lags: [...this.#lags],
      lagSum: this.#lagSum,
      residentBytes: process.memoryUsage.rss(),
    }
  }
}

/** The counters that are added to from outside, without the methods. */
const countersIn = (metrics: Metrics) => ({ ...metrics })

export type MetricsSnapshot = Readonly<ReturnType<Metrics['snapshot']>>

function bucketOf(bounds: readonly number[], value: number): number {
  let bucket = 0
  while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
  return bucket
}

const LAG_SAMPLE_MILLISECONDS = 100

/** Samples how late the event loop is, which is how long any request would have waited. */
export function watchEventLoop(metrics: Metrics): Disposable {
  let expected = performance.now() + LAG_SAMPLE_MILLISECONDS
  const timer = setInterval(() => {
    const now = performance.now()
    metrics.countLag(now - expected)
    expected = now + LAG_SAMPLE_MILLISECONDS
  }, LAG_SAMPLE_MILLISECONDS)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The sum of two numbers, or of the members of two lists or tables of them; of other values, the first. */
function added<T>(a: T, b: T): T {
  if (typeof a === 'number' && typeof b === 'number') return (a + b) as T
  if (Array.isArray(a) && Array.isArray(b)) return a.map((value, at) => added(value, b[at] ?? 0)) as T
  if (typeof a !== 'object' || a === null) return a
  return Object.fromEntries(Object.entries(a).map(([name, value]) => [name, added(value, b[name as keyof T])])) as T
}

/** Adds the counters of several processes. A scrub is the same for all of them, so the latest counts. */
export const mergeSnapshots = (snapshots: readonly [MetricsSnapshot, ...MetricsSnapshot[]]): MetricsSnapshot =>
  snapshots.reduce((a, b) => {
    const { scrubSound, scrubEnded } = b.scrubEnded > a.scrubEnded ? b : a
    return { ...added(a, b), pid: a.pid, scrubSound, scrubEnded }
  })

/** Returns the counters of a process that has ended, without the values of one moment. */
export const countersOf = (snapshot: MetricsSnapshot): MetricsSnapshot => ({
  ...snapshot,
  connections: 0,
  streams: 0,
  unsentBytes: 0,
  computing: 0,
  residentBytes: 0,
})
