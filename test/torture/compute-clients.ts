// Clients with costly requests, in a process of their own of the lowest priority: they stay and send one request after the
// other, or they leave before the response.
import { connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { type Clients, type Running, runClients, startClients, type TrafficReport } from './clients.ts'
import { COSTLY, easyRows, type Material } from './compute-requests.ts'

export type ComputePlan = {
  readonly port: number
  readonly material: Material
  /** The name of the kind of requests. */
  readonly kind: string
  readonly clients: number
  /** After this many milliseconds every client leaves, half of them by a reset, and does not come back. */
  readonly leaveAfter?: number
  /** Each sends its request once. */
  readonly once?: boolean
}

const LOWEST_PRIORITY = 19
/** A client that was refused tries again after this: the campaign is about costly requests, and not a flood of connections. */
const REFUSED_MILLISECONDS = 50
/** Clients that connect at a time: the queue of a service for new connections is limited. */
const CONNECTING = 20
const REFUSED: readonly number[] = [429, 503]

/** The service may send a 100 first, to see whether the client is still there. */
const FINAL_STATUS = /HTTP\/1\.1 ([2-5][0-9]{2}) /
const BEGINNING_BYTES = 200

function finalStatusIn(chunk: Buffer): number | undefined {
  const status = FINAL_STATUS.exec(chunk.toString('latin1', 0, BEGINNING_BYTES))?.[1]
  return status === undefined ? undefined : Number(status)
}

class ComputeClients implements Running {
  readonly #plan: ComputePlan
  readonly #next: () => Buffer
  readonly #done = Promise.withResolvers<TrafficReport>()
  readonly #sockets = new Set<Socket>()
  readonly #statuses: Record<string, number> = {}
  readonly #reasons: Record<string, number> = {}
  readonly #latencies: number[] = []
  #isStopping = false
  #left = 0
  completed = 0

  constructor(plan: ComputePlan) {
    this.#plan = plan
    const kind = [...COSTLY, easyRows].find(({ name }) => name === plan.kind)
    if (kind === undefined) throw new Error(`there is no request called ${plan.kind}`)
    this.#next = kind.requests(plan.material)
    void this.#begin()
  }

  get report(): Promise<TrafficReport> {
    return this.#done.promise
  }

  /** Nobody waits for what is under way. */
  stop(): void {
    this.#isStopping = true
    for (const socket of this.#sockets) socket.resetAndDestroy()
    this.#finish()
  }

  async #begin(): Promise<void> {
    for (let client = 0; client < this.#plan.clients; client++) {
      this.#send(client)
      if (client % CONNECTING === CONNECTING - 1) await Bun.sleep(5)
    }
  }

  /** Every client has an address of its own. */
  #send(client: number): void {
    if (this.#isStopping) return
    const { port, leaveAfter, once = false } = this.#plan
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.2.${client >> 8}.${client & 255}` })
    this.#sockets.add(socket)
    const started = performance.now()
    let status: number | undefined
    let hasLeft = false
    socket.on('connect', () => {
      socket.write(this.#next())
      if (leaveAfter === undefined) return
      setTimeout(() => {
        hasLeft = true
        if (client % 2 === 0) socket.destroy()
        else socket.resetAndDestroy()
      }, leaveAfter)
    })
    socket.on('data', (chunk: Buffer) => {
      status ??= finalStatusIn(chunk)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#sockets.delete(socket)
      if (this.#isStopping) return
      if (!hasLeft) this.#count(status, performance.now() - started)
      if (leaveAfter !== undefined || once) this.#leave()
      else if (status === undefined || REFUSED.includes(status))
        setTimeout(() => this.#send(client), REFUSED_MILLISECONDS)
      else this.#send(client)
    })
  }

  #count(status: number | undefined, milliseconds: number): void {
    if (status === undefined) {
      const reason = 'closed without a response'
      this.#reasons[reason] = (this.#reasons[reason] ?? 0) + 1
      return
    }
    this.completed++
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    if (!REFUSED.includes(status)) this.#latencies.push(milliseconds)
  }

  #leave(): void {
    if (++this.#left === this.#plan.clients) this.#finish()
  }

  #finish(): void {
    const sorted = this.#latencies.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
    const count = (isCounted: (status: number) => boolean) =>
      Object.entries(this.#statuses).reduce((sum, [status, n]) => (isCounted(Number(status)) ? sum + n : sum), 0)
    this.#done.resolve({
      completed: this.completed,
      failed: count((status) => status >= 500 && !REFUSED.includes(status)),
      limited: count((status) => REFUSED.includes(status)),
      statuses: this.#statuses,
      reasons: this.#reasons,
      latency: { p50: at(0.5), p99: at(0.99), max: at(1) },
      longestOutage: 0,
      longestPause: 0,
      examples: [],
    })
  }
}

export const startComputeClients = (plan: ComputePlan): Clients => startClients(import.meta.path, plan)

if (import.meta.main) {
  setPriority(LOWEST_PRIORITY)
  runClients((plan: ComputePlan) => new ComputeClients(plan))
}
