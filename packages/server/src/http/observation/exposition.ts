// The metrics of all workers in the text format of Prometheus (version 0.0.4).

import { version } from '../../base/version.ts'
import type { WorkerReport } from '../processes/serving-status.ts'
import { ROUTE_LABELS, type RouteLabel } from '../routes.ts'
import { DURATION_BOUNDS, LAG_BOUNDS, type MetricsSnapshot, mergeSnapshots, STATUS_CLASSES } from './metrics.ts'
import type { ShelfStatus } from './shelf-status.ts'

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export type Exposed = {
  readonly reports: readonly WorkerReport[]
  /** Workers that were replaced because they had died, did not respond or leaked connections. */
  readonly restarts: number
  readonly ready: boolean
  /** When the service was started, and the time, in milliseconds since 1970. */
  readonly startedAt: number
  readonly now: number
  /** The status of the shared shelf; undefined where there is none. */
  readonly shelf?: ShelfStatus | undefined
  /** The reports of the compute workers. */
  readonly computeWorkers: readonly WorkerReport[]
  /** The memory of the supervisor. */
  readonly supervisorBytes: number
}

type Labels = Readonly<Record<string, string>>
type Sample = { readonly suffix?: string; readonly labels?: Labels; readonly value: number }

/** The sums over all workers. Without a worker no counter is shown: it would seem to have fallen. */
type Totals = Exposed & { readonly all: MetricsSnapshot | undefined }

type Metric = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: (totals: Totals) => readonly Sample[]
}

const SECOND = 1_000

const counted =
  (read: (all: MetricsSnapshot) => number) =>
  ({ all }: Totals) =>
    all === undefined ? [] : [{ value: read(all) }]

const ofShelf =
  (read: (shelf: ShelfStatus) => number) =>
  ({ shelf }: Totals) =>
    shelf === undefined ? [] : [{ value: read(shelf) }]

/** The samples of all routes, where there is anything to count. */
const byRoute =
  (read: (all: MetricsSnapshot, number: number, route: RouteLabel) => readonly Sample[]) =>
  ({ all }: Totals) =>
    all === undefined ? [] : ROUTE_LABELS.flatMap((route, number) => read(all, number, route))

const memoryOf =
  (process: string) =>
  ({ metrics: { pid, residentBytes } }: WorkerReport): Sample => ({
    labels: { process, pid: String(pid) },
    value: residentBytes,
  })

/** Every metric by its name. */
export const METRICS: Readonly<Record<string, Metric>> = {
  nomenclator_requests_total: {
    type: 'counter',
    help: 'Requests that got a response, by route and class of status code.',
    samples: byRoute(({ requests }, number, route) =>
      STATUS_CLASSES.map((status, at) => ({
        labels: { route, status },
        value: requests[number * STATUS_CLASSES.length + at] ?? 0,
      })),
    ),
  },
  nomenclator_request_duration_seconds: {
    type: 'histogram',
    help: 'How long the service worked on a response; how fast the client reads does not count.',
    samples: byRoute(({ durations, durationSums }, number, route) => {
      const buckets = DURATION_BOUNDS.length + 1
      const counts = durations.slice(number * buckets, (number + 1) * buckets)
      return histogram(DURATION_BOUNDS, counts, durationSums[number] ?? 0, { route })
    }),
  },
  nomenclator_response_body_bytes_total: {
    type: 'counter',
    help: 'Bytes of the bodies of responses, by route.',
    samples: byRoute(({ bodyBytes }, number, route) => [{ labels: { route }, value: bodyBytes[number] ?? 0 }]),
  },
  nomenclator_slow_requests_total: {
    type: 'counter',
    help: 'Requests that took longer than --slow-request.',
    samples: counted(({ slowRequests }) => slowRequests),
  },
  nomenclator_errors_total: {
    type: 'counter',
    help: 'Faults of the service: responses with status 500, and bodies that were cut off.',
    samples: ({ all, computeWorkers }) => {
      const inComputeWorkers = computeWorkers.reduce((sum, { metrics }) => sum + metrics.errors, 0)
      return all === undefined ? [] : [{ value: all.errors + inComputeWorkers }]
    },
  },
  nomenclator_refused_total: {
    type: 'counter',
    help: 'Clients that were turned away, by the limit that they ran into.',
    samples: ({ all }) => Object.entries(all?.refused ?? {}).map(([reason, value]) => ({ labels: { reason }, value })),
  },
  nomenclator_connections: {
    type: 'gauge',
    help: 'Open connections.',
    samples: counted(({ connections }) => connections),
  },
  nomenclator_streams: {
    type: 'gauge',
    help: 'Streamed responses under way.',
    samples: counted(({ streams }) => streams),
  },
  nomenclator_unsent_bytes: {
    type: 'gauge',
    help: 'Bytes of responses that clients have not taken yet.',
    samples: counted(({ unsentBytes }) => unsentBytes),
  },
  nomenclator_compute_requests: {
    type: 'gauge',
    help: 'Requests that run or wait in compute workers.',
    samples: counted(({ computing }) => computing),
  },
  nomenclator_compute_seconds_total: {
    type: 'counter',
    help: 'Processor time that requests used in compute workers.',
    samples: counted(({ computeSeconds }) => computeSeconds),
  },
  nomenclator_dropped_access_log_lines_total: {
    type: 'counter',
    help: 'Lines that the access log could not take.',
    samples: counted(({ droppedAccessLines }) => droppedAccessLines),
  },
  nomenclator_ready: {
    type: 'gauge',
    help: '1 where /readyz is 200.',
    samples: ({ ready }) => [{ value: ready ? 1 : 0 }],
  },
  nomenclator_workers: {
    type: 'gauge',
    help: 'Processes that listen.',
    samples: ({ reports }) => [{ value: reports.length }],
  },
  nomenclator_worker_restarts_total: {
    type: 'counter',
    help: 'Workers that were replaced because they had died, did not respond or leaked connections.',
    samples: ({ restarts }) => [{ value: restarts }],
  },
  nomenclator_degraded_workers: {
    type: 'gauge',
    help: 'Processes that do not serve as they should: an older release, a home that is gone, damage.',
    samples: ({ reports }) => [{ value: reports.filter(({ status }) => status.degraded.length > 0).length }],
  },
  nomenclator_release_info: {
    type: 'gauge',
    help: 'The releases that are served, each with the number of processes that serve it.',
    samples: ({ reports }) =>
      countedBy(reports.map(({ status }) => status.release)).map(([release, value]) => ({
        labels: { release },
        value,
      })),
  },
  nomenclator_release_age_seconds: {
    type: 'gauge',
    help: 'How long ago the release that is served was built; the oldest, if there are several.',
    samples: ({ reports, now }) => {
      const built = reports.map(({ status }) => Date.parse(status.built)).filter((time) => !Number.isNaN(time))
      return built.length === 0 ? [] : [{ value: (now - Math.min(...built)) / SECOND }]
    },
  },
  nomenclator_release_swaps_total: {
    type: 'counter',
    help: 'How often a process put another release in place of the one before.',
    samples: counted(({ swaps }) => swaps),
  },
  nomenclator_scrub_sound: {
    type: 'gauge',
    help: '1 where the last scrub found every file sound, 0 where it found damage; absent before the first one has ended.',
    samples: ({ all }) => (all?.scrubSound === undefined ? [] : [{ value: all.scrubSound ? 1 : 0 }]),
  },
  nomenclator_scrub_end_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last scrub ended, in seconds since 1970; absent before that.',
    samples: ({ all }) => (all?.scrubSound === undefined ? [] : [{ value: all.scrubEnded }]),
  },
  nomenclator_shelf_connected: {
    type: 'gauge',
    help: '1 while there is a connection with the shared shelf, else 0; absent without --shelf, as are all of the shelf.',
    samples: ofShelf(({ isConnected }) => (isConnected ? 1 : 0)),
  },
  nomenclator_shelf_trouble: {
    type: 'gauge',
    help: '1 for the kind of trouble that keeps the shared shelf from being followed, or all of it: away, older, fork or refused.',
    samples: ({ shelf }) =>
      shelf === undefined
        ? []
        : (['away', 'older', 'fork', 'refused'] as const).map((kind) => ({
            labels: { kind },
            value: shelf.trouble?.kind === kind ? 1 : 0,
          })),
  },
  nomenclator_shelf_generation: {
    type: 'gauge',
    help: 'The generation of the shared shelf when it was last looked at; all nodes that follow it have the same.',
    samples: ofShelf(({ generation }) => generation),
  },
  nomenclator_shelf_lag_seconds: {
    type: 'gauge',
    help: 'For how long the shared shelf is known to have a current release that the home lacks; 0 where it lacks none.',
    samples: ofShelf(({ lagSeconds }) => lagSeconds),
  },
  nomenclator_shelf_connects_total: {
    type: 'counter',
    help: 'How often a connection with the shared shelf was made.',
    samples: ofShelf(({ connects }) => connects),
  },
  nomenclator_shelf_fetched_chunks_total: {
    type: 'counter',
    help: 'Chunks that were fetched from the shared shelf.',
    samples: ofShelf(({ fetchedChunks }) => fetchedChunks),
  },
  nomenclator_shelf_fetched_bytes_total: {
    type: 'counter',
    help: 'Their bytes, compressed as they are sent.',
    samples: ofShelf(({ fetchedBytes }) => fetchedBytes),
  },
  nomenclator_resident_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory of each process; the files of a release, which all workers share, count in each of them.',
    samples: ({ reports, computeWorkers, supervisorBytes }) => [
      ...reports.map(memoryOf('worker')),
      ...computeWorkers.map(memoryOf('compute-worker')),
      { labels: { process: 'supervisor', pid: String(process.pid) }, value: supervisorBytes },
    ],
  },
  nomenclator_event_loop_lag_seconds: {
    type: 'histogram',
    help: 'How late the event loop of a worker was, sampled ten times a second.',
    samples: ({ all }) => (all === undefined ? [] : histogram(LAG_BOUNDS, all.lags, all.lagSum, {})),
  },
  nomenclator_start_timestamp_seconds: {
    type: 'gauge',
    help: 'When the service was started, in seconds since 1970.',
    samples: ({ startedAt }) => [{ value: startedAt / SECOND }],
  },
  nomenclator_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels have the version of the program and of its runtime.',
    samples: () => [{ labels: { version, bun: Bun.version }, value: 1 }],
  },
}

function histogram(bounds: readonly number[], counts: readonly number[], sum: number, labels: Labels): Sample[] {
  let cumulative = 0
  const buckets = counts.map((count, at) => {
    cumulative += count
    return { suffix: '_bucket', labels: { ...labels, le: String(bounds[at] ?? '+Inf') }, value: cumulative }
  })
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: cumulative }]
}

function countedBy(values: readonly string[]): [value: string, count: number][] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
}

export function exposition(exposed: Exposed): string {
  const [first, ...others] = exposed.reports.map(({ metrics }) => metrics)
  const totals: Totals = { ...exposed, all: first === undefined ? undefined : mergeSnapshots([first, ...others]) }
  let text = ''
  for (const [name, { type, help, samples }] of Object.entries(METRICS)) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    for (const { suffix = '', labels = {}, value } of samples(totals))
      text += `${name}${suffix}${labelText(labels)} ${value}\n`
  }
  return text
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string) =>
  value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
