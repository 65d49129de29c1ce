// An HTTP/1.1 server: accepts, times out, and stops without loss.
import type { Socket } from 'bun'
import { Connection } from './connection.ts'
import type { Handler, ServerState } from './server-state.ts'

export type Listening = {
  readonly host: string
  readonly port: number
  /** Whether other processes listen on the same port and share its connections. */
  readonly shared?: boolean
}

export type Timeouts = {
  /** For a request to arrive whole, from its first byte, and for a client to take an answer, or to hang up after it. */
  readonly requestMilliseconds: number
  /** For the next request on a connection that is kept alive. */
  readonly idleMilliseconds: number
}

export const TIMEOUTS: Timeouts = { requestMilliseconds: 15_000, idleMilliseconds: 75_000 }

export type WireServer = {
  readonly url: string
  readonly port: number
  /** From now on every answer is the last one on its connection. */
  leave(): void
  /** Takes requests in, and does not answer them for now. */
  hold(): void
  release(): void
  /** How often anything was received from clients. */
  readonly heard: number
  /** Takes no new connections. */
  stopAccepting(): void
  /** Ends the connections that wait for a further request; the others end after their answer. */
  endIdle(): void
  /** Whether any connection is in the middle of a request or of an answer. */
  readonly busy: () => boolean
  /** Resolves when no connection is left. */
  readonly empty: () => Promise<void>
  terminate(): void
}

const TICK_MILLISECONDS = 500

export function listenWire(
  handler: Handler,
  { host, port, shared = false }: Listening,
  timeouts = TIMEOUTS,
): WireServer {
  const connections = new Set<Connection>()
  const service: ServerState = {
    handler,
    own: '',
    clock: { milliseconds: 0, date: '' },
    leaving: false,
    holding: false,
    heard: 0,
  }
  let onEmpty = () => {}
  const tick = () => {
    service.clock.milliseconds = performance.now()
    service.clock.date = new Date().toUTCString()
    for (const connection of connections) expire(connection, service.clock.milliseconds, timeouts)
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
        socket.data = new Connection(service, socket)
        connections.add(socket.data)
      },
      // A client may stop sending before it has its answer.
      end: (socket: Socket<Connection>) => socket.data.heardAll(),
      data: (socket: Socket<Connection>, data: Buffer) => socket.data.receive(data),
      drain: (socket: Socket<Connection>) => socket.data.drain(),
      close: (socket: Socket<Connection>) => {
        socket.data.gone()
        connections.delete(socket.data)
        if (connections.size === 0) onEmpty()
      },
      error: (socket: Socket<Connection>) => socket.terminate(),
    },
  }
  const listener = Bun.listen<Connection>(options)
  service.own = urlOf(host, listener.port)
  return {
    url: service.own,
    port: listener.port,
    leave: () => {
      service.leaving = true
    },
    hold: () => {
      service.holding = true
    },
    release: () => {
      service.holding = false
      for (const connection of connections) connection.release()
    },
    get heard() {
      return service.heard
    },
    stopAccepting: () => listener.stop(),
    endIdle: () => {
      for (const connection of connections) if (connection.idle && !connection.silent) connection.end()
    },
    busy: () => [...connections].some((connection) => connection.busy),
    empty: () =>
      new Promise((resolve) => {
        onEmpty = resolve
        if (connections.size === 0) resolve()
      }),
    terminate: () => {
      clearInterval(ticking)
      listener.stop(true)
      for (const connection of connections) connection.terminate()
    },
  }
}

function expire(connection: Connection, now: number, { requestMilliseconds, idleMilliseconds }: Timeouts): void {
  const waited = now - connection.waitingSince
  if (connection.idle) {
    if (waited > idleMilliseconds) connection.end()
  } else if (waited > requestMilliseconds) {
    connection.giveUp()
  }
}

export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
