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

/** Reads the samples of a metric: one without labels is its value; nothing is shown for undefined. */
type ReadSamples = (totals: Totals) => number | undefined | readonly Sample[]

type Metric = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly read: ReadSamples
}

const metricOf =
  (type: Metric['type']) =>
  (help: string, read: ReadSamples): Metric => ({ type, help, read })
const counter = metricOf('counter')
const gauge = metricOf('gauge')
const distribution = metricOf('histogram')

const SECOND = 1_000
const SHELF_TROUBLES = ['away', 'older', 'fork', 'refused'] as const

/** The samples of all routes, where there is anything to count. */
const byRoute =
  (read: (all: MetricsSnapshot, number: number, route: RouteLabel) => readonly Sample[]): ReadSamples =>
  ({ all }) =>
    all && ROUTE_LABELS.flatMap((route, number) => read(all, number, route))

const memoryOf =
  (process: string) =>
  ({ metrics: { pid, residentBytes } }: WorkerReport): Sample => ({
    labels: { process, pid: String(pid) },
    value: residentBytes,
  })

/** Every metric by its name. */
export const METRICS: Readonly<Record<string, Metric>> = {
  nomenclator_requests_total: counter(
    'Requests that got a response, by route and class of status code.',
    byRoute(({ requests }, number, route) =>
      STATUS_CLASSES.map((status, at) => ({
        labels: { route, status },
        value: requests[number * STATUS_CLASSES.length + at] ?? 0,
      })),
    ),
  ),
  nomenclator_request_duration_seconds: distribution(
    'How long the service worked on a response; how fast the client reads does not count.',
    byRoute(({ durations, durationSums }, number, route) => {
      const buckets = DURATION_BOUNDS.length + 1
      const counts = durations.slice(number * buckets, (number + 1) * buckets)
      return histogram(DURATION_BOUNDS, counts, durationSums[number] ?? 0, { route })
    }),
  ),
  nomenclator_response_body_bytes_total: counter(
    'Bytes of the bodies of responses, by route.',
    byRoute(({ bodyBytes }, number, route) => [{ labels: { route }, value: bodyBytes[number] ?? 0 }]),
  ),
  nomenclator_slow_requests_total: counter(
    'Requests that took longer than --slow-request.',
    ({ all }) => all?.slowRequests,
  ),
  nomenclator_errors_total: counter(
    'Faults of the service: responses with status 500, and bodies that were cut off.',
    ({ all, computeWorkers }) => all && computeWorkers.reduce((sum, { metrics }) => sum + metrics.errors, all.errors),
  ),
  nomenclator_refused_total: counter('Clients that were turned away, by the limit that they ran into.', ({ all }) =>
    Object.entries(all?.refused ?? {}).map(([reason, value]) => ({ labels: { reason }, value })),
  ),
  nomenclator_connections: gauge('Open connections.', ({ all }) => all?.connections),
  nomenclator_streams: gauge('Streamed responses under way.', ({ all }) => all?.streams),
  nomenclator_unsent_bytes: gauge('Bytes of responses that clients have not taken yet.', ({ all }) => all?.unsentBytes),
  nomenclator_compute_requests: gauge('Requests that run or wait in compute workers.', ({ all }) => all?.computing),
  nomenclator_compute_seconds_total: counter(
    'Processor time that requests used in compute workers.',
    ({ all }) => all?.computeSeconds,
  ),
  nomenclator_dropped_access_log_lines_total: counter(
    'Lines that the access log could not take.',
    ({ all }) => all?.droppedAccessLines,
  ),
  nomenclator_ready: gauge('1 where /readyz is 200.', ({ ready }) => Number(ready)),
  nomenclator_workers: gauge('Processes that listen.', ({ reports }) => reports.length),
  nomenclator_worker_restarts_total: counter(
    'Workers that were replaced because they had died, did not respond or leaked connections.',
    ({ restarts }) => restarts,
  ),
  nomenclator_degraded_workers: gauge(
    'Processes that do not serve as they should: an older release, a home that is gone, damage.',
    ({ reports }) => reports.filter(({ status }) => status.degraded.length > 0).length,
  ),
  nomenclator_release_info: gauge(
    'The releases that are served, each with the number of processes that serve it.',
    ({ reports }) =>
      Array.from(
        Map.groupBy(reports, ({ status }) => status.release),
        ([release, { length }]) => ({
          labels: { release },
          value: length,
        }),
      ),
  ),
  nomenclator_release_age_seconds: gauge(
    'How long ago the release that is served was built; the oldest, if there are several.',
    ({ reports, now }) => {
      const built = reports.map(({ status }) => Date.parse(status.built)).filter((time) => !Number.isNaN(time))
      return built.length === 0 ? [] : [{ value: (now - Math.min(...built)) / SECOND }]
    },
  ),
  nomenclator_release_swaps_total: counter(
    'How often a process put another release in place of the one before.',
    ({ all }) => all?.swaps,
  ),
  nomenclator_scrub_sound: gauge(
    '1 where the last scrub found every file sound, 0 where it found damage; absent before the first one has ended.',
    ({ all }) => (all?.scrubSound === undefined ? undefined : Number(all.scrubSound)),
  ),
  nomenclator_scrub_end_timestamp_seconds: gauge(
    'When the last scrub ended, in seconds since 1970; absent before that.',
    ({ all }) => (all?.scrubSound === undefined ? undefined : all.scrubEnded),
  ),
  nomenclator_shelf_connected: gauge(
    '1 while there is a connection with the shared shelf, else 0; absent without --shelf, as are all of the shelf.',
    ({ shelf }) => shelf && Number(shelf.isConnected),
  ),
  nomenclator_shelf_trouble: gauge(
    '1 for the kind of trouble that keeps the shared shelf from being followed, or all of it: away, older, fork or refused.',
    ({ shelf }) =>
      shelf && SHELF_TROUBLES.map((kind) => ({ labels: { kind }, value: Number(shelf.trouble?.kind === kind) })),
  ),
  nomenclator_shelf_generation: gauge(
    'The generation of the shared shelf when it was last looked at; all nodes that follow it have the same.',
    ({ shelf }) => shelf?.generation,
  ),
  nomenclator_shelf_lag_seconds: gauge(
    'For how long the shared shelf is known to have a current release that the home lacks; 0 where it lacks none.',
    ({ shelf }) => shelf?.lagSeconds,
  ),
  nomenclator_shelf_connects_total: counter(
    'How often a connection with the shared shelf was made.',
    ({ shelf }) => shelf?.connects,
  ),
  nomenclator_shelf_fetched_chunks_total: counter(
    'Chunks that were fetched from the shared shelf.',
    ({ shelf }) => shelf?.fetchedChunks,
  ),
  nomenclator_shelf_fetched_bytes_total: counter(
    'Their bytes, compressed as they are sent.',
    ({ shelf }) => shelf?.fetchedBytes,
  ),
  nomenclator_resident_memory_bytes: gauge(
    'Resident memory of each process; the files of a release, which all workers share, count in each of them.',
    ({ reports, computeWorkers, supervisorBytes }) => [
      ...reports.map(memoryOf('worker')),
      ...computeWorkers.map(memoryOf('compute-worker')),
      { labels: { process: 'supervisor', pid: String(process.pid) }, value: supervisorBytes },
    ],
  ),
  nomenclator_event_loop_lag_seconds: distribution(
    'How late the event loop of a worker was, sampled ten times a second.',
    ({ all }) => all && histogram(LAG_BOUNDS, all.lags, all.lagSum, {}),
  ),
  nomenclator_start_timestamp_seconds: gauge(
    'When the service was started, in seconds since 1970.',
    ({ startedAt }) => startedAt / SECOND,
  ),
  nomenclator_build_info: gauge('Always 1; the labels have the version of the program and of its runtime.', () => [
    { labels: { version, bun: Bun.version }, value: 1 },
  ]),
}

function histogram(bounds: readonly number[], counts: readonly number[], sum: number, labels: Labels): Sample[] {
  let cumulative = 0
  const buckets = counts.map((count, at) => {
    cumulative += count
    return { suffix: '_bucket', labels: { ...labels, le: String(bounds[at] ?? '+Inf') }, value: cumulative }
  })
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: cumulative }]
}

export function exposition(exposed: Exposed): string {
  const [first, ...others] = exposed.reports.map(({ metrics }) => metrics)
  const totals: Totals = { ...exposed, all: first === undefined ? undefined : mergeSnapshots([first, ...others]) }
  let text = ''
  for (const [name, { type, help, read }] of Object.entries(METRICS)) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    const samples = read(totals) ?? []
    for (const { suffix = '', labels = {}, value } of typeof samples === 'number' ? [{ value: samples }] : samples)
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
