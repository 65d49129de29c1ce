// An HTTP/1.1 server: accepts connections, times them out, and has the steps of a shutdown that loses no request.
import type { Socket } from 'bun'
import type { Log, LogEvent } from '../../base/log.ts'
import { Budget, DEFAULT_BUDGET } from '../limits/budget.ts'
import { Metrics, type RefusalReason } from '../observation/metrics.ts'
import { overloaded } from '../problem.ts'
import { Connection } from './connection.ts'
import { connectionLimit, descriptorLimit, hasDescriptorLeft, RefusedConnections } from './connection-limit.ts'
import { ResponseBuffer } from './response-buffer.ts'
import type { Handler, ServerState, Shortcut } from './server-state.ts'
import { Turns } from './turns.ts'

export type ListenOptions = {
  readonly host: string
  readonly port: number
  /** Whether other processes may listen on the same port and share its connections. */
  readonly shared?: boolean
  /** By default what the limit on open descriptors allows. */
  readonly maxConnections?: number | undefined
  readonly metrics?: Metrics
  readonly budget?: Budget
  readonly log?: Log
  /** Without one every request is parsed. */
  readonly shortcut?: Shortcut | undefined
}

export type Timeouts = {
  /** For a request to arrive whole, for a client to take a response, and for it to close after the last response. */
  readonly requestMilliseconds: number
  /** For the next request on a connection that is kept open. */
  readonly idleMilliseconds: number
}

export const TIMEOUTS: Timeouts = { requestMilliseconds: 15_000, idleMilliseconds: 75_000 }

export type WireServer = {
  readonly url: string
  readonly port: number
  /** From here on every response is the last one on its connection. */
  startDraining(): void
  /** Goes on receiving requests, without responding to them. */
  pauseResponses(): void
  resumeResponses(): void
  /** How many times data was received from clients. */
  readonly chunksReceived: number
  stopAccepting(): void
  /** Closes the connections that wait for a further request. */
  closeIdle(): void
  /** Whether any connection is in the middle of a request or of a response. */
  readonly busy: () => boolean
  /** Resolves when no connection is left. */
  readonly allClosed: () => Promise<void>
  terminate(): void
}

/** A connection that was refused has no data. */
type ClientSocket = Socket<Connection | undefined>

const TICK_MILLISECONDS = 500
/** How many connections are given up at a time when no descriptor is left. */
const DESCRIPTOR_STEP = 32

export function listenWire(handler: Handler, options: ListenOptions, timeouts = TIMEOUTS): WireServer {
  const { host, port, shared = false, metrics = new Metrics(), log = () => {} } = options
  const connections = new Set<Connection>()
  const refused = new RefusedConnections()
  const maxConnections = connectionLimit(options.maxConnections)
  if (maxConnections < (options.maxConnections ?? 0)) {
    const message = `at most ${maxConnections} connections may be open, not ${options.maxConnections}: the limit on open files is ${descriptorLimit()}`
    log({ level: 'warn', event: 'max-connections-lowered', message, maxConnections })
  }
  /** Lower for a while when no descriptor is left. */
  let connectionsNow = maxConnections
  const state: ServerState = {
    handler,
    shortcut: options.shortcut,
    budget: options.budget ?? new Budget(DEFAULT_BUDGET, metrics),
    turns: new Turns(),
    url: '',
    clock: { milliseconds: 0, date: '' },
    requestMilliseconds: timeouts.requestMilliseconds,
    draining: false,
    responsesPaused: false,
    chunksReceived: 0,
  }
  let onAllClosed = () => {}
  const logRefusals = refusalLog(metrics, log, () => connectionsNow)
  const tick = () => {
    const now = performance.now()
    state.clock.milliseconds = now
    state.clock.date = new Date().toUTCString()
    for (const connection of connections) closeIfExpired(connection, now, timeouts)
    refused.closeExpired(now)
    keepDescriptorLeft()
    logRefusals(now)
  }
  const keepDescriptorLeft = () => {
    if (hasDescriptorLeft()) {
      connectionsNow = Math.min(connectionsNow + DESCRIPTOR_STEP, maxConnections)
      return
    }
    const before = connections.size
    connectionsNow = Math.max(before - DESCRIPTOR_STEP, 0)
    // The idle ones lose least.
    for (const connection of connections)
      if (connections.size > connectionsNow && connection.idle) connection.terminate()
    const message = `no descriptor is left: ${before} connections were open, at most ${connectionsNow} stay; raise the limit on open files`
    log({ level: 'error', event: 'descriptors-exhausted', message, connections: before })
  }
  tick()
  const ticking = setInterval(tick, TICK_MILLISECONDS)
  const listening = {
    hostname: host,
    port,
    reusePort: shared,
    allowHalfOpen: true,
    socket: {
      open: (socket: ClientSocket) => {
        if (connections.size >= connectionsNow) {
          metrics.refused.connections++
          refused.add(socket, refusalOf(handler, connectionsNow, state.clock.date), state.clock.milliseconds)
          return
        }
        const connection = new Connection(state, socket)
        socket.data = connection
        connections.add(connection)
        metrics.connections = connections.size
      },
      // A client may stop sending before it has its response.
      end: (socket: ClientSocket) => {
        if (socket.data === undefined) socket.end()
        else socket.data.endInput()
      },
      data: (socket: ClientSocket, data: Buffer) => socket.data?.receive(data),
      drain: (socket: ClientSocket) => socket.data?.drain(),
      close: (socket: ClientSocket) => {
        if (socket.data === undefined) return refused.delete(socket)
        socket.data.onClosed()
        connections.delete(socket.data)
        metrics.connections = connections.size
        if (connections.size === 0) onAllClosed()
      },
      error: (socket: ClientSocket) => {
        socket.terminate()
      },
    },
  }
  const listener = Bun.listen<Connection | undefined>(listening)
  state.url = urlOf(host, listener.port)
  return {
    url: state.url,
    port: listener.port,
    startDraining: () => {
      state.draining = true
    },
    pauseResponses: () => {
      state.responsesPaused = true
    },
    resumeResponses: () => {
      state.responsesPaused = false
      for (const connection of connections) connection.resumeResponses()
    },
    get chunksReceived() {
      return state.chunksReceived
    },
    stopAccepting: () => listener.stop(),
    closeIdle: () => {
      // A client that has just connected is about to send its first request.
      for (const connection of connections) if (connection.idle && !connection.isNew) connection.end()
    },
    busy: () => [...connections].some((connection) => connection.busy),
    allClosed: () =>
      new Promise((resolve) => {
        onAllClosed = resolve
        if (connections.size === 0) resolve()
      }),
    terminate: () => {
      clearInterval(ticking)
      listener.stop(true)
      refused.closeAll()
      for (const connection of connections) connection.terminate()
    },
  }
}

function closeIfExpired(connection: Connection, now: number, timeouts: Timeouts): void {
  const waited = now - connection.waitingSince
  if (connection.idle) {
    if (waited > timeouts.idleMilliseconds) connection.end()
  } else if (waited > timeouts.requestMilliseconds) {
    connection.timeOut()
  }
}

/** What a client gets whose connection is one too many, before it has sent anything. */
function refusalOf({ refuse }: Handler, open: number, date: string): Uint8Array {
  const response = new ResponseBuffer()
  const problem = overloaded('connections', `${open} connections are open, as many as are possible at a time`)
  response.add(refuse(problem, '/'), true, 'Connection: close\r\n', date)
  return response.bytes.subarray(0, response.length)
}

const LOG_MILLISECONDS = 1_000

/** Logs how many were refused, at most once a second for each reason. */
function refusalLog(metrics: Metrics, log: Log, maxConnections: () => number): (now: number) => void {
  const events: readonly { reason: RefusalReason; of: (count: number) => LogEvent }[] = [
    {
      reason: 'connections',
      of: (count) => ({
        level: 'warn',
        event: 'connections-refused',
        message: `connections refused: ${count}; at most ${maxConnections()} may be open (--max-connections)`,
        count,
      }),
    },
    {
      reason: 'streams',
      of: (count) => ({
        level: 'warn',
        event: 'streams-refused',
        message: `downloads refused: ${count}; too many are being made or sent (--max-streams, --max-streams-per-client)`,
        count,
      }),
    },
    {
      reason: 'bytes',
      of: (count) => ({
        level: 'warn',
        event: 'bytes-refused',
        message: `requests refused or cut off: ${count}; clients do not read their responses (--max-unsent-mb, --max-unsent-mb-per-client)`,
        count,
      }),
    },
  ]
  const logged = { ...metrics.refused }
  let loggedAt = Number.NEGATIVE_INFINITY
  return (now) => {
    if (now - loggedAt < LOG_MILLISECONDS) return
    for (const { reason, of } of events) {
      const count = metrics.refused[reason] - logged[reason]
      if (count === 0) continue
      logged[reason] += count
      loggedAt = now
      log(of(count))
    }
  }
}

export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
