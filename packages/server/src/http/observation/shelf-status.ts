// How the shared shelf is followed, as responses, the metrics and operators are told; whoever follows one hands it in.

/** Why a service may not have the release that the shelf calls current, as plain JSON: it goes from process to process. */
export type ShelfTrouble = {
  /** It cannot be reached, was restored to an older state, has two states of which neither led to the other, or offers what cannot be taken. */
  readonly kind: 'away' | 'older' | 'fork' | 'refused'
  /** The time at which it began, in seconds since 1970. */
  readonly since: number
  /** What an operator is told. */
  readonly message: string
}

/** What the shelf says of a release that a home lacks: that it has it, that it has not, or nothing at the moment. */
export type OnShelf = 'there' | 'absent' | 'unknown'

/** What is counted of a shelf, for the metrics. */
export type ShelfStatus = {
  readonly isConnected: boolean
  readonly trouble: ShelfTrouble | undefined
  /** The generation of the shelf when it was last looked at; 0 before. */
  readonly generation: number
  /** For how long the shelf is known to have a current release that the home lacks. */
  readonly lagSeconds: number
  readonly fetchedChunks: number
  readonly fetchedBytes: number
  readonly connects: number
}
