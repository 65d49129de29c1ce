// The socket from a page worker to a compute worker, and each request on its way there and back.
import type { Socket } from 'bun'
import { WorkStopped } from '../../base/checkpoint.ts'
import type { FilePart, HttpResponse, Streamed } from '../exchange.ts'
import { readFilePart } from '../v2/file-part.ts'
import type { HandedEnd, HandedResponse } from './compute-worker.ts'
import { FRAME, type Frame, FrameSocket, unixAddress, unpacked } from './frames.ts'

const LOST = 'the process that made the body is gone'

type ExchangeOptions = {
  readonly id: number
  /** The request in parts. */
  readonly request: readonly Uint8Array[]
  readonly signal: AbortSignal | undefined
  readonly onEnd: (milliseconds: number) => void
  readonly onGone: () => void
}

/** One request on its way to a compute worker, and its response on the way back. */
export class HandedExchange {
  readonly #options: ExchangeOptions
  /** The request, until there is a response to it: its process may be lost. */
  #request: readonly Uint8Array[]
  #link: ComputeLink | undefined
  #isOver = false
  #isPulled = false
  #head = Promise.withResolvers<HttpResponse | undefined>()
  /** Set while a chunk of the body is awaited. */
  #chunk: PromiseWithResolvers<Uint8Array | undefined> | undefined

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#request = options.request
    options.signal?.addEventListener('abort', this.#abandon, { once: true })
  }

  /** Returns the response; undefined if the process was lost before there was one. */
  sendTo(link: ComputeLink): Promise<HttpResponse | undefined> {
    const { id, signal } = this.#options
    if (signal?.aborted) {
      this.giveUp()
      throw new WorkStopped('gone')
    }
    this.#link = link
    this.#head = Promise.withResolvers()
    link.send(id, this.#request, this)
    return this.#head.promise
  }

  /** Ends without having been handed over. */
  giveUp(): void {
    this.#end(0)
  }

  /** Takes a frame that came back. */
  take({ kind, bytes }: Frame): void {
    if (kind === FRAME.chunk) {
      this.#chunk?.resolve(bytes)
      this.#chunk = undefined
    } else if (kind === FRAME.response) this.#takeResponse(bytes)
    else this.#takeEnd(kind, bytes)
  }

  /** True when nothing more comes back. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Called when the process is gone. Without a response so far, the request may be sent to another. */
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
    this.#request = []
    const { value, bytes } = unpacked<HandedResponse>(frame)
    const { status, head, body, length, file, milliseconds } = value
    if (body === 'pulled') {
      this.#isPulled = true
      this.#head.resolve({ status, head, body: { length, chunks: () => this.#chunks(), cancel: this.#abandon } })
      return
    }
    this.#end(milliseconds)
    if (body === 'whole') this.#head.resolve({ status, head, body: bytes, ownsBody: true })
    else this.#head.resolve({ status, head, body: streamedOf(length, file) })
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
        this.#link.pull(this.#options.id)
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
    this.#options.onGone()
    this.#link?.cancel(this.#options.id)
    this.#chunk?.reject(new WorkStopped('gone'))
    this.#chunk = undefined
  }

  #end(milliseconds: number): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#options.signal?.removeEventListener('abort', this.#abandon)
    this.#options.onEnd(milliseconds)
  }
}

/** Returns the body that is in a file, or a length without a body. */
function streamedOf(length: number | undefined, file: FilePart | undefined): Streamed | undefined {
  if (file !== undefined) return { length, chunks: () => readFilePart(file) }
  return length === undefined ? undefined : { length, chunks: noChunks }
}

async function* noChunks(): AsyncGenerator<Uint8Array> {}

/** The socket to one compute worker. */
export class ComputeLink {
  readonly #path: string
  readonly #goneFile: string
  readonly #exchanges = new Map<number, HandedExchange>()
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
      unix: unixAddress(this.#path),
      data: undefined,
      socket: {
        open: (socket) => this.#open(socket),
        data: (_socket, bytes) => this.#frames?.receive(bytes),
        drain: () => this.#frames?.sendRest(),
        close: () => this.#lose(),
      },
    })
  }

  send(id: number, request: readonly Uint8Array[], exchange: HandedExchange): void {
    this.#exchanges.set(id, exchange)
    this.#frames?.send(FRAME.request, id, ...request)
  }

  pull(id: number): void {
    this.#frames?.send(FRAME.pull, id)
  }

  cancel(id: number): void {
    this.#frames?.send(FRAME.cancel, id)
  }

  /** Gives it no more requests, and closes it when it has none. */
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
