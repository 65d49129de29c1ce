// One connection: gathers requests out of what arrives, answers them in order, and never runs ahead of a slow reader.
import type { Socket } from 'bun'
import { type Answer, AnswerBuffer } from './answer-bytes.ts'
import { HEAD_LIMITS, type HeadProblem, headLength, parseHead, type RequestHead } from './request-head.ts'

export type Handler = {
  readonly answer: (head: RequestHead, peer: () => string) => Answer
  readonly refuse: (problem: HeadProblem) => Answer
}

/** What all connections of a server share. */
export type Host = {
  readonly handler: Handler
  /** The time, and as HTTP writes it: kept by the server, so that no request has to ask for it. */
  readonly clock: { milliseconds: number; date: string }
  /** Every answer is the last one on its connection. */
  leaving: boolean
}

/** Pipelined answers are sent in pieces of about this size. */
const ENOUGH = 1 << 18
const NOTHING = Buffer.alloc(0)
const CR = 0x0d
const LF = 0x0a

// Written to and sent within one turn of the event loop, so that one will do for all connections.
const out = new AnswerBuffer()

export class Connection {
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
    this.#received = partial ? Buffer.concat([this.#received, data]) : data
    if (this.#unsent.length === 0) this.#work()
  }

  /** The socket takes more. */
  drain(): void {
    this.#send(this.#unsent)
    if (this.#unsent.length > 0) return
    if (this.#ending) this.#socket.end()
    else if (this.#received.length > 0) this.#work()
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
      this.#send(out.view)
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
          this.#refuse({ kind: 'headers-too-large', most: `${HEAD_LIMITS.bytes} bytes` })
        return false
      }
      this.#received = length === this.#received.length ? NOTHING : this.#received.subarray(length)
      const head = parseHead(text.slice(0, length))
      if ('kind' in head) this.#refuse(head)
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
    const { handler, leaving, clock } = this.#host
    const answer = handler.answer(head, () => this.#socket.remoteAddress)
    const last = leaving || head.hasBody || !head.keepAlive
    out.add(answer, head.method !== 'HEAD', last ? 'close' : head.http10 ? 'keep-alive' : '', clock.date)
    if (last) this.#finish()
  }

  #refuse(problem: HeadProblem): void {
    out.add(this.#host.handler.refuse(problem), true, 'close', this.#host.clock.date)
    this.#finish()
  }

  #finish(): void {
    this.#ending = true
    this.#received = NOTHING
  }

  #send(bytes: Buffer): void {
    if (bytes.length === 0) return
    const sent = this.#socket.write(bytes)
    // A socket that is gone takes nothing more.
    const rest = sent < 0 ? NOTHING : bytes.subarray(sent)
    this.#unsent = rest.length === 0 ? NOTHING : bytes === this.#unsent ? rest : Buffer.from(rest)
    this.waitingSince = this.#host.clock.milliseconds
  }
}
