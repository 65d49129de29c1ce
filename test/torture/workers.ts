// Workers that are killed, stopped and starved of processor time, one after the other, under a steady load.
import { listenersOf, type Service, workersOf } from '../support/service.ts'
import type { Campaign } from './trial.ts'

const WORKERS = 2
const PATIENCE_MILLISECONDS = 30_000
/** A heartbeat of five seconds, the kill, and the start of another. */
const NOTICED_MILLISECONDS = 12_000
const GLANCE_MILLISECONDS = 20
const STARVED_MILLISECONDS = 90
const FED_MILLISECONDS = 10
/** What a worker was busy with when it died: at most a request on each connection of the client. */
const LOST_WITH_A_WORKER = 8
/** A client that connects again at once may get the listening socket of the dead one just before it is closed. */
const SHARE_LOST_TWICE = 0.03

type Way = 'killed' | 'stopped' | 'starved'

const isBack = (service: Service, gone?: number) => {
  const there = workersOf(service.pid)
  return (
    there.length === WORKERS && (gone === undefined || !there.includes(gone)) && listenersOf(service.port) === WORKERS
  )
}

/** Waits until it is so; says how many milliseconds that took, or undefined if it did not come to be. */
async function waited(isSo: () => boolean, patience: number): Promise<number | undefined> {
  const started = performance.now()
  while (!isSo()) {
    if (performance.now() - started > patience) return undefined
    await Bun.sleep(GLANCE_MILLISECONDS)
  }
  return performance.now() - started
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It was replaced in the meantime.
  }
}

/** Gives a worker a tenth of the time, as a machine does that is far too busy. */
async function starve(pid: number, milliseconds: number): Promise<void> {
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    signal(pid, 'SIGSTOP')
    await Bun.sleep(STARVED_MILLISECONDS)
    signal(pid, 'SIGCONT')
    await Bun.sleep(FED_MILLISECONDS)
  }
}

export const workers: Campaign = {
  name: 'workers',
  title: 'Killed, stopped and starved workers',
  description:
    'Of two workers the older one is, in turn, killed (SIGKILL), stopped for good (SIGSTOP), and starved: stopped for 90 of every 100 milliseconds. A dead worker must be replaced, and so must one that is stopped; a starved one must serve on. Only requests that the worker had taken may fail.',
  run: async (trial) => {
    const { times, hungry } = trial.size({ full: { times: 100, hungry: 3_000 }, quick: { times: 6, hungry: 1_000 } })
    const home = await trial.homes.large()
    const service = await trial.start(home)
    const ways: readonly Way[] = ['killed', 'starved', 'stopped']
    const shareOf = (way: Way) => Math.ceil((times - ways.indexOf(way)) / ways.length)
    for (const way of ways) {
      const share = shareOf(way)
      const back: number[] = []
      let unnoticed = 0
      let survived = 0
      const { probe } = await trial.observe(`${share} × ${way}`, service, home, async () => {
        for (let time = 0; time < share; time++) {
          // The older one, so that the backoff of one that dies soon is not what is measured.
          const [victim] = workersOf(service.pid).sort((a, b) => a - b)
          if (victim === undefined) throw new Error('there is no worker')
          if (way === 'starved') await starve(victim, hungry)
          else signal(victim, way === 'killed' ? 'SIGKILL' : 'SIGSTOP')
          const patience = way === 'stopped' ? NOTICED_MILLISECONDS : PATIENCE_MILLISECONDS
          const taken = await waited(() => isBack(service, way === 'starved' ? undefined : victim), patience)
          if (workersOf(service.pid).includes(victim)) survived++
          if (taken !== undefined) back.push(taken)
          else if (way === 'stopped') {
            unnoticed++
            signal(victim, 'SIGCONT')
          } else throw new Error(`no other worker came after one was ${way}`)
        }
      })
      const slowest = Math.round(Math.max(0, ...back))
      if (way !== 'starved' && back.length > 0) trial.fact(`a worker that was ${way} was replaced within ${slowest} ms`)
      if (way === 'starved') trial.fact(`of ${share} starved workers ${survived} served on, the others were replaced`)
      trial.require(
        unnoticed === 0,
        `${unnoticed} of ${share} stopped workers were not replaced within ${NOTICED_MILLISECONDS / 1_000} s`,
      )
      const lost = way === 'starved' ? 0 : Math.ceil(share * LOST_WITH_A_WORKER * (1 + SHARE_LOST_TWICE))
      trial.require(
        probe.failed <= lost,
        `${way}: ${probe.failed} requests failed, where ${lost} may (${JSON.stringify(probe.reasons)})`,
      )
    }
    const restarted = await trial.metric(service, /^nomenclator_worker_restarts_total/)
    if (restarted === undefined) return
    trial.fact(`the metrics count ${restarted} workers that were replaced`)
    const least = ways.filter((way) => way !== 'starved').reduce((sum, way) => sum + shareOf(way), 0)
    trial.require(
      restarted >= least,
      `the metrics count ${restarted} replaced workers, where there were at least ${least}`,
    )
  },
}
