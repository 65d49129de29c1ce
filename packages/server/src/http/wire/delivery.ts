// Delivers the responses of a connection that are promised or streamed, at the pace of the client.
import { type ConnectionInfo, type HttpResponse, isStreamed, type Streamed } from '../exchange.ts'
import type { ClientProbe } from './client-probe.ts'
import type { RequestHead } from './request-head.ts'
import { type SendBuffer, sendStream } from './send-buffer.ts'
import type { ServerState } from './server-state.ts'

type DeliveryOptions = {
  readonly server: ServerState
  readonly connection: ConnectionInfo
  readonly unsent: SendBuffer
  readonly probe: ClientProbe
  /** Sends a response, but for a body that is streamed. */
  readonly send: (response: HttpResponse, head: RequestHead) => void
  /** Called when more has been sent. */
  readonly onSent: () => void
  /** Returns true if the client has stopped sending. */
  readonly hasInputEnded: () => boolean
  readonly clientOf: (head: RequestHead) => string
}

export class Delivery {
  readonly #options: DeliveryOptions
  #isStreaming = false

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** True while a response has a place among the streams. */
  get isStreaming(): boolean {
    return this.#isStreaming
  }

  async deliver(response: HttpResponse, head: RequestHead): Promise<void> {
    const { body } = response
    if (isStreamed(body) && head.method !== 'HEAD' && response.status !== 304) await this.#stream(response, body, head)
    else await this.#whole(response, head)
  }

  /** Sends the head, and the body if there is one that is not streamed. False if the client is gone. */
  async #whole(response: HttpResponse, head: RequestHead): Promise<boolean> {
    const { unsent, probe, server, send } = this.#options
    if (!(await unsent.waitUntil(() => unsent.length === 0 && !server.responsesPaused))) return false
    probe.way = 'none'
    send(response, head)
    return this.#allTaken()
  }

  async #stream(response: HttpResponse, body: Streamed, head: RequestHead): Promise<void> {
    const { server, connection, unsent, probe, hasInputEnded, clientOf } = this.#options
    const { budget, handler, turns } = server
    if (unsent.closed) return
    const client = clientOf(head)
    const problem = budget.takeStream(client)
    if (problem !== undefined) {
      await this.#whole(handler.refuse(problem, head.path, connection), head)
      return
    }
    this.#isStreaming = true
    const chunked = body.length === undefined && !head.http10
    const writer = {
      send: (bytes: Uint8Array, length: number) => {
        unsent.send(bytes, length)
        return this.#allTaken()
      },
      sendKept: (bytes: Uint8Array) => {
        unsent.sendKept(bytes)
        return this.#allTaken()
      },
      unlessClosed: <T>(promised: Promise<T>) => unsent.unlessClosed(promised),
    }
    try {
      if (!(await this.#whole(response, head))) return
      // If the client had stopped sending before, the head has been the probe.
      if (chunked && !hasInputEnded()) probe.way = 'zero'
      await sendStream(body, chunked, writer, turns)
    } finally {
      this.#isStreaming = false
      budget.giveStreamBack(client)
    }
  }

  /** Resolves when the client has taken all that was sent, or to false when it is gone. */
  #allTaken(): Promise<boolean> {
    const { unsent, onSent } = this.#options
    onSent()
    return unsent.waitUntil(() => unsent.length === 0)
  }
}
