// The messages between a supervisor and its workers, and the variables by which a worker knows its supervisor.
import type { ScrubState } from '../../release/home/scrub.ts'
import type { OnShelf, ShelfTrouble } from '../observation/shelf-status.ts'
import type { WorkerReport } from './serving-status.ts'

/** The variable in the environment of a worker that has the process id of its supervisor. */
export const SUPERVISOR_VARIABLE = 'NOMENCLATOR_SUPERVISOR'

/** The variable in the environment of a worker that has its briefing, as JSON. */
export const BRIEFING_VARIABLE = 'NOMENCLATOR_BRIEFING'

/** The variable in the environment of a compute worker that has the socket that it listens on. */
export const COMPUTE_SOCKET_VARIABLE = 'NOMENCLATOR_COMPUTE_SOCKET'

/** The state of the home and the service that a worker starts with. */
export type WorkerBriefing = {
  readonly scrub: ScrubState
  /** The digest of the release that other workers serve. */
  readonly served?: string | undefined
  /** The reason why the shared shelf is not followed, if there is one. */
  readonly shelf?: ShelfTrouble | undefined
  /** True if a shared shelf is followed. */
  readonly follows?: boolean
  /** The sockets of the compute workers, for page workers. */
  readonly computeSockets: readonly string[]
  /** The directory for files that workers share; undefined where nothing can be written to. */
  readonly directory: string | undefined
}

/** A message of a worker to its supervisor: it listens, has stopped listening, reports, or asks for a release that is not here. */
export type WorkerMessage =
  | { readonly ready: { readonly port: number } }
  | { readonly closed: true }
  | { readonly report: WorkerReport }
  | { readonly missingRelease: string }

/** A change that the supervisor sends its workers: findings of the scrub, trouble with the shelf, or other compute workers. */
export type WorkerUpdate =
  | { readonly scrub: ScrubState }
  | { readonly shelf: ShelfTrouble | null }
  | { readonly computeSockets: readonly string[] }

/** Returns what has changed since a worker was briefed. */
export function updatesSince(before: WorkerBriefing, now: WorkerBriefing): readonly WorkerUpdate[] {
  const updates = ({ scrub, shelf, computeSockets }: WorkerBriefing): WorkerUpdate[] => [
    { scrub },
    { computeSockets },
    { shelf: shelf ?? null },
  ]
  const known = updates(before).map((update) => JSON.stringify(update))
  return updates(now).filter((update) => !known.includes(JSON.stringify(update)))
}

/** A message of the supervisor to a worker: it may send its last responses, a command, a reply, or an update. */
export type SupervisorMessage =
  | { readonly finish: true }
  | { readonly wanted: 'report' | 'reopen' | 'stop' }
  | { readonly missingRelease: string; readonly onShelf: OnShelf }
  | WorkerUpdate
