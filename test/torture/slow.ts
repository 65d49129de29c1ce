// Slow readers of everything that is large, and clients that pipeline requests and read no response at all.
import { get } from './requests.ts'
import { SlowSocket } from './slow-sockets.ts'
import type { Campaign, Home } from './trial.ts'

/** A service that no one has asked for anything has made itself ready for searches and rows. */
const MAX_MORE_MEGABYTES = 150
const MAX_P99_MILLISECONDS = 20
const READ_BYTES = 1_024
const TURNS_A_SECOND = 2
/** Clients that know nothing of each other do not read all at once: in each slice of a turn, some of them have theirs. */
const SLICES_OF_A_TURN = 25
const CLIENTS_OF_AN_ADDRESS = 10
/** As much as a connection may have waiting for a response, and more. */
const PIPELINE_BYTES = 128 * 1_024

type Kind = {
  readonly name: string
  /** What one client sends. */
  readonly text: (home: Home, host: string) => string
  /** How many clients, for each of those that the other kinds have. */
  readonly times?: number
  /** Reads nothing, ever. */
  readonly never?: boolean
  /** All of them from one address. */
  readonly together?: boolean
}

const ALL = '/api/v2/localidades/all'
const changes = ({ digests: [first, second] }: Home) => `/api/v2/changes?from=${second}&to=${first}`
const one =
  (target: string | ((home: Home) => string), ...fields: readonly string[]) =>
  (home: Home, host: string) =>
    get(host, typeof target === 'string' ? target : target(home), ...fields).text
const many = (target: string) => (_: Home, host: string) => {
  const { text } = get(host, target)
  return text.repeat(Math.ceil(PIPELINE_BYTES / text.length))
}

const KINDS: readonly Kind[] = [
  { name: 'nothing, for comparison', text: one(ALL), times: 0 },
  { name: 'a whole collection', text: one(ALL) },
  { name: 'a whole collection, all from one address', text: one(ALL), together: true },
  { name: 'as CSV', text: one(`${ALL}?format=csv`) },
  { name: 'compressed with gzip', text: one(ALL, 'Accept-Encoding: gzip') },
  { name: 'compressed with br', text: one(ALL, 'Accept-Encoding: br') },
  { name: 'compressed with zstd', text: one(ALL, 'Accept-Encoding: zstd') },
  { name: 'changes where all records differ', text: one(changes) },
  { name: 'the same, compressed with zstd', text: one(changes, 'Accept-Encoding: zstd') },
  { name: 'lists of 1,000 records, pipelined', text: many('/api/v2/localidades?per_page=1000') },
  { name: 'pages of v1, pipelined and never read', text: many('/api/v1/paises'), times: 2, never: true },
]

export const slow: Campaign = {
  name: 'slow',
  title: 'Slow readers',
  description: `Clients with receive buffers of 4 KB request something large and read a kilobyte twice a second, each at its own time, ten of them from each address; others pipeline requests and never read. Meanwhile the well-behaved client must have a p99 under 20 ms, and the memory of all processes that is no file may be ${MAX_MORE_MEGABYTES} MB more than without them. Every case has a service of its own, with two workers.`,
  run: async (trial) => {
    const { count, seconds } = trial.size({
      full: { count: 500, seconds: 40 },
      quick: { count: 500, seconds: 5 },
    })
    const home = await trial.homes.large()
    let alone = 0
    for (const { name, text, times = 1, never = false, together = false } of KINDS) {
      const clients = count * times
      const service = await trial.start(home)
      // Whatever is done once for a release is done before.
      for (const path of ['/api/v2', '/api/v2/search?q=san']) await (await fetch(service.url + path)).arrayBuffer()
      const { host } = new URL(service.url)
      const sockets: SlowSocket[] = []
      const { probe, memory } = await trial.observe(
        `${clients.toLocaleString('en')} × ${name}`,
        service,
        home,
        async () => {
          const sent = text(home, host)
          for (let at = 0; at < clients; at++) {
            const client = together ? 0 : Math.floor(at / CLIENTS_OF_AN_ADDRESS)
            sockets.push(new SlowSocket({ port: service.port, text: sent, client }))
            // The others want to run too.
            if (at % 20 === 0) await Bun.sleep(1)
          }
          const slices = Math.ceil(seconds * TURNS_A_SECOND) * SLICES_OF_A_TURN
          for (let slice = 0; slice < slices; slice++) {
            await Bun.sleep(1_000 / TURNS_A_SECOND / SLICES_OF_A_TURN)
            for (let at = slice % SLICES_OF_A_TURN; at < clients; at += SLICES_OF_A_TURN) {
              const socket = sockets[at] as SlowSocket
              socket.send()
              if (!never) socket.read(READ_BYTES)
            }
          }
          // What a client was told at all, even if it never read.
          for (const socket of sockets) if (never) socket.read(READ_BYTES)
          for (const socket of sockets) socket.close()
        },
      )
      const began = (status: string) =>
        sockets.filter(({ beginning }) => beginning.startsWith(`HTTP/1.1 ${status}`)).length
      const waiting = sockets.filter(({ beginning }) => beginning === '').length
      if (clients > 0)
        trial.fact(
          `${name}: ${began('200')} of ${clients} began to receive, ${began('503')} were turned away, ${waiting} had received nothing yet`,
        )
      const refused = await trial.metric(service, /^nomenclator_refused_total/)
      if (refused !== undefined)
        trial.require(
          refused >= began('503'),
          `${name}: the metrics count ${refused} refusals, and clients ${began('503')}`,
        )
      const wrong = clients - began('200') - began('503') - waiting
      trial.require(wrong === 0, `${name}: ${wrong} clients got something else than 200 or 503`)
      trial.require(probe.failed === 0, `${name}: ${probe.failed} requests of the well-behaved client failed`)
      // Shorter cases are mostly the moment in which all of them connect.
      if (trial.scale === 'full' && clients > 0)
        trial.require(
          probe.latency.p99 < MAX_P99_MILLISECONDS,
          `${name}: v1's p99 was ${probe.latency.p99.toFixed(1)} ms`,
        )
      const more = Math.round(memory.peak.anonymous - alone)
      if (clients === 0) alone = memory.peak.anonymous
      else trial.require(more < MAX_MORE_MEGABYTES, `${name}: ${more} MB that are no file more than without clients`)
      await service[Symbol.asyncDispose]()
    }
  },
}
