// Clients in a process of their own, so that neither they nor the campaign take the other's turn; and what they report.

export type TrafficReport = {
  /** Whole responses. */
  readonly completed: number
  /** Requests that got no whole response, one with a server error, or one that is none of the versions. */
  readonly failed: number
  /** Responses of 503 with Retry-After: a limit at work. */
  readonly limited: number
  readonly statuses: Readonly<Record<string, number>>
  /** The endings of the failed requests, each with its number. */
  readonly reasons: Readonly<Record<string, number>>
  /** Milliseconds from when a request was due until its response was whole. */
  readonly latency: { readonly p50: number; readonly p99: number; readonly max: number }
  /** The longest time without a good response, in milliseconds. */
  readonly longestOutage: number
  /** The longest time for which the clients did not get to run, in milliseconds. */
  readonly longestPause: number
  /** The first few requests that failed. */
  readonly examples: readonly string[]
}

export type Clients<Report = TrafficReport> = AsyncDisposable & {
  /** Resolves when they have begun. */
  readonly begun: Promise<unknown>
  readonly report: Promise<Report>
  /** Responses so far. */
  readonly completed: () => number
  /** Lets every request that was sent have its response. */
  stop(): Promise<Report>
}

/** The running clients of a module that is started as clients. */
export type Running<Report = TrafficReport> = {
  readonly report: Promise<Report>
  readonly completed: number
  stop(): void
}

type Order<Plan> = { readonly plan: Plan } | { readonly stop: true }
type ClientsUpdate<Report> = { readonly completed: number } | { readonly report: Report }

const UPDATE_MILLISECONDS = 100

/** Starts a module that calls `runClients` with a plan. */
export function startClients<Plan, Report = TrafficReport>(module: string, plan: Plan): Clients<Report> {
  const reported = Promise.withResolvers<Report>()
  const begun = Promise.withResolvers<void>()
  let completed = 0
  const child = Bun.spawn([process.execPath, module], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (update: ClientsUpdate<Report>) => {
      begun.resolve()
      if ('report' in update) reported.resolve(update.report)
      else completed = update.completed
    },
    onExit: (_, code, signal) => reported.reject(new Error(`the clients ended on their own: ${signal ?? code}`)),
  })
  reported.promise.catch(() => {})
  const post = (order: Order<Plan>) => child.send(order)
  post({ plan })
  return {
    begun: Promise.race([begun.promise, reported.promise]),
    report: reported.promise,
    completed: () => completed,
    stop: () => {
      post({ stop: true })
      return reported.promise
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** In the process of the clients: begins when the plan comes, and reports when they are done. */
export function runClients<Plan, Report extends TrafficReport>(begin: (plan: Plan) => Running<Report>): void {
  let running: Running<Report> | undefined
  const post = (update: ClientsUpdate<Report>) => process.send?.(update)
  process.on('message', (order: Order<Plan>) => {
    if ('stop' in order) {
      running?.stop()
      return
    }
    const started = begin(order.plan)
    running = started
    const telling = setInterval(() => post({ completed: started.completed }), UPDATE_MILLISECONDS)
    started.report.then((report) => {
      clearInterval(telling)
      post({ completed: report.completed })
      post({ report })
    })
  })
  process.on('disconnect', () => process.exit())
}
