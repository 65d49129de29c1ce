// A long mixed load, and whether the memory grows with it.
import { slopeOf } from './memory.ts'
import { surveyOf } from './requests.ts'
import { startTraffic } from './traffic.ts'
import type { Campaign } from './trial.ts'

const MAX_MEGABYTES_PER_MILLION = 5
const SAMPLE_MILLISECONDS = 1_000
/** The part of the requests after which caches are full and heaps have their size. */
const WARM_UP = 0.2
const MILLION = 1_000_000

export const load: Campaign = {
  name: 'load',
  title: 'Mixed load',
  description:
    'What ordinary clients request, as fast as it is served: mostly pages of API v1, hot and at random, and some `HEAD`, 304, lists, search, records, ranges, small collections and changes of API v2, plain and compressed. The memory is looked at every second; its slope is that of the straight line nearest to the samples after the first fifth of the requests.',
  run: async (trial) => {
    // Heaps of workers take some three million requests to get their size, so in fewer it cannot be seen that they keep it.
    const total = trial.size({ full: 12 * MILLION, quick: 100_000, test: 1_000 })
    const home = await trial.homes.large()
    const service = await trial.start(home)
    const survey = await surveyOf(service.url)
    const samples: { readonly requests: number; readonly pss: number; readonly anonymous: number }[] = []
    const { probe } = await trial.observe(`${total.toLocaleString('en')} requests`, service, home, async (watch) => {
      await using clients = startTraffic({
        url: service.url,
        total,
        // Enough to keep both workers busy, and not so many that all that is measured is their queue.
        connections: 16,
        requests: { kind: 'mixed', seed: trial.seed, survey },
      })
      const started = performance.now()
      const sampling = setInterval(() => {
        samples.push({ requests: clients.completed(), ...watch.look() })
        if (samples.length % 20 === 0) trial.log(`${clients.completed().toLocaleString('en')} responses`)
      }, SAMPLE_MILLISECONDS)
      const report = await clients.report.finally(() => clearInterval(sampling))
      const { completed, failed, limited, statuses, reasons, examples } = report
      const rate = Math.round((completed * 1_000) / (performance.now() - started))
      const told = Object.entries(statuses).map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
      trial.fact(
        `${completed.toLocaleString('en')} responses (${told.join(', ')}), ${limited} turned away by a limit; ${rate.toLocaleString('en')} a second`,
      )
      for (const example of examples) trial.log(JSON.stringify(example))
      trial.require(failed === 0, `${failed} requests failed (${JSON.stringify(reasons)})`)
    })
    trial.require(probe.failed === 0, `${probe.failed} requests of the well-behaved client failed`)
    const warm = samples.filter(({ requests }) => requests > total * WARM_UP)
    const slope = (of: 'pss' | 'anonymous') => slopeOf(warm.map((one) => [one.requests / MILLION, one[of]]))
    if (warm.length < 2) return
    trial.fact(
      `memory grew by ${slope('pss').toFixed(1)} MB for each million requests; that which is no file by ${slope('anonymous').toFixed(1)} MB (${warm.length} samples)`,
    )
    const fifths = [0, 1, 2, 3, 4].map((fifth) => {
      const within = samples.filter(({ requests }) => Math.min(Math.floor((requests * 5) / total), 4) === fifth)
      return Math.round(within.reduce((sum, { anonymous }) => sum + anonymous, 0) / Math.max(within.length, 1))
    })
    trial.fact(`in the mean of each fifth of the requests, ${fifths.join(', ')} MB were no file`)
    if (trial.scale === 'full')
      trial.require(
        slope('anonymous') < MAX_MEGABYTES_PER_MILLION,
        `memory grows by ${slope('anonymous').toFixed(1)} MB for each million requests`,
      )
  },
}
