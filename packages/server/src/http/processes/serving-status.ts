// The status of a worker: which release it serves, whether that is the one that it should serve, and whether it is about to stop.
import type { MetricsSnapshot } from '../observation/metrics.ts'

export type ServingStatus = {
  /** The digest of the release that is being served. */
  readonly release: string
  /** When that release was built, as an ISO date. */
  readonly built: string
  /** Reasons why it does not serve as it should, for an operator: an older release, a home that is gone, damage found. */
  readonly degraded: readonly string[]
  readonly draining: boolean
}

/** The report that a worker sends its supervisor every second. */
export type WorkerReport = { readonly status: ServingStatus; readonly metrics: MetricsSnapshot }
