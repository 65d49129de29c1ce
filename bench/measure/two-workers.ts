// How much more two workers do than one, where there are cores for them and for the load.
import { loads } from '../load/loads.ts'
import { coreCount } from '../machine/cores.ts'
import { knowsWorkers, serveFrom } from '../servers/nomenclator.ts'
import { RunningServer } from '../servers/running-server.ts'
import type { Finding } from '../targets.ts'
import { alternate } from './rounds.ts'
import { ratioOf } from './spread.ts'
import type { Contest } from './window.ts'

export type Doubling = {
  readonly home: string
  readonly totalPages: number
  readonly rounds: number
  readonly seconds: number
}

/** Two for the workers, and two to keep them busy. */
const CORES_NEEDED = 4

export async function twoAgainstOne({ home, totalPages, rounds, seconds }: Doubling): Promise<Finding> {
  if (!knowsWorkers()) return { unmeasured: 'this version of the service has one worker' }
  const cores = coreCount()
  if (cores < CORES_NEEDED) {
    return {
      unmeasured:
        `not measurable here: two workers and what keeps them busy need ${CORES_NEEDED} cores, ` +
        `and of the ${cores} of this machine wrk takes one`,
    }
  }
  await using one = await RunningServer.start({ name: 'one-worker', launch: serveFrom(home), cores: [0], workers: 1 })
  await using two = await RunningServer.start({
    name: 'two-workers',
    launch: serveFrom(home),
    cores: [0, 1],
    workers: 2,
  })
  const contestOf = (server: RunningServer): Contest => ({
    ...{ server, load: loads.random, connections: 128, reuse: true, totalPages, generator: 'wrk' },
  })
  const [single, double] = [contestOf(one), contestOf(two)]
  const loadCores = Array.from({ length: cores - 2 }, (_, index) => index + 2)
  const samples = await alternate([single, double], { rounds, seconds, warmSeconds: 1, cores: loadCores })
  const rates = (contest: Contest) => (samples.get(contest) ?? []).map(({ requestsPerSecond }) => requestsPerSecond)
  return { value: ratioOf(rates(double), rates(single)) }
}
