// Clients of a process of their own that send well-formed requests, as fast as they can or at a steady rate, and count what comes back.
import type { Socket } from 'bun'
import { type Clients, type Running, runClients, startClients, type TrafficReport } from './clients.ts'
import { type Request, type RequestPlan, requestsOf } from './requests.ts'
import { fieldOf, type Received, ResponseReader } from './response-reader.ts'

export type TrafficPlan = {
  readonly url: string
  readonly requests: RequestPlan
  /** How many to send; without it, until it is stopped. */
  readonly total?: number
  readonly connections: number
  /** How many of the connections are made anew for each request. */
  readonly fresh?: number
  /** How many requests may wait for their responses on one connection. */
  readonly depth?: number
  /** Requests a second, on all connections together; without it, as many as there are responses. */
  readonly rate?: number
  /** The responses that a target may have, by their fingerprints; without it, any. */
  readonly versions?: Readonly<Record<string, readonly string[]>>
  /** Headers that are in the fingerprints besides the entity tag. */
  readonly headers?: readonly string[]
}

export type PageTrafficReport = TrafficReport & {
  /** Connections that the server ended with Connection: close. */
  readonly closedByServer: number
  /** How many responses were of the first version, of the second, and so on. */
  readonly versions: readonly number[]
}

/** Of a page: a whole response of one release has the status, the tag, further headers and the body of that release. */
export const fingerprintOf = (
  status: number,
  header: (name: string) => string | null | undefined,
  body: string | Uint8Array,
  headers: readonly string[] = [],
): string => `${status} ${['ETag', ...headers].map(header).join()} ${Bun.hash(body).toString(36)}`

/** A client that is not let run for so long sends too late on a connection that was closed in the meantime. */
export const UNFAIR_MILLISECONDS = 100

/**
 * On a machine that is too busy to run the clients, requests fail that a service could not have saved. Such a trial
 * proves nothing and is made again, a few times at most.
 */
export async function fairTrial(trial: () => Promise<PageTrafficReport>): Promise<PageTrafficReport> {
  for (let tries = 1; ; tries++) {
    const report = await trial()
    if (report.failed === 0 || report.longestPause < UNFAIR_MILLISECONDS || tries === 4) return report
  }
}

const PATIENCE_MILLISECONDS = 20_000
const RETRY_MILLISECONDS = 20
/** Requests that are due wait for the next turn, so turns are shorter than what is measured. */
const TURN_MILLISECONDS = 1
const MAX_EXAMPLES = 10

/** Latencies in buckets that are 2 % apart, so that any number of them takes a few kilobytes. */
class Latencies {
  static readonly #FIRST = 0.02
  static readonly #STEP = Math.log(1.02)
  readonly #buckets = new Uint32Array(1_200)
  #count = 0
  #max = 0

  add(milliseconds: number): void {
    const bucket = Math.ceil(Math.log(Math.max(milliseconds, Latencies.#FIRST) / Latencies.#FIRST) / Latencies.#STEP)
    const at = Math.min(bucket, this.#buckets.length - 1)
    this.#buckets[at] = (this.#buckets[at] as number) + 1
    this.#count++
    this.#max = Math.max(this.#max, milliseconds)
  }

  at(share: number): number {
    let left = this.#count * share
    for (const [bucket, count] of this.#buckets.entries()) {
      left -= count
      if (left <= 0) return Math.min(Latencies.#FIRST * Math.exp(bucket * Latencies.#STEP), this.#max)
    }
    return this.#max
  }

  get max(): number {
    return this.#max
  }
}

type Sent = { readonly request: Request; readonly due: number; readonly sent: number }

/** All connections of a plan together: what is to be sent next, and what came of it. */
class Traffic implements Running<PageTrafficReport> {
  readonly plan: TrafficPlan
  readonly #next: () => Request
  readonly #latencies = new Latencies()
  readonly #statuses: Record<string, number> = {}
  readonly #reasons: Record<string, number> = {}
  readonly #versions: number[] = []
  readonly #examples: string[] = []
  readonly #connections: Connection[]
  readonly #done = Promise.withResolvers<PageTrafficReport>()
  /** Requests that were taken back from a connection that the server closed politely. */
  readonly #again: { request: Request; due: number }[] = []
  #made = 0
  #started = performance.now()
  #ran = this.#started
  #lastGood = this.#started
  #stopping = false
  completed = 0
  closedByServer = 0
  #failed = 0
  #limited = 0
  #longestOutage = 0
  #longestPause = 0
  #ticking: Timer

  constructor(plan: TrafficPlan) {
    this.plan = plan
    this.#next = requestsOf(plan.requests)
    this.#connections = Array.from(
      { length: plan.connections },
      (_, at) => new Connection(this, at < (plan.fresh ?? 0) ? 1 : Number.POSITIVE_INFINITY),
    )
    this.#ticking = setInterval(() => this.#tick(), TURN_MILLISECONDS)
  }

  get report(): Promise<PageTrafficReport> {
    return this.#done.promise
  }

  get stopping(): boolean {
    return this.#stopping
  }

  /** The next request that is due, or undefined. */
  take(): { request: Request; due: number } | undefined {
    const again = this.#again.shift()
    if (again !== undefined) return again
    const { total = Number.POSITIVE_INFINITY, rate } = this.plan
    if (this.#stopping || this.#made >= total) return undefined
    const due = rate === undefined ? performance.now() : this.#started + (this.#made * 1_000) / rate
    if (due > performance.now()) return undefined
    this.#made++
    return { request: this.#next(), due }
  }

  takeBack(sent: readonly Sent[]): void {
    this.#again.push(...sent)
  }

  completeOne({ request, due }: Sent, response: Received): void {
    const now = performance.now()
    this.completed++
    this.#statuses[response.status] = (this.#statuses[response.status] ?? 0) + 1
    const wrong = this.#wrongWith(request, response)
    if (wrong === 'limited') this.#limited++
    else if (wrong !== undefined) this.fail(request, wrong)
    else {
      this.#latencies.add(now - due)
      this.#longestOutage = Math.max(this.#longestOutage, now - this.#lastGood)
      this.#lastGood = now
    }
  }

  #wrongWith({ target }: Request, { status, head, body }: Received): string | undefined {
    if (status === 503 && fieldOf(head, 'Retry-After') !== undefined) return 'limited'
    if (status >= 500) return `status ${status}`
    const versions = this.plan.versions?.[target]
    if (versions !== undefined) {
      const header = (name: string) => fieldOf(head, name)
      const version = versions.indexOf(fingerprintOf(status, header, body ?? '', this.plan.headers))
      if (version === -1) return status === 200 ? 'a response of neither release' : `status ${status}`
      this.#versions[version] = (this.#versions[version] ?? 0) + 1
      return undefined
    }
    if (this.plan.requests.kind === 'pages' && status !== 200) return `status ${status}`
    if (status >= 400 && /application\/problem\+json/.test(head) && body !== undefined && body.length > 0) {
      const problem = JSON.parse(body.toString()) as { readonly status?: unknown }
      if (problem.status !== status) return 'a problem that does not have the status of its response'
    }
    return undefined
  }

  /** A 503 may come before anything was sent: the connection itself is one too many. */
  limitedConnection(): void {
    this.#limited++
  }

  fail(request: Request | undefined, reason: string): void {
    this.#failed++
    this.#reasons[reason] = (this.#reasons[reason] ?? 0) + 1
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push(`${reason}: ${request?.text.slice(0, 400) ?? ''}`)
  }

  stop(): void {
    this.#stopping = true
  }

  #tick(): void {
    const now = performance.now()
    this.#longestPause = Math.max(this.#longestPause, now - this.#ran)
    this.#ran = now
    for (const connection of this.#connections) connection.tick(now)
    const { total = Number.POSITIVE_INFINITY } = this.plan
    const isOver = this.#stopping || this.#made >= total
    if (!isOver || this.#again.length > 0 || this.#connections.some(({ waits }) => waits)) return
    clearInterval(this.#ticking)
    for (const connection of this.#connections) connection.close()
    this.#longestOutage = Math.max(this.#longestOutage, now - this.#lastGood)
    this.#done.resolve({
      completed: this.completed,
      failed: this.#failed,
      limited: this.#limited,
      statuses: this.#statuses,
      reasons: this.#reasons,
      latency: { p50: this.#latencies.at(0.5), p99: this.#latencies.at(0.99), max: this.#latencies.max },
      longestOutage: this.#longestOutage,
      longestPause: this.#longestPause,
      closedByServer: this.closedByServer,
      versions: this.#versions,
      examples: this.#examples,
    })
  }
}

class Connection {
  readonly #traffic: Traffic
  readonly #depth: number
  /** How many requests it is used for. */
  readonly #uses: number
  readonly #address: { readonly hostname: string; readonly port: number }
  #used = 0
  #waiting: Sent[] = []
  /** What the socket has not taken yet. */
  #unsent: Buffer = Buffer.alloc(0)
  #socket: Socket | undefined
  #reader: ResponseReader | undefined
  #connectAt = 0
  #connecting = false
  #ended = false

  constructor(traffic: Traffic, uses: number) {
    this.#traffic = traffic
    this.#uses = uses
    this.#depth = uses === 1 ? 1 : (traffic.plan.depth ?? 1)
    const { hostname, port } = new URL(traffic.plan.url)
    this.#address = { hostname, port: Number(port) }
  }

  /** Whether responses are still to come. */
  get waits(): boolean {
    return this.#waiting.length > 0
  }

  close(): void {
    this.#ended = true
    this.#socket?.terminate()
  }

  tick(now: number): void {
    const [oldest] = this.#waiting
    if (oldest !== undefined && now - oldest.sent > PATIENCE_MILLISECONDS) this.#lost('no whole response in time')
    if (this.#socket === undefined) this.#connect(now)
    else this.#fill()
  }

  #connect(now: number): void {
    if (this.#connecting || this.#ended || now < this.#connectAt) return
    this.#connecting = true
    const socket = {
      open: (opened: Socket) => this.#onOpen(opened),
      data: (from: Socket, bytes: Buffer) => this.#onData(from, bytes),
      drain: (ready: Socket) => this.#onDrain(ready),
      close: (closed: Socket) => this.#onClose(closed),
      error: (broken: Socket) => this.#onClose(broken),
      connectError: () => {},
    }
    Bun.connect({ ...this.#address, socket }).catch(() => {
      this.#connecting = false
      this.#connectAt = performance.now() + RETRY_MILLISECONDS
      const refused = this.#traffic.take()
      if (refused !== undefined) this.#traffic.fail(refused.request, 'connection refused')
    })
  }

  #onOpen(socket: Socket): void {
    this.#connecting = false
    if (this.#ended) {
      socket.terminate()
      return
    }
    this.#socket = socket
    this.#used = 0
    this.#unsent = Buffer.alloc(0)
    this.#reader = new ResponseReader(
      () => this.#waiting[0]?.request.isHead ?? false,
      (response) => this.#onResponse(response),
    )
    this.#fill()
  }

  #fill(): void {
    if (this.#socket === undefined) return
    let text = ''
    while (this.#waiting.length < this.#depth && this.#used < this.#uses) {
      const next = this.#traffic.take()
      if (next === undefined) break
      this.#used++
      this.#waiting.push({ ...next, sent: performance.now() })
      text += next.request.text
    }
    if (text === '') return
    this.#unsent = Buffer.concat([this.#unsent, Buffer.from(text, 'latin1')])
    this.#onDrain(this.#socket)
  }

  #onDrain(socket: Socket): void {
    if (socket !== this.#socket || this.#unsent.length === 0) return
    const written = socket.write(this.#unsent)
    this.#unsent = written > 0 ? this.#unsent.subarray(written) : this.#unsent
  }

  #onData(socket: Socket, bytes: Buffer): void {
    if (socket !== this.#socket) return
    try {
      this.#reader?.add(bytes)
    } catch (error) {
      this.#lost(`not a response: ${error instanceof Error ? error.message : error}`)
      return
    }
    this.#fill()
  }

  #onResponse(response: Received): void {
    const sent = this.#waiting.shift()
    if (sent === undefined) {
      if (response.status === 503) this.#traffic.limitedConnection()
      else this.#traffic.fail(undefined, `status ${response.status} without a request`)
      this.#drop(RETRY_MILLISECONDS)
      return
    }
    this.#traffic.completeOne(sent, response)
    if (response.last && this.#used < this.#uses) this.#traffic.closedByServer++
    if (response.last || this.#used >= this.#uses) this.#drop(response.status === 503 ? RETRY_MILLISECONDS : 0)
  }

  /** Requests behind the last response of a connection were not handled, and are sent again on another. */
  #drop(waitMilliseconds: number): void {
    const socket = this.#socket
    this.#socket = undefined
    this.#connectAt = performance.now() + waitMilliseconds
    this.#traffic.takeBack(this.#waiting)
    this.#waiting = []
    socket?.terminate()
  }

  #onClose(socket: Socket): void {
    if (socket !== this.#socket) return
    this.#lost('closed without a whole response')
  }

  /** Everything that was sent and has no response failed; without anything sent, a connection may be closed at any time. */
  #lost(reason: string): void {
    const socket = this.#socket
    this.#socket = undefined
    for (const { request } of this.#waiting) this.#traffic.fail(request, reason)
    this.#waiting = []
    socket?.terminate()
  }
}

export const startTraffic = (plan: TrafficPlan): Clients<PageTrafficReport> => startClients(import.meta.path, plan)

if (import.meta.main) runClients((plan: TrafficPlan) => new Traffic(plan))
