// What signals mean to a server.

export type Reactions = {
  readonly stop: () => Promise<void>
  /** What a second signal does before the process ends at once. */
  readonly now?: () => void
  readonly restart?: () => void
  /** A worker leaves the keyboard to its supervisor, and goes when the supervisor is gone. */
  readonly supervised?: boolean
}

/** Resolves when the server has stopped after SIGTERM or SIGINT. */
export function untilStopped({ stop, now, restart, supervised = false }: Reactions): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false
    const onStop = () => {
      if (stopping) {
        // Whoever signals a whole group of processes reaches a worker twice.
        if (supervised) return
        now?.()
        process.exit(1)
      }
      stopping = true
      stop().then(resolve, reject)
    }
    process.on('SIGTERM', onStop)
    process.on('SIGINT', supervised ? () => {} : onStop)
    process.on('SIGHUP', () => {
      if (!stopping) restart?.()
    })
    if (!supervised) return
    process.on('disconnect', () => process.exit(1))
    // It may be gone already, and then says nothing more.
    if (!process.connected) process.exit(1)
  })
}
