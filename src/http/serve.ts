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
  /**
   * Tells clients to go, stops accepting, lets what is in flight finish, and closes; all within this long. The answers
   * that are held back when it stops accepting stay so until `released` resolves.
   */
  stop(drainMilliseconds: number, released?: () => Promise<void>): Promise<void>
}

/** What cannot be listened on, and why. */
export class CannotListen extends Failure {
  constructor({ host, port }: Listening, error: Error) {
    const code = 'code' in error ? error.code : undefined
    super(
      code === 'EADDRINUSE'
        ? `port ${port} on ${host} is in use; choose another with --port or PORT, or --port 0 for a free one`
        : `cannot listen on ${host}, port ${port} (${code ?? error.message}); choose others with --host and --port`,
    )
  }
}

export function serve(app: App, listening: Listening): RunningServer {
  const leave = new Leave()
  const server = listen((request, connection) => leave.pass(app(request, connection)), listening)
  const port = server.port ?? listening.port
  return {
    url: urlOf(listening.host, port),
    port,
    stop: async (drainMilliseconds, released) => {
      const deadline = performance.now() + drainMilliseconds
      await leave.take(deadline)
      const finished = server.stop()
      if (released !== undefined) await Promise.race([released(), until(deadline)])
      leave.release()
      await Promise.race([finished, until(deadline)])
      await server.stop(true)
    },
  }
}

const until = (moment: number) => Bun.sleep(Math.max(moment - performance.now(), 0))

/** Each step ends when no request has come for so many turns, and at the latest after so many milliseconds. */
const FAREWELL = { quietTurns: 10, most: 300 }
const HOLD = { quietTurns: 5, most: 250 }
const TURN_MILLISECONDS = 10

/**
 * How a server leaves its clients. To close a connection races with a request that is just being sent on it, so the
 * clients are first asked to close, with the answer to their next request. To close the listener resets who has
 * connected and is not yet accepted, so then answers are held back until all who ask wait for one and no one connects.
 */
class Leave {
  readonly #released = Promise.withResolvers<void>()
  #state: 'here' | 'farewell' | 'hold' = 'here'
  #requests = 0

  pass(response: Response): Response | Promise<Response> {
    if (this.#state === 'here') return response
    this.#requests++
    response.headers.set('Connection', 'close')
    return this.#state === 'hold' ? this.#released.promise.then(() => response) : response
  }

  async take(deadline: number): Promise<void> {
    this.#state = 'farewell'
    await this.#quiet(FAREWELL, deadline)
    this.#state = 'hold'
    await this.#quiet(HOLD, deadline)
  }

  release(): void {
    this.#released.resolve()
  }

  /** Counted in turns, not in time alone: who did not get to run has not heard that nothing came. */
  async #quiet({ quietTurns, most }: typeof HOLD, deadline: number): Promise<void> {
    const end = Math.min(performance.now() + most, deadline)
    let quiet = 0
    while (quiet < quietTurns && performance.now() < end) {
      const before = this.#requests
      await Bun.sleep(TURN_MILLISECONDS)
      quiet = this.#requests === before ? quiet + 1 : 0
    }
  }
}

function listen(
  answer: (request: Request, connection: Connection) => Response | Promise<Response>,
  { host, port, shared = false }: Listening,
): Bun.Server<undefined> {
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
        return answer(request, connection)
      },
    })
  } catch (error) {
    throw error instanceof Error ? new CannotListen({ host, port }, error) : error
  }
}

export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
