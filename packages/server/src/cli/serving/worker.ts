// A process of the service, of either kind, started by a supervisor with which it keeps a link.
import { OperationalError } from '../../base/operational-error.ts'
import { SupervisorLink, type WorkerBriefing } from '../../http/processes/workers.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { openReleaseToServe } from '../../release/home/release-to-serve.ts'
import { damageIn } from '../../release/home/scrub.ts'
import { homeOf } from '../flags/home-flag.ts'
import { trustOf } from '../flags/key-flags.ts'
import { onReopenSignal, untilStopped, untilTold } from '../terminal/signals.ts'
import type { Context } from './context.ts'
import { startServing, startThinking } from './process.ts'

const WAITING_MILLISECONDS = 5

/** A worker takes what it finds in the home and writes no release: only the first start may build one. */
export async function work({ values, log }: Context, knownText: string, socket: string | undefined): Promise<number> {
  const known: WorkerBriefing = JSON.parse(knownText)
  const store = new ReleaseStore(homeOf(values.home), trustOf(values))
  const first = await openReleaseToServe(store, { damage: damageIn(known.scrub), served: known.served })
  if (first === undefined)
    throw new OperationalError(
      `there is no release in ${store.home}: it is gone or empty. Mount it again, or restore it.`,
    )
  const findOnShelf = (digest: string) => link.findOnShelf(digest)
  const given = { values, log, store, first, known, ...(known.follows === true && { findOnShelf }) }
  const running = socket === undefined ? startServing(given) : startThinking(given, socket)
  const told = Promise.withResolvers<void>()
  const link = new SupervisorLink({ ...running, onStop: told.resolve })
  const stop = () => running.stop(values['drain-timeout'] * 1_000, () => link.closed())
  const stopped = socket === undefined ? untilStopped({ stop, supervised: true }) : untilTold(told.promise).then(stop)
  onReopenSignal(running.reopen)
  // Whoever has waited for the port comes first.
  await Bun.sleep(WAITING_MILLISECONDS)
  running.map()
  link.ready(running.port)
  await stopped
  return 0
}
