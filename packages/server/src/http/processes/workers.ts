// The supervisor: keeps several processes of the server running on one port, and exchanges messages with them.
import { Failure, messageOf } from '../../base/failure.ts'
import { eventOf, type Log } from '../../base/log.ts'
import type { ScrubState } from '../../release/home/scrub.ts'
import { countersOf, type MetricsSnapshot, mergeSnapshots } from '../observation/metrics.ts'
import type { ShelfTrouble } from '../observation/shelf-status.ts'
import { type ListenOptions, urlOf } from '../wire/server.ts'
import { connectedClients, LeakCheck } from './open-sockets.ts'
import { CannotListen } from './serve.ts'
import type { WorkerReport } from './serving-status.ts'

/** The variable in the environment of a worker that has the process id of its supervisor. */
export const SUPERVISOR_VARIABLE = 'NOMENCLATOR_SUPERVISOR'

/** The variable in the environment of a worker that has what its supervisor knows of the home, as JSON. */
export const KNOWN_VARIABLE = 'NOMENCLATOR_KNOWN'

/**
 * Options of the garbage collector of a process that serves, which it reads when it starts. It takes mapped files for memory
 * in use, and so by default lets garbage grow to three times the size of a release. With these, garbage grows to a tenth of
 * it, or until both together are 64 MB.
 */
export const COLLECTOR_OPTIONS: Readonly<Record<string, string>> = {
  BUN_JSC_heapGrowthMaxIncrease: '0.1',
  BUN_JSC_largeHeapSize: '64000000',
}

export type Known = {
  readonly scrub: ScrubState
  /** The digest of the release that other workers serve. */
  readonly served?: string | undefined
  /** Why the shared shelf is not followed; undefined where it is, or where there is none. */
  readonly shelf?: ShelfTrouble | undefined
}

/** What a worker tells its supervisor: that it listens, that it has stopped listening, or how it is. */
type WorkerMessage =
  | { readonly ready: { readonly port: number } }
  | { readonly closed: true }
  | { readonly report: WorkerReport }

/** What the supervisor tells its workers: what the scrub has found, or how the shared shelf is followed. */
type News = { readonly scrub: ScrubState } | { readonly shelf: ShelfTrouble | null }

/** What the supervisor tells a worker: that it may send its last responses, what is wanted of it, or news. */
type SupervisorMessage = { readonly finish: true } | { readonly wanted: 'report' | 'reopen' } | News

const REPORT_MILLISECONDS = 1_000

type WorkerSide = {
  readonly report: () => WorkerReport
  readonly onScrub: (state: ScrubState) => void
  readonly onShelf: (trouble: ShelfTrouble | undefined) => void
  /** Opens the access log anew. */
  readonly reopen: () => void
}

/** A worker's connection with its supervisor. It reports every second: a worker that does not is taken for stuck. */
export class SupervisorLink {
  readonly #options: WorkerSide
  readonly #finish = Promise.withResolvers<void>()
  #isSending = false

  constructor(options: WorkerSide) {
    this.#options = options
    process.on('message', (message: SupervisorMessage) => this.#receive(message))
    setInterval(() => this.#report(), REPORT_MILLISECONDS).unref()
  }

  ready(port: number): void {
    send({ ready: { port } })
    this.#report()
  }

  /**
   * Reports that this worker has stopped listening. Resolves when it may send its last responses: when the whole service
   * stops, not before all workers have stopped listening.
   */
  closed(): Promise<void> {
    send({ closed: true })
    return this.#finish.promise
  }

  #receive(message: SupervisorMessage): void {
    if ('finish' in message) this.#finish.resolve()
    else if ('scrub' in message) this.#options.onScrub(message.scrub)
    else if ('shelf' in message) this.#options.onShelf(message.shelf ?? undefined)
    else if (message.wanted === 'reopen') this.#options.reopen()
    else this.#report()
  }

  /** A supervisor that is stopped does not read, so that reports must not pile up. */
  #report(): void {
    if (this.#isSending) return
    this.#isSending = true
    send({ report: this.#options.report() }, () => {
      this.#isSending = false
    })
  }
}

function send(message: WorkerMessage, onSent: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, onSent)
}

type WorkersOptions = {
  readonly count: number
  readonly listening: ListenOptions
  /** The command line of a worker that listens on this port. */
  readonly command: (port: number) => readonly string[]
  /** How long a worker may take to stop. */
  readonly drainMilliseconds: number
  readonly log: Log
  /** What a worker that starts is told of the home; `served` is what the other workers serve. */
  readonly known?: (served: string | undefined) => Known
  /** Called when a worker has crashed, and waited for before another is started. */
  readonly onCrash?: () => Promise<void>
  /** Variables of this process that workers do not get. */
  readonly unset?: readonly string[]
  /** Descriptors that workers inherit, from number 3 on. */
  readonly inherited?: readonly (number | 'ignore')[]
  /** The clock, in milliseconds. */
  readonly now?: () => number
  /** How often the connections that workers count are compared with those of the kernel. */
  readonly leakCheckMilliseconds?: number
}

export type Workers = {
  readonly url: string
  /** How many workers were replaced because they died, did not report or leaked connections. */
  readonly restarts: number
  /** How each worker is at this moment. What workers counted that have ended is added to the first of them. */
  reports(): Promise<readonly WorkerReport[]>
  /** The digest of the release that a worker reported last. */
  readonly served: string | undefined
  /** Tells all workers. */
  tell(news: News): void
  /** Lets the workers open their access log anew. */
  reopen(): void
  /**
   * Replaces the workers one after the other. If a new one cannot start, the remaining old ones stay. However often it
   * is called meanwhile, they are replaced once more.
   */
  restart(): void
  stop(): Promise<void>
  kill(): void
}

type Worker = {
  readonly process: Bun.Subprocess
  readonly startedAt: number
  state: 'starting' | 'listening' | 'closed' | 'finishing'
  /** It was told to stop. */
  retired: boolean
  /** How many checks have passed since it was heard of. */
  silentChecks: number
  lastReport?: WorkerReport
  readonly leakCheck: LeakCheck
  /** Called at its next report. */
  readonly onReport: (() => void)[]
}

const KILL_AFTER_MILLISECONDS = 1_000
const CHECK_MILLISECONDS = 1_000
/**
 * A worker that was not heard of for so many checks is killed. Checks are counted and not seconds: when the machine
 * sleeps or all processes are stopped, none takes place.
 */
const MAX_SILENT_CHECKS = 5
const MAX_STARTING_CHECKS = 60
const MAX_REPORT_MILLISECONDS = 500
const LEAK_CHECK_MILLISECONDS = 10_000
/** How a process ends that was told to. Any other signal is a crash. */
const ORDERLY: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']

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
  /** While no worker is left, nothing is served, and clients wait. */
  static readonly NONE_LEFT_MILLISECONDS = 1_000
  #milliseconds = Backoff.FIRST_MILLISECONDS

  /** The next wait. */
  next(isAnyLeft: boolean): number {
    return isAnyLeft ? this.#milliseconds : Math.min(this.#milliseconds, Backoff.NONE_LEFT_MILLISECONDS)
  }

  /** Gives the next wait, and doubles the one after it. */
  take(isAnyLeft: boolean): number {
    const wait = this.next(isAnyLeft)
    this.#milliseconds = Math.min(this.#milliseconds * 2, Backoff.MAX_MILLISECONDS)
    return wait
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
  #restarting: 'no' | 'yes' | 'and once more' = 'no'
  #crash: Promise<void> | undefined
  /** What workers counted that have ended. */
  #ended: MetricsSnapshot | undefined
  /** The release that a worker reported last. */
  #served: string | undefined
  restarts = 0

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#port = options.listening.port
    setInterval(() => this.#killStuck(), CHECK_MILLISECONDS).unref()
    this.#checkForLeaks()
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

  async reports(): Promise<readonly WorkerReport[]> {
    const workers = [...this.#workers].filter(({ state }) => state !== 'starting')
    await Promise.race([Promise.all(workers.map(nextReport)), Bun.sleep(MAX_REPORT_MILLISECONDS)])
    const reports = workers.flatMap(({ lastReport }) => lastReport ?? [])
    const [first, ...others] = reports
    if (first === undefined || this.#ended === undefined) return reports
    return [{ ...first, metrics: mergeSnapshots([first.metrics, this.#ended]) }, ...others]
  }

  get served(): string | undefined {
    return this.#served
  }

  tell(news: News): void {
    for (const worker of this.#workers) tell(worker, news)
  }

  reopen(): void {
    for (const worker of this.#workers) tell(worker, { wanted: 'reopen' })
  }

  restart(): void {
    if (this.#restarting === 'no') void this.#restartAll()
    else this.#restarting = 'and once more'
  }

  async #restartAll(): Promise<void> {
    do {
      this.#restarting = 'yes'
      await this.#replaceAll()
    } while (this.#isRestartWanted())
    this.#restarting = 'no'
  }

  #isRestartWanted = (): boolean => this.#restarting === 'and once more'

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
        await this.#replace(old)
      }
      this.#options.log({ level: 'info', event: 'workers-restarted', message: 'All workers were restarted.' })
    } catch (error) {
      const message = `WORKERS NOT RESTARTED: ${messageOf(error)}; those that are there go on`
      if (this.#stopping) return
      this.#options.log({ level: 'error', event: 'workers-not-restarted', message })
      // One that died meanwhile was not replaced if the one that could not start seemed to take its place.
      if (this.#inService().length < this.#options.count) void this.#replaceDead(false)
    }
  }

  async #replace(old: Worker): Promise<void> {
    await this.#spawn()
    await this.#retire(old)
    await this.#startMissing()
  }

  /** Checks the workers one after the other, time and again. */
  #checkForLeaks(): void {
    const check = async () => {
      for (const worker of this.#inService()) await this.#replaceLeaking(worker)
      this.#checkForLeaks()
    }
    setTimeout(check, this.#options.leakCheckMilliseconds ?? LEAK_CHECK_MILLISECONDS).unref()
  }

  /** Replaces a worker that counts connections which the kernel does not have: they take up its descriptors for ever. */
  async #replaceLeaking(worker: Worker): Promise<void> {
    if (worker.state !== 'listening') return
    const { pid } = worker.process
    const counted = () => worker.lastReport?.metrics.connections ?? 0
    const count = () => Promise.race([nextReport(worker), Bun.sleep(MAX_REPORT_MILLISECONDS)]).then(counted)
    const leak = await worker.leakCheck.run(counted(), count, () => connectedClients(pid, this.#port))
    if (leak === undefined || worker.retired || this.#stopping || this.#restarting !== 'no') return
    const message = `CONNECTIONS LEAKED: process ${pid} counts ${leak.counted}, and the system has ${leak.connected}; replacing it`
    this.#options.log({ level: 'error', event: 'connections-leaked', message, worker: pid, ...leak })
    this.restarts++
    this.#restarting = 'yes'
    await this.#replace(worker).catch((error) => {
      const words = `WORKER DID NOT START: ${messageOf(error)}; the one that leaks connections goes on`
      if (!this.#stopping) this.#options.log({ level: 'error', event: 'worker-not-started', message: words })
    })
    if (this.#isRestartWanted()) await this.#restartAll()
    else this.#restarting = 'no'
  }

  #inService(): Worker[] {
    return [...this.#workers].filter(({ retired }) => !retired)
  }

  /** Whether any worker serves. */
  #isServing(): boolean {
    return this.#inService().some(({ state }) => state === 'listening')
  }

  async #startMissing(): Promise<void> {
    const missing = this.#stopping ? 0 : Math.max(this.#options.count - this.#inService().length, 0)
    await Promise.all(Array.from({ length: missing }, () => this.#spawn()))
  }

  /** Resolves with the port when the worker listens. */
  #spawn(): Promise<number> {
    const ready = Promise.withResolvers<number>()
    const known = this.#options.known?.(this.#served)
    const child = Bun.spawn([...this.#options.command(this.#port)], {
      stdio: ['ignore', 'pipe', 'pipe', ...(this.#options.inherited ?? [])],
      env: {
        ...COLLECTOR_OPTIONS,
        ...process.env,
        ...Object.fromEntries((this.#options.unset ?? []).map((name) => [name, undefined])),
        [SUPERVISOR_VARIABLE]: String(process.pid),
        ...(known === undefined ? {} : { [KNOWN_VARIABLE]: JSON.stringify(known) }),
      },
      ipc: (message: WorkerMessage) => {
        worker.silentChecks = 0
        if ('report' in message) return this.#onReport(worker, message.report)
        worker.state = 'ready' in message ? 'listening' : 'closed'
        if ('closed' in message) return this.#letClosedFinish()
        ready.resolve(message.ready.port)
        // What was found while it was starting may not have reached it.
        const latest = this.#options.known?.(this.#served)
        if (latest === undefined || known === undefined) return
        if (JSON.stringify(latest.scrub) !== JSON.stringify(known.scrub)) tell(worker, { scrub: latest.scrub })
        if (JSON.stringify(latest.shelf) !== JSON.stringify(known.shelf)) tell(worker, { shelf: latest.shelf ?? null })
      },
    })
    const worker: Worker = {
      process: child,
      startedAt: this.#now(),
      state: 'starting',
      retired: false,
      silentChecks: 0,
      leakCheck: new LeakCheck(),
      onReport: [],
    }
    this.#workers.add(worker)
    const pipes = [child.stdout, child.stderr] as ReadableStream<Uint8Array>[]
    const output = pipes.map((stream) => this.#forwardLines(stream, child.pid))
    // The last output of a worker is logged before its death.
    void Promise.all([child.exited, ...output]).then(() => this.#onExit(worker, ready))
    return ready.promise
  }

  #onReport(worker: Worker, report: WorkerReport): void {
    worker.lastReport = report
    this.#served = report.status.release
    for (const onReport of worker.onReport.splice(0)) onReport()
  }

  /** Kills workers that are stopped or stuck; they are then replaced like any that died. */
  #killStuck(): void {
    for (const worker of this.#workers) {
      // One that was told to stop has a time limit of its own.
      if (worker.retired || this.#stopping) continue
      const isStarting = worker.state === 'starting'
      if (++worker.silentChecks <= (isStarting ? MAX_STARTING_CHECKS : MAX_SILENT_CHECKS)) continue
      const { pid } = worker.process
      const message = `WORKER STUCK: process ${pid} has not reported for ${worker.silentChecks - 1} s; killing it`
      this.#options.log({ level: 'error', event: 'worker-stuck', message, worker: pid })
      worker.process.kill('SIGKILL')
    }
  }

  /** Logs what a worker writes: only the supervisor writes, so that the lines of several workers are not mixed up. */
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
    this.#letClosedFinish()
    const { pid, exitCode, signalCode } = worker.process
    if (worker.lastReport !== undefined) this.#keepCounters(worker.lastReport)
    const how = signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`
    ready.reject(new Failure(`a worker could not start (${how}); its reason stands above`))
    if (worker.state === 'starting' || worker.retired || this.#stopping) return
    this.#backoff.workerDied(this.#now() - worker.startedAt)
    this.restarts++
    const message = `WORKER DIED: process ${pid}, ${how}; starting another in ${this.#backoff.next(this.#isServing())} ms`
    this.#options.log({ level: 'error', event: 'worker-died', message, worker: pid, how })
    if (!this.#isServing()) {
      const words = 'NO WORKER IS LEFT: nothing is served until one can start'
      this.#options.log({ level: 'error', event: 'no-worker-left', message: words })
    }
    void this.#replaceDead(signalCode !== null && !ORDERLY.includes(String(signalCode)))
  }

  #keepCounters({ metrics }: WorkerReport): void {
    const ended = countersOf(metrics)
    this.#ended = this.#ended === undefined ? ended : mergeSnapshots([this.#ended, ended])
  }

  /** One look at what may have made workers crash does for all that crash meanwhile. */
  async #lookIntoCrash(): Promise<void> {
    this.#crash ??= this.#options.onCrash?.().finally(() => {
      this.#crash = undefined
    })
    await this.#crash
  }

  async #replaceDead(hasCrashed: boolean): Promise<void> {
    for (;;) {
      await Bun.sleep(this.#backoff.take(this.#isServing()))
      try {
        if (hasCrashed) await this.#lookIntoCrash()
        return await this.#startMissing()
      } catch (error) {
        if (this.#stopping) return
        const wait = `trying again in ${this.#backoff.next(this.#isServing())} ms`
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

/** Asks a worker for a report, and resolves when it is there. */
function nextReport(worker: Worker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  worker.onReport.push(resolve)
  tell(worker, { wanted: 'report' })
  return promise
}

function letFinish(worker: Worker): void {
  worker.state = 'finishing'
  tell(worker, { finish: true })
}

function tell({ process }: Worker, message: SupervisorMessage): void {
  try {
    process.send(message)
  } catch {
    // It has ended meanwhile, without waiting for this message.
  }
}
