// The supervisor: keeps several workers of one kind running, page workers or compute workers, and exchanges messages
// with them.
import { readFileSync } from 'node:fs'
import { eventOf, type Log, type LogEvent } from '../../base/log.ts'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import type { ScrubState } from '../../release/home/scrub.ts'
import { countersOf, type MetricsSnapshot, mergeSnapshots } from '../observation/metrics.ts'
import type { OnShelf, ShelfTrouble } from '../observation/shelf-status.ts'
import { type ListenOptions, urlOf } from '../wire/server.ts'
import { connectedClients, LeakCheck } from './open-sockets.ts'
import { CannotListen } from './serve.ts'
import type { WorkerReport } from './serving-status.ts'

/** The variable in the environment of a worker that has the process id of its supervisor. */
export const SUPERVISOR_VARIABLE = 'NOMENCLATOR_SUPERVISOR'

/** The variable in the environment of a worker that has its briefing, as JSON. */
export const BRIEFING_VARIABLE = 'NOMENCLATOR_BRIEFING'

/** The variable in the environment of a compute worker that has the socket that it listens on. */
export const COMPUTE_SOCKET_VARIABLE = 'NOMENCLATOR_COMPUTE_SOCKET'

/**
 * Options of the garbage collector of a worker, which reads them when it starts. The collector takes mapped files for memory in use,
 * and so by default lets garbage grow to three times the size of a release, or to its size on a machine with less than 16 GB.
 */
export const COLLECTOR_OPTIONS: Readonly<Record<string, string>> = {
  // Garbage grows to a twentieth of the memory in use.
  BUN_JSC_heapGrowthMaxIncrease: '0.05',
  // That share holds for a heap of any size.
  BUN_JSC_heapGrowthFunctionThresholdInMB: '0',
  // Garbage and memory in use may be 64 MB together before anything is collected, on all machines.
  BUN_JSC_largeHeapSize: '64000000',
  // Keeps compiled code that has not run for 20 to 60 seconds: else the first client after a quiet time waits until it is compiled again.
  BUN_JSC_forceCodeBlockLiveness: 'true',
}

/** Options of the garbage collector and the compiler of a compute worker, besides those of every worker. */
const COMPUTE_COLLECTOR_OPTIONS = {
  // Gives memory back as soon as it is found to be garbage. A page worker does so bit by bit when it is idle, since pages would wait.
  BUN_JSC_sweepSynchronously: 'true',
  // The first thousands of rows take a third longer if the last, expensive tier of compiled code is reached as early as by default.
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '400000',
  // Looks at all objects only when those that outlive the others have grown by half, and not at every second collection: of 100 searches
  // the slowest takes half the time, for some tens of MB.
  BUN_JSC_minEdenToOldGenerationRatio: '0.033',
}

/** The state of the home and the service that a worker starts with. */
export type WorkerBriefing = {
  readonly scrub: ScrubState
  /** The digest of the release that other workers serve. */
  readonly served?: string | undefined
  /** The reason why the shared shelf is not followed, if there is one. */
  readonly shelf?: ShelfTrouble | undefined
  /** True if a shared shelf is followed. */
  readonly follows?: boolean
  /** The sockets of the compute workers, for page workers. */
  readonly computeSockets: readonly string[]
  /** The directory for files that workers share; undefined where nothing can be written to. */
  readonly directory: string | undefined
}

/** A message of a worker to its supervisor: it listens, has stopped listening, reports, or asks for a release that is not here. */
type WorkerMessage =
  | { readonly ready: { readonly port: number } }
  | { readonly closed: true }
  | { readonly report: WorkerReport }
  | { readonly missingRelease: string }

/** A change that the supervisor sends its workers: findings of the scrub, trouble with the shelf, or other compute workers. */
type WorkerUpdate =
  | { readonly scrub: ScrubState }
  | { readonly shelf: ShelfTrouble | null }
  | { readonly computeSockets: readonly string[] }

/** A message of the supervisor to a worker: it may send its last responses, a command, a reply, or an update. */
type SupervisorMessage =
  | { readonly finish: true }
  | { readonly wanted: 'report' | 'reopen' | 'stop' }
  | { readonly missingRelease: string; readonly onShelf: OnShelf }
  | WorkerUpdate

const REPORT_MILLISECONDS = 1_000
/** The time that the supervisor has for a reply about a missing release. */
const REPLY_MILLISECONDS = 5_000

type WorkerSide = {
  readonly report: () => WorkerReport
  readonly onScrub: (state: ScrubState) => void
  readonly onShelf: (trouble: ShelfTrouble | undefined) => void
  /** Takes the sockets of the compute workers. */
  readonly onComputeSockets: (paths: readonly string[]) => void
  /** Opens the access log anew. */
  readonly reopen: () => void
  /** Stops a compute worker; a page worker gets a signal. */
  readonly onStop: () => void
}

/** The connection of a worker with its supervisor. It reports every second: a worker that does not is taken for stuck. */
export class SupervisorLink {
  readonly #options: WorkerSide
  readonly #finish = Promise.withResolvers<void>()
  readonly #missing = new Map<string, PromiseWithResolvers<OnShelf>>()
  #isSending = false

  constructor(options: WorkerSide) {
    this.#options = options
    process.on('message', (message: SupervisorMessage) => this.#receive(message))
    setInterval(() => this.#report(), REPORT_MILLISECONDS).unref()
  }

  /** Reports that this worker listens, after its status, so that the supervisor has the release that is served. */
  ready(port: number): void {
    this.#report()
    send({ ready: { port } })
  }

  /**
   * Reports that this worker has stopped listening. Resolves when it may send its last responses: when the whole service
   * stops, not before all workers have stopped listening.
   */
  closed(): Promise<void> {
    send({ closed: true })
    return this.#finish.promise
  }

  /** Returns whether the shared shelf has a release that is not here: the supervisor looks it up. */
  async findOnShelf(digest: string): Promise<OnShelf> {
    const waiting = this.#missing.get(digest)
    const reply = waiting ?? Promise.withResolvers<OnShelf>()
    if (waiting === undefined) {
      this.#missing.set(digest, reply)
      send({ missingRelease: digest })
    }
    const late = setTimeout(() => this.#reply(digest, 'unknown'), REPLY_MILLISECONDS)
    return reply.promise.finally(() => clearTimeout(late))
  }

  #reply(digest: string, onShelf: OnShelf): void {
    this.#missing.get(digest)?.resolve(onShelf)
    this.#missing.delete(digest)
  }

  #receive(message: SupervisorMessage): void {
    if ('finish' in message) this.#finish.resolve()
    else if ('scrub' in message) this.#options.onScrub(message.scrub)
    else if ('shelf' in message) this.#options.onShelf(message.shelf ?? undefined)
    else if ('missingRelease' in message) this.#reply(message.missingRelease, message.onShelf)
    else if ('computeSockets' in message) this.#options.onComputeSockets(message.computeSockets)
    else if (message.wanted === 'reopen') this.#options.reopen()
    else if (message.wanted === 'stop') this.#options.onStop()
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
  /** Their name in messages. */
  readonly name?: 'worker' | 'compute worker'
  readonly count: number
  readonly listening: ListenOptions
  /** Returns a socket for a compute worker to listen on; page workers share a port. */
  readonly socket?: () => string
  /** Called when a worker has begun to listen, or gets no more requests. */
  readonly onChange?: () => void
  /** The memory of its own that a worker may have before it is replaced, in bytes. */
  readonly maxBytes?: number
  /** The command line of a worker that listens on this port. */
  readonly command: (port: number) => readonly string[]
  /** The time in which a worker has to stop. */
  readonly drainMilliseconds: number
  readonly log: Log
  /** Returns the briefing of a worker that starts; `served` is the release that the other workers serve. */
  readonly briefing?: (served: string | undefined) => WorkerBriefing
  /** Called when a worker has crashed, and waited for before another is started; also when one has failed to respond. */
  readonly onFailure?: () => Promise<void>
  /** Returns whether the shared shelf has a release that a worker has not. */
  readonly findOnShelf?: (digest: string) => Promise<OnShelf>
  /** Variables of this process that workers do not get. */
  readonly unset?: readonly string[]
  /** Descriptors that workers inherit, from number 3 on. */
  readonly inherited?: readonly (number | 'ignore')[]
  /** The clock, in milliseconds. */
  readonly now?: () => number
  /** Returns the time that a process has waited for a core in all, in milliseconds. */
  readonly waitedForCore?: (pid: number) => number
  /** The time between two comparisons of the connections that workers count with those of the kernel. */
  readonly leakCheckMilliseconds?: number
}

type Worker = {
  readonly process: Bun.Subprocess
  readonly socket: string | undefined
  readonly startedAt: number
  state: 'starting' | 'listening' | 'closed' | 'finishing'
  /** True once it is to stop. */
  retired: boolean
  /** Checks since its last message. */
  silentChecks: number
  /** The time that it had waited for a core in all, at the last check. */
  waitedMilliseconds: number
  lastReport?: WorkerReport
  readonly leakCheck: LeakCheck
  /** Called at its next report. */
  readonly onReport: (() => void)[]
}

const KILL_AFTER_MILLISECONDS = 1_000
const CHECK_MILLISECONDS = 1_000
/**
 * A worker that sends nothing for so many checks is killed. Checks are counted and not seconds: when the machine
 * sleeps or all processes are stopped, none takes place. One before which the worker waited for a core most of the time
 * counts little: another in its place would wait as well, and begin anew.
 */
const MAX_SILENT_CHECKS = 5
const STARVED_CHECK = 0.1
/** A process that starts loads its program before it can report. */
const MAX_STARTING_CHECKS = 10
const MAX_REPORT_MILLISECONDS = 500
const LEAK_CHECK_MILLISECONDS = 10_000
/** Errors that no damage explains do not make the release be read all the time. */
const NEXT_LOOK_MILLISECONDS = 600_000
/** The signals that end a process on purpose. Any other is a crash. */
const ORDERLY: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']

/** Workers listen with SO_REUSEPORT, and so would share the port with any other service that allows it too. */
function refusePortInUse({ host, port }: ListenOptions): void {
  try {
    Bun.listen({ hostname: host, port, socket: { data: () => {} } }).stop(true)
  } catch (error) {
    throw error instanceof Error ? new CannotListen({ host, port }, error) : error
  }
}

/** The wait before a worker is started again: twice as long each time, until a worker has run steadily. */
export class Backoff {
  static readonly FIRST_MILLISECONDS = 100
  static readonly MAX_MILLISECONDS = 10_000
  static readonly STEADY_MILLISECONDS = 10_000
  /** While no worker is left, nothing is served, and clients wait. */
  static readonly NONE_LEFT_MILLISECONDS = 1_000
  #milliseconds = Backoff.FIRST_MILLISECONDS

  /** Returns the next wait. */
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

/** Keeps a number of workers of one kind running. */
export class Supervisor {
  readonly #options: WorkersOptions
  readonly #now: () => number
  /** All workers that are alive, including those that are starting or stopping. */
  readonly #workers = new Set<Worker>()
  readonly #backoff = new Backoff()
  #port: number
  #stopping = false
  #restarting: 'no' | 'yes' | 'and once more' = 'no'
  #looking: Promise<void> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  /** The counters of the workers that have ended. */
  #ended: MetricsSnapshot | undefined
  /** The digest of the release that a worker reported last. */
  served: string | undefined
  /** Workers that were replaced because they died or did not report. */
  restarts = 0

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#port = options.listening.port
    setInterval(() => this.#killStuck(), CHECK_MILLISECONDS).unref()
    this.#checkForLeaks()
  }

  get #name(): string {
    return (this.#options.name ?? 'worker').toUpperCase()
  }

  get url(): string {
    return urlOf(this.#options.listening.host, this.#port)
  }

  /**
   * Starts the workers. If the first of them cannot start, neither can the service. The others, and the other supervisor,
   * start when it serves.
   */
  async start(startOthers = async () => {}): Promise<void> {
    if (this.#options.socket === undefined) refusePortInUse(this.#options.listening)
    try {
      this.#port = await this.#spawn()
      await Promise.all([this.#startMissing(), startOthers()])
    } catch (error) {
      this.kill()
      throw error
    }
  }

  /** Returns a new report of each worker. The counters of workers that have ended are added to the first. */
  async reports(): Promise<readonly WorkerReport[]> {
    const workers = [...this.#workers].filter(({ state }) => state !== 'starting')
    await Promise.race([Promise.all(workers.map(nextReport)), Bun.sleep(MAX_REPORT_MILLISECONDS)])
    const reports = workers.flatMap(({ lastReport }) => lastReport ?? [])
    const [first, ...others] = reports
    if (first === undefined || this.#ended === undefined) return reports
    return [{ ...first, metrics: mergeSnapshots([first.metrics, this.#ended]) }, ...others]
  }

  /** The sockets of the workers that take requests. */
  get sockets(): readonly string[] {
    return this.#inService().flatMap(({ state, socket }) => (state === 'listening' ? (socket ?? []) : []))
  }

  update(change: WorkerUpdate): void {
    for (const worker of this.#workers) sendTo(worker, change)
  }

  /** Lets the workers open their access log anew. */
  reopen(): void {
    for (const worker of this.#workers) sendTo(worker, { wanted: 'reopen' })
  }

  /**
   * Replaces the workers one after the other. If a new one cannot start, the remaining old ones stay. However often it
   * is called meanwhile, they are replaced once more.
   */
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
        // A worker that has died meanwhile is being replaced already.
        if (!this.#workers.has(old)) continue
        await this.#replace(old)
      }
      if (this.#options.socket === undefined)
        this.#options.log({ level: 'info', event: 'workers-restarted', message: 'All workers were restarted.' })
    } catch (error) {
      const message = `${this.#name}S NOT RESTARTED: ${messageOf(error)}; those that are there go on`
      if (this.#stopping) return
      this.#options.log({ level: 'error', event: 'workers-not-restarted', message })
      // A worker that died meanwhile was not replaced if the one that could not start seemed to take its place.
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
    if (worker.state !== 'listening' || this.#options.socket !== undefined) return
    const { pid } = worker.process
    const counted = () => worker.lastReport?.metrics.connections ?? 0
    const count = () => Promise.race([nextReport(worker), Bun.sleep(MAX_REPORT_MILLISECONDS)]).then(counted)
    const leak = await worker.leakCheck.run(counted(), count, () => connectedClients(pid, this.#port))
    if (leak === undefined) return
    const message = `CONNECTIONS LEAKED: process ${pid} counts ${leak.counted}, and the system has ${leak.connected}; replacing it`
    await this.#replaceFaulty(worker, { level: 'error', event: 'connections-leaked', message, worker: pid, ...leak })
  }

  /** Replaces a worker that serves and has a fault, unless a restart does so already. */
  async #replaceFaulty(worker: Worker, event: LogEvent): Promise<void> {
    if (worker.retired || this.#stopping || this.#restarting !== 'no') return
    this.#options.log(event)
    this.restarts++
    this.#restarting = 'yes'
    await this.#replace(worker).catch((error) => {
      const message = `${this.#name} DID NOT START: ${messageOf(error)}; the one that it was to replace goes on`
      if (!this.#stopping) this.#options.log({ level: 'error', event: 'worker-not-started', message })
    })
    if (this.#isRestartWanted()) await this.#restartAll()
    else this.#restarting = 'no'
  }

  #inService(): Worker[] {
    return [...this.#workers].filter(({ retired }) => !retired)
  }

  /** True if any worker serves. */
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
    const briefing = this.#options.briefing?.(this.served)
    const socket = this.#options.socket?.()
    const child = Bun.spawn([...this.#options.command(this.#port)], {
      stdio: ['ignore', 'pipe', 'pipe', ...(this.#options.inherited ?? [])],
      env: {
        ...COLLECTOR_OPTIONS,
        ...(socket === undefined ? {} : COMPUTE_COLLECTOR_OPTIONS),
        ...process.env,
        ...Object.fromEntries((this.#options.unset ?? []).map((name) => [name, undefined])),
        [SUPERVISOR_VARIABLE]: String(process.pid),
        ...(briefing === undefined ? {} : { [BRIEFING_VARIABLE]: JSON.stringify(briefing) }),
        ...(socket === undefined ? {} : { [COMPUTE_SOCKET_VARIABLE]: socket }),
      },
      ipc: (message: WorkerMessage) => {
        worker.silentChecks = 0
        if ('report' in message) return this.#onReport(worker, message.report)
        if ('missingRelease' in message) return void this.#replyAbout(worker, message.missingRelease)
        worker.state = 'ready' in message ? 'listening' : 'closed'
        if ('closed' in message) return this.#letClosedFinish()
        ready.resolve(message.ready.port)
        this.#options.onChange?.()
        // Updates while it was starting have not reached it.
        const latest = this.#options.briefing?.(this.served)
        if (latest === undefined || briefing === undefined) return
        if (JSON.stringify(latest.scrub) !== JSON.stringify(briefing.scrub)) sendTo(worker, { scrub: latest.scrub })
        if (JSON.stringify(latest.computeSockets) !== JSON.stringify(briefing.computeSockets))
          sendTo(worker, { computeSockets: latest.computeSockets })
        if (JSON.stringify(latest.shelf) !== JSON.stringify(briefing.shelf))
          sendTo(worker, { shelf: latest.shelf ?? null })
      },
    })
    const worker: Worker = {
      process: child,
      socket,
      startedAt: this.#now(),
      state: 'starting',
      retired: false,
      silentChecks: 0,
      waitedMilliseconds: 0,
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

  async #replyAbout(worker: Worker, missingRelease: string): Promise<void> {
    sendTo(worker, { missingRelease, onShelf: (await this.#options.findOnShelf?.(missingRelease)) ?? 'absent' })
  }

  #onReport(worker: Worker, report: WorkerReport): void {
    const hasFailed = report.metrics.errors > (worker.lastReport?.metrics.errors ?? 0)
    if (hasFailed && this.#now() - this.#lookedAt >= NEXT_LOOK_MILLISECONDS)
      // A home that cannot be read is reported by those that follow it.
      this.#lookIntoFailure().catch(() => {})
    worker.lastReport = report
    this.served = report.status.release
    for (const onReport of worker.onReport.splice(0)) onReport()
  }

  /** Kills workers that are stopped or stuck; they are then replaced like any that died. */
  #killStuck(): void {
    for (const worker of this.#workers) {
      // A worker that is to stop has a time limit of its own.
      if (worker.retired || this.#stopping) continue
      this.#replaceIfTooLarge(worker)
      const { pid } = worker.process
      const waited = (this.#options.waitedForCore ?? waitedForCore)(pid)
      const isStarved = waited - worker.waitedMilliseconds > CHECK_MILLISECONDS / 2
      worker.waitedMilliseconds = waited
      worker.silentChecks += isStarved ? STARVED_CHECK : 1
      const maxChecks = worker.state === 'starting' ? MAX_STARTING_CHECKS : MAX_SILENT_CHECKS
      if (worker.silentChecks <= maxChecks) continue
      const message = `${this.#name} STUCK: process ${pid} has not reported for ${maxChecks} s; killing it`
      this.#options.log({ level: 'error', event: 'worker-stuck', message, worker: pid })
      worker.process.kill('SIGKILL')
    }
  }

  /** Replaces a worker whose memory has grown too much: it ends after its last response, or at once if it goes on growing. */
  #replaceIfTooLarge(worker: Worker): void {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#options
    const { pid } = worker.process
    const bytes = maxBytes === Number.POSITIVE_INFINITY ? 0 : ownBytes(pid)
    if (bytes <= maxBytes || worker.state !== 'listening') return
    const message = `${this.#name} TOO LARGE: process ${pid} has ${Math.round(bytes / MEGABYTE)} MB of its own; replacing it`
    void this.#replaceFaulty(worker, { level: 'warn', event: 'worker-too-large', message, worker: pid, bytes })
    if (bytes > 2 * maxBytes) worker.process.kill('SIGKILL')
  }

  /** Logs the output of a worker: only the supervisor writes, so that the lines of several workers are not mixed up. */
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
    this.#options.onChange?.()
    this.#letClosedFinish()
    const { pid, exitCode, signalCode } = worker.process
    if (worker.lastReport !== undefined) this.#keepCounters(worker.lastReport)
    const how = signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`
    ready.reject(
      new OperationalError(`a ${this.#options.name ?? 'worker'} could not start (${how}); its reason stands above`),
    )
    if (worker.state === 'starting' || worker.retired || this.#stopping) return
    this.#backoff.workerDied(this.#now() - worker.startedAt)
    this.restarts++
    const message = `${this.#name} DIED: process ${pid}, ${how}; starting another in ${this.#backoff.next(this.#isServing())} ms`
    this.#options.log({ level: 'error', event: 'worker-died', message, worker: pid, how })
    if (!this.#isServing()) {
      const words = `NO ${this.#name} IS LEFT: nothing is ${this.#options.name === 'compute worker' ? 'searched, resolved or rendered' : 'served'} until one can start`
      this.#options.log({ level: 'error', event: 'no-worker-left', message: words })
    }
    void this.#replaceDead(signalCode !== null && !ORDERLY.includes(String(signalCode)))
  }

  #keepCounters({ metrics }: WorkerReport): void {
    const ended = countersOf(metrics)
    this.#ended = this.#ended === undefined ? ended : mergeSnapshots([this.#ended, ended])
  }

  /** Looks for what may have made workers fail, once for all that fail meanwhile. */
  async #lookIntoFailure(): Promise<void> {
    this.#lookedAt = this.#now()
    this.#looking ??= this.#options.onFailure?.().finally(() => {
      this.#looking = undefined
    })
    await this.#looking
  }

  async #replaceDead(hasCrashed: boolean): Promise<void> {
    for (;;) {
      await Bun.sleep(this.#backoff.take(this.#isServing()))
      try {
        if (hasCrashed) await this.#lookIntoFailure()
        return await this.#startMissing()
      } catch (error) {
        if (this.#stopping) return
        const wait = `trying again in ${this.#backoff.next(this.#isServing())} ms`
        const message = `${this.#name} DID NOT START: ${messageOf(error)}; ${wait}`
        this.#options.log({ level: 'error', event: 'worker-not-started', message })
      }
    }
  }

  async #retire(worker: Worker): Promise<void> {
    worker.retired = true
    this.#options.onChange?.()
    // A signal to the whole process group must not end compute workers while page workers still hand over to them.
    if (worker.socket !== undefined && worker.state === 'listening') sendTo(worker, { wanted: 'stop' })
    else worker.process.kill('SIGTERM')
    const timeout = this.#options.drainMilliseconds + KILL_AFTER_MILLISECONDS
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), timeout)
    await worker.process.exited
    clearTimeout(timer)
  }
}

const MEGABYTE = 1 << 20

/** Returns the time that the first thread of a process, which runs its program, has waited for a core in all, in milliseconds. */
function waitedForCore(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1_000_000
  } catch {
    // It has just ended, or the system does not say.
    return 0
  }
}

/** Returns the bytes of memory that a process shares with no file: its heap and its buffers. */
function ownBytes(pid: number): number {
  try {
    const [, kilobytes = '0'] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kilobytes) * 1_024
  } catch {
    return 0
  }
}

/** Requests a report from a worker, and resolves when it is there. */
function nextReport(worker: Worker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  worker.onReport.push(resolve)
  sendTo(worker, { wanted: 'report' })
  return promise
}

function letFinish(worker: Worker): void {
  worker.state = 'finishing'
  sendTo(worker, { finish: true })
}

function sendTo({ process }: Worker, message: SupervisorMessage): void {
  try {
    process.send(message)
  } catch {
    // It has ended meanwhile, without waiting for this message.
  }
}
