// One connection: takes requests from the bytes that arrive, responds in order, at the pace of the client.
import type { Socket } from 'bun'
import { type ConnectionInfo, type HttpResponse, isStreamed } from '../exchange.ts'
import { ClientProbe } from './client-probe.ts'
import { Delivery } from './delivery.ts'
import { KeptBytes } from './kept-bytes.ts'
import { LARGE_CHUNK_BYTES, MAX_WAITING_BYTES, SocketReading } from './reading.ts'
import { ReceiveBuffer } from './receive-buffer.ts'
import { RequestBody } from './request-body.ts'
import { headLength, parseHead, partialProblem, type RequestHead, staysOpen } from './request-head.ts'
import { ResponseBuffer } from './response-buffer.ts'
import { SendBuffer } from './send-buffer.ts'
import type { ServerState, WireProblem } from './server-state.ts'

/** Responses to pipelined requests are sent in batches of about this many bytes. */
const BATCH_BYTES = 1 << 15
/** Least speed of a body that is not timed out. */
const BODY_BYTES_PER_MILLISECOND = 64
/** The part of a request that a refusal repeats: the beginning of its path, without the query. */
const READABLE_PATH = /^[^ \r\n]+ (\/[\x21-\x3e\x40-\x7e]{0,200})/
const CLOSE = 'Connection: close\r\n'
const KEEP_ALIVE = 'Connection: keep-alive\r\n'

// It is filled and sent within one turn of the event loop, so all connections can share it.
const out = new ResponseBuffer()

type Incoming = { readonly head: RequestHead; readonly body: RequestBody }

export class Connection implements ConnectionInfo {
  readonly #server: ServerState
  readonly #socket: Socket<unknown>
  readonly #received = new ReceiveBuffer()
  readonly #unsent: SendBuffer
  readonly #reading: SocketReading
  readonly #probe: ClientProbe
  readonly #kept: KeptBytes
  readonly #delivery: Delivery
  #isNew = true
  /** The client sends no more. */
  #inputEnded = false
  /** The last response has been written; further bytes of the client are ignored. */
  #closing = false
  /** A promised or streamed response is under way; further requests wait for its end. */
  #responding = false
  /** Made when the handler of the request that is under way first asks for its signal. */
  #abort: AbortController | undefined
  /** Requests have been received that wait for another turn of the event loop. */
  #queued = false
  /** The request whose body is being received. */
  #incoming: Incoming | undefined
  #lastHead: RequestHead | undefined
  /** The time since when it has been waiting: for a request, for the rest of one, or for the client to read. */
  waitingSince: number

  constructor(server: ServerState, socket: Socket<unknown>) {
    this.#server = server
    this.#socket = socket
    this.#unsent = new SendBuffer(socket, this)
    this.#reading = new SocketReading(socket, server.largeReads)
    const sendInterim = () => {
      out.reset()
      out.addContinue()
      this.#sendBatch()
    }
    this.#probe = new ClientProbe(this.#unsent, sendInterim, () => this.terminate())
    this.#kept = new KeptBytes(server.budget)
    this.#delivery = new Delivery({
      server,
      connection: this,
      unsent: this.#unsent,
      probe: this.#probe,
      send: (response, head) => {
        out.reset()
        this.#write(response, head)
        this.#sendBatch()
      },
      onSent: () => {
        this.waitingSince = this.#server.clock.milliseconds
        this.#count()
      },
      hasInputEnded: () => this.#inputEnded,
      clientOf: (head) => this.#clientOf(head),
    })
    this.waitingSince = server.clock.milliseconds
  }

  get peer(): string {
    return this.#socket.remoteAddress
  }

  get listeningUrl(): string {
    return this.#server.url
  }

  get signal(): AbortSignal {
    if (this.#unsent.closed) return AbortSignal.abort()
    this.#abort ??= new AbortController()
    return this.#abort.signal
  }

  /** True until something has been received. */
  get isNew(): boolean {
    return this.#isNew
  }

  /** True in the middle of a request or of a response. */
  get busy(): boolean {
    return this.#received.length > 0 || this.#unsent.length > 0 || this.#responding || this.#incoming !== undefined
  }

  /** True if it is open, and waits for the first byte of a request. */
  get idle(): boolean {
    return !this.busy && !this.#closing
  }

  receive(data: Buffer): void {
    const comesAfterOthers = data.length >= LARGE_CHUNK_BYTES && this.#reading.inTurn(this.#readOn)
    if (this.#closing) return
    // The time that a request may take to arrive counts from its first byte.
    if (this.#received.length === 0 && this.#incoming === undefined) this.waitingSince = this.#server.clock.milliseconds
    this.#server.chunksReceived++
    this.#isNew = false
    this.#received.add(data)
    if (comesAfterOthers) {
      this.#received.copy()
      this.#count()
    } else this.#advance()
  }

  readonly #readOn = (): boolean => {
    if (!this.#closing) this.#advance()
    return !this.#unsent.closed
  }

  /** The client has stopped sending; it may still wait for responses. */
  endInput(): void {
    this.#inputEnded = true
    this.#advance()
    if (this.#responding) this.#probe.soon()
  }

  /** The socket can take more. */
  drain(): void {
    if (this.#unsent.length === 0) return
    this.#unsent.sendRest()
    this.waitingSince = this.#server.clock.milliseconds
    this.#advanceInTurn()
  }

  /** Responds to the requests that came while responses were paused. */
  resumeResponses(): void {
    if (!this.#closing) this.#advanceInTurn()
  }

  /** Closes the connection, without losing what the socket has taken. */
  end(): void {
    this.onClosed()
    this.#socket.end()
  }

  /** It has been waiting for too long. */
  timeOut(): void {
    // It is the client that waits, for a response that is not ready.
    if (this.#queued || (this.#responding && this.#unsent.length === 0)) return
    // A socket reports that it can take more only when much of its buffer is free, so a slow reader may have read some.
    const before = this.#unsent.length
    this.drain()
    if (this.#unsent.length < before) return
    // The last response may still be on its way; everything else is cut off.
    if (this.#closing && this.#unsent.length === 0) this.end()
    else if (this.#unsent.length === 0 && !this.#server.responsesPaused) this.#refuseLate()
    else this.terminate()
  }

  terminate(): void {
    this.onClosed()
    this.#socket.terminate()
  }

  /**
   * The socket is closed, or about to be. Code that closes it calls this, and does not wait for the event: there is none for a
   * socket on which reading is paused and writing has failed.
   */
  onClosed(): void {
    this.#startClosing()
    this.#unsent.close()
    this.#count()
    this.#server.onClosed(this)
    this.#abort?.abort()
  }

  /** Called now and then: while reading is paused, a client that has closed its socket is not noticed otherwise. */
  probePaused(): void {
    if (this.#reading.isPaused && this.#probe.way === 'interim') this.#probe.now()
  }

  /** Calls #advance, in a later turn if this one has no time left. */
  #advanceInTurn(): void {
    if (this.#received.length > 0 && !this.#server.turns.hasTime()) this.#enqueue()
    this.#advance()
  }

  #enqueue(): void {
    if (this.#queued) return
    this.#queued = true
    this.#server.turns.enqueue(() => {
      this.#queued = false
      if (!this.#unsent.closed) this.#advance()
      return false
    })
  }

  get #mayRespond(): boolean {
    return (
      !this.#responding &&
      this.#unsent.length === 0 &&
      !this.#closing &&
      !this.#queued &&
      !this.#server.responsesPaused &&
      !this.#unsent.closed
    )
  }

  /** Called after every event: responds to as many requests as possible, then reads on, waits or closes. */
  #advance(): void {
    if (this.#responding) this.#unsent.wake()
    // Batch after batch, as long as the client takes all of each.
    while (this.#mayRespond) {
      out.reset()
      const isMoreLeft = this.#fillBatch()
      this.#sendBatch()
      if (!isMoreLeft || this.#unsent.length > 0) break
      if (!this.#server.turns.hasTime()) this.#enqueue()
    }
    this.#received.copy()
    if (this.#unsent.closed || !this.#count()) return
    if (this.#responding || this.#queued || this.#unsent.length > 0) this.#reading.limit(this.#received.length)
    else if (this.#closing) this.#close()
    else if (this.#server.responsesPaused) this.#reading.limit(this.#received.length)
    else if (this.#inputEnded) this.end()
    else {
      this.#lastHead = undefined
      this.#reading.resume()
    }
  }

  /** Responds to requests until the batch or the turn is over (then true), or until there is none to respond to (then false). */
  #fillBatch(): boolean {
    do {
      if (!(this.#incoming === undefined ? this.#takeHead() : this.#takeBody(this.#incoming))) return false
      if (this.#closing || this.#responding || this.#received.length === 0) return false
    } while (out.length < BATCH_BYTES && !out.endsWithBody && this.#server.turns.hasTime())
    return true
  }

  /** Takes the next head, and responds if no body is read for it. False if the head is incomplete. */
  #takeHead(): boolean {
    const { shortcut, draining, clock } = this.#server
    const taken = draining ? 0 : (shortcut?.respond(this.#received.bytes, out, clock.date, this) ?? 0)
    if (taken > 0) {
      this.#received.consume(taken)
      return true
    }
    const text = this.#received.peek()
    const length = headLength(text)
    if (length === undefined) {
      const problem = text === '' ? undefined : partialProblem(text, this.#inputEnded)
      if (problem !== undefined) this.#refuse(problem, text)
      return false
    }
    this.#received.consume(length)
    const head = parseHead(text.slice(0, length))
    if ('kind' in head) this.#refuse(head, text)
    else if (head.method === 'GET' || head.method === 'HEAD') {
      const start = out.length
      this.#respond(head)
      const isWhole = !this.#closing && !this.#responding && !out.endsWithBody
      if (isWhole) shortcut?.learn(text.slice(0, length), head, out.bytes.subarray(start, out.length), clock.date, this)
    } else this.#respondToBody(head)
    return true
  }

  /** Responds to a request that may have a body; if the handler reads it, not before it has been received. */
  #respondToBody(head: RequestHead): void {
    const max = this.#server.handler.maxBody?.(head)
    if (max === undefined) {
      this.#respond(head)
      return
    }
    const body = new RequestBody(head.headers, max)
    const isAwaited = !body.isComplete && body.problem === undefined && this.#received.length === 0
    if (isAwaited && !head.http10 && head.headers.get('expect')?.toLowerCase() === '100-continue') out.addContinue()
    this.#incoming = { head, body }
    if (this.#received.length === 0) this.#takeBody(this.#incoming)
  }

  /** Takes what has arrived of a body, and responds when it is complete. False if it is not. */
  #takeBody(incoming: Incoming): boolean {
    const { head, body } = incoming
    const taken = body.take(this.#received.bytes)
    this.#received.consume(taken)
    this.waitingSince = Math.min(
      this.waitingSince + taken / BODY_BYTES_PER_MILLISECOND,
      this.#server.clock.milliseconds,
    )
    if (this.#inputEnded && this.#received.length === 0) body.end()
    if (body.problem !== undefined) this.#refuse(body.problem, `${head.method} ${head.path} `)
    else if (body.isComplete) {
      this.#incoming = undefined
      this.#respond({ ...head, body: body.bytes })
    }
    return this.#incoming === undefined
  }

  /**
   * Closing a socket while the client is still sending resets the connection, and the client loses the responses that
   * it has not read yet. So only our direction is shut, until the client closes too (RFC 9112, section 9.6).
   */
  #close(): void {
    this.#reading.resume()
    if (this.#inputEnded) this.end()
    else this.#socket.shutdown()
  }

  #respond(head: RequestHead): void {
    this.#lastHead = head
    const response = this.#server.handler.respond(head, this)
    if (response instanceof Promise || isStreamed(response.body)) this.#respondLater(response, head)
    else {
      this.#abort = undefined
      this.#write(response, head)
    }
  }

  #write(response: HttpResponse, head: RequestHead): void {
    const { http10, method } = head
    const { body } = response
    // HTTP/1.0 has no chunks: a body of unknown length ends where the connection does.
    const endsWithConnection = http10 && body !== undefined && body.length === undefined
    // A client that is refused because too much is kept for clients would send its next request at once.
    const last = this.#server.draining || endsWithConnection || response.status === 503 || !staysOpen(head)
    out.add(response, method !== 'HEAD', last ? CLOSE : http10 ? KEEP_ALIVE : '', this.#server.clock.date, http10)
    if (last) this.#startClosing()
  }

  #refuse(problem: WireProblem, text: string): void {
    const path = READABLE_PATH.exec(text)?.[1] ?? '/'
    const response = this.#server.handler.refuse(problem, path, this)
    out.add(response, !text.startsWith('HEAD '), CLOSE, this.#server.clock.date)
    this.#startClosing()
  }

  /** Refuses the request of which only the beginning has arrived in time. */
  #refuseLate(): void {
    this.#refuseAlone({ kind: 'request-timeout', seconds: this.#server.requestMilliseconds / 1_000 })
  }

  /** Refuses the request that is being received, outside of a batch. */
  #refuseAlone(problem: WireProblem): void {
    out.reset()
    const head = this.#incoming?.head
    this.#refuse(problem, head === undefined ? this.#received.peek() : `${head.method} ${head.path} `)
    this.#sendBatch()
    this.#advance()
  }

  #startClosing(): void {
    this.#closing = true
    this.#incoming?.body.drop()
    this.#incoming = undefined
    this.#received.clear()
  }

  async #respondLater(response: HttpResponse | Promise<HttpResponse>, head: RequestHead): Promise<void> {
    this.#responding = true
    this.#probe.way = head.http10 ? 'end' : 'interim'
    if (this.#inputEnded) this.#probe.soon()
    try {
      await this.#delivery.deliver(await response, head)
    } catch (error) {
      // A response that nobody waits for may fail in any way.
      if (this.#unsent.closed) return
      // Only a reset shows the client that the response is incomplete.
      this.terminate()
      this.#server.handler.onFailure?.(error, head)
    }
    if (this.#unsent.closed) return
    this.#responding = false
    this.#probe.way = 'none'
    this.#abort = undefined
    this.waitingSince = this.#server.clock.milliseconds
    this.#advance()
  }

  #sendBatch(): void {
    if (out.length === 0) return
    out.sendTo(this.#unsent)
    this.waitingSince = this.#server.clock.milliseconds
  }

  #clientOf(head: RequestHead | undefined): string {
    const { clientOf } = this.#server.handler
    return (head === undefined || clientOf === undefined ? this.peer : clientOf(head, this)) ?? ''
  }

  /** Counts the bytes that are kept for the client. One that has used up its budget and needs still more is refused (then false). */
  #count(): boolean {
    const incoming = this.#incoming
    const kept = this.#received.kept + this.#unsent.kept + (incoming === undefined ? 0 : incoming.body.kept)
    if (kept === this.#kept.counted) return true
    const clientOf = () => this.#clientOf(incoming?.head ?? this.#lastHead)
    const isBody = incoming !== undefined || this.#reading.waitsForTurn
    const refusal = this.#kept.count(kept, clientOf, this.#canBeCutOff, isBody)
    if (refusal === undefined) return true
    if (this.#responding || this.#unsent.length > 0) this.terminate()
    else this.#refuseAlone(refusal)
    return false
  }

  /** False for a stream, which has its place; unless many requests are sent after it. */
  get #canBeCutOff(): boolean {
    return !this.#closing && (!this.#delivery.isStreaming || this.#received.length > MAX_WAITING_BYTES)
  }
}
