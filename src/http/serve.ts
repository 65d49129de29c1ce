// Puts the app on a socket, and takes it off again without dropping what is in flight.
import { Failure } from '../failure.ts'
import type { App } from './app.ts'
import type { Connection } from './base-url.ts'

export type Listening = { readonly host: string; readonly port: number }

export type RunningServer = AsyncDisposable & {
  readonly url: string
  /** Stops accepting, lets what is in flight finish for at most the time given, then closes. */
  stop(drainMilliseconds: number): Promise<void>
}

export class PortInUse extends Failure {
  constructor({ host, port }: Listening) {
    super(`port ${port} on ${host} is in use; choose another with --port or PORT, or --port 0 for a free one`)
  }
}

const DRAIN_MILLISECONDS = 10_000

export function serve(app: App, listening: Listening): RunningServer {
  const server = listen(app, listening)
  const stop = async (drainMilliseconds: number) => {
    const drained = server.stop()
    await Promise.race([drained, Bun.sleep(drainMilliseconds)])
    await server.stop(true)
  }
  return {
    url: urlOf(listening.host, server.port ?? listening.port),
    stop,
    [Symbol.asyncDispose]: () => stop(DRAIN_MILLISECONDS),
  }
}

function listen(app: App, listening: Listening) {
  try {
    return Bun.serve({
      hostname: listening.host,
      port: listening.port,
      fetch: (request, server) => {
        const connection: Connection = {
          peer: () => server.requestIP(request)?.address,
          own: urlOf(listening.host, server.port ?? listening.port),
        }
        return app(request, connection)
      },
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw new PortInUse(listening)
    throw error
  }
}

const urlOf = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
