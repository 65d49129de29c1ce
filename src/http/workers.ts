// The supervisor: keeps several processes of the server running on one port, and exchanges messages with them.
import { Failure } from '../failure.ts'
import { eventOf, type Log } from '../log.ts'
import { countersOf, type MetricsSnapshot, mergeSnapshots } from './metrics.ts'
import { CannotListen } from './serve.ts'
import type { WorkerReport } from './serving-status.ts'
import { type ListenOptions, urlOf } from './wire/server.ts'

/** In the environment of a worker: the process id of its supervisor. */
export const SUPERVISOR_VARIABLE = 'NOMENCLATOR_SUPERVISOR'

/** From a worker to its supervisor: it listens, it has stopped listening, or how it is. */
type WorkerMessage =
  | { readonly ready: { readonly port: number } }
  | { readonly closed: true }
  | { readonly report: WorkerReport }

/** From the supervisor to a worker. */
type SupervisorMessage = { readonly finish: true } | { readonly wanted: 'report' | 'reopen' }

export const reportReady = (port: number): void => report({ ready: { port } })

/**
 * Reports that this worker has stopped listening. Resolves when it may send its last responses: when the whole service
 * stops, not before all workers have stopped listening.
 */
export function reportClosed(): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message: SupervisorMessage) => {
      if ('finish' in message) resolve()
    })
    report({ closed: true })
  })
}

const REPORT_MILLISECONDS = 1_000

/** Reports every second and whenever the supervisor asks, and reopens the access log when it says so. */
export function obeySupervisor(reportOf: () => WorkerReport, reopen: () => void): void {
  process.on('message', (message: SupervisorMessage) => {
    if (!('wanted' in message)) return
    if (message.wanted === 'report') report({ report: reportOf() })
    else reopen()
  })
  setInterval(() => report({ report: reportOf() }), REPORT_MILLISECONDS).unref()
}

function report(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}

type WorkersOptions = {
  readonly count: number
  readonly listening: ListenOptions
  /** The command line of a worker that listens on this port. */
  readonly command: (port: number) => readonly string[]
  /** How long a worker may take to stop. */
  readonly drainMilliseconds: number
  readonly log: Log
  /** Descriptors that workers inherit, from number 3 on. */
  readonly inherited?: readonly (number | 'ignore')[]
  /** The clock, in milliseconds. */
  readonly now?: () => number
}

export type Workers = {
  readonly url: string
  /** Replaces the workers one after the other. If a new one cannot start, the remaining old ones stay. */
  restart(): void
  /**
   * How each worker that listens is: asked for now, or else as it said last. What workers counted that have ended is
   * added to the first of them.
   */
  reports(): Promise<readonly WorkerReport[]>
  /** How many workers were replaced because they had died. */
  readonly restarts: number
  /** Lets the workers open their access log anew. */
  reopen(): void
  stop(): Promise<void>
  kill(): void
}

type Worker = {
  readonly process: Bun.Subprocess
  readonly startedAt: number
  state: 'starting' | 'listening' | 'closed' | 'finishing'
  /** It was told to stop. */
  retired: boolean
  report: WorkerReport | undefined
  onReport: () => void
}

const KILL_AFTER_MILLISECONDS = 1_000

/** Starts the workers. If the first of them cannot start, neither can the service. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  refusePortInUse(options.listening)
  const supervisor = new Supervisor(options)
  await supervisor.start()
  return supervisor
}

/** Workers listen with SO_REUSEPORT, and so would share the port with any other service that allows it too. */
function refusePortInUse({ host, port }: ListenOptions): void {
  if (port === 0) return
  try {
    Bun.listen({ hostname: host, port, socket: { data: () => {} } }).stop(true)
  } catch (error) {
    throw error instanceof Error ? new CannotListen({ host, port }, error) : error
  }
}

/** How long to wait before a worker is started again: twice as long each time, until a worker has run steadily. */
export class Backoff {
  static readonly FIRST_MILLISECONDS = 100
  static readonly MAX_MILLISECONDS = 10_000
  static readonly STEADY_MILLISECONDS = 10_000
  #milliseconds = Backoff.FIRST_MILLISECONDS

  /** The next wait. */
  get milliseconds(): number {
    return this.#milliseconds
  }

  /** Gives the next wait, and doubles the one after it. */
  take(): number {
    const taken = this.#milliseconds
    this.#milliseconds = Math.min(taken * 2, Backoff.MAX_MILLISECONDS)
    return taken
  }

  workerDied(afterMilliseconds: number): void {
    if (afterMilliseconds > Backoff.STEADY_MILLISECONDS) this.#milliseconds = Backoff.FIRST_MILLISECONDS
  }
}

class Supervisor implements Workers {
  readonly #options: WorkersOptions
  readonly #now: () => number
  /** All that are alive, including those that are starting or stopping. */
  readonly #workers = new Set<Worker>()
  readonly #backoff = new Backoff()
  #port: number
  #stopping = false
  restarts = 0
  /** What workers counted that have ended. */
  #ended: MetricsSnapshot | undefined
  #restarting: Promise<void> = Promise.resolve()

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#port = options.listening.port
  }

  get url(): string {
    return urlOf(this.#options.listening.host, this.#port)
  }

  async start(): Promise<void> {
    try {
      this.#port = await this.#spawn()
      await this.#startMissing()
    } catch (error) {
      this.kill()
      throw error
    }
  }

  restart(): void {
    this.#restarting = this.#restarting.then(() => this.#replaceAll())
  }

  async reports(): Promise<readonly WorkerReport[]> {
    const listening = [...this.#workers].filter(({ state }) => state === 'listening')
    const all = Promise.all(listening.map((worker) => freshReport(worker)))
    await Promise.race([all, Bun.sleep(REPORT_TIMEOUT_MILLISECONDS)])
    const [first, ...others] = listening.flatMap(({ report }) => report ?? [])
    if (first === undefined) return []
    const counted = this.#ended === undefined ? first.metrics : mergeSnapshots([first.metrics, this.#ended])
    return [{ ...first, metrics: counted }, ...others]
  }

  reopen(): void {
    for (const worker of this.#workers) send(worker, { wanted: 'reopen' })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#workers].map((worker) => this.#retire(worker)))
  }

  kill(): void {
    this.#stopping = true
    for (const { process } of this.#workers) process.kill('SIGKILL')
  }

  async #replaceAll(): Promise<void> {
    try {
      for (const old of this.#inService()) {
        if (this.#stopping) return
        // One that has died meanwhile is being replaced already.
        if (!this.#workers.has(old)) continue
        await this.#spawn()
        await this.#retire(old)
        await this.#startMissing()
      }
      this.#options.log({ level: 'info', event: 'workers-restarted', message: 'All workers were restarted.' })
    } catch (error) {
      if (this.#stopping) return
      const message = `WORKERS NOT RESTARTED: ${messageOf(error)}; those that are there go on`
      this.#options.log({ level: 'error', event: 'workers-not-restarted', message })
    }
  }

  #inService(): Worker[] {
    return [...this.#workers].filter(({ retired }) => !retired)
  }

  async #startMissing(): Promise<void> {
    const missing = this.#stopping ? 0 : Math.max(this.#options.count - this.#inService().length, 0)
    await Promise.all(Array.from({ length: missing }, () => this.#spawn()))
  }

  /** Resolves with the port when the worker listens. */
  #spawn(): Promise<number> {
    const ready = Promise.withResolvers<number>()
    const child = Bun.spawn([...this.#options.command(this.#port)], {
      stdio: ['ignore', 'pipe', 'pipe', ...(this.#options.inherited ?? [])],
      env: { ...process.env, [SUPERVISOR_VARIABLE]: String(process.pid) },
      ipc: (message: WorkerMessage) => {
        if ('report' in message) {
          worker.report = message.report
          const wake = worker.onReport
          worker.onReport = () => {}
          wake()
          return
        }
        worker.state = 'ready' in message ? 'listening' : 'closed'
        if ('ready' in message) ready.resolve(message.ready.port)
        else this.#letClosedFinish()
      },
    })
    const worker: Worker = {
      process: child,
      startedAt: this.#now(),
      state: 'starting',
      retired: false,
      report: undefined,
      onReport: () => {},
    }
    this.#workers.add(worker)
    const pipes = [child.stdout, child.stderr] as ReadableStream<Uint8Array>[]
    const output = pipes.map((stream) => this.#forwardLines(stream, child.pid))
    // The last output of a worker is logged before its death.
    void Promise.all([child.exited, ...output]).then(() => this.#onExit(worker, ready))
    return ready.promise
  }

  /** Only the supervisor writes, so that the lines of several workers are not mixed up. */
  async #forwardLines(stream: ReadableStream<Uint8Array>, pid: number): Promise<void> {
    const decoder = new TextDecoder()
    let unfinished = ''
    for await (const chunk of stream) {
      unfinished += decoder.decode(chunk, { stream: true })
      const end = unfinished.lastIndexOf('\n') + 1
      for (const line of unfinished.slice(0, end).split('\n').slice(0, -1)) this.#options.log(eventOf(line, pid))
      unfinished = unfinished.slice(end)
    }
    if (unfinished !== '') this.#options.log(eventOf(unfinished, pid))
  }

  /**
   * Lets the workers that have stopped listening send their last responses. When the whole service stops, all must have
   * stopped listening first: the clients of one would otherwise connect to the next, which is about to stop too.
   */
  #letClosedFinish(): void {
    const workers = [...this.#workers]
    if (this.#stopping && workers.some(({ state }) => state === 'listening')) return
    for (const worker of workers) if (worker.state === 'closed') letFinish(worker)
  }

  #onExit(worker: Worker, ready: PromiseWithResolvers<number>): void {
    this.#workers.delete(worker)
    if (worker.report !== undefined) {
      const counted = countersOf(worker.report.metrics)
      this.#ended = this.#ended === undefined ? counted : mergeSnapshots([this.#ended, counted])
    }
    this.#letClosedFinish()
    const { pid, exitCode, signalCode } = worker.process
    const how = signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`
    ready.reject(new Failure(`a worker could not start (${how}); its reason stands above`))
    if (worker.state === 'starting' || worker.retired || this.#stopping) return
    this.#backoff.workerDied(this.#now() - worker.startedAt)
    this.restarts++
    const message = `WORKER DIED: process ${pid}, ${how}; starting another in ${this.#backoff.milliseconds} ms`
    this.#options.log({ level: 'error', event: 'worker-died', message, worker: pid, how })
    void this.#replaceDead()
  }

  async #replaceDead(): Promise<void> {
    for (;;) {
      await Bun.sleep(this.#backoff.take())
      try {
        return await this.#startMissing()
      } catch (error) {
        if (this.#stopping) return
        const wait = `trying again in ${this.#backoff.milliseconds} ms`
        const message = `WORKER DID NOT START: ${messageOf(error)}; ${wait}`
        this.#options.log({ level: 'error', event: 'worker-not-started', message })
      }
    }
  }

  async #retire(worker: Worker): Promise<void> {
    worker.retired = true
    worker.process.kill('SIGTERM')
    const timeout = this.#options.drainMilliseconds + KILL_AFTER_MILLISECONDS
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), timeout)
    await worker.process.exited
    clearTimeout(timer)
  }
}

function letFinish(worker: Worker): void {
  worker.state = 'finishing'
  send(worker, { finish: true })
}

function send({ process }: Worker, message: SupervisorMessage): void {
  try {
    process.send(message)
  } catch {
    // It has ended without waiting for this message.
  }
}

const REPORT_TIMEOUT_MILLISECONDS = 500

function freshReport(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const { onReport } = worker
    worker.onReport = () => {
      onReport()
      resolve()
    }
    send(worker, { wanted: 'report' })
  })
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
