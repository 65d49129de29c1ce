// Fuzzed requests: to every documented path with all kinds of values, and as bytes that are hardly HTTP.
import { surveyOf } from './requests.ts'
import { startTraffic } from './traffic.ts'
import type { Campaign } from './trial.ts'
import { startWireFuzz } from './wire-fuzz.ts'

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name}: ${count.toLocaleString('en')}`)
    .join(', ')

export const fuzz: Campaign = {
  name: 'fuzz',
  title: 'Fuzzed requests',
  description:
    'Half of the requests go to the documented paths of both versions, pipelined, with values out of the definitions, values that no parameter takes, and all kinds of headers. The other half is made by a grammar of broken HTTP over raw sockets: odd request lines, header lines, lengths, chunks and pipelines, cut and changed at random, in pieces, half-closed or abandoned. Every response must be whole and well-formed, none may have a status of 5xx (but a 503 with `Retry-After` from a limit), none may be missing, and no process may end.',
  run: async (trial) => {
    const total = trial.size({ full: 1_000_000, quick: 30_000, test: 600 })
    const home = await trial.homes.bundled()
    const service = await trial.start(home)
    const survey = await surveyOf(service.url)
    const half = total / 2
    const { probe } = await trial.observe(`${total.toLocaleString('en')} fuzzed requests`, service, home, async () => {
      const shared = { url: service.url, total: half }
      await using api = startTraffic({
        ...shared,
        connections: 12,
        depth: 2,
        requests: { kind: 'fuzzed', seed: trial.seed, survey },
      })
      await using wire = startWireFuzz({ ...shared, connections: 16, seed: trial.seed })
      const telling = setInterval(
        () => trial.log(`${api.completed()} through the API, ${wire.completed()} over raw sockets`),
        10_000,
      )
      const [ofApi, ofWire] = await Promise.all([api.report, wire.report]).finally(() => clearInterval(telling))
      for (const [what, { completed, failed, limited, statuses, reasons, examples, latency }] of [
        ['through the API', ofApi],
        ['over raw sockets', ofWire],
      ] as const) {
        trial.fact(
          `${what}: ${completed.toLocaleString('en')} responses (${listed(statuses)}), ${limited} turned away by a limit, slowest ${Math.round(latency.max)} ms`,
        )
        trial.require(failed === 0, `${what}: ${failed} failed (${listed(reasons)})`)
        for (const example of examples) trial.log(`${what}: ${JSON.stringify(example)}`)
        trial.require(completed >= half * 0.99, `${what}: only ${completed} responses to ${half} requests`)
      }
    })
    trial.require(probe.failed === 0, `${probe.failed} requests of the well-behaved client failed`)
    const deaths = (service.said.err.match(/WORKER DIED/g) ?? []).length
    trial.require(deaths === 0, `${deaths} workers died`)
    const errors = service.said.err.match(/.*(?: failed: |"level":"error").*/g) ?? []
    trial.require(errors.length === 0, `the service logged ${errors.length} errors: ${errors[0]}`)
  },
}
