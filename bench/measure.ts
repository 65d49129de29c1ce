// Measuring: windows of load on servers in alternating rounds, and what each cost the server.
import type { Generator, Load } from './load.ts'
import { busyMicros, cpuTimeOf } from './machine.ts'
import type { Server } from './servers.ts'
import { ratioOf, type Spread, spreadOf } from './spread.ts'

/** One window of load on one server. */
export type Sample = {
  readonly requestsPerSecond: number
  /** User and system time of the server and its children for each request, together and apart. */
  readonly cpuMicros: number
  readonly userMicros: number
  readonly systemMicros: number
  readonly p50Micros: number
  readonly p99Micros: number
  readonly errors: number
  /** The share of its cores that the server used: well below 1, the load was at its limit, and not the server. */
  readonly busy: number
  /** The share of the server's cores that others used. */
  readonly others: number
  readonly generatorBusy: number
}

export type Contest = { readonly server: Server; readonly load: Load }

export type Measured = {
  readonly server: string
  readonly load: string
  /** One for each round; undefined where the round is void. */
  readonly samples: readonly (Sample | undefined)[]
  /** The windows that were thrown away, whether or not the repetition was better. */
  readonly discarded: readonly Sample[]
}

async function measureWindow({ server, load }: Contest, seconds: number, generate: Generator): Promise<Sample> {
  const before = { cpu: cpuTimeOf(server.pid), busy: busyMicros(server.cores), at: performance.now() }
  const { requests, seconds: loaded, ...result } = await generate(server, load, seconds)
  const cpu = cpuTimeOf(server.pid)
  const userMicros = cpu.userMicros - before.cpu.userMicros
  const systemMicros = cpu.systemMicros - before.cpu.systemMicros
  const cpuMicros = userMicros + systemMicros
  const others = Math.max(busyMicros(server.cores) - before.busy - cpuMicros, 0)
  const elapsedMicros = (performance.now() - before.at) * 1_000
  if (requests === 0) throw new Error(`${server.name} responded to no request of the load ${load.name} in ${seconds} s`)
  await server.settle()
  return {
    ...result,
    requestsPerSecond: requests / loaded,
    cpuMicros: cpuMicros / requests,
    userMicros: userMicros / requests,
    systemMicros: systemMicros / requests,
    busy: cpuMicros / (loaded * 1e6 * server.cores.length),
    others: others / (elapsedMicros * server.cores.length),
  }
}

/** The least share of a requested rate that a window has to reach. */
const RATE_REACHED = 0.98

/** True if a window says something about its server. */
const isSound = ({ errors, requestsPerSecond }: Sample, { rate = 0 }: Pick<Load, 'rate'>): boolean =>
  errors === 0 && requestsPerSecond >= rate * RATE_REACHED

/** Attempts to measure a sound window, after which its round is void. */
const ATTEMPTS = 3

/** The first window that is sound, and those before it. */
export async function firstSound(
  measure: () => Promise<Sample>,
  load: Pick<Load, 'rate'>,
): Promise<{ sample: Sample | undefined; discarded: Sample[] }> {
  const discarded: Sample[] = []
  while (discarded.length < ATTEMPTS) {
    const sample = await measure()
    if (isSound(sample, load)) return { sample, discarded }
    discarded.push(sample)
  }
  return { sample: undefined, discarded }
}

export type Rounds = { readonly rounds: number; readonly seconds: number; readonly generate: Generator }

/** Long enough for every page of a load to be requested once, so that nginx has opened its file. */
const WARM_SECONDS = 2

/** Every contest once in each round, so that a machine that slows down slows all of them. */
export async function alternate(contests: readonly Contest[], how: Rounds): Promise<Measured[]> {
  const { rounds, seconds, generate } = how
  for (const contest of contests) await measureWindow(contest, Math.max(seconds, WARM_SECONDS), generate)
  const found = contests.map((contest) => ({
    contest,
    samples: [] as (Sample | undefined)[],
    discarded: [] as Sample[],
  }))
  for (let round = 0; round < rounds; round++) {
    for (const { contest, samples, discarded } of orderOf(found, round)) {
      const sound = await firstSound(() => measureWindow(contest, seconds, generate), contest.load)
      samples.push(sound.sample)
      discarded.push(...sound.discarded)
    }
  }
  return found.map(({ contest: { server, load }, ...rest }) => ({ server: server.name, load: load.name, ...rest }))
}

/** Every other round goes backwards: nobody is always first. */
export const orderOf = <T>(contests: readonly T[], round: number): readonly T[] =>
  round % 2 === 0 ? contests : contests.toReversed()

/** Over the rounds that are not void; undefined if all are. */
export function spreadIn({ samples }: Measured, part: keyof Sample): Spread | undefined {
  const sound = samples.flatMap((sample) => (sample === undefined ? [] : [sample[part]]))
  return sound.length === 0 ? undefined : spreadOf(sound)
}

/** Round by round, without those that are void on either side; undefined if none is left. */
export function ratioIn(left: Measured, right: Measured, part: keyof Sample): Spread | undefined {
  const pairs = left.samples.flatMap((sample, round) => {
    const other = right.samples[round]
    return sample === undefined || other === undefined ? [] : [[sample[part], other[part]] as const]
  })
  if (pairs.length === 0) return undefined
  return ratioOf(
    pairs.map(([dividend]) => dividend),
    pairs.map(([, divisor]) => divisor),
  )
}
