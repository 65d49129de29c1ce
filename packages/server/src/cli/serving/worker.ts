// The start of a worker of either kind, which keeps a link with its supervisor.

import { parseOwnJson } from '../../base/json.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { BRIEFING_VARIABLE, COMPUTE_SOCKET_VARIABLE, type WorkerBriefing } from '../../http/processes/messages.ts'
import { SupervisorLink } from '../../http/processes/supervisor-link.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { openReleaseToServe } from '../../release/home/release-to-serve.ts'
import { damageIn } from '../../release/home/scrub.ts'
import type { Environment } from '../flags/flags.ts'
import { homeOf } from '../flags/home-flag.ts'
import { trustOf } from '../flags/key-flags.ts'
import { onReopenSignal, untilStopped, untilSupervisorStops } from '../terminal/signals.ts'
import type { Context } from './context.ts'
import { startComputeWorker, startPageWorker } from './process.ts'

const WAITING_MILLISECONDS = 5

/** Runs until it is stopped. A worker writes no release: only the first start may build one. */
export async function runWorker({ values, log }: Context, env: Environment): Promise<number> {
  const briefing = parseOwnJson<WorkerBriefing>(env[BRIEFING_VARIABLE] ?? '')
  const socket = env[COMPUTE_SOCKET_VARIABLE]
  const store = new ReleaseStore(homeOf(values.home), trustOf(values))
  const first = await openReleaseToServe(store, { damage: damageIn(briefing.scrub), served: briefing.served })
  if (first === undefined)
    throw new OperationalError(
      `there is no release in ${store.home}: it is gone or empty. Mount it again, or restore it.`,
    )
  const findOnShelf = (digest: string) => link.findOnShelf(digest)
  const given = { values, log, store, first, briefing, ...(briefing.follows === true && { findOnShelf }) }
  const running = socket === undefined ? startPageWorker(given) : startComputeWorker(given, socket)
  const stopRequest = Promise.withResolvers<void>()
  const link = new SupervisorLink({ ...running, onStop: stopRequest.resolve })
  const stop = () => running.stop(values['drain-timeout'] * 1_000, () => link.closed())
  const stopped =
    socket === undefined
      ? untilStopped({ stop, supervised: true })
      : untilSupervisorStops(stopRequest.promise).then(stop)
  onReopenSignal(running.reopen)
  // Clients that have waited for the port come first.
  await Bun.sleep(WAITING_MILLISECONDS)
  running.map()
  link.ready(running.port)
  await stopped
  return 0
}
