// A proxy between two parts of a test, which can cut connections, refuse them, or hold bytes back.
import { connect, createServer, type Server, type Socket } from 'node:net'

export class TcpProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  readonly #to: number
  #isCut = false
  #isHeld = false
  /** Bytes that may still pass towards the server before all connections are cut. */
  #allowance = Number.POSITIVE_INFINITY
  #isLast: (message: string) => boolean = () => false
  #bytesPerSecond = Number.POSITIVE_INFINITY
  connections = 0
  /** Bytes that came from the server, and that went to it. */
  received = 0
  sent = 0
  /** How often `cutAfter` came into force. */
  cuts = 0

  private constructor(to: number) {
    this.#to = to
    this.#server = createServer((client) => this.#accept(client))
  }

  static async to(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Ends all connections, and refuses new ones until `mend`. */
  cut(): void {
    this.#isCut = true
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  /** Lets connections be, but nothing through them: as a network that loses everything. */
  hold(): void {
    this.#isHeld = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  /** Cuts once this many more bytes have gone to the server. */
  cutAfter(bytes: number): void {
    this.#allowance = bytes
  }

  /** Lets this many bytes a second through from the server. */
  slow(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond
  }

  /** Lets the first message that matches through to the server, and then cuts before its reply. */
  cutReplyTo(matches: (message: string) => boolean): void {
    this.#isLast = matches
  }

  mend(): void {
    this.#isLast = () => false
    this.#bytesPerSecond = Number.POSITIVE_INFINITY
    this.#isCut = false
    this.#isHeld = false
    this.#allowance = Number.POSITIVE_INFINITY
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(client: Socket): void {
    this.connections++
    client.on('error', () => {})
    if (this.#isCut) {
      client.destroy()
      return
    }
    const server = connect(this.#to, '127.0.0.1')
    const pair = [client, server] as const
    this.#pairs.add(pair)
    const end = () => {
      this.#pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    client.on('data', (bytes) => {
      this.#allowance -= bytes.length
      this.sent += bytes.length
      if (this.#isLast(bytes.toString('latin1'))) {
        this.cuts++
        this.#pairs.delete(pair)
        // An end and no reset, or the server might not read the last bytes.
        server
          .removeAllListeners()
          .on('error', () => {})
          .end(bytes)
        client
          .removeAllListeners()
          .on('error', () => {})
          .destroy()
        return
      }
      if (this.#allowance >= 0) {
        server.write(bytes)
        return
      }
      this.cuts++
      this.cut()
    })
    server.on('data', (bytes) => {
      this.received += bytes.length
      client.write(bytes)
      const wait = (bytes.length / this.#bytesPerSecond) * 1_000
      if (wait < 1) return
      server.pause()
      setTimeout(() => this.#isHeld || server.resume(), wait)
    })
    if (this.#isHeld) for (const socket of pair) socket.pause()
  }
}
