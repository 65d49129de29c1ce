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

const LONGER = 5

export async function measure(contest: Contest, seconds: number, cores: readonly number[]): Promise<Sample> {
  const { server, load, ...rest } = contest
  const etag = load.conditional ? fieldOf(await ask({ port: server.port, path: pathOf(1) }), 'ETag') : undefined
  const before = { cpu: cpuMicrosOf(server.pid), busy: busyMicros(server.cores), at: performance.now() }
  const job = { ...rest, port: server.port, load, etag, cores }
  const short = await runLoad({ ...job, seconds })
  // A page that takes seconds on a busy machine gets a longer window rather than no figure.
  const result = short.requests > 0 ? short : await runLoad({ ...job, seconds: seconds * LONGER })
  if (result.requests === 0) {
    const { connections, reuse } = contest
    const how = `${connections} connections, ${reuse ? 'kept alive' : 'a new one for each request'}`
    throw new Error(`${server.name} answered not one request of the load ${load.name} (${how}) in ${result.seconds} s`)
  }
  const cpu = cpuMicrosOf(server.pid) - before.cpu
  const available = (performance.now() - before.at) * 1_000 * server.cores.length
  const others = Math.max(busyMicros(server.cores) - before.busy - cpu, 0) / available
  return { ...sampleOf(result, cpu), busy: cpu / (result.seconds * 1e6 * server.cores.length), others }
}

function sampleOf(result: LoadResult, cpu: number): Omit<Sample, 'busy' | 'others'> {
  const { requests, seconds, errors, p50, p99, p999 } = result
  return { requestsPerSecond: requests / seconds, cpuMicros: cpu / requests, p50, p99, p999, errors }
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
