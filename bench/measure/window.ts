// One window of measurement: load on one server, and what it cost the server.
import { ask, fieldOf } from '../load/ask.ts'
import type { Generator, LoadResult } from '../load/job.ts'
import { type Load, pathOf } from '../load/loads.ts'
import { runLoad } from '../load/run.ts'
import { busyMicros } from '../machine/noise.ts'
import { cpuMicrosOf } from '../machine/process-tree.ts'
import type { RunningServer } from '../servers/running-server.ts'

/** Who is asked for what, and how. */
export type Contest = {
  readonly server: RunningServer
  readonly load: Load
  readonly connections: number
  readonly reuse: boolean
  readonly totalPages: number
  readonly generator: Generator
}

export type Sample = {
  readonly requests: number
  readonly requestsPerSecond: number
  /** User and system time of the server and its children for each request. */
  readonly cpuMicros: number
  /** Microseconds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly errors: number
  /** How much of its cores the server used: below 1 the load, not the server, was at its limit. */
  readonly busy: number
  /** How much of the cores of the server others used. */
  readonly others: number
}

const LONGER = 10

/** A page that takes seconds on a busy machine gets a longer window rather than no figure. */
export async function measure(contest: Contest, seconds: number, cores: readonly number[]): Promise<Sample> {
  const sample = await tryMeasure(contest, seconds, cores)
  if (sample !== undefined) return sample
  await settle(contest.server)
  const longer = await tryMeasure(contest, seconds * LONGER, cores)
  if (longer !== undefined) return longer
  const { server, load, connections, reuse } = contest
  const how = `${connections} connections, ${reuse ? 'kept alive' : 'a new one for each request'}`
  throw new Error(`${server.name} answered no request of the load ${load.name} (${how}) in ${seconds * LONGER} s`)
}

/** Undefined when not one request was answered. */
async function tryMeasure(contest: Contest, seconds: number, cores: readonly number[]): Promise<Sample | undefined> {
  const { server, load, ...rest } = contest
  const etag = load.conditional ? fieldOf(await ask({ port: server.port, path: pathOf(1) }), 'ETag') : undefined
  const before = { cpu: cpuMicrosOf(server.pid), busy: busyMicros(server.cores), at: performance.now() }
  const result = await runLoad({ ...rest, port: server.port, load, seconds, etag, cores })
  if (result.requests === 0) return undefined
  const cpu = cpuMicrosOf(server.pid) - before.cpu
  const available = (performance.now() - before.at) * 1_000 * server.cores.length
  const others = Math.max(busyMicros(server.cores) - before.busy - cpu, 0) / available
  return { ...sampleOf(result, cpu), busy: cpu / (result.seconds * 1e6 * server.cores.length), others }
}

function sampleOf(result: LoadResult, cpu: number): Omit<Sample, 'busy' | 'others'> {
  const { requests, seconds, errors, p50, p99, p999 } = result
  return { requests, requestsPerSecond: requests / seconds, cpuMicros: cpu / requests, p50, p99, p999, errors }
}

const PATIENCE_MILLISECONDS = 2_000

/**
 * Requests that were under way when the load ended are worked off before the next window: a request of our own comes
 * after them. A slow server with many of them would take minutes, so it is started anew.
 */
export async function settle(server: RunningServer): Promise<void> {
  const answered = ask({ port: server.port, path: pathOf(1) }).then(
    () => true,
    () => false,
  )
  if (!(await Promise.race([answered, Bun.sleep(PATIENCE_MILLISECONDS).then(() => false)]))) await server.restart()
}
