// Measuring: windows of load on servers in alternating rounds, and what each cost the server.
import type { Generator, Load } from './load.ts'
import { busyMicros, cpuMicrosOf } from './machine.ts'
import type { Server } from './servers.ts'

/** One window of load on one server. */
export type Sample = {
  readonly requestsPerSecond: number
  /** User and system time of the server and its children for each request. */
  readonly cpuMicros: number
  readonly p50Micros: number
  readonly p99Micros: number
  readonly errors: number
  /** How much of its cores the server used: well below 1, the load and not the server was at its limit. */
  readonly busy: number
  /** How much of the server's cores others used. */
  readonly others: number
}

export type Contest = { readonly server: Server; readonly load: Load }
/** The samples of one contest, in the order of the rounds. */
export type Measured = { readonly server: string; readonly load: string; readonly samples: readonly Sample[] }

async function measureWindow({ server, load }: Contest, seconds: number, generate: Generator): Promise<Sample> {
  const before = { cpu: cpuMicrosOf(server.pid), busy: busyMicros(server.cores), at: performance.now() }
  const { requests, errors, p50Micros, p99Micros, ...result } = await generate(server, load, seconds)
  const cpu = cpuMicrosOf(server.pid) - before.cpu
  const others = Math.max(busyMicros(server.cores) - before.busy - cpu, 0)
  const elapsedMicros = (performance.now() - before.at) * 1_000
  if (requests === 0) throw new Error(`${server.name} answered no request of the load ${load.name} in ${seconds} s`)
  await server.settle()
  return {
    requestsPerSecond: requests / result.seconds,
    cpuMicros: cpu / requests,
    p50Micros,
    p99Micros,
    errors,
    busy: cpu / (result.seconds * 1e6 * server.cores.length),
    others: others / (elapsedMicros * server.cores.length),
  }
}

export type Rounds = { readonly rounds: number; readonly seconds: number; readonly generate: Generator }

/** Long enough for every page of a load to be requested once, so that nginx has opened its file. */
const WARM_SECONDS = 2

/** Every contest once in each round, so that a machine that slows down slows all of them. */
export async function alternate(contests: readonly Contest[], how: Rounds): Promise<Measured[]> {
  for (const contest of contests) await measureWindow(contest, Math.max(how.seconds, WARM_SECONDS), how.generate)
  const samples = new Map<Contest, Sample[]>(contests.map((contest) => [contest, []]))
  for (let round = 0; round < how.rounds; round++) {
    for (const contest of orderOf(contests, round))
      samples.get(contest)?.push(await measureWindow(contest, how.seconds, how.generate))
  }
  return [...samples].map(([{ server, load }, taken]) => ({ server: server.name, load: load.name, samples: taken }))
}

/** Every other round goes backwards: nobody is always first. */
export const orderOf = <T>(contests: readonly T[], round: number): readonly T[] =>
  round % 2 === 0 ? contests : contests.toReversed()
