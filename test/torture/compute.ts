// The requests that cost most, from few clients and from many, and clients that leave: pages of API v1 must not notice.
import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { loadavg } from 'node:os'
import { processTree } from '../../bench/machine.ts'
import type { Service } from '../support/service.ts'
import type { TrafficReport } from './clients.ts'
import { type ComputePlan, startComputeClients } from './compute-clients.ts'
import { COSTLY, type Costly, easyRows, type Material } from './compute-requests.ts'
import { GIVEN_UP_MILLISECONDS, untilIdle } from './idle.ts'
import { type Memory, MemoryWatch, memoryOf } from './memory.ts'
import { startTraffic } from './traffic.ts'
import type { Campaign, Home, Trial } from './trial.ts'

const MAX_MORE_P99_MILLISECONDS = 20
const MAX_MORE_MILLISECONDS = 50
const MAX_MORE_MEGABYTES = 300
const MAX_GONE_MILLISECONDS = 1_000
const MAX_RESPONSE_MILLISECONDS = 15_000
const RATE = 200
const PROBE_CONNECTIONS = 8
const LEAVE_MILLISECONDS = 200

export const compute: Campaign = {
  name: 'compute',
  title: 'Requests that cost most',
  description: `A client requests ${RATE} pages of API v1 a second, alone before each kind, then beside 1, 10 and 50 clients that each send the same costly request again and again, and beside 200 that leave 0.2 s after they have sent it, half of them by a reset. Each client has an address of its own. Beside them, the p99 of pages may be ${MAX_MORE_P99_MILLISECONDS} ms more than alone, and the slowest ${MAX_MORE_MILLISECONDS} ms more than the slowest alone, but for the time for which the client of the pages did not get to run itself; the memory of all processes that is no file may be ${MAX_MORE_MEGABYTES} MB more. When all have left, their work must be gone within a second, and no connection may be left, by the metrics and by the descriptors. Costly clients may be refused, but none may get a 500, and one that comes alone must get a response. The same with one worker.`,
  run: async (trial) => {
    const home = await trial.homes.official()
    // This swaps the releases of the home, so it comes before anything is served from there.
    await trial.homes.versions(home)
    for (const workers of trial.scale === 'full' ? [2, 1] : [2]) await new ComputeTrial(trial, home, workers).run()
  },
}

/** The measurements while clients do something. */
type Observed = { readonly probe: TrafficReport; readonly peak: Memory }

class ComputeTrial {
  readonly #trial: Trial
  readonly #home: Home
  readonly #workers: number
  #service: Service | undefined
  #material: Material | undefined

  constructor(trial: Trial, home: Home, workers: number) {
    this.#trial = trial
    this.#home = home
    this.#workers = workers
  }

  async run(): Promise<void> {
    const trial = this.#trial
    const { seconds, counts, leaving, kinds } = trial.size({
      full: { seconds: 2, counts: [1, 10, 50], leaving: 200, kinds: COSTLY },
      quick: { seconds: 1, counts: [10], leaving: 50, kinds: COSTLY },
    })
    trial.fact(`${this.#of('at the beginning')}: the machine had a load of ${loadavg()[0]?.toFixed(1)}`)
    const first = await this.#alone(seconds)
    for (const kind of kinds) {
      // Pages alone are measured anew for each kind, since the load of the machine changes. Memory grows, and is compared with the beginning.
      const alone = { probe: (await this.#alone(seconds)).probe, peak: first.peak }
      for (const count of counts) await this.#beside(kind, count, seconds, alone)
      await this.#abandoned(kind, leaving, alone)
      await this.#responded(kind)
    }
    await this.#rounds(trial.size({ full: 3, quick: 1 }))
    await this.#service?.[Symbol.asyncDispose]()
  }

  /** Returns the service, warmed up; a new one if the last one is still busy with abandoned requests. */
  async #ready(): Promise<{ readonly service: Service; readonly material: Material }> {
    if (this.#service === undefined) {
      this.#service = await this.#trial.start(this.#home, { workers: this.#workers })
      this.#material = await materialOf(this.#service.url, this.#home, this.#trial.seed)
      // Several requests at a time reach all processes, so that each has done what it does once for a release.
      const { url } = this.#service
      for (const path of [
        '/explore?q=san',
        '/api/v2/search?q=san',
        '/api/v2/resolve?q=san',
        '/api/v2/resolve?estado=x&localidad=y',
      ])
        await Promise.all(Array.from({ length: 16 }, async () => (await fetch(url + path)).arrayBuffer()))
      await untilIdle(this.#service.pid)
    }
    return { service: this.#service, material: this.#material as Material }
  }

  async #renewUnlessIdle(service: Service): Promise<number | undefined> {
    const milliseconds = await untilIdle(service.pid)
    if (milliseconds === undefined) {
      await service[Symbol.asyncDispose]()
      this.#service = undefined
    }
    return milliseconds
  }

  /** Requests pages while something happens. */
  async #observe(service: Service, name: string, happening: () => Promise<void>): Promise<Observed> {
    const { targets, both } = await this.#trial.homes.versions(this.#home)
    const before = memoryOf(service.pid)
    using watch = new MemoryWatch(service.pid)
    await using pages = startTraffic({
      url: service.url,
      requests: { kind: 'pages', host: new URL(service.url).host, targets },
      connections: PROBE_CONNECTIONS,
      rate: RATE,
      versions: both,
    })
    while (pages.completed() === 0) await Bun.sleep(5)
    await happening()
    const probe = await pages.stop()
    this.#trial.cases.push({
      name: `${name}${this.#workers === 1 ? ', one worker' : ''}`,
      probe,
      memory: { before, peak: watch.peak, after: memoryOf(service.pid) },
    })
    return { probe, peak: watch.peak }
  }

  async #alone(seconds: number): Promise<Observed> {
    const { service } = await this.#ready()
    return this.#observe(service, 'none', () => Bun.sleep(seconds * 1_000))
  }

  /** Requires that pages are responded to in time, whatever else happens. */
  #requirePages(name: string, { probe, peak }: Observed, alone: Observed): void {
    const trial = this.#trial
    trial.require(probe.failed === 0, `${name}: ${probe.failed} pages failed (${JSON.stringify(probe.reasons)})`)
    const more = (key: 'p99' | 'max') => probe.latency[key] - alone.probe.latency[key]
    trial.require(
      more('p99') <= MAX_MORE_P99_MILLISECONDS,
      `${name}: the p99 of pages was ${more('p99').toFixed(1)} ms more than alone`,
    )
    trial.require(
      more('max') - probe.longestPause <= MAX_MORE_MILLISECONDS,
      `${name}: the slowest page took ${more('max').toFixed(0)} ms more than alone, of which the client was not there for ${probe.longestPause.toFixed(0)}`,
    )
    const megabytes = peak.anonymous - alone.peak.anonymous
    trial.require(megabytes < MAX_MORE_MEGABYTES, `${name}: ${Math.round(megabytes)} MB more than alone`)
  }

  async #beside({ name }: Costly, clients: number, seconds: number, alone: Observed): Promise<void> {
    const trial = this.#trial
    const { service, material } = await this.#ready()
    const title = `${clients} × ${name}`
    let costly: TrafficReport | undefined
    const observed = await this.#observe(service, title, async () => {
      await using running = startComputeClients({ port: service.port, material, kind: name, clients })
      await running.begun
      await Bun.sleep(seconds * 1_000)
      costly = await running.stop()
    })
    const { statuses = {}, reasons = {}, failed = 0, latency } = costly ?? {}
    const { p50, p99, max } = observed.probe.latency
    const words = Object.entries({ ...statuses, ...reasons }).map(([what, count]) => `${count} × ${what}`)
    trial.fact(
      `${this.#of(title)}: pages p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)} ms; the others got ${words.join(', ') || 'no response yet'}${latency === undefined || latency.p50 === 0 ? '' : `, p50 ${latency.p50.toFixed(0)} ms`}`,
    )
    trial.require(failed === 0, `${this.#of(title)}: ${failed} responses of another 5xx than 503`)
    this.#requirePages(this.#of(title), observed, alone)
    await this.#renewUnlessIdle(service)
  }

  async #abandoned({ name }: Costly, clients: number, alone: Observed): Promise<void> {
    const trial = this.#trial
    const { service, material } = await this.#ready()
    const title = `${clients} abandoned × ${name}`
    const before = await this.#connections(service)
    let gone: number | undefined
    const observed = await this.#observe(service, title, async () => {
      await this.#leave({ port: service.port, material, kind: name, clients, leaveAfter: LEAVE_MILLISECONDS })
      gone = await untilIdle(service.pid)
    })
    trial.fact(
      `${this.#of(title)}: gone after ${gone === undefined ? `more than ${GIVEN_UP_MILLISECONDS}` : gone.toFixed(0)} ms; pages p99 ${observed.probe.latency.p99.toFixed(1)}, max ${observed.probe.latency.max.toFixed(0)} ms`,
    )
    trial.require(
      gone !== undefined && gone <= MAX_GONE_MILLISECONDS,
      `${this.#of(title)}: work went on for ${gone === undefined ? 'longer than was waited for' : `${gone.toFixed(0)} ms`}`,
    )
    this.#requirePages(this.#of(title), observed, alone)
    await this.#requireNoConnections(service, title, before)
    await this.#renewUnlessIdle(service)
  }

  /** However long the whole response takes, it begins soon when no one else is there. */
  async #responded({ name, requests }: Costly): Promise<void> {
    const { service, material } = await this.#ready()
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
    const socket = connect({ port: service.port, host: '127.0.0.1' }, () => socket.write(requests(material)()))
    socket.on('data', (chunk: Buffer) => resolve(chunk)).on('error', () => resolve(undefined))
    const chunk = await Promise.race([promise, Bun.sleep(MAX_RESPONSE_MILLISECONDS)])
    socket.destroy()
    const status = chunk?.toString('latin1', 9, 12) ?? 'nothing'
    this.#trial.require(/^[1-4]|^503$/.test(status), `${this.#of(name)}: alone it got ${status}`)
    await this.#renewUnlessIdle(service)
  }

  async #leave(plan: ComputePlan): Promise<void> {
    await using running = startComputeClients(plan)
    await running.report
  }

  /** Rows of clients that stay beside rows of clients that leave, again and again. */
  async #rounds(rounds: number): Promise<void> {
    const trial = this.#trial
    const { service, material } = await this.#ready()
    const before = await this.#connections(service)
    const [stay, leave] = [40, 60]
    const kind = easyRows.name
    for (let round = 1; round <= rounds; round++) {
      await using staying = startComputeClients({ port: service.port, material, kind, clients: stay, once: true })
      await this.#leave({ port: service.port, material, kind, clients: leave, leaveAfter: LEAVE_MILLISECONDS })
      const report = await Promise.race([staying.report, Bun.sleep(GIVEN_UP_MILLISECONDS).then(() => staying.stop())])
      await untilIdle(service.pid)
      const title = `round ${round} of ${stay} POSTs of 1,000 rows that stay and ${leave} that leave`
      const words = Object.entries({ ...report.statuses, ...report.reasons }).map(
        ([what, count]) => `${count} × ${what}`,
      )
      trial.fact(`${this.#of(title)}: those that stayed got ${words.join(', ') || 'no response yet'}`)
      trial.require(report.failed === 0, `${this.#of(title)}: ${report.failed} responses of another 5xx than 503`)
      await this.#requireNoConnections(service, title, before)
    }
  }

  #of = (title: string): string => (this.#workers === 1 ? `one worker, ${title}` : title)

  async #connections(service: Service): Promise<Connections> {
    // The sockets of the last clients may still be closing.
    const counted = (await this.#trial.metric(service, /^nomenclator_connections\b/)) ?? 0
    return { counted, sockets: socketsOf(service.pid) }
  }

  async #requireNoConnections(service: Service, title: string, before: Connections): Promise<void> {
    const end = performance.now() + MAX_GONE_MILLISECONDS
    let now = await this.#connections(service)
    while ((now.counted > before.counted || now.sockets > before.sockets) && performance.now() < end) {
      await Bun.sleep(50)
      now = await this.#connections(service)
    }
    this.#trial.require(
      now.counted <= before.counted && now.sockets <= before.sockets,
      `${this.#of(title)}: ${before.counted} connections were counted before and ${now.counted} after, ${before.sockets} sockets were open before and ${now.sockets} after`,
    )
  }
}

type Connections = { readonly counted: number; readonly sockets: number }

/** Returns the number of sockets that the processes of a service have open. */
function socketsOf(root: number): number {
  return processTree(root).reduce((sum, { pid }) => {
    try {
      const links = readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
        } catch {
          // The descriptor was closed while the list was being read.
          return ''
        }
      })
      return sum + links.filter((link) => link.startsWith('socket:')).length
    } catch {
      return sum
    }
  }, 0)
}

const SAMPLED_PAGES = 10

async function materialOf(url: string, { digests: [current, other] }: Home, seed: number): Promise<Material> {
  const names: Material['names'][number][] = []
  for (let page = 1; page <= SAMPLED_PAGES; page++) {
    const response = await fetch(`${url}/api/v2/localidades?per_page=100&page=${page}`)
    if (!response.ok) break
    for (const record of (await response.json()) as readonly NamedLocality[])
      names.push({
        locality: record.descLocalidad,
        municipality: record.idMunicipio.descMunicipio,
        state: record.idEstado.descEstado,
      })
  }
  return { host: new URL(url).host, names, releases: [current, other], seed }
}

type NamedLocality = {
  readonly descLocalidad: string
  readonly idMunicipio: { readonly descMunicipio: string }
  readonly idEstado: { readonly descEstado: string }
}
