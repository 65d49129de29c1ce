// An HTTP/1.1 server: accepts connections, times them out, and has the steps of a shutdown that loses no request.

import type { Socket, TCPSocketListener } from 'bun'
import type { Log, LogEvent } from '../../base/log.ts'
import { Budget, DEFAULT_BUDGET } from '../limits/budget.ts'
import { Metrics, type RefusalReason } from '../observation/metrics.ts'
import { overloaded } from '../problem.ts'
import { Connection } from './connection.ts'
import { connectionLimit, descriptorLimit, hasDescriptorLeft, RefusedConnections } from './connection-limit.ts'
import { ReadQueue } from './read-queue.ts'
import { ResponseBuffer } from './response-buffer.ts'
import type { Handler, ServerState, Shortcut } from './server-state.ts'
import { Turns } from './turns.ts'

export type ListenOptions = {
  readonly host: string
  readonly port: number
  /** True if other processes may listen on the same port and share its connections. */
  readonly shared?: boolean
  /** The default depends on the limit on open descriptors. */
  readonly maxConnections?: number | undefined
  readonly metrics?: Metrics
  readonly budget?: Budget
  readonly log?: Log
  readonly shortcut?: Shortcut | undefined
}

export const TIMEOUTS = {
  /** The time for a request to arrive whole, for a client to take a response, and for it to close after the last one. */
  requestMilliseconds: 15_000,
  /** The time until the next request on a connection that is kept open. */
  idleMilliseconds: 75_000,
}

/** A connection that was refused has no data. */
type ClientSocket = Socket<Connection | undefined>

const TICK_MILLISECONDS = 500
/** Connections to close at a time when no descriptor is left. */
const DESCRIPTOR_STEP = 32

export const listenWire = (handler: Handler, options: ListenOptions): WireServer => new WireServer(handler, options)

export class WireServer {
  readonly url: string
  readonly port: number
  readonly #handler: Handler
  readonly #metrics: Metrics
  readonly #log: Log
  readonly #logRefusals: (now: number) => void
  readonly #state: ServerState
  readonly #connections = new Set<Connection>()
  readonly #refused = new RefusedConnections()
  readonly #maxConnections: number
  /** Lower than that for a while when no descriptor is left. */
  #connectionsNow: number
  readonly #ticking: Timer
  readonly #listener: TCPSocketListener<Connection | undefined>
  #onAllClosed = () => {}

  constructor(handler: Handler, options: ListenOptions) {
    const { host, port, shared = false, metrics = new Metrics(), log = () => {} } = options
    this.#handler = handler
    this.#metrics = metrics
    this.#log = log
    this.#maxConnections = allowedConnections(options.maxConnections, log)
    this.#connectionsNow = this.#maxConnections
    this.#logRefusals = refusalLog(metrics, log, () => this.#connectionsNow)
    this.#state = {
      handler,
      shortcut: options.shortcut,
      budget: options.budget ?? new Budget(DEFAULT_BUDGET, metrics),
      turns: new Turns(),
      largeReads: new ReadQueue(),
      url: '',
      clock: { milliseconds: 0, date: '' },
      requestMilliseconds: TIMEOUTS.requestMilliseconds,
      draining: false,
      responsesPaused: false,
      onClosed: (connection) => this.#onClosed(connection as Connection),
      chunksReceived: 0,
    }
    this.#tick()
    const socket = {
      open: (opened: ClientSocket) => this.#open(opened),
      data: ({ data: connection }: ClientSocket, bytes: Buffer) => connection?.receive(bytes),
      drain: ({ data: connection }: ClientSocket) => connection?.drain(),
      // A client may stop sending before it has its response.
      end: (ended: ClientSocket) => (ended.data === undefined ? void ended.end() : ended.data.endInput()),
      close: (closed: ClientSocket) =>
        closed.data === undefined ? this.#refused.delete(closed) : closed.data.onClosed(),
      error: (failed: ClientSocket) => void failed.terminate(),
    }
    const listening = { hostname: host, port, reusePort: shared, allowHalfOpen: true, socket }
    this.#listener = Bun.listen<Connection | undefined>(listening)
    this.#ticking = setInterval(() => this.#tick(), TICK_MILLISECONDS)
    this.port = this.#listener.port
    this.url = urlOf(host, this.port)
    this.#state.url = this.url
  }

  #open(socket: ClientSocket): void {
    const { clock } = this.#state
    if (this.#connections.size >= this.#connectionsNow) {
      this.#metrics.refused.connections++
      this.#refused.add(socket, refusalOf(this.#handler, this.#connectionsNow, clock.date), clock.milliseconds)
      return
    }
    const connection = new Connection(this.#state, socket)
    socket.data = connection
    this.#connections.add(connection)
    this.#metrics.connections = this.#connections.size
  }

  #onClosed(connection: Connection): void {
    this.#connections.delete(connection)
    this.#metrics.connections = this.#connections.size
    if (this.#connections.size === 0) this.#onAllClosed()
  }

  #tick(): void {
    const { clock } = this.#state
    const now = performance.now()
    clock.milliseconds = now
    clock.date = new Date().toUTCString()
    for (const connection of this.#connections) closeIfExpired(connection, now)
    this.#refused.closeExpired(now)
    this.#keepDescriptorLeft()
    this.#logRefusals(now)
  }

  #keepDescriptorLeft(): void {
    if (hasDescriptorLeft()) {
      this.#connectionsNow = Math.min(this.#connectionsNow + DESCRIPTOR_STEP, this.#maxConnections)
      return
    }
    const before = this.#connections.size
    this.#connectionsNow = Math.max(before - DESCRIPTOR_STEP, 0)
    // The idle ones lose least.
    for (const connection of this.#connections)
      if (this.#connections.size > this.#connectionsNow && connection.idle) connection.terminate()
    const message = `no descriptor is left: ${before} connections were open, at most ${this.#connectionsNow} stay; raise the limit on open files`
    this.#log({ level: 'error', event: 'descriptors-exhausted', message, connections: before })
  }

  /** From now on every response is the last one on its connection. */
  startDraining(): void {
    this.#state.draining = true
  }

  /** Goes on receiving requests, without responding to them. */
  pauseResponses(): void {
    this.#state.responsesPaused = true
  }

  resumeResponses(): void {
    this.#state.responsesPaused = false
    for (const connection of this.#connections) connection.resumeResponses()
  }

  /** Number of times that data was received from clients. */
  get chunksReceived(): number {
    return this.#state.chunksReceived
  }

  stopAccepting(): void {
    this.#listener.stop()
  }

  /** Closes the connections that wait for a further request. */
  closeIdle(): void {
    // A client that has just connected is about to send its first request.
    for (const connection of this.#connections) if (connection.idle && !connection.isNew) connection.end()
  }

  /** True if any connection is in the middle of a request or of a response. */
  busy(): boolean {
    return [...this.#connections].some((connection) => connection.busy)
  }

  /** Resolves when no connection is left. */
  allClosed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAllClosed = resolve
      if (this.#connections.size === 0) resolve()
    })
  }

  terminate(): void {
    clearInterval(this.#ticking)
    this.#listener.stop(true)
    this.#refused.closeAll()
    for (const connection of this.#connections) connection.terminate()
  }
}

/** The greatest number of open connections; logs if it is less than configured. */
function allowedConnections(configured: number | undefined, log: Log): number {
  const maxConnections = connectionLimit(configured)
  if (maxConnections < (configured ?? 0)) {
    const message = `at most ${maxConnections} connections may be open, not ${configured}: the limit on open files is ${descriptorLimit()}`
    log({ level: 'warn', event: 'max-connections-lowered', message, maxConnections })
  }
  return maxConnections
}

function closeIfExpired(connection: Connection, now: number): void {
  connection.probePaused()
  const waited = now - connection.waitingSince
  if (connection.idle) {
    if (waited > TIMEOUTS.idleMilliseconds) connection.end()
  } else if (waited > TIMEOUTS.requestMilliseconds) {
    connection.timeOut()
  }
}

/** The response on a connection that is one too many, before the client has sent anything. */
function refusalOf({ refuse }: Handler, open: number, date: string): Uint8Array {
  const response = new ResponseBuffer()
  const problem = overloaded('connections', `${open} connections are open, as many as are possible at a time`)
  response.add(refuse(problem, '/'), true, 'Connection: close\r\n', date)
  return response.bytes.subarray(0, response.length)
}

const LOG_MILLISECONDS = 1_000

/** Events for the refusals that the wire logs. */
const REFUSAL_EVENTS: readonly (Pick<LogEvent, 'level' | 'event'> & {
  readonly reason: RefusalReason
  readonly messageOf: (count: number, maxConnections: number) => string
})[] = [
  {
    reason: 'connections',
    level: 'warn',
    event: 'connections-refused',
    messageOf: (count, max) => `connections refused: ${count}; at most ${max} may be open (--max-connections)`,
  },
  {
    reason: 'streams',
    level: 'warn',
    event: 'streams-refused',
    messageOf: (count) =>
      `downloads refused: ${count}; too many are being made or sent (--max-streams, --max-streams-per-client)`,
  },
  {
    reason: 'bytes',
    level: 'warn',
    event: 'bytes-refused',
    messageOf: (count) =>
      `requests refused or cut off: ${count}; clients do not read their responses (--max-unsent-mb, --max-unsent-mb-per-client)`,
  },
]

/** Logs the number of refusals for each reason, at most once a second. */
function refusalLog(metrics: Metrics, log: Log, maxConnections: () => number): (now: number) => void {
  const logged = { ...metrics.refused }
  let loggedAt = Number.NEGATIVE_INFINITY
  return (now) => {
    if (now - loggedAt < LOG_MILLISECONDS) return
    for (const { reason, level, event, messageOf } of REFUSAL_EVENTS) {
      const count = metrics.refused[reason] - logged[reason]
      if (count === 0) continue
      logged[reason] += count
      loggedAt = now
      log({ level, event, message: messageOf(count, maxConnections()), count })
    }
  }
}

export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
