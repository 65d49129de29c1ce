// What a running service tells its operator: one event at a time, for people or for programs.

export type LogLevel = 'info' | 'warn' | 'error'

/** A value that a program may filter by. */
type LogValue = string | number | boolean | undefined

export type LogEvent = {
  readonly level: LogLevel
  /** What kind of event it is, in kebab case: `worker-died`. It never changes, so that an alert can rely on it. */
  readonly event: string
  /** The same for people, in one line: what happened, and what to do about it. */
  readonly message: string
  readonly [detail: string]: LogValue
}

export type Log = (event: LogEvent) => void
