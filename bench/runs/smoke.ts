// The smallest run: start to first answer, and whether depth costs anything; needs nothing but the project.
import { type Load, loads, PER_PAGE } from '../load/loads.ts'
import { coreCount, pinSelf, shareCores } from '../machine/cores.ts'
import { alternate } from '../measure/rounds.ts'
import { ratioOf, spreadOf } from '../measure/spread.ts'
import { startTimes } from '../measure/start-time.ts'
import type { Contest } from '../measure/window.ts'
import { ranged } from '../report/figures.ts'
import { serveFrom } from '../servers/nomenclator.ts'
import { RunningServer } from '../servers/running-server.ts'
import { syntheticRelease } from '../servers/synthetic-release.ts'

const STARTS = 11
const CONNECTIONS = 16
const HOW = { rounds: 5, seconds: 0.5, warmSeconds: 0.4 }

export async function smoke(): Promise<number> {
  const { home, localities } = await syntheticRelease(1)
  const cores = shareCores(coreCount(), 1)
  pinSelf(cores.load)
  const start = await startTimes(home, STARTS, cores.server)
  console.log(`Start to first answer: ${ranged(start, 1)} ms (median of ${STARTS} starts)`)

  const setting = { name: 'smoke', launch: serveFrom(home), cores: cores.server, workers: 1 }
  await using server = await RunningServer.start(setting)
  const totalPages = Math.ceil(localities / PER_PAGE)
  const contestOf = (load: Load): Contest => ({
    ...{ server, load, connections: CONNECTIONS, reuse: true, totalPages, generator: 'own' },
  })
  const [one, first, deep] = [contestOf(loads.hot), contestOf(loads['random-first']), contestOf(loads['random-deep'])]
  const samples = await alternate([one, first, deep], { ...HOW, cores: cores.load })
  const cpuOf = (contest: Contest) => (samples.get(contest) ?? []).map(({ cpuMicros }) => cpuMicros)
  for (const contest of [one, first, deep]) {
    console.log(`CPU per request, ${contest.load.description}: ${ranged(spreadOf(cpuOf(contest)), 1)} µs`)
  }
  console.log(`Random deep pages against page 1: ${ranged(ratioOf(cpuOf(deep), cpuOf(one)), 3)}`)
  console.log(`Random deep pages against random first ones: ${ranged(ratioOf(cpuOf(deep), cpuOf(first)), 3)}`)
  return 0
}
