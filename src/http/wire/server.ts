// An HTTP/1.1 server: accepts connections, times them out, and has the steps of a shutdown that loses no request.
import type { Socket } from 'bun'
import { Connection } from './connection.ts'
import type { Handler, ServerState } from './server-state.ts'

export type ListenOptions = {
  readonly host: string
  readonly port: number
  /** Whether other processes may listen on the same port and share its connections. */
  readonly shared?: boolean
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

const TICK_MILLISECONDS = 500

export function listenWire(
  handler: Handler,
  { host, port, shared = false }: ListenOptions,
  timeouts = TIMEOUTS,
): WireServer {
  const connections = new Set<Connection>()
  const state: ServerState = {
    handler,
    url: '',
    clock: { milliseconds: 0, date: '' },
    draining: false,
    responsesPaused: false,
    chunksReceived: 0,
  }
  let onAllClosed = () => {}
  const tick = () => {
    state.clock.milliseconds = performance.now()
    state.clock.date = new Date().toUTCString()
    for (const connection of connections) closeIfExpired(connection, state.clock.milliseconds, timeouts)
  }
  tick()
  const ticking = setInterval(tick, TICK_MILLISECONDS)
  const options = {
    hostname: host,
    port,
    reusePort: shared,
    allowHalfOpen: true,
    socket: {
      open: (socket: Socket<Connection>) => {
        socket.data = new Connection(state, socket)
        connections.add(socket.data)
      },
      // A client may stop sending before it has its response.
      end: (socket: Socket<Connection>) => socket.data.endInput(),
      data: (socket: Socket<Connection>, data: Buffer) => socket.data.receive(data),
      drain: (socket: Socket<Connection>) => socket.data.drain(),
      close: (socket: Socket<Connection>) => {
        socket.data.onClosed()
        connections.delete(socket.data)
        if (connections.size === 0) onAllClosed()
      },
      error: (socket: Socket<Connection>) => socket.terminate(),
    },
  }
  const listener = Bun.listen<Connection>(options)
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

export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
