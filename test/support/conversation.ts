// One connection that is kept open for one request after the other, for walks of many thousand pages.
import type { Socket } from 'bun'
import { type HttpResponse, message, parseResponse } from './wire.ts'

const PATIENCE_SECONDS = 50

export class Conversation implements Disposable {
  readonly #host: string
  #socket: Socket | undefined
  #received: Buffer = Buffer.alloc(0)
  #waiting: PromiseWithResolvers<HttpResponse> | undefined

  private constructor(host: string) {
    this.#host = host
  }

  static async with(url: string): Promise<Conversation> {
    const { hostname, port, host } = new URL(url)
    const conversation = new Conversation(host)
    conversation.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, bytes) => conversation.#take(bytes),
        error: (_, error) => conversation.#fail(error),
        timeout: () => conversation.#fail(new Error('no whole response in time')),
        close: () => conversation.#fail(new Error('the server hung up')),
      },
    })
    return conversation
  }

  /** Must have its response before the next request is sent. */
  get(target: string): Promise<HttpResponse> {
    this.#waiting = Promise.withResolvers()
    this.#socket?.timeout(PATIENCE_SECONDS)
    this.#socket?.write(message('GET', target, `Host: ${this.#host}`))
    return this.#waiting.promise
  }

  [Symbol.dispose](): void {
    this.#waiting = undefined
    this.#socket?.end()
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#received, bytes])
    try {
      const found = parseResponse(this.#received, false)
      if (found === undefined) return
      if (found.length < this.#received.length) throw new Error('bytes without a request')
      this.#received = Buffer.alloc(0)
      this.#waiting?.resolve(found.response)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#waiting?.reject(error)
    this.#socket?.end()
  }
}
