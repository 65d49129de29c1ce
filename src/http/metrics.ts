// What one process counts while it serves: plain numbers, so that counting costs next to nothing.

/** Why a client was turned away. */
export type RefusalReason = 'connections' | 'streams' | 'bytes' | 'rate'

export class Metrics {
  /** Open at this moment. */
  connections = 0
  /** Streamed responses under way at this moment. */
  streams = 0
  /** Bytes of responses that clients have not taken yet, and of requests that wait behind them. */
  unsentBytes = 0
  readonly refused: Record<RefusalReason, number> = { connections: 0, streams: 0, bytes: 0, rate: 0 }
  /** How often another release was put in place of the one before. */
  swaps = 0
  /** Whether the last scrub found every file sound; undefined before the first one has ended. */
  scrubSound: boolean | undefined = undefined
  /** When the last scrub ended, in seconds since 1970. */
  scrubEnded = 0

  /** All of it as plain JSON, to be sent to the supervisor. */
  snapshot(): MetricsSnapshot {
    return { ...this, refused: { ...this.refused } }
  }
}

export type MetricsSnapshot = Readonly<Omit<Metrics, 'snapshot'>>

/** Several processes as one. A scrub is the same for all of them, so the latest counts. */
export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const merged = new Metrics()
  for (const { connections, streams, unsentBytes, refused, swaps, scrubSound, scrubEnded } of snapshots) {
    merged.connections += connections
    merged.streams += streams
    merged.unsentBytes += unsentBytes
    for (const [reason, count] of Object.entries(refused)) merged.refused[reason as RefusalReason] += count
    merged.swaps += swaps
    if (scrubEnded < merged.scrubEnded || scrubSound === undefined) continue
    merged.scrubEnded = scrubEnded
    merged.scrubSound = scrubSound
  }
  return merged.snapshot()
}

/** What is left of a process that has ended: what it counted, and nothing of what it held at a moment. */
export const countersOf = (snapshot: MetricsSnapshot): MetricsSnapshot => ({
  ...snapshot,
  connections: 0,
  streams: 0,
  unsentBytes: 0,
})
