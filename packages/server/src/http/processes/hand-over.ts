// Hands requests that are no slice of a file over to the compute workers, and brings back their responses.
//
// When a client goes, its job is stopped: a flag in memory that both processes share is visible even to a job that does
// not look at its socket.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WorkStopped } from '../../base/checkpoint.ts'
import { type App, appOf, type Parse, parsedBy } from '../app.ts'
import { clientAddress, networkOf, type ProxyPolicy } from '../client-address.ts'
import { PAGE_WORTH } from '../cost.ts'
import { type ConnectionInfo, type HttpRequest, type HttpResponse, whenReady } from '../exchange.ts'
import { freeMemory } from '../free-memory.ts'
import type { Metrics } from '../observation/metrics.ts'
import type { AnyId } from '../observation/request-id.ts'
import { overloaded, ProblemError, problemResponse } from '../problem.ts'
import { ComputeLink, HandedExchange } from './compute-link.ts'
import type { HandedRequest } from './compute-worker.ts'
import { packed } from './frames.ts'

export type ComputeLimits = {
  /** Requests that run or wait in compute workers, in all and of one client. */
  readonly requests: number
  readonly requestsPerClient: number
  /** Bytes of their bodies, in all and of one client. */
  readonly bytes: number
  readonly bytesPerClient: number
}

export const DEFAULT_COMPUTE_LIMITS = { requests: 256, requestsPerClient: 64 }

type HandOverOptions = {
  /** The directory for a file that is shared with the compute workers. */
  readonly directory: string | undefined
  readonly limits: ComputeLimits
  readonly policy: ProxyPolicy
  readonly metrics: Metrics
  /** Returns the processor time that a request may use, in milliseconds. */
  readonly maxMillisecondsOf: (request: HttpRequest) => number
  /** Called with the processor time that a request of a client took, in milliseconds. */
  readonly onCost?: (request: HttpRequest, client: string, milliseconds: number) => void
}

/** The app of a page worker, which hands over what costs more than a page. */
export function handingOver(app: App, handOver: HandOver): App {
  const hand = async (request: HttpRequest, connection: ConnectionInfo, id?: AnyId): Promise<HttpResponse> => {
    try {
      return await handOver.respond(request, connection, id)
    } catch (error) {
      if (error instanceof ProblemError) return problemResponse(error.problem, request.path, id)
      if (error instanceof WorkStopped) return problemResponse({ kind: 'took-too-long' }, request.path, id)
      app.failed?.(error, request, id)
      return problemResponse({ kind: 'internal-error' }, request.path, id)
    } finally {
      // The compute worker has its own copy, or nobody waits for the response.
      if (request.body !== undefined) freeMemory(request.body)
    }
  }
  const parse: Parse = (request, connection, id) =>
    whenReady(parsedBy(app)(request, connection, id), (parsed) =>
      parsed.cost <= PAGE_WORTH ? parsed : { cost: parsed.cost, respond: () => hand(request, connection, id) },
    )
  return appOf(parse, app)
}

const NO_BYTES = new Uint8Array()

/** The time for which a request waits for a compute worker, where there is none. */
const START_MILLISECONDS = 15_000
const RETRY_SECONDS = 1

type Share = { requests: number; bytes: number }

export class HandOver {
  readonly #options: HandOverOptions
  /** The shared file. Without one, a job notices only between its steps that its client is gone. */
  readonly #goneFile: string = ''
  readonly #gone: Uint8Array
  readonly #freeIds: number[]
  readonly #links = new Map<string, ComputeLink>()
  readonly #all: Share = { requests: 0, bytes: 0 }
  readonly #shares = new Map<string, Share>()
  #linked = Promise.withResolvers<void>()

  constructor(options: HandOverOptions) {
    const { directory, limits } = options
    this.#options = options
    this.#gone = new Uint8Array(limits.requests)
    if (directory !== undefined) {
      this.#goneFile = join(directory, `gone-${process.pid}`)
      writeFileSync(this.#goneFile, this.#gone, { mode: 0o600 })
      this.#gone = Bun.mmap(this.#goneFile, { shared: true })
    }
    this.#freeIds = Array.from({ length: limits.requests }, (_, id) => id)
  }

  /** Replaces the sockets of compute workers: one that is not among them any more gets no further request. */
  use(paths: readonly string[]): void {
    for (const [path, link] of this.#links) {
      if (paths.includes(path)) continue
      this.#links.delete(path)
      link.retire()
    }
    for (const path of paths) if (!this.#links.has(path)) this.#connect(path)
  }

  async respond(request: HttpRequest, connection: ConnectionInfo, id?: AnyId): Promise<HttpResponse> {
    const { policy, metrics, maxMillisecondsOf, onCost } = this.#options
    const client = networkOf(clientAddress(policy, request.headers, connection))
    const bytes = request.body?.length ?? 0
    this.#refuseBeyondLimits(client, bytes)
    const number = this.#freeIds.pop() as number
    this.#gone[number] = 0
    this.#count(client, 1, bytes)
    metrics.computing++
    const handed: HandedRequest = {
      method: request.method,
      path: request.path,
      query: request.query,
      http10: request.http10 === true,
      headers: request.headers.lines ?? '\r\n',
      hasBody: request.body !== undefined,
      peer: connection.peer ?? '',
      listeningUrl: connection.listeningUrl,
      requestId: id?.value ?? '',
      maxMilliseconds: maxMillisecondsOf(request),
    }
    const exchange = new HandedExchange({
      id: number,
      request: [packed(handed), request.body ?? NO_BYTES],
      signal: connection.signal,
      onEnd: (milliseconds) => {
        this.#freeIds.push(number)
        this.#count(client, -1, -bytes)
        metrics.computing--
        metrics.computeSeconds += milliseconds / 1_000
        onCost?.(request, client, milliseconds)
      },
      onGone: () => {
        this.#gone[number] = 1
      },
    })
    // A request that is lost with its worker is given to another. When that dies too, the request may be the cause.
    for (let lost = 0; lost < 2; lost++) {
      const link = await this.#link()
      if (link === undefined) break
      const response = await exchange.sendTo(link)
      if (response !== undefined) return response
    }
    exchange.giveUp()
    metrics.refused.compute++
    throw new ProblemError(overloaded('compute', 'the compute workers are being started', 5))
  }

  stop(): void {
    for (const link of this.#links.values()) link.retire()
    if (this.#goneFile !== '') rmSync(this.#goneFile, { force: true })
  }

  #refuseBeyondLimits(client: string, bytes: number): void {
    const { limits, metrics } = this.#options
    const share = this.#shares.get(client) ?? { requests: 0, bytes: 0 }
    const refuse = (what: string) => {
      metrics.refused.compute++
      throw new ProblemError(overloaded('compute', what, RETRY_SECONDS))
    }
    if (this.#freeIds.length === 0)
      refuse(`${limits.requests} requests for compute workers wait, as many as may at a time`)
    if (share.requests >= limits.requestsPerClient)
      refuse(`${limits.requestsPerClient} requests of your address for compute workers wait, as many as may at a time`)
    // One is taken, however large: the limit on bodies bounds it.
    if (this.#all.requests > 0 && this.#all.bytes + bytes > limits.bytes)
      refuse('the bodies of requests that wait fill the memory that is set aside for them')
    if (share.requests > 0 && share.bytes + bytes > limits.bytesPerClient)
      refuse('the bodies of requests of your address that wait fill the memory that is set aside for it')
  }

  #count(client: string, requests: number, bytes: number): void {
    const share = this.#shares.get(client) ?? { requests: 0, bytes: 0 }
    for (const each of [share, this.#all]) {
      each.requests += requests
      each.bytes += bytes
    }
    if (share.requests === 0) this.#shares.delete(client)
    else this.#shares.set(client, share)
  }

  /** Returns the link with the fewest requests; undefined if no compute worker is there in time. */
  async #link(): Promise<ComputeLink | undefined> {
    const end = performance.now() + START_MILLISECONDS
    for (;;) {
      let least: ComputeLink | undefined
      for (const link of this.#links.values())
        if (link.isOpen && (least === undefined || link.requests < least.requests)) least = link
      const wait = end - performance.now()
      if (least !== undefined || wait <= 0) return least
      await Promise.race([this.#linked.promise, Bun.sleep(wait)])
    }
  }

  #connect(path: string): void {
    const link = new ComputeLink(path, this.#goneFile)
    this.#links.set(path, link)
    const isWanted = () => this.#links.get(path) === link
    link.connect().then(
      () => {
        this.#linked.resolve()
        this.#linked = Promise.withResolvers()
      },
      // The socket of a worker that has just died is used until the supervisor notices.
      () => setTimeout(() => isWanted() && this.#connect(path), 100),
    )
  }
}
