// The reactions of the program, and of a server, to signals.

const END_SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const

/**
 * The kernel ends a process at a signal that it does not handle, but not the first process of a container: that one ends
 * itself, with the exit code that a shell reports. A later handler of the signal takes its place.
 */
export function endAtSignals(): void {
  for (const [signal, number] of Object.entries(END_SIGNALS))
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + number)
    })
}

type Reactions = {
  readonly stop: () => Promise<void>
  /** Runs at a second signal, before the process ends at once. */
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
    if (supervised) endWithSupervisor()
  })
}

/** Resolves with `stopped`, for a process that leaves signals to its supervisor. */
export function untilSupervisorStops(stopped: Promise<void>): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
  endWithSupervisor()
  return stopped
}

function endWithSupervisor(): void {
  process.on('disconnect', () => process.exit(1))
  // If it is gone already, no such event will come.
  if (!process.connected) process.exit(1)
}
