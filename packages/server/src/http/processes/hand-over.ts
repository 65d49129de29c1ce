// Hands requests that take thought over to the processes that think, and brings back their responses.
//
// A client that goes takes its request with it: a flag in memory that both processes share is seen even by work that does
// not look at its socket.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Socket } from 'bun'
import { WorkStopped } from '../../base/checkpoint.ts'
import type { App } from '../app.ts'
import { clientAddress, type ProxyPolicy } from '../client-address.ts'
import {
  type ConnectionInfo,
  type FilePart,
  type HttpRequest,
  type HttpResponse,
  type Streamed,
  whenReady,
} from '../exchange.ts'
import { networkOf } from '../limits/rate-limit.ts'
import type { Metrics } from '../observation/metrics.ts'
import type { AnyId } from '../observation/request-id.ts'
import { overloaded, ProblemError, problemResponse } from '../problem.ts'
import { takesThought } from '../routes.ts'
import { readFilePart } from '../v2/file-part.ts'
import { FRAME, type Frame, FrameSocket, packed, unpacked } from './frames.ts'
import type { HandedEnd, HandedRequest, HandedResponse } from './thinking.ts'

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
  readonly directory: string
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
  const hand = (request: HttpRequest, connection: ConnectionInfo, id?: AnyId): Promise<HttpResponse> =>
    handOver.respond(request, connection, id).catch((error) => {
      if (error instanceof ProblemError) return problemResponse(error.problem, request.path, id)
      if (error instanceof WorkStopped) return problemResponse({ kind: 'took-too-long' }, request.path, id)
      app.failed?.(error, request, id)
      return problemResponse({ kind: 'internal-error' }, request.path, id)
    })
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

/** How long a request waits for a process that thinks, where there is none. */
const START_MILLISECONDS = 5_000
const RETRY_SECONDS = 1

type Share = { requests: number; bytes: number }

export class HandOver {
  readonly #options: HandOverOptions
  readonly #goneFile: string
  readonly #gone: Uint8Array
  readonly #freeIds: number[]
  readonly #links = new Map<string, Link>()
  readonly #all: Share = { requests: 0, bytes: 0 }
  readonly #shares = new Map<string, Share>()
  #linked = Promise.withResolvers<void>()

  constructor(options: HandOverOptions) {
    const { directory, limits } = options
    this.#options = options
    this.#goneFile = join(directory, `gone-${process.pid}`)
    writeFileSync(this.#goneFile, new Uint8Array(limits.requests), { mode: 0o600 })
    this.#gone = Bun.mmap(this.#goneFile, { shared: true })
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
    const exchange = new Exchange(number, packed(handed, request.body), release, connection.signal, onGone)
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
    rmSync(this.#goneFile, { force: true })
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
  async #link(): Promise<Link | undefined> {
    const end = performance.now() + START_MILLISECONDS
    for (;;) {
      let least: Link | undefined
      for (const link of this.#links.values())
        if (link.isOpen && (least === undefined || link.requests < least.requests)) least = link
      const wait = end - performance.now()
      if (least !== undefined || wait <= 0) return least
      await Promise.race([this.#linked.promise, Bun.sleep(wait)])
    }
  }

  #connect(path: string): void {
    const link = new Link(path, this.#goneFile)
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

const LOST = 'the process that made the body is gone'

/** One request on its way to a process that thinks, and its response on the way back. */
class Exchange {
  readonly #id: number
  readonly #packed: Buffer
  readonly #onEnd: (milliseconds: number) => void
  readonly #signal: AbortSignal | undefined
  readonly #onGone: () => void
  #link: Link | undefined
  #isOver = false
  #isPulled = false
  #head = Promise.withResolvers<HttpResponse | undefined>()
  /** Set while a chunk of the body is awaited. */
  #chunk: PromiseWithResolvers<Uint8Array | undefined> | undefined

  constructor(
    id: number,
    packed: Buffer,
    onEnd: (milliseconds: number) => void,
    signal: AbortSignal | undefined,
    onGone: () => void,
  ) {
    this.#id = id
    this.#packed = packed
    this.#onEnd = onEnd
    this.#signal = signal
    this.#onGone = onGone
    signal?.addEventListener('abort', this.#abandon, { once: true })
  }

  /** The response; undefined if the process was lost before there was one. */
  sendTo(link: Link): Promise<HttpResponse | undefined> {
    if (this.#signal?.aborted) {
      this.giveUp()
      throw new WorkStopped('gone')
    }
    this.#link = link
    this.#head = Promise.withResolvers()
    link.send(this.#id, this.#packed, this)
    return this.#head.promise
  }

  /** It was not handed over in the end. */
  giveUp(): void {
    this.#end(0)
  }

  /** Takes what came back. */
  take({ kind, bytes }: Frame): void {
    if (kind === FRAME.chunk) {
      this.#chunk?.resolve(Buffer.from(bytes))
      this.#chunk = undefined
    } else if (kind === FRAME.response) this.#takeResponse(bytes)
    else this.#takeEnd(kind, bytes)
  }

  /** Whether nothing more comes back. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The process is gone. Without a response so far, another may be asked. */
  lose(): void {
    if (!this.#isPulled) {
      this.#head.resolve(undefined)
      return
    }
    this.#link = undefined
    this.#chunk?.reject(new Error(LOST))
    this.#chunk = undefined
    this.#end(0)
  }

  #takeResponse(frame: Buffer): void {
    const { value, bytes } = unpacked<HandedResponse>(frame)
    const { status, head, body, length, file, milliseconds } = value
    if (body === 'pulled') {
      this.#isPulled = true
      this.#head.resolve({ status, head, body: { length, chunks: () => this.#chunks(), cancel: this.#abandon } })
      return
    }
    this.#end(milliseconds)
    this.#head.resolve({ status, head, body: body === 'whole' ? Buffer.from(bytes) : streamedOf(length, file) })
  }

  #takeEnd(kind: number, frame: Buffer): void {
    const { milliseconds, message, stopped } = unpacked<HandedEnd>(frame).value
    this.#end(milliseconds)
    const error = kind === FRAME.end ? undefined : stopped ? new WorkStopped(stopped) : new Error(message)
    if (error === undefined) this.#chunk?.resolve(undefined)
    else this.#chunk?.reject(error)
    this.#chunk = undefined
    this.#head.reject(error ?? new WorkStopped('gone'))
    this.#head.promise.catch(() => {})
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.#link === undefined) throw new Error(LOST)
        this.#chunk = Promise.withResolvers()
        this.#link.pull(this.#id)
        const chunk = await this.#chunk.promise
        if (chunk === undefined) return
        yield chunk
      }
    } finally {
      this.#abandon()
    }
  }

  readonly #abandon = (): void => {
    if (this.#isOver) return
    this.#onGone()
    this.#link?.cancel(this.#id)
    this.#chunk?.reject(new WorkStopped('gone'))
    this.#chunk = undefined
  }

  #end(milliseconds: number): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#signal?.removeEventListener('abort', this.#abandon)
    this.#onEnd(milliseconds)
  }
}

/** The body that is in a file, or one that is not sent and whose length is told all the same. */
function streamedOf(length: number | undefined, file: FilePart | undefined): Streamed | undefined {
  if (file !== undefined) return { length, chunks: () => readFilePart(file) }
  return length === undefined ? undefined : { length, chunks: noChunks }
}

async function* noChunks(): AsyncGenerator<Uint8Array> {}

/** The socket to one process that thinks. */
class Link {
  readonly #path: string
  readonly #goneFile: string
  readonly #exchanges = new Map<number, Exchange>()
  #frames: FrameSocket | undefined
  #isRetired = false

  constructor(path: string, goneFile: string) {
    this.#path = path
    this.#goneFile = goneFile
  }

  get isOpen(): boolean {
    return this.#frames !== undefined
  }

  get requests(): number {
    return this.#exchanges.size
  }

  async connect(): Promise<void> {
    await Bun.connect<undefined>({
      unix: this.#path,
      data: undefined,
      socket: {
        open: (socket) => this.#open(socket),
        data: (_socket, bytes) => this.#frames?.receive(bytes),
        drain: () => this.#frames?.sendRest(),
        close: () => this.#lose(),
      },
    })
  }

  send(id: number, request: Buffer, exchange: Exchange): void {
    this.#exchanges.set(id, exchange)
    this.#frames?.send(FRAME.request, id, request)
  }

  pull(id: number): void {
    this.#frames?.send(FRAME.pull, id)
  }

  cancel(id: number): void {
    this.#frames?.send(FRAME.cancel, id)
  }

  /** It gets no more requests, and is closed when it has none. */
  retire(): void {
    this.#isRetired = true
    if (this.#exchanges.size === 0) this.#frames?.end()
  }

  #open(socket: Socket<undefined>): void {
    this.#frames = new FrameSocket(socket, (frame) => this.#take(frame))
    this.#frames.send(FRAME.hello, 0, Buffer.from(this.#goneFile))
  }

  #take(frame: Frame): void {
    const exchange = this.#exchanges.get(frame.id)
    exchange?.take(frame)
    // Its number may have been given to the next request meanwhile, but not to one of this link.
    if (exchange?.isOver) this.#exchanges.delete(frame.id)
    if (this.#isRetired && this.#exchanges.size === 0) this.#frames?.end()
  }

  #lose(): void {
    this.#frames = undefined
    const lost = [...this.#exchanges.values()]
    this.#exchanges.clear()
    for (const exchange of lost) exchange.lose()
  }
}
