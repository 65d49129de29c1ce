// One connection: gathers requests out of what arrives, answers them in order, and never runs ahead of a slow reader.
import type { Socket } from 'bun'
import type { Answer, Connection as Asker } from '../exchange.ts'
import { AnswerBuffer } from './answer-bytes.ts'
import { HEAD_LIMITS, type HeadProblem, headLength, parseHead, type RequestHead, staysOpen } from './request-head.ts'

export type Handler = {
  readonly answer: (asked: RequestHead, connection: Asker) => Answer
  /** The path is as much of it as could be read. */
  readonly refuse: (problem: HeadProblem, path: string) => Answer
}

/** What all connections of a server share. */
export type Host = {
  readonly handler: Handler
  /** The address under which it listens. */
  own: string
  /** The time, and as HTTP writes it: kept by the server, so that no request has to ask for it. */
  readonly clock: { milliseconds: number; date: string }
  /** Every answer is the last one on its connection. */
  leaving: boolean
  /** Requests are taken in, and not answered for now. */
  holding: boolean
  /** How often anything was received. */
  heard: number
}

/** Pipelined answers are sent in pieces of about this size. */
const ENOUGH = 1 << 18
/** More than this is not taken in while the client does not read. */
const MOST_WAITING = 1 << 20
const NOTHING = Buffer.alloc(0)
/** What of a refused request can be told back: the beginning of its path, without its query. */
const READABLE_PATH = /^[^ \r\n]+ (\/[\x21-\x3e\x40-\x7e]{0,200})/
const CLOSE = 'Connection: close\r\n'
const KEEP_ALIVE = 'Connection: keep-alive\r\n'
const CR = 0x0d
const LF = 0x0a

// Written to and sent within one turn of the event loop, so that one will do for all connections.
const out = new AnswerBuffer()

export class Connection implements Asker {
  readonly #host: Host
  readonly #socket: Socket<Connection>
  #received: Buffer = NOTHING
  #unsent: Buffer = NOTHING
  #ending = false
  /** Since when it has been waiting: for a request, for the rest of one, or for the client to read. */
  waitingSince: number

  constructor(host: Host, socket: Socket<Connection>) {
    this.#host = host
    this.#socket = socket
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
    return this.#received.length === 0 && this.#unsent.length === 0 && !this.#ending
  }

  receive(data: Buffer): void {
    // Nothing more is read once the last answer is on its way.
    if (this.#ending) return
    const partial = this.#received.length > 0
    // How long the rest of a request may take counts from its beginning.
    if (!partial) this.waitingSince = this.#host.clock.milliseconds
    this.#host.heard++
    if (this.#unsent.length === 0 && !this.#host.holding) {
      this.#received = partial ? Buffer.concat([this.#received, data]) : data
      this.#work()
    } else if (this.#received.length < MOST_WAITING) {
      this.#received = Buffer.concat([this.#received, data])
    } else {
      // Who goes on asking without reading the answers has had its chance.
      this.terminate()
    }
  }

  /** The socket takes more. */
  drain(): void {
    this.#send(this.#unsent, this.#unsent.length)
    if (this.#unsent.length > 0) return
    if (this.#ending) this.#socket.end()
    else if (this.#received.length > 0) this.#work()
  }

  /** Answers what was held back. */
  release(): void {
    if (this.#received.length > 0 && this.#unsent.length === 0 && !this.#ending) this.#work()
  }

  /** Ends it in an orderly way, after what is still to be sent. */
  end(): void {
    if (this.#ending) return
    this.#ending = true
    if (this.#unsent.length === 0) this.#socket.end()
  }

  terminate(): void {
    this.#socket.terminate()
  }

  /** Answers all requests that are there, as long as the client takes the answers. */
  #work(): void {
    for (;;) {
      out.reset()
      const more = this.#answerSome()
      this.#send(out.bytes, out.length)
      if (this.#ending) {
        if (this.#unsent.length === 0) this.#socket.end()
        return
      }
      if (!more || this.#unsent.length > 0) break
    }
    // What is left belongs to the event loop's buffer, which is used again.
    if (this.#received.length > 0) this.#received = Buffer.from(this.#received)
  }

  /** Whether it stopped because there is enough to send, and not because there is nothing more to answer. */
  #answerSome(): boolean {
    while (out.length < ENOUGH) {
      this.#skipEmptyLine()
      const text = this.#received.toString('latin1', 0, Math.min(this.#received.length, HEAD_LIMITS.bytes))
      const length = headLength(text)
      if (length === undefined) {
        if (text.length === HEAD_LIMITS.bytes)
          this.#refuse({ kind: 'headers-too-large', most: `${HEAD_LIMITS.bytes} bytes` }, text)
        return false
      }
      this.#received = length === this.#received.length ? NOTHING : this.#received.subarray(length)
      const head = parseHead(text.slice(0, length))
      if ('kind' in head) this.#refuse(head, text)
      else this.#answer(head)
      if (this.#ending || this.#received.length === 0) return false
    }
    return true
  }

  /** RFC 9112 wants an empty line before a request to be overlooked: some clients send one after a body. */
  #skipEmptyLine(): void {
    if (this.#received[0] === CR && this.#received[1] === LF) this.#received = this.#received.subarray(2)
  }

  #answer(head: RequestHead): void {
    const { handler, clock } = this.#host
    const answer = handler.answer(head, this)
    const last = this.#host.leaving || !staysOpen(head)
    out.add(answer, head.method !== 'HEAD', last ? CLOSE : head.http10 ? KEEP_ALIVE : '', clock.date)
    if (last) this.#finish()
  }

  #refuse(problem: HeadProblem, text: string): void {
    const path = READABLE_PATH.exec(text)?.[1] ?? '/'
    out.add(this.#host.handler.refuse(problem, path), true, CLOSE, this.#host.clock.date)
    this.#finish()
  }

  #finish(): void {
    this.#ending = true
    this.#received = NOTHING
  }

  /** Sends the first bytes of a buffer, and keeps what the socket does not take. */
  #send(bytes: Buffer, length: number): void {
    if (length === 0) return
    const sent = this.#socket.write(bytes, 0, length)
    this.waitingSince = this.#host.clock.milliseconds
    // A socket that is gone takes nothing more.
    if (sent === length || sent < 0) this.#unsent = NOTHING
    else this.#unsent = bytes === this.#unsent ? bytes.subarray(sent) : Buffer.from(bytes.subarray(sent, length))
  }
}
