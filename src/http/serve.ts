// Puts the app on a socket, and takes it off again without dropping what is in flight.
import { Failure } from '../failure.ts'
import type { App } from './app.ts'
import { problemResponse } from './problem.ts'
import { type Listening, listenWire, type WireServer } from './wire/server.ts'
import type { Handler } from './wire/server-state.ts'

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
  const server = listen({ answer: app, refuse: problemResponse, failed: app.failed }, listening)
  return {
    url: server.url,
    port: server.port,
    stop: async (drainMilliseconds, released) => {
      const deadline = performance.now() + drainMilliseconds
      await takeLeave(server, deadline)
      server.stopAccepting()
      server.endIdle()
      if (released !== undefined) await Promise.race([released(), until(deadline)])
      server.release()
      await finish(server, deadline)
      server.terminate()
    },
  }
}

function listen(handler: Handler, listening: Listening): WireServer {
  try {
    return listenWire(handler, listening)
  } catch (error) {
    throw error instanceof Error ? new CannotListen(listening, error) : error
  }
}

const until = (moment: number) => Bun.sleep(Math.max(moment - performance.now(), 0))

/** Each step ends when no request has come for so many turns, and at the latest after so many milliseconds. */
const FAREWELL = { quietTurns: 10, most: 300 }
const HOLD = { quietTurns: 5, most: 250 }
const TURN_MILLISECONDS = 10
/** Who has just connected is about to ask, and who has had the last answer is about to close: so long they may take. */
const PATIENCE_MILLISECONDS = 1_000

/**
 * To close a connection races with a request that is just being sent on it, so the clients are first asked to close,
 * with the answer to their next request. To close the listener resets who has connected and is not yet accepted, so
 * then answers are held back until all who ask wait for one and no one connects.
 */
async function takeLeave(server: WireServer, deadline: number): Promise<void> {
  server.leave()
  await quiet(server, FAREWELL, deadline)
  server.hold()
  await quiet(server, HOLD, deadline)
}

/** Counted in turns, not in time alone: who did not get to run has not heard that nothing came. */
async function quiet(server: WireServer, { quietTurns, most }: typeof HOLD, deadline: number): Promise<void> {
  const end = Math.min(performance.now() + most, deadline)
  let turns = 0
  while (turns < quietTurns && performance.now() < end) {
    const before = server.heard
    await Bun.sleep(TURN_MILLISECONDS)
    turns = server.heard === before ? turns + 1 : 0
  }
}

async function finish(server: WireServer, deadline: number): Promise<void> {
  await Promise.race([server.empty(), until(Math.min(performance.now() + PATIENCE_MILLISECONDS, deadline))])
  while (server.busy() && performance.now() < deadline) await Bun.sleep(TURN_MILLISECONDS)
}
