// Puts the app on a socket, and takes it off again without losing a request.
import { OperationalError } from '../../base/operational-error.ts'
import type { App } from '../app.ts'
import { problemResponse } from '../problem.ts'
import { type ListenOptions, listenWire, type WireServer } from '../wire/server.ts'
import type { Handler } from '../wire/server-state.ts'

type RunningServer = {
  readonly url: string
  readonly port: number
  /**
   * Stops accepting, responds to all requests that were received, and closes, within this time. When it accepts no
   * more, `onClosed` is called, and the remaining responses are sent when its promise resolves.
   */
  stop(drainMilliseconds: number, onClosed?: () => Promise<void>): Promise<void>
}

export class CannotListen extends OperationalError {
  constructor({ host, port }: ListenOptions, error: Error) {
    const code = 'code' in error ? error.code : undefined
    super(
      code === 'EADDRINUSE'
        ? `port ${port} on ${host} is in use; choose another with --port or PORT, or --port 0 for a free one`
        : `cannot listen on ${host}, port ${port} (${code ?? error.message}); choose others with --host and --port`,
    )
  }
}

export function serve(app: App, options: ListenOptions): RunningServer {
  const { clientOf, maxBody, failed: onFailure } = app
  const server = listen(
    {
      respond: app,
      refuse: app.refuse ?? ((problem, path) => problemResponse(problem, path)),
      clientOf,
      maxBody,
      onFailure,
    },
    options,
  )
  return {
    url: server.url,
    port: server.port,
    stop: async (drainMilliseconds, onClosed) => {
      const deadline = performance.now() + drainMilliseconds
      await quietDown(server, deadline)
      server.stopAccepting()
      server.closeIdle()
      if (onClosed !== undefined) await Promise.race([onClosed(), sleepUntil(deadline)])
      server.resumeResponses()
      await drained(server, deadline)
      server.terminate()
    },
  }
}

function listen(handler: Handler, options: ListenOptions): WireServer {
  try {
    return listenWire(handler, options)
  } catch (error) {
    throw error instanceof Error ? new CannotListen(options, error) : error
  }
}

const sleepUntil = (time: number) => Bun.sleep(Math.max(time - performance.now(), 0))

/** A phase of a shutdown ends when nothing was received for this many turns, or else after this many milliseconds. */
type Phase = { readonly quietTurns: number; readonly maxMilliseconds: number }
const DRAINING: Phase = { quietTurns: 10, maxMilliseconds: 300 }
const PAUSED: Phase = { quietTurns: 5, maxMilliseconds: 250 }
const TURN_MILLISECONDS = 10
/** The time that a client has to send its request when it has just connected, and to close when it has its last response. */
const GRACE_MILLISECONDS = 1_000

/**
 * Prepares for the end of accepting, so that no request is lost:
 * - A connection that the server closes may have a request on its way. So clients first have to close it
 *   themselves, with `Connection: close` on the response to their next request.
 * - Closing the listener resets connections that wait to be accepted. So responses are then paused: every client
 *   waits for one, and no one connects anew.
 */
async function quietDown(server: WireServer, deadline: number): Promise<void> {
  server.startDraining()
  await untilQuiet(server, DRAINING, deadline)
  server.pauseResponses()
  await untilQuiet(server, PAUSED, deadline)
}

/** Counts turns and not only time: a process that did not get to run received nothing, whatever was sent to it. */
async function untilQuiet(server: WireServer, { quietTurns, maxMilliseconds }: Phase, deadline: number): Promise<void> {
  const end = Math.min(performance.now() + maxMilliseconds, deadline)
  let turns = 0
  while (turns < quietTurns && performance.now() < end) {
    const before = server.chunksReceived
    await Bun.sleep(TURN_MILLISECONDS)
    turns = server.chunksReceived === before ? turns + 1 : 0
  }
}

async function drained(server: WireServer, deadline: number): Promise<void> {
  await Promise.race([server.allClosed(), sleepUntil(Math.min(performance.now() + GRACE_MILLISECONDS, deadline))])
  while (server.busy() && performance.now() < deadline) await Bun.sleep(TURN_MILLISECONDS)
}
