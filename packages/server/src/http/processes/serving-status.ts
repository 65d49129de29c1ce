// How well a process serves: which release, whether it is the one that it should serve, and whether it is about to stop.
import type { MetricsSnapshot } from '../observation/metrics.ts'

export type ServingStatus = {
  /** The digest of the release that is being served. */
  readonly release: string
  /** When that release was built, as an ISO date. */
  readonly built: string
  /** Why it is not serving as it should, in words for an operator: an older release, a home that is gone, damage found. */
  readonly degraded: readonly string[]
  readonly draining: boolean
}

/** What a worker tells its supervisor, again and again. */
export type WorkerReport = { readonly status: ServingStatus; readonly metrics: MetricsSnapshot }
