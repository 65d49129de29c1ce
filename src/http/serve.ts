// Puts the app on a socket, and takes it off again without dropping what is in flight.
import { Failure } from '../failure.ts'
import type { App } from './app.ts'
import type { Connection } from './base-url.ts'

export type Listening = {
  readonly host: string
  readonly port: number
  /** Whether other processes listen on the same port and share its connections. */
  readonly shared?: boolean
}

export type RunningServer = {
  readonly url: string
  readonly port: number
  /** Tells clients to go, stops accepting, lets what is in flight finish for at most this long, then closes. */
  stop(drainMilliseconds: number): Promise<void>
}

export class PortInUse extends Failure {
  constructor({ host, port }: Listening) {
    super(`port ${port} on ${host} is in use; choose another with --port or PORT, or --port 0 for a free one`)
  }
}

/**
 * Closing an idle connection races with a request that is just being sent on it. For this long before it closes, the
 * server therefore asks the clients themselves to close, with the answer to their next request.
 */
const FAREWELL_MILLISECONDS = 300

export function serve(app: App, listening: Listening): RunningServer {
  let leaving = false
  const server = listen((request, connection) => {
    const response = app(request, connection)
    if (leaving) response.headers.set('Connection', 'close')
    return response
  }, listening)
  const port = server.port ?? listening.port
  return {
    url: urlOf(listening.host, port),
    port,
    stop: async (drainMilliseconds) => {
      leaving = true
      await Bun.sleep(Math.min(FAREWELL_MILLISECONDS, drainMilliseconds))
      await Promise.race([server.stop(), Bun.sleep(drainMilliseconds)])
      await server.stop(true)
    },
  }
}

function listen(app: App, { host, port, shared = false }: Listening): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      reusePort: shared,
      fetch: (request, server) => {
        const connection: Connection = {
          peer: () => server.requestIP(request)?.address,
          own: urlOf(host, server.port ?? port),
        }
        return app(request, connection)
      },
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw new PortInUse({ host, port })
    throw error
  }
}

export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
