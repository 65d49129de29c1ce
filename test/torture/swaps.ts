// One release swapped for the other, again and again, while clients check every page.
import { eventually } from '../support/service.ts'
import { startTraffic } from './traffic.ts'
import { activate, type Campaign, releaseOf } from './trial.ts'

const CONNECTIONS = 32
/** Fresh connections in a row that must lead to the new release, so that both workers have it. */
const SEEN_TIMES = 4

export const swaps: Campaign = {
  name: 'swaps',
  title: 'Swaps of the release',
  description:
    'The two releases are activated in turn while 32 clients request pages as fast as they get them. Every page must be a whole page of one of the two, by its bytes and its entity tag, and none may fail. Each swap is waited for until fresh connections see the new release.',
  run: async (trial) => {
    const count = trial.size({ full: 1_000, quick: 30 })
    const home = trial.homes.copyOf(await trial.homes.large())
    const { targets, both } = await trial.homes.versions(home)
    const service = await trial.start(home)
    const taken: number[] = []
    const { probe } = await trial.observe(`${count.toLocaleString('en')} swaps`, service, home, async () => {
      await using clients = startTraffic({
        url: service.url,
        connections: CONNECTIONS,
        requests: { kind: 'pages', host: new URL(service.url).host, targets },
        versions: both,
      })
      for (let swap = 1; swap <= count; swap++) {
        const digest = home.digests[swap % 2] as string
        const started = performance.now()
        activate(home.path, digest)
        let seen = 0
        await eventually(`${digest} is served`, async () => {
          seen = (await releaseOf(service.url)) === digest ? seen + 1 : 0
          return seen === SEEN_TIMES
        })
        taken.push(performance.now() - started)
        if (swap % 100 === 0) trial.log(`${swap} swaps`)
      }
      const { completed, failed, reasons, examples, longestPause } = await clients.stop()
      trial.fact(
        `${completed.toLocaleString('en')} pages were read meanwhile, ${failed} failed; the clients themselves paused for ${Math.round(longestPause)} ms at most`,
      )
      for (const example of examples) trial.log(example)
      trial.require(failed === 0, `${failed} of ${completed + failed} requests failed (${JSON.stringify(reasons)})`)
    })
    taken.sort((a, b) => a - b)
    trial.fact(
      `fresh connections saw the new release after ${Math.round(taken[taken.length >> 1] ?? 0)} ms in the median, ${Math.round(taken.at(-1) ?? 0)} at most`,
    )
    trial.require(
      probe.failed === 0,
      `${probe.failed} requests of the well-behaved client failed (${JSON.stringify(probe.reasons)})`,
    )
  },
}
