// Hands requests that take thought over to the processes that think, and brings back their responses.
//
// A client that goes takes its request with it: a flag in memory that both processes share is seen even by work that does
// not look at its socket.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WorkStopped } from '../../base/checkpoint.ts'
import type { App } from '../app.ts'
import { clientAddress, networkOf, type ProxyPolicy } from '../client-address.ts'
import { type ConnectionInfo, type HttpRequest, type HttpResponse, whenReady } from '../exchange.ts'
import { freeMemory } from '../free-memory.ts'
import type { Metrics } from '../observation/metrics.ts'
import type { AnyId } from '../observation/request-id.ts'
import { overloaded, ProblemError, problemResponse } from '../problem.ts'
import { takesThought } from '../routes.ts'
import { ComputeLink, HandedExchange } from './compute-link.ts'
import type { HandedRequest } from './compute-worker.ts'
import { packed } from './frames.ts'

export type ThinkLimits = {
  /** Requests that are being worked on or wait for that, and those of one client. */
  readonly requests: number
  readonly requestsPerClient: number
  /** Bytes of their bodies. */
  readonly bytes: number
  readonly bytesPerClient: number
}

export const DEFAULT_THINKING = { requests: 256, requestsPerClient: 64 }

type HandOverOptions = {
  /** Where a file can be made that is shared with the processes that think. */
  readonly directory: string | undefined
  readonly limits: ThinkLimits
  readonly policy: ProxyPolicy
  readonly metrics: Metrics
  /** How much processor time a request may take, in milliseconds. */
  readonly maxMillisecondsOf: (request: HttpRequest) => number
  /** Told how much processor time a request of a client took, in milliseconds. */
  readonly onCost?: (client: string, milliseconds: number) => void
}

/** The app of a process that serves: what takes thought is handed over, and so is what only the home may know. */
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
      // It is over there, or nobody waits for it.
      if (request.body !== undefined) freeMemory(request.body)
    }
  }
  const respond: App = (request, connection, id) => {
    if (takesThought(request)) return hand(request, connection, id)
    // Only the current release is open here.
    return whenReady(app(request, connection, id), (response) =>
      response.status === GONE ? hand(request, connection, id) : response,
    )
  }
  return Object.assign(respond, app)
}

const GONE = 410

const NO_BYTES = new Uint8Array()

/** How long a request waits for a process that thinks, where there is none. */
const START_MILLISECONDS = 15_000
const RETRY_SECONDS = 1

type Share = { requests: number; bytes: number }

export class HandOver {
  readonly #options: HandOverOptions
  /** Without one, work sees only between its steps that its client has gone. */
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

  /** Takes up where the processes that think listen: those that are not named any more get no further request. */
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
    metrics.thinking++
    const release = (milliseconds: number) => {
      this.#freeIds.push(number)
      this.#count(client, -1, -bytes)
      metrics.thinking--
      metrics.thinkingSeconds += milliseconds / 1_000
      onCost?.(client, milliseconds)
    }
    const onGone = () => {
      this.#gone[number] = 1
    }
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
    const exchange = new HandedExchange(
      number,
      [packed(handed), request.body ?? NO_BYTES],
      release,
      connection.signal,
      onGone,
    )
    // One that is lost with its process is given to another; a second time it may be what ends them.
    for (let lost = 0; lost < 2; lost++) {
      const link = await this.#link()
      if (link === undefined) break
      const response = await exchange.sendTo(link)
      if (response !== undefined) return response
    }
    exchange.giveUp()
    metrics.refused.thinking++
    throw new ProblemError(overloaded('thinking', 'the processes that work on such requests are being started', 5))
  }

  stop(): void {
    for (const link of this.#links.values()) link.retire()
    if (this.#goneFile !== '') rmSync(this.#goneFile, { force: true })
  }

  #refuseBeyondLimits(client: string, bytes: number): void {
    const { limits, metrics } = this.#options
    const share = this.#shares.get(client) ?? { requests: 0, bytes: 0 }
    const refuse = (what: string) => {
      metrics.refused.thinking++
      throw new ProblemError(overloaded('thinking', what, RETRY_SECONDS))
    }
    if (this.#freeIds.length === 0) refuse(`${limits.requests} requests that take work wait, as many as may at a time`)
    if (share.requests >= limits.requestsPerClient)
      refuse(`${limits.requestsPerClient} requests of your address that take work wait, as many as may at a time`)
    // One is taken, however large: it is the limit on bodies that bounds it.
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

  /** The process with the fewest requests of this one; undefined if none is there in time. */
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
      // One that has just died is named until its supervisor knows.
      () => setTimeout(() => isWanted() && this.#connect(path), 100),
    )
  }
}
