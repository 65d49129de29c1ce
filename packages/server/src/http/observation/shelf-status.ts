// The status of the shared shelf, for responses, metrics and operators. The follower of a shelf hands it in.

/** The reason why a service may not have the current release of the shelf, as plain JSON for other processes. */
export type ShelfTrouble = {
  /** The shelf cannot be reached, was restored to an older state, has two states of which neither led to the other, or offers what cannot be taken. */
  readonly kind: 'away' | 'older' | 'fork' | 'refused'
  /** The time at which it began, in seconds since 1970. */
  readonly since: number
  /** The words for an operator. */
  readonly message: string
}

/** The state of a release on the shelf that a home has not; `unknown` if the shelf cannot be reached. */
export type OnShelf = 'there' | 'absent' | 'unknown'

/** The counters of a shelf, for the metrics. */
export type ShelfStatus = {
  readonly isConnected: boolean
  readonly trouble: ShelfTrouble | undefined
  /** The generation of the shelf when it was last looked at; 0 before. */
  readonly generation: number
  /** The time since which the shelf has a current release that the home has not. */
  readonly lagSeconds: number
  readonly fetchedChunks: number
  readonly fetchedBytes: number
  readonly connects: number
}
