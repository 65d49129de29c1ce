// The supervisor: keeps several processes of one kind running, those that serve or those that think, and exchanges
// messages with them.
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

/** The variable in the environment of a worker that has what its supervisor knows of the home, as JSON. */
export const KNOWN_VARIABLE = 'NOMENCLATOR_KNOWN'

/** The variable in the environment of a process that thinks: the socket that it listens on. */
export const THINKER_VARIABLE = 'NOMENCLATOR_THINKER'

/**
 * Options of the garbage collector of a process that serves or thinks, which it reads when it starts. It takes mapped files for
 * memory in use, and so by default lets garbage grow to three times the size of a release, or to its size on a machine with
 * less than 16 GB. With these, garbage grows to a twentieth of it on all machines, or until both together are 64 MB.
 * By default it also takes compiled code that has not run for 20 to 60 seconds for garbage, so that whoever comes after a quiet time waits
 * until it is compiled again.
 */
export const COLLECTOR_OPTIONS: Readonly<Record<string, string>> = {
  BUN_JSC_heapGrowthMaxIncrease: '0.05',
  BUN_JSC_heapGrowthFunctionThresholdInMB: '0',
  BUN_JSC_largeHeapSize: '64000000',
  BUN_JSC_forceCodeBlockLiveness: 'true',
}

/**
 * One that thinks gives memory back when it is found to be garbage, and not bit by bit when there is nothing else to do; pages would wait for that.
 * The first thousands of rows take a third longer if the last tier of compiled code, which is dear, is reached as early as by default.
 * By default every second collection looks at all objects where garbage may grow by so little; with this share of it, only when what outlives
 * the others has grown by half. Of 100 searches the slowest takes half the time, for some tens of MB.
 */
const THINKER_OPTIONS = {
  BUN_JSC_sweepSynchronously: 'true',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '400000',
  BUN_JSC_minEdenToOldGenerationRatio: '0.033',
}

export type WorkerBriefing = {
  readonly scrub: ScrubState
  /** The digest of the release that other workers serve. */
  readonly served?: string | undefined
  /** Why the shared shelf is not followed; undefined where it is, or where there is none. */
  readonly shelf?: ShelfTrouble | undefined
  /** Whether a shared shelf is followed. */
  readonly follows?: boolean
  /** Where the processes that think listen, for those that serve. */
  readonly thinkers: readonly string[]
  /** Where processes of the service can make files that they share; undefined where nothing can be written to. */
  readonly directory: string | undefined
}

/** What a worker tells its supervisor: that it listens, that it has stopped listening, how it is, or which release it lacks. */
type WorkerMessage =
  | { readonly ready: { readonly port: number } }
  | { readonly closed: true }
  | { readonly report: WorkerReport }
  | { readonly lacks: string }

/** What the supervisor tells its workers: what the scrub has found, how the shared shelf is followed, who thinks. */
type WorkerUpdate =
  | { readonly scrub: ScrubState }
  | { readonly shelf: ShelfTrouble | null }
  | { readonly thinkers: readonly string[] }

/** What the supervisor tells a worker: that it may send its last responses, what is wanted of it, a reply, or news. */
type SupervisorMessage =
  | { readonly finish: true }
  | { readonly wanted: 'report' | 'reopen' | 'stop' }
  | { readonly lacked: string; readonly onShelf: OnShelf }
  | WorkerUpdate

const REPORT_MILLISECONDS = 1_000
/** How long a reply about a release that is not here is waited for. */
const REPLY_MILLISECONDS = 5_000

type WorkerSide = {
  readonly report: () => WorkerReport
  readonly onScrub: (state: ScrubState) => void
  readonly onShelf: (trouble: ShelfTrouble | undefined) => void
  /** Takes up where the processes that think listen. */
  readonly onThinkers: (paths: readonly string[]) => void
  /** Opens the access log anew. */
  readonly reopen: () => void
  /** Stops a process that thinks; one that serves is sent a signal. */
  readonly onStop: () => void
}

/** A worker's connection with its supervisor. It reports every second: a worker that does not is taken for stuck. */
export class SupervisorLink {
  readonly #options: WorkerSide
  readonly #finish = Promise.withResolvers<void>()
  readonly #lacked = new Map<string, PromiseWithResolvers<OnShelf>>()
  #isSending = false

  constructor(options: WorkerSide) {
    this.#options = options
    process.on('message', (message: SupervisorMessage) => this.#receive(message))
    setInterval(() => this.#report(), REPORT_MILLISECONDS).unref()
  }

  /** After a report, so that the supervisor knows what is served. */
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

  /** What the shared shelf says of a release that is not here: the supervisor asks it. */
  async findOnShelf(digest: string): Promise<OnShelf> {
    const asked = this.#lacked.get(digest)
    const reply = asked ?? Promise.withResolvers<OnShelf>()
    if (asked === undefined) {
      this.#lacked.set(digest, reply)
      send({ lacks: digest })
    }
    const late = setTimeout(() => this.#reply(digest, 'unknown'), REPLY_MILLISECONDS)
    return reply.promise.finally(() => clearTimeout(late))
  }

  #reply(digest: string, onShelf: OnShelf): void {
    this.#lacked.get(digest)?.resolve(onShelf)
    this.#lacked.delete(digest)
  }

  #receive(message: SupervisorMessage): void {
    if ('finish' in message) this.#finish.resolve()
    else if ('scrub' in message) this.#options.onScrub(message.scrub)
    else if ('shelf' in message) this.#options.onShelf(message.shelf ?? undefined)
    else if ('lacked' in message) this.#reply(message.lacked, message.onShelf)
    else if ('thinkers' in message) this.#options.onThinkers(message.thinkers)
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
  /** What they are called in messages. */
  readonly name?: 'worker' | 'thinker'
  readonly count: number
  readonly listening: ListenOptions
  /** The socket that each listens on, where they do not share a port. */
  readonly socket?: () => string
  /** Called when one has begun to listen, or gets no more to do. */
  readonly onChange?: () => void
  /** How much memory of its own one may have before it is replaced, in bytes. */
  readonly maxBytes?: number
  /** The command line of a worker that listens on this port. */
  readonly command: (port: number) => readonly string[]
  /** How long a worker may take to stop. */
  readonly drainMilliseconds: number
  readonly log: Log
  /** What a worker that starts is told of the home; `served` is what the other workers serve. */
  readonly known?: (served: string | undefined) => WorkerBriefing
  /** Called when a worker has crashed, and waited for before another is started. */
  readonly onCrash?: () => Promise<void>
  /** What the shared shelf says of a release that a worker lacks. */
  readonly findOnShelf?: (digest: string) => Promise<OnShelf>
  /** Variables of this process that workers do not get. */
  readonly unset?: readonly string[]
  /** Descriptors that workers inherit, from number 3 on. */
  readonly inherited?: readonly (number | 'ignore')[]
  /** The clock, in milliseconds. */
  readonly now?: () => number
  /** How long a process has waited for a core in all, in milliseconds. */
  readonly waitedForCore?: (pid: number) => number
  /** How often the connections that workers count are compared with those of the kernel. */
  readonly leakCheckMilliseconds?: number
}

type Worker = {
  readonly process: Bun.Subprocess
  readonly socket: string | undefined
  readonly startedAt: number
  state: 'starting' | 'listening' | 'closed' | 'finishing'
  /** It was told to stop. */
  retired: boolean
  /** How many checks have passed since it was heard of. */
  silentChecks: number
  /** How long it had waited for a core in all, at the last check. */
  waitedMilliseconds: number
  lastReport?: WorkerReport
  readonly leakCheck: LeakCheck
  /** Called at its next report. */
  readonly onReport: (() => void)[]
}

const KILL_AFTER_MILLISECONDS = 1_000
const CHECK_MILLISECONDS = 1_000
/**
 * A worker that was not heard of for so many checks is killed. Checks are counted and not seconds: when the machine
 * sleeps or all processes are stopped, none takes place. One before which the worker waited for a core most of the time
 * counts little: another in its place would wait as well, and begin anew.
 */
const MAX_SILENT_CHECKS = 5
const STARVED_CHECK = 0.1
/** A process that starts loads its program before it can report. */
const MAX_STARTING_CHECKS = 10
const MAX_REPORT_MILLISECONDS = 500
const LEAK_CHECK_MILLISECONDS = 10_000
/** How a process ends that was told to. Any other signal is a crash. */
const ORDERLY: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']

/** Workers listen with SO_REUSEPORT, and so would share the port with any other service that allows it too. */
function refusePortInUse({ host, port }: ListenOptions): void {
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

/** Keeps so many processes of one kind running. */
export class Supervisor {
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
  /** How many workers were replaced because they died or did not report. */
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
   * Starts the workers. If the first of them cannot start, neither can the service; the others, and whatever else is to be
   * started, begin when it serves.
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

  /** How each worker is at this moment. What workers counted that have ended is added to the first of them. */
  async reports(): Promise<readonly WorkerReport[]> {
    const workers = [...this.#workers].filter(({ state }) => state !== 'starting')
    await Promise.race([Promise.all(workers.map(nextReport)), Bun.sleep(MAX_REPORT_MILLISECONDS)])
    const reports = workers.flatMap(({ lastReport }) => lastReport ?? [])
    const [first, ...others] = reports
    if (first === undefined || this.#ended === undefined) return reports
    return [{ ...first, metrics: mergeSnapshots([first.metrics, this.#ended]) }, ...others]
  }

  /** The sockets of those that may be given something to do. */
  get sockets(): readonly string[] {
    return this.#inService().flatMap(({ state, socket }) => (state === 'listening' ? (socket ?? []) : []))
  }

  /** The digest of the release that a worker reported last. */
  get served(): string | undefined {
    return this.#served
  }

  tell(news: WorkerUpdate): void {
    for (const worker of this.#workers) tell(worker, news)
  }

  /** Lets the workers open their access log anew. */
  reopen(): void {
    for (const worker of this.#workers) tell(worker, { wanted: 'reopen' })
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
        // One that has died meanwhile is being replaced already.
        if (!this.#workers.has(old)) continue
        await this.#replace(old)
      }
      if (this.#options.socket === undefined)
        this.#options.log({ level: 'info', event: 'workers-restarted', message: 'All workers were restarted.' })
    } catch (error) {
      const message = `${this.#name}S NOT RESTARTED: ${messageOf(error)}; those that are there go on`
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
    if (worker.state !== 'listening' || this.#options.socket !== undefined) return
    const { pid } = worker.process
    const counted = () => worker.lastReport?.metrics.connections ?? 0
    const count = () => Promise.race([nextReport(worker), Bun.sleep(MAX_REPORT_MILLISECONDS)]).then(counted)
    const leak = await worker.leakCheck.run(counted(), count, () => connectedClients(pid, this.#port))
    if (leak === undefined) return
    const message = `CONNECTIONS LEAKED: process ${pid} counts ${leak.counted}, and the system has ${leak.connected}; replacing it`
    await this.#replaceFaulty(worker, { level: 'error', event: 'connections-leaked', message, worker: pid, ...leak })
  }

  /** Puts another in the place of one that works and is not as it should be, unless a restart does so already. */
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
    const socket = this.#options.socket?.()
    const child = Bun.spawn([...this.#options.command(this.#port)], {
      stdio: ['ignore', 'pipe', 'pipe', ...(this.#options.inherited ?? [])],
      env: {
        ...COLLECTOR_OPTIONS,
        ...(socket === undefined ? {} : THINKER_OPTIONS),
        ...process.env,
        ...Object.fromEntries((this.#options.unset ?? []).map((name) => [name, undefined])),
        [SUPERVISOR_VARIABLE]: String(process.pid),
        ...(known === undefined ? {} : { [KNOWN_VARIABLE]: JSON.stringify(known) }),
        ...(socket === undefined ? {} : { [THINKER_VARIABLE]: socket }),
      },
      ipc: (message: WorkerMessage) => {
        worker.silentChecks = 0
        if ('report' in message) return this.#onReport(worker, message.report)
        if ('lacks' in message) return void this.#replyAbout(worker, message.lacks)
        worker.state = 'ready' in message ? 'listening' : 'closed'
        if ('closed' in message) return this.#letClosedFinish()
        ready.resolve(message.ready.port)
        this.#options.onChange?.()
        // What was found while it was starting may not have reached it.
        const latest = this.#options.known?.(this.#served)
        if (latest === undefined || known === undefined) return
        if (JSON.stringify(latest.scrub) !== JSON.stringify(known.scrub)) tell(worker, { scrub: latest.scrub })
        if (JSON.stringify(latest.thinkers) !== JSON.stringify(known.thinkers))
          tell(worker, { thinkers: latest.thinkers })
        if (JSON.stringify(latest.shelf) !== JSON.stringify(known.shelf)) tell(worker, { shelf: latest.shelf ?? null })
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

  async #replyAbout(worker: Worker, lacked: string): Promise<void> {
    tell(worker, { lacked, onShelf: (await this.#options.findOnShelf?.(lacked)) ?? 'absent' })
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

  /** One whose memory has grown too much ends when its work is done, or at once if it goes on growing. */
  #replaceIfTooLarge(worker: Worker): void {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#options
    const { pid } = worker.process
    const bytes = maxBytes === Number.POSITIVE_INFINITY ? 0 : ownBytes(pid)
    if (bytes <= maxBytes || worker.state !== 'listening') return
    const message = `${this.#name} TOO LARGE: process ${pid} has ${Math.round(bytes / MEGABYTE)} MB of its own; replacing it`
    void this.#replaceFaulty(worker, { level: 'warn', event: 'worker-too-large', message, worker: pid, bytes })
    if (bytes > 2 * maxBytes) worker.process.kill('SIGKILL')
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
      const words = `NO ${this.#name} IS LEFT: nothing is ${this.#options.name === 'thinker' ? 'searched, resolved or rendered' : 'served'} until one can start`
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
        const message = `${this.#name} DID NOT START: ${messageOf(error)}; ${wait}`
        this.#options.log({ level: 'error', event: 'worker-not-started', message })
      }
    }
  }

  async #retire(worker: Worker): Promise<void> {
    worker.retired = true
    this.#options.onChange?.()
    // A signal to the whole process group must not end those that think while others still hand over to them.
    if (worker.socket !== undefined && worker.state === 'listening') tell(worker, { wanted: 'stop' })
    else worker.process.kill('SIGTERM')
    const timeout = this.#options.drainMilliseconds + KILL_AFTER_MILLISECONDS
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), timeout)
    await worker.process.exited
    clearTimeout(timer)
  }
}

const MEGABYTE = 1 << 20

/** How long the first thread of a process, which runs its program, has waited for a core in all, in milliseconds. */
function waitedForCore(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1_000_000
  } catch {
    // It has just ended, or the system does not tell.
    return 0
  }
}

/** The memory that a process shares with no file: its heap and its buffers. */
function ownBytes(pid: number): number {
  try {
    const [, kilobytes = '0'] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kilobytes) * 1_024
  } catch {
    return 0
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
