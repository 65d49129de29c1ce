// More connections than the service may have descriptors.
import { cpuMicrosOf } from '../../bench/machine.ts'
import { eventually } from '../support/service.ts'
import { untilIdle } from './idle.ts'
import { get } from './requests.ts'
import { SlowSocket } from './slow-sockets.ts'
import type { Campaign } from './trial.ts'

const DESCRIPTORS = 256
const CONNECTIONS = 1_200
const CLIENTS_OF_AN_ADDRESS = 10
const MAX_MORE_SHARE = 0.1
const MICROS = 1_000_000

export const descriptors: Campaign = {
  name: 'descriptors',
  title: 'Descriptors exhausted',
  description:
    '`ulimit -n 256`, two workers, and 1,200 connections that send nothing. Clients that were connected before must be served as always, also by API v2, which has not been requested before. Who is turned away must be told so with a 503, or wait, and the service may take a tenth of a core more than before. When the connections are gone, everything must be as it was.',
  run: async (trial) => {
    const seconds = trial.size({ full: 30, quick: 4 })
    const home = await trial.homes.large()
    const service = await trial.start(home, { descriptors: DESCRIPTORS })
    const { host } = new URL(service.url)
    const early = Array.from(
      { length: 8 },
      (_, client) => new SlowSocket({ port: service.port, text: get(host, '/api/v1/paises').text, client }),
    )
    const sockets: SlowSocket[] = []
    try {
      await eventually('the early clients are served', () => {
        for (const socket of early) socket.read(100_000)
        return early.every(({ received }) => received > 0)
      })
      await untilIdle(service.pid)
      const { probe } = await trial.observe(
        `${CONNECTIONS.toLocaleString('en')} connections`,
        service,
        home,
        async () => {
          const alone = await shareOfCore(service.pid, seconds)
          for (let at = 0; at < CONNECTIONS; at++)
            sockets.push(
              new SlowSocket({ port: service.port, text: '', client: 100 + Math.floor(at / CLIENTS_OF_AN_ADDRESS) }),
            )
          await Bun.sleep(500)
          const share = await shareOfCore(service.pid, seconds)
          const [was, is] = [alone, share].map((each) => (each * 100).toFixed(1))
          trial.fact(`with 200 requests a second, the service took ${is} % of a core, and ${was} % before`)
          trial.require(share < alone + MAX_MORE_SHARE, `it took ${is} % of a core, and ${was} % before`)
          for (const socket of early) {
            socket.received = 0
            socket.send(get(host, '/api/v2/estados?per_page=2').text)
          }
          await eventually('the early clients are served by API v2', () => {
            for (const socket of early) socket.read(100_000)
            return early.every(({ received, closed }) => received > 0 || closed)
          })
          const statuses = early.map(({ beginning, closed, received }) =>
            received === 0 && closed ? 'closed' : beginning.slice(9, 12),
          )
          trial.require(
            statuses.every((status) => status === '200'),
            `API v2 responded to clients that were connected before: ${statuses.join(', ')}`,
          )
          for (const socket of sockets) socket.read(1_000)
        },
      )
      const refused = sockets.filter(({ beginning }) => beginning.startsWith('HTTP/1.1 503')).length
      const closed = sockets.filter((socket) => socket.closed).length
      trial.fact(
        `of the ${CONNECTIONS} connections ${refused} got a 503, ${closed} were closed, ${CONNECTIONS - Math.max(refused, closed)} were kept or waited`,
      )
      const counted = await trial.metric(service, /^nomenclator_refused_total\{reason="connections"/)
      if (counted !== undefined) trial.fact(`the metrics count ${counted} connections that were turned away`)
      const unexplained = probe.failed - (probe.reasons['no whole response in time'] ?? 0)
      trial.require(
        unexplained === 0,
        `${probe.failed} requests of the well-behaved client failed (${JSON.stringify(probe.reasons)})`,
      )
    } finally {
      for (const socket of [...early, ...sockets]) socket.close()
    }
    const { probe } = await trial.observe('afterwards', service, home, () => Bun.sleep(seconds * 500))
    trial.require(
      probe.failed + probe.limited === 0,
      `${probe.failed} requests failed and ${probe.limited} were turned away after the connections were gone`,
    )
  },
}

/** How much of a core a service takes in so many seconds. */
async function shareOfCore(pid: number, seconds: number): Promise<number> {
  const before = cpuMicrosOf(pid)
  await Bun.sleep(seconds * 1_000)
  return (cpuMicrosOf(pid) - before) / (seconds * MICROS)
}
