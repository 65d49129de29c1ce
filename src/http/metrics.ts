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
}
