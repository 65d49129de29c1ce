// Restarts by SIGHUP, one after the other and all at once, while clients keep their connections or make new ones.
import { eventually, type Service } from '../support/service.ts'
import { startTraffic, UNFAIR_MILLISECONDS } from './traffic.ts'
import type { Campaign } from './trial.ts'

const CONNECTIONS = 32
const FRESH_CONNECTIONS = 8
/** A client that sends at the very moment at which an idle connection is closed. */
const SHARE_BY_CHANCE = 1e-5

const restartsOf = ({ said }: Service) => said.err.match(/All workers were restarted\./g)?.length ?? 0

export const restarts: Campaign = {
  name: 'restarts',
  title: 'Restarts',
  description:
    'SIGHUP replaces both workers, while 24 clients keep their connections and 8 make a new one for each request. No request may fail, but by the one chance that HTTP leaves: one in 100,000 that is sent at the very moment at which an idle connection is closed. At the end SIGHUP comes as many times at once: that is one restart, or two.',
  run: async (trial) => {
    const count = trial.size({ full: 50, quick: 3 })
    const home = await trial.homes.large()
    const { targets, both } = await trial.homes.versions(home)
    const service = await trial.start(home)
    let before = 0
    const restarted = () => eventually('all workers are restarted', () => restartsOf(service) > before)
    const { probe } = await trial.observe(`${count} restarts`, service, home, async () => {
      await using clients = startTraffic({
        url: service.url,
        connections: CONNECTIONS,
        fresh: FRESH_CONNECTIONS,
        requests: { kind: 'pages', host: new URL(service.url).host, targets },
        versions: both,
      })
      for (let restart = 1; restart <= count; restart++) {
        before = restartsOf(service)
        service.signal('SIGHUP')
        await restarted()
        if (restart % 10 === 0) trial.log(`${restart} restarts`)
      }
      const { completed, failed, reasons, longestPause } = await clients.stop()
      trial.fact(
        `${completed.toLocaleString('en')} requests, ${failed} failed; the clients themselves paused for ${Math.round(longestPause)} ms at most`,
      )
      const byChance = completed * SHARE_BY_CHANCE
      const allowed = longestPause > UNFAIR_MILLISECONDS ? Math.max(CONNECTIONS, byChance) : byChance
      trial.require(
        failed <= allowed,
        `${failed} of ${completed + failed} requests failed (${JSON.stringify(reasons)})`,
      )
    })
    trial.require(
      probe.failed <= 1,
      `${probe.failed} requests of the well-behaved client failed (${JSON.stringify(probe.reasons)})`,
    )
    before = restartsOf(service)
    await trial.observe(`${count} signals at once`, service, home, async () => {
      for (let signal = 0; signal < count; signal++) {
        service.signal('SIGHUP')
        await Bun.sleep(1)
      }
      await restarted()
      // A second restart may follow the first.
      await Bun.sleep(trial.size({ full: 15_000, quick: 8_000 }))
    })
    const times = restartsOf(service) - before
    trial.fact(`${count} signals at once led to ${times} restarts`)
    trial.require(times <= 2, `${count} signals at once led to ${times} restarts within 15 s`)
  },
}
