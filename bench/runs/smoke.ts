// The smallest run: start to first answer, and whether depth costs anything; needs nothing but the project.
import { type Load, loads, PER_PAGE } from '../load/loads.ts'
import { coreCount, pinSelf, shareCores } from '../machine/cores.ts'
import { alternate } from '../measure/rounds.ts'
import { ratioOf, spreadOf } from '../measure/spread.ts'
import { startTimes } from '../measure/start-time.ts'
import type { Sample } from '../measure/window.ts'
import { ranged } from '../report/figures.ts'
import { serveFrom } from '../servers/nomenclator.ts'
import { RunningServer } from '../servers/running-server.ts'
import { syntheticRelease } from '../servers/synthetic-release.ts'

const STARTS = 11
const CONNECTIONS = 16
const ROUNDS = 5
const SECONDS = 0.7
const WARM_SECONDS = 0.5

export async function smoke(): Promise<number> {
  const { home, localities } = await syntheticRelease(1)
  const cores = shareCores(coreCount(), 1)
  pinSelf(cores.load)
  const start = await startTimes(home, STARTS, cores.server)
  console.log(`Start to first answer: ${ranged(start, 1)} ms (median of ${STARTS} starts)`)

  await using server = await RunningServer.start({
    name: 'smoke',
    launch: serveFrom(home),
    cores: cores.server,
    workers: 1,
  })
  const totalPages = Math.ceil(localities / PER_PAGE)
  const contestOf = (load: Load) => ({
    server,
    load,
    connections: CONNECTIONS,
    reuse: true,
    totalPages,
    generator: 'own' as const,
  })
  const [first, deep] = [contestOf(loads.hot), contestOf(loads['random-deep'])]
  const samples = await alternate([first, deep], {
    rounds: ROUNDS,
    seconds: SECONDS,
    warmSeconds: WARM_SECONDS,
    cores: cores.load,
  })
  const cpuOf = (contest: typeof first) => (samples.get(contest) ?? []).map(({ cpuMicros }: Sample) => cpuMicros)
  console.log(`CPU per request, page 1: ${ranged(spreadOf(cpuOf(first)), 1)} µs`)
  console.log(`CPU per request, random pages of the last tenth: ${ranged(spreadOf(cpuOf(deep)), 1)} µs`)
  console.log(`Random deep pages against page 1: ${ranged(ratioOf(cpuOf(deep), cpuOf(first)), 3)}`)
  return 0
}
