// One connection: gathers requests out of what arrives, answers them in order, and never runs ahead of a slow reader.
import type { Socket } from 'bun'
import { type Connection as ClientInfo, type HttpResponse, isStreamed } from '../exchange.ts'
import { Inbox } from './inbox.ts'
import { Outbox } from './outbox.ts'
import { type HeadProblem, headLength, parseHead, partialProblem, type RequestHead, staysOpen } from './request-head.ts'
import { ResponseBuffer } from './response-buffer.ts'
import type { ServerState } from './server-state.ts'
import { sendStream } from './stream.ts'

/** Pipelined answers are sent in pieces of about this size. */
const ENOUGH = 1 << 18
/** Once this much waits to be answered, no more is read from the client. */
const MAX_WAITING = 1 << 16
/** What of a refused request can be told back: the beginning of its path, without its query. */
const READABLE_PATH = /^[^ \r\n]+ (\/[\x21-\x3e\x40-\x7e]{0,200})/
const CLOSE = 'Connection: close\r\n'
const KEEP_ALIVE = 'Connection: keep-alive\r\n'

// Written to and sent within one turn of the event loop, so that one will do for all connections.
const out = new ResponseBuffer()

export class Connection implements ClientInfo {
  readonly #host: ServerState
  readonly #socket: Socket<Connection>
  readonly #received = new Inbox()
  readonly #unsent: Outbox
  #silent = true
  #paused = false
  /** The client sends no more. */
  #heardAll = false
  /** The last answer has been given. */
  #ending = false
  /** An answer is being prepared or streamed, and nothing else is answered meanwhile. */
  #answering = false
  /** Since when it has been waiting: for a request, for the rest of one, or for the client to read. */
  waitingSince: number

  constructor(host: ServerState, socket: Socket<Connection>) {
    this.#host = host
    this.#socket = socket
    this.#unsent = new Outbox(socket)
    this.waitingSince = host.clock.milliseconds
  }

  get peer(): string {
    return this.#socket.remoteAddress
  }

  get own(): string {
    return this.#host.own
  }

  /** Waiting for a request of which nothing has come yet. */
  get idle(): boolean {
    return this.#received.length === 0 && this.#unsent.length === 0 && !this.#ending && !this.#answering
  }

  /** Just made: nothing has come on it yet. */
  get silent(): boolean {
    return this.#silent
  }

  /** In the middle of a request or of an answer. */
  get busy(): boolean {
    return this.#received.length > 0 || this.#unsent.length > 0 || this.#answering
  }

  receive(data: Buffer): void {
    // What comes after the last answer is not looked at.
    if (this.#ending) return
    // How long the rest of a request may take counts from its beginning.
    if (this.#received.length === 0) this.waitingSince = this.#host.clock.milliseconds
    this.#host.heard++
    this.#silent = false
    this.#received.add(data)
    this.#goOn()
  }

  /** The socket takes more. */
  drain(): void {
    if (this.#unsent.length === 0) return
    this.#unsent.sendRest()
    this.waitingSince = this.#host.clock.milliseconds
    this.#goOn()
  }

  /** Answers what was held back. */
  release(): void {
    if (!this.#ending) this.#goOn()
  }

  /** The client stopped sending; it may still wait for its answers. */
  heardAll(): void {
    this.#heardAll = true
    this.#goOn()
  }

  /** Ends it while no request is there. */
  end(): void {
    this.#ending = true
    this.#socket.end()
  }

  /** It has been waited for long enough. */
  giveUp(): void {
    // It is the client that waits, for what is not ready yet.
    if (this.#answering && this.#unsent.length === 0) return
    // A socket calls for more only when much of what it holds is gone; by then a slow reader may long have been reading.
    const before = this.#unsent.length
    this.drain()
    if (this.#unsent.length < before) return
    // The last answer may still be on its way; all else is cut off.
    if (this.#ending && this.#unsent.length === 0) this.#socket.end()
    else this.terminate()
  }

  terminate(): void {
    this.gone()
    this.#socket.terminate()
  }

  /** The socket is closed. */
  gone(): void {
    this.#unsent.close()
  }

  /** Answers all requests that are there, as long as the client takes the answers and they are not held back. */
  #goOn(): void {
    if (this.#answering) this.#unsent.wake()
    while (this.#unsent.length === 0 && !this.#host.holding && !this.#ending && !this.#answering) {
      out.reset()
      const more = this.#answerSome()
      this.#send(out.bytes, out.length)
      if (!more) break
    }
    this.#received.keep()
    if (this.#answering || this.#unsent.length > 0 || (this.#host.holding && !this.#ending)) this.#readNoMore()
    else if (this.#ending) this.#close()
    else if (this.#heardAll) this.end()
    else this.#readOn()
  }

  #readNoMore(): void {
    if (this.#received.length < MAX_WAITING || this.#paused) return
    this.#paused = true
    this.#socket.pause()
  }

  #readOn(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#socket.resume()
  }

  /**
   * To close a socket resets the connection if the client is still sending, and takes from it the answers that it has
   * not read yet. So the socket is only shut, and closed when the client has closed it too (RFC 9112, section 9.6).
   */
  #close(): void {
    this.#readOn()
    if (this.#heardAll) this.#socket.end()
    else this.#socket.shutdown()
  }

  /** Whether it stopped because there is enough to send, and not because there is nothing more to answer. */
  #answerSome(): boolean {
    while (out.length < ENOUGH) {
      const text = this.#received.beginning()
      const length = headLength(text)
      if (length === undefined) {
        const problem = text === '' ? undefined : partialProblem(text, this.#heardAll)
        if (problem !== undefined) this.#refuse(problem, text)
        return false
      }
      this.#received.take(length)
      const head = parseHead(text.slice(0, length))
      if ('kind' in head) this.#refuse(head, text)
      else this.#answer(head)
      if (this.#ending || this.#answering || this.#received.length === 0) return false
    }
    return true
  }

  #answer(head: RequestHead): void {
    const answer = this.#host.handler.answer(head, this)
    if (answer instanceof Promise || isStreamed(answer.body)) this.#answerLater(answer, head)
    else this.#give(answer, head)
  }

  #give(answer: HttpResponse, head: RequestHead): void {
    const { http10, method } = head
    const endless = http10 && answer.body !== undefined && answer.body.length === undefined
    const last = this.#host.leaving || endless || !staysOpen(head)
    out.add(answer, method !== 'HEAD', last ? CLOSE : http10 ? KEEP_ALIVE : '', this.#host.clock.date, http10)
    if (last) this.#finish()
  }

  async #answerLater(answer: HttpResponse | Promise<HttpResponse>, head: RequestHead): Promise<void> {
    this.#answering = true
    try {
      await this.#deliver(await answer, head)
    } catch (error) {
      // A connection that is reset is the only sign that what was sent so far is not all.
      this.terminate()
      this.#host.handler.failed?.(error, head)
    }
    if (this.#unsent.gone) return
    this.#answering = false
    this.waitingSince = this.#host.clock.milliseconds
    this.#goOn()
  }

  async #deliver(answer: HttpResponse, head: RequestHead): Promise<void> {
    if (!(await this.#unsent.until(() => this.#unsent.length === 0 && !this.#host.holding))) return
    out.reset()
    this.#give(answer, head)
    const { status, body } = answer
    if (!(await this.#sendAll(out.bytes, out.length)) || !isStreamed(body)) return
    if (head.method === 'HEAD' || status === 304) return
    await sendStream(body, body.length === undefined && !head.http10, (bytes) => this.#sendAll(bytes, bytes.length))
  }

  #sendAll(bytes: Uint8Array, length: number): Promise<boolean> {
    this.#send(bytes, length)
    return this.#unsent.until(() => this.#unsent.length === 0)
  }

  #refuse(problem: HeadProblem, text: string): void {
    const path = READABLE_PATH.exec(text)?.[1] ?? '/'
    const answer = this.#host.handler.refuse(problem, path)
    out.add(answer, !text.startsWith('HEAD '), CLOSE, this.#host.clock.date)
    this.#finish()
  }

  #finish(): void {
    this.#ending = true
    this.#received.clear()
  }

  #send(bytes: Uint8Array, length: number): void {
    if (length === 0) return
    this.#unsent.send(bytes, length)
    this.waitingSince = this.#host.clock.milliseconds
  }
}
