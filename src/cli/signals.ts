// What signals mean to a server.

type Reactions = {
  readonly stop: () => Promise<void>
  /** What a second signal does before the process ends at once. */
  readonly now?: () => void
  readonly restart?: () => void
  /** A worker leaves Ctrl-C to its supervisor, and ends when the supervisor is gone. */
  readonly supervised?: boolean
}

/** Lets a signal reopen the access log. Without this it would end the process. */
export function onReopenSignal(reopen: () => void): void {
  process.on('SIGUSR1', reopen)
}

/** Resolves when the server has stopped after SIGTERM or SIGINT. */
export function untilStopped({ stop, now, restart, supervised = false }: Reactions): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false
    const onStop = () => {
      if (stopping) {
        // A signal to the whole process group reaches a worker twice: directly, and through its supervisor.
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
    // If it is gone already, no such event will come.
    if (!process.connected) process.exit(1)
  })
}
