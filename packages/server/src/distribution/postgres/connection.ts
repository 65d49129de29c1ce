// One connection with PostgreSQL: queries with a time limit, transactions, bulk copies and notifications.
//
// A connection that breaks is replaced. The client library would reconnect by itself, at once and without limit, and with several
// hosts would never report that none responds; so each host is tried here, with one socket.
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { COPY_HEADER, COPY_TRAILER, decodeTuples, encodeTuple } from '../../base/copy-format.ts'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import { ShelfAway, ShelfRefused, ShelfSilent } from '../shelf/shelf-failures.ts'
import { describeAddress, type ShelfAddress } from './address.ts'
import { dial, type Encryption, encryptionsOf } from './dial.ts'

export type PostgresOptions = {
  readonly address: ShelfAddress
  /** Called for each connection, so that another password needs no restart. */
  readonly password: () => string | undefined
  /** The name of the program on the server, at most 63 bytes. */
  readonly name: string
  /** True if the connection is for changes, which a standby does not accept. */
  readonly changes?: boolean
  readonly onNotify?: (channel: string, payload: string) => void
}

type Row = Readonly<Record<string, string | number | boolean | null>>
type Sql = import('postgres').Sql
/** A row of a copy. */
type Tuple = readonly Uint8Array[]

const QUERY_SECONDS = 30
/** Time limits for a copy without progress. The server writes a copy that is sent to its disk, which takes longer. */
const RECEIVING_SECONDS = 5
const SENDING_SECONDS = 30
const END_SECONDS = 1
const KEEP_ALIVE_SECONDS = 10

/** The reply of a server without TLS to a request for TLS. */
const NO_TLS = 'N'.charCodeAt(0)

export class ShelfConnection implements AsyncDisposable {
  readonly #sql: Sql
  readonly #where: string
  readonly #closed = Promise.withResolvers<void>()
  #socket: Socket | undefined
  #isClosed = false
  #offersTls = true

  private constructor(
    postgres: typeof import('postgres'),
    { address, name, onNotify = () => {} }: PostgresOptions,
    password: string | undefined,
    host: ShelfAddress['hosts'][number],
    encryption: Encryption,
  ) {
    this.#where = describeAddress(address)
    const options = {
      ...host,
      database: address.database,
      username: address.user,
      // A function, since the library would use PGPASSWORD if there is no password.
      password: () => password ?? '',
      socket: () => this.#dial(host, encryption),
      ssl: encryption as object | false,
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: address.connectSeconds,
      keep_alive: KEEP_ALIVE_SECONDS,
      fetch_types: false,
      connection: { application_name: name },
      onnotice: () => {},
      onnotify: onNotify,
      onclose: () => this.#markClosed(),
    }
    // The option `socket` is missing in the types of the library.
    this.#sql = postgres(options)
  }

  /** Tries every host with every encryption that sslmode allows; throws the last failure. */
  static async open(options: PostgresOptions): Promise<ShelfConnection> {
    const { address, changes = false } = options
    const password = options.password()
    const { default: postgres } = await import('postgres')
    let failure: OperationalError | undefined
    for (const host of address.hosts) {
      for (const encryption of encryptionsOf(address, host)) {
        const connection = new ShelfConnection(postgres, options, password, host, encryption)
        try {
          await connection.#checkServer(address, changes)
          return connection
        } catch (error) {
          await connection[Symbol.asyncDispose]()
          failure = connection.#offersTls
            ? explain(error, connection.#where)
            : new ShelfRefused(`${connection.#where} offers no TLS, and sslmode=${address.ssl.mode} requires it`)
          // With prefer, only a server without TLS is used without it.
          if (address.ssl.mode === 'prefer' ? connection.#offersTls : failure instanceof ShelfAway) break
        }
      }
    }
    throw failure ?? new ShelfAway(`${describeAddress(address)} names no host`)
  }

  async #checkServer({ connectSeconds }: ShelfAddress, changes: boolean): Promise<void> {
    const asking = this.#sql.unsafe<{ version: number; standby: boolean }[]>(
      "SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby",
    )
    const [server] = await this.#withTimeout(connectSeconds, asking, 'no connection with')
    if (server === undefined || server.version < OLDEST_VERSION)
      throw new ShelfRefused(`${this.#where} is PostgreSQL ${server?.version}; 15 or newer is needed`)
    // With target_session_attrs the library would search for a primary without end.
    if (changes && server.standby)
      throw new ShelfAway(`${this.#where} is a standby, which takes no changes; name its primary with --shelf`)
  }

  #dial(host: ShelfAddress['hosts'][number], encryption: Encryption): Socket {
    if (this.#socket !== undefined) throw new Error('the connection was closed')
    const socket = dial(host)
    if (encryption !== false)
      socket.once('data', ([reply]: Buffer) => {
        this.#offersTls = reply !== NO_TLS
        // The library would begin with TLS even so.
        if (reply === NO_TLS) socket.destroy()
      })
    this.#socket = socket
    return socket
  }

  /** Resolves when the connection ends. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  async query<R extends Row>(text: string, parameters: readonly unknown[] = [], seconds = QUERY_SECONDS): Promise<R[]> {
    this.#refuseIfClosed()
    const running = this.#sql.unsafe(text, parameters as never[]) as unknown as Promise<R[]>
    return [...(await this.#withTimeout(seconds, running))]
  }

  async transaction<T>(mode: string, run: () => Promise<T>): Promise<T> {
    await this.query(`BEGIN ${mode}`)
    try {
      const result = await run()
      await this.query('COMMIT')
      return result
    } catch (error) {
      if (!this.#isClosed) await this.query('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /** Yields the rows of a query, received in the binary format of COPY. */
  async *copyOut(query: string): AsyncGenerator<Buffer[]> {
    this.#refuseIfClosed()
    const copying = this.#sql.unsafe(`COPY (${query}) TO STDOUT (FORMAT binary)`).readable()
    const stream = await this.#withTimeout(RECEIVING_SECONDS, copying)
    const bytes = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    let isWhole = false
    try {
      yield* decodeTuples({
        next: async () => {
          const { done, value } = await this.#withTimeout(RECEIVING_SECONDS, bytes.next())
          isWhole = done === true
          return done === true ? undefined : value
        },
      })
    } finally {
      // The unread rest of a copy would keep the connection busy.
      if (!isWhole) this.destroy()
      // The library pauses the socket when rows arrive too fast, and at their end does not resume it.
      else if (!this.#isClosed) stream._read(0)
    }
  }

  /** Sends rows in the binary format of COPY. */
  async copyIn(into: string, rows: Iterable<Tuple> | AsyncIterable<Tuple>): Promise<void> {
    this.#refuseIfClosed()
    const copying = this.#sql.unsafe(`COPY ${into} FROM STDIN (FORMAT binary)`).writable()
    const stream = await this.#withTimeout(SENDING_SECONDS, copying)
    const stalled = setTimeout(() => this.destroy(), SENDING_SECONDS * 1_000)
    async function* bytes() {
      yield COPY_HEADER
      for await (const fields of rows) {
        stalled.refresh()
        yield encodeTuple(fields)
      }
      yield COPY_TRAILER
    }
    try {
      await Promise.race([pipeline(bytes, stream), this.#rejectWhenClosed()])
    } catch (error) {
      // A copy ends with all of its rows, or with the connection.
      this.destroy()
      throw explain(error, this.#where)
    } finally {
      clearTimeout(stalled)
    }
  }

  destroy(): void {
    this.#markClosed()
    this.#sql.end({ timeout: 0 }).catch(() => {})
    this.#socket?.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosed) await this.#sql.end({ timeout: END_SECONDS }).catch(() => {})
    this.destroy()
  }

  #markClosed(): void {
    this.#isClosed = true
    this.#closed.resolve()
  }

  #refuseIfClosed(): void {
    // Writing to a closed socket makes the library fail outside of any promise.
    if (this.#isClosed) throw new ShelfAway(`the connection with ${this.#where} was closed`)
  }

  #rejectWhenClosed = (): Promise<never> =>
    this.closed.then(() => {
      throw new ShelfAway(`the connection with ${this.#where} was closed`)
    })

  async #withTimeout<T>(seconds: number, running: Promise<T>, what = 'no response from'): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    // A large result takes time: only a connection without progress times out.
    const received = () => this.#socket?.bytesRead ?? 0
    let before = received()
    const timer = setInterval(() => {
      const isProgress = received() > before
      before = received()
      if (isProgress) return
      reject(new ShelfSilent(`${what} ${this.#where} within ${seconds} s`))
      this.destroy()
    }, seconds * 1_000)
    try {
      return await Promise.race([running, promise])
    } catch (error) {
      throw explain(error, this.#where)
    } finally {
      clearInterval(timer)
    }
  }
}

const OLDEST_VERSION = 150_000

/** Classes and codes of temporary errors: connections, resources, operator intervention, the system. */
const TEMPORARY = /^(?:08|53|57|58|25006|40)/

/** Error codes of TLS. */
const CERTIFICATE = /CERT|SIGNATURE|SELF_SIGNED/

/** Explains an error to an operator. Messages of servers and sockets never have the password. */
function explain(error: unknown, where: string): OperationalError {
  if (error instanceof OperationalError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const words = messageOf(error)
  const isOfServer = error instanceof Error && 'severity' in error
  if (CERTIFICATE.test(code)) return new ShelfRefused(`${where}: its certificate is refused: ${words} (${code})`)
  if (!isOfServer || TEMPORARY.test(code)) return new ShelfAway(`PostgreSQL is away: ${where}: ${words}`)
  if (code === '42501')
    return new ShelfRefused(`${where}: ${words}; this user lacks a role, see nomenclator shelf roles`)
  return new ShelfRefused(`${where}: ${words} (${code})`)
}
