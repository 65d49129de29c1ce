// One connection: takes requests from what arrives, responds in order, and never runs ahead of a slow reader.
import type { Socket } from 'bun'
import { type ConnectionInfo, type HttpResponse, isStreamed } from '../exchange.ts'
import { ReceiveBuffer } from './receive-buffer.ts'
import { type HeadProblem, headLength, parseHead, partialProblem, type RequestHead, staysOpen } from './request-head.ts'
import { ResponseBuffer } from './response-buffer.ts'
import { SendBuffer, sendStream } from './send-buffer.ts'
import type { ServerState } from './server-state.ts'

/** Responses to pipelined requests are sent in batches of about this many bytes. */
const BATCH_BYTES = 1 << 18
/** Once this many bytes of requests wait, no more is read from the client. */
const MAX_WAITING_BYTES = 1 << 16
/** What a refusal repeats of a request: the beginning of its path, without the query. */
const READABLE_PATH = /^[^ \r\n]+ (\/[\x21-\x3e\x40-\x7e]{0,200})/
const CLOSE = 'Connection: close\r\n'
const KEEP_ALIVE = 'Connection: keep-alive\r\n'

// It is filled and sent within one turn of the event loop, so all connections can share it.
const out = new ResponseBuffer()

export class Connection implements ConnectionInfo {
  readonly #server: ServerState
  readonly #socket: Socket<Connection>
  readonly #received = new ReceiveBuffer()
  readonly #unsent: SendBuffer
  #isNew = true
  #readingPaused = false
  /** The client sends no more. */
  #inputEnded = false
  /** The last response has been written; what the client still sends is ignored. */
  #closing = false
  /** A promised or streamed response is under way; further requests wait for its end. */
  #responding = false
  /** Since when it has been waiting: for a request, for the rest of one, or for the client to read. */
  waitingSince: number

  constructor(server: ServerState, socket: Socket<Connection>) {
    this.#server = server
    this.#socket = socket
    this.#unsent = new SendBuffer(socket)
    this.waitingSince = server.clock.milliseconds
  }

  get peer(): string {
    return this.#socket.remoteAddress
  }

  get listeningUrl(): string {
    return this.#server.url
  }

  /** Nothing has been received yet. */
  get isNew(): boolean {
    return this.#isNew
  }

  /** In the middle of a request or of a response. */
  get busy(): boolean {
    return this.#received.length > 0 || this.#unsent.length > 0 || this.#responding
  }

  /** Open, and waiting for the first byte of a request. */
  get idle(): boolean {
    return !this.busy && !this.#closing
  }

  receive(data: Buffer): void {
    if (this.#closing) return
    // The time that a request may take to arrive counts from its first byte.
    if (this.#received.length === 0) this.waitingSince = this.#server.clock.milliseconds
    this.#server.chunksReceived++
    this.#isNew = false
    this.#received.add(data)
    this.#advance()
  }

  /** The client has stopped sending; it may still wait for responses. */
  endInput(): void {
    this.#inputEnded = true
    this.#advance()
  }

  /** The socket can take more. */
  drain(): void {
    if (this.#unsent.length === 0) return
    this.#unsent.sendRest()
    this.waitingSince = this.#server.clock.milliseconds
    this.#advance()
  }

  /** Responds to the requests that came while responses were paused. */
  resumeResponses(): void {
    if (!this.#closing) this.#advance()
  }

  /** Closes the connection while it is idle. */
  end(): void {
    this.#closing = true
    this.#socket.end()
  }

  /** It has been waiting for too long. */
  timeOut(): void {
    // It is the client that waits, for a response that is not ready.
    if (this.#responding && this.#unsent.length === 0) return
    // A socket reports that it can take more only when much of its buffer is free, so a slow reader may have read some.
    const before = this.#unsent.length
    this.drain()
    if (this.#unsent.length < before) return
    // The last response may still be on its way; everything else is cut off.
    if (this.#closing && this.#unsent.length === 0) this.#socket.end()
    else this.terminate()
  }

  terminate(): void {
    this.onClosed()
    this.#socket.terminate()
  }

  /** The socket is closed. */
  onClosed(): void {
    this.#unsent.close()
  }

  /** Called after every event: responds to what has been received as far as possible, then reads on, waits or closes. */
  #advance(): void {
    if (this.#responding) this.#unsent.wake()
    // Batch after batch, as long as the client takes all of each.
    while (!this.#responding && this.#unsent.length === 0 && !this.#closing && !this.#server.responsesPaused) {
      out.reset()
      const batchIsFull = this.#fillBatch()
      this.#send(out.bytes, out.length)
      if (!batchIsFull) break
    }
    this.#received.copy()
    if (this.#responding || this.#unsent.length > 0) this.#limitReading()
    else if (this.#closing) this.#close()
    else if (this.#server.responsesPaused) this.#limitReading()
    else if (this.#inputEnded) this.end()
    else this.#resumeReading()
  }

  /** Responds to requests until the batch is full (then true), or until there is none to respond to (then false). */
  #fillBatch(): boolean {
    while (out.length < BATCH_BYTES) {
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
      else this.#respond(head)
      if (this.#closing || this.#responding || this.#received.length === 0) return false
    }
    return true
  }

  #limitReading(): void {
    if (this.#received.length < MAX_WAITING_BYTES || this.#readingPaused) return
    this.#readingPaused = true
    this.#socket.pause()
  }

  #resumeReading(): void {
    if (!this.#readingPaused) return
    this.#readingPaused = false
    this.#socket.resume()
  }

  /**
   * Closing a socket while the client is still sending resets the connection, and the client loses the responses that
   * it has not read yet. So only our direction is shut, until the client closes too (RFC 9112, section 9.6).
   */
  #close(): void {
    this.#resumeReading()
    if (this.#inputEnded) this.#socket.end()
    else this.#socket.shutdown()
  }

  #respond(head: RequestHead): void {
    const response = this.#server.handler.respond(head, this)
    if (response instanceof Promise || isStreamed(response.body)) this.#respondLater(response, head)
    else this.#write(response, head)
  }

  #write(response: HttpResponse, head: RequestHead): void {
    const { http10, method } = head
    // HTTP/1.0 has no chunks: a body of unknown length ends where the connection does.
    const endsWithConnection = http10 && response.body !== undefined && response.body.length === undefined
    const last = this.#server.draining || endsWithConnection || !staysOpen(head)
    out.add(response, method !== 'HEAD', last ? CLOSE : http10 ? KEEP_ALIVE : '', this.#server.clock.date, http10)
    if (last) this.#startClosing()
  }

  #refuse(problem: HeadProblem, text: string): void {
    const path = READABLE_PATH.exec(text)?.[1] ?? '/'
    const response = this.#server.handler.refuse(problem, path, this)
    out.add(response, !text.startsWith('HEAD '), CLOSE, this.#server.clock.date)
    this.#startClosing()
  }

  #startClosing(): void {
    this.#closing = true
    this.#received.clear()
  }

  async #respondLater(response: HttpResponse | Promise<HttpResponse>, head: RequestHead): Promise<void> {
    this.#responding = true
    try {
      await this.#deliver(await response, head)
    } catch (error) {
      // Only a reset shows the client that the response is incomplete.
      this.terminate()
      this.#server.handler.onFailure?.(error, head)
    }
    if (this.#unsent.closed) return
    this.#responding = false
    this.waitingSince = this.#server.clock.milliseconds
    this.#advance()
  }

  async #deliver(response: HttpResponse, head: RequestHead): Promise<void> {
    if (!(await this.#unsent.waitUntil(() => this.#unsent.length === 0 && !this.#server.responsesPaused))) return
    out.reset()
    this.#write(response, head)
    const { status, body } = response
    if (!(await this.#sendAll(out.bytes, out.length)) || !isStreamed(body)) return
    if (head.method === 'HEAD' || status === 304) return
    await sendStream(body, body.length === undefined && !head.http10, (bytes) => this.#sendAll(bytes, bytes.length))
  }

  /** Resolves when the client has taken the bytes, or to false when it is gone. */
  #sendAll(bytes: Uint8Array, length: number): Promise<boolean> {
    this.#send(bytes, length)
    return this.#unsent.waitUntil(() => this.#unsent.length === 0)
  }

  #send(bytes: Uint8Array, length: number): void {
    if (length === 0) return
    this.#unsent.send(bytes, length)
    this.waitingSince = this.#server.clock.milliseconds
  }
}
