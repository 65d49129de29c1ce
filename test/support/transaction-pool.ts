// A stand-in for a connection pool of PostgreSQL in transaction mode: a client that begins a transaction gets the session of another idle client.
import { connect, createServer, type Server, type Socket } from 'node:net'

/** ReadyForQuery, outside of a transaction. */
const IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

type Session = { client: Socket; server: Socket; isIdle: boolean }

export class TransactionPool implements AsyncDisposable {
  readonly #listener: Server
  readonly #sessions = new Set<Session>()

  private constructor(port: number) {
    this.#listener = createServer((client) => this.#accept(client, connect(port, '127.0.0.1')))
  }

  static async to(port: number): Promise<TransactionPool> {
    const pool = new TransactionPool(port)
    await new Promise<void>((resolve) => pool.#listener.listen(0, '127.0.0.1', resolve))
    return pool
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client, server } of this.#sessions) for (const socket of [client, server]) socket.destroy()
    await new Promise((resolve) => this.#listener.close(resolve))
  }

  #accept(client: Socket, server: Socket): void {
    const session: Session = { client, server, isIdle: false }
    this.#sessions.add(session)
    const of = (socket: Socket) => [...this.#sessions].find((one) => one.server === socket)
    const end = () => {
      this.#sessions.delete(session)
      for (const socket of [session.client, session.server]) socket.destroy()
    }
    for (const socket of [client, server]) socket.on('error', end)
    client.on('close', end).on('data', (bytes) => {
      const other = [...this.#sessions].find((one) => one !== session && one.isIdle)
      if (session.isIdle && other !== undefined && bytes.includes('BEGIN'))
        [session.server, other.server] = [other.server, session.server]
      session.isIdle = false
      session.server.write(bytes)
    })
    server.on('data', (bytes: Buffer) => {
      const owner = of(server)
      if (owner === undefined) return
      owner.isIdle = bytes.subarray(-IDLE.length).equals(IDLE)
      owner.client.write(bytes)
    })
  }
}
