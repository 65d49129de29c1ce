// A supervisor: keeps several workers of one kind running, page workers or compute workers, and replaces those that fail.
import type { Log, LogEvent } from '../../base/log.ts'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import { countersOf, type MetricsSnapshot, mergeSnapshots } from '../observation/metrics.ts'
import type { OnShelf } from '../observation/shelf-status.ts'
import { type ListenOptions, urlOf } from '../wire/server.ts'
import { Backoff, Silence, supervisorLife } from './life.ts'
import { updatesSince, type WorkerBriefing, type WorkerUpdate } from './messages.ts'
import { connectedClients } from './open-sockets.ts'
import { CannotListen } from './serve.ts'
import type { WorkerReport } from './serving-status.ts'
import { WorkerProcess } from './worker-process.ts'

type SupervisorOptions = {
  /** The name of its workers in messages. */
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
  /** Returns the time that a worker has waited for a core in all, in milliseconds. */
  readonly waitedForCore?: (worker: WorkerProcess) => number
  /** The time between two comparisons of the connections that workers count with those of the kernel. */
  readonly leakCheckMilliseconds?: number
}

type Worker = WorkerProcess & { readonly startedAt: number }

const MAX_REPORT_MILLISECONDS = 500
const LEAK_CHECK_MILLISECONDS = 10_000
/** Errors that no damage explains do not make the release be read all the time. */
const NEXT_LOOK_MILLISECONDS = 600_000
const MEGABYTE = 1 << 20

/** Workers listen with SO_REUSEPORT, and so would share the port with any other service that allows it too. */
function refusePortInUse({ host, port }: ListenOptions): void {
  try {
    Bun.listen({ hostname: host, port, socket: { data: () => {} } }).stop(true)
  } catch (error) {
    throw error instanceof Error ? new CannotListen({ host, port }, error) : error
  }
}

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #now: () => number
  readonly #life = supervisorLife()
  /** All workers that are alive, including those that are starting or stopping. */
  readonly #workers = new Set<Worker>()
  readonly #backoff = new Backoff()
  #port: number
  #looking: Promise<void> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  /** The counters of the workers that have ended. */
  #ended: MetricsSnapshot | undefined
  /** The digest of the release that a worker reported last. */
  served: string | undefined
  /** Workers that were replaced because they died or did not report. */
  restarts = 0

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#port = options.listening.port
    setInterval(() => this.#check(), Silence.CHECK_MILLISECONDS).unref()
    this.#checkForLeaks()
  }

  get #name(): string {
    return (this.#options.name ?? 'worker').toUpperCase()
  }

  get #isStopping(): boolean {
    return this.#life.is('stopping')
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
    const workers = [...this.#workers].filter(({ life }) => !life.is('starting'))
    const fresh = Promise.all(workers.map((worker) => worker.nextReport()))
    await Promise.race([fresh, Bun.sleep(MAX_REPORT_MILLISECONDS)])
    const reports = workers.flatMap(({ lastReport }) => lastReport ?? [])
    const [first, ...others] = reports
    if (first === undefined || this.#ended === undefined) return reports
    return [{ ...first, metrics: mergeSnapshots([first.metrics, this.#ended]) }, ...others]
  }

  /** The sockets of the workers that take requests. */
  get sockets(): readonly string[] {
    return this.#inService().flatMap(({ life, socket }) => (life.is('ready') ? (socket ?? []) : []))
  }

  update(change: WorkerUpdate): void {
    for (const worker of this.#workers) worker.send(change)
  }

  /** Lets the workers open their access log anew. */
  reopen(): void {
    for (const worker of this.#workers) worker.send({ wanted: 'reopen' })
  }

  /** Replaces the workers one after the other. If a new one cannot start, the remaining old ones stay. */
  restart(): void {
    const isSteady = this.#life.is('steady')
    if (this.#life.on('replace') && isSteady) void this.#whileReplacing(() => this.#replaceAll())
  }

  async stop(): Promise<void> {
    this.#life.on('stop')
    await Promise.all([...this.#workers].map((worker) => this.#retire(worker)))
  }

  kill(): void {
    this.#life.on('stop')
    for (const worker of this.#workers) worker.kill()
  }

  async #whileReplacing(replace: () => Promise<void>): Promise<void> {
    await replace()
    while (this.#life.on('replaced') && this.#life.is('replacing')) await this.#replaceAll()
  }

  async #replaceAll(): Promise<void> {
    try {
      for (const old of this.#inService()) {
        if (this.#isStopping) return
        // A worker that has died meanwhile is being replaced already.
        if (this.#workers.has(old)) await this.#replace(old)
      }
      if (this.#options.socket === undefined)
        this.#options.log({ level: 'info', event: 'workers-restarted', message: 'All workers were restarted.' })
    } catch (error) {
      const message = `${this.#name}S NOT RESTARTED: ${messageOf(error)}; those that are there go on`
      if (this.#isStopping) return
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

  /** Replaces a worker that serves and has a fault, unless workers are being replaced already. */
  async #replaceFaulty(worker: Worker, event: LogEvent): Promise<void> {
    if (worker.isRetired || !this.#life.is('steady')) return
    this.#life.on('replace')
    this.#options.log(event)
    this.restarts++
    await this.#whileReplacing(() =>
      this.#replace(worker).catch((error) => {
        const message = `${this.#name} DID NOT START: ${messageOf(error)}; the one that it was to replace goes on`
        if (!this.#isStopping) this.#options.log({ level: 'error', event: 'worker-not-started', message })
      }),
    )
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
    if (!worker.life.is('ready') || this.#options.socket !== undefined) return
    const { pid } = worker
    const counted = () => worker.lastReport?.metrics.connections ?? 0
    const count = () => Promise.race([worker.nextReport(), Bun.sleep(MAX_REPORT_MILLISECONDS)]).then(counted)
    const leak = await worker.leakCheck.run(counted(), count, () => connectedClients(pid, this.#port))
    if (leak === undefined) return
    const message = `CONNECTIONS LEAKED: process ${pid} counts ${leak.counted}, and the system has ${leak.connected}; replacing it`
    await this.#replaceFaulty(worker, { level: 'error', event: 'connections-leaked', message, worker: pid, ...leak })
  }

  #inService(): Worker[] {
    return [...this.#workers].filter(({ isRetired }) => !isRetired)
  }

  /** True if any worker serves. */
  #isServing(): boolean {
    return this.#inService().some(({ life }) => life.is('ready'))
  }

  async #startMissing(): Promise<void> {
    const missing = this.#isStopping ? 0 : Math.max(this.#options.count - this.#inService().length, 0)
    await Promise.all(Array.from({ length: missing }, () => this.#spawn()))
  }

  /** Resolves with the port when the worker listens. */
  #spawn(): Promise<number> {
    const { command, socket, briefing, unset = [], inherited = [], log, onChange } = this.#options
    const ready = Promise.withResolvers<number>()
    const process = new WorkerProcess({
      command: command(this.#port),
      socket: socket?.(),
      briefing: briefing?.(this.served),
      unset,
      inherited,
      log,
      onReport: (report, before) => this.#onReport(report, before),
      onMessage: (message) => {
        if ('missingRelease' in message) return void this.#replyAbout(worker, message.missingRelease)
        worker.life.on('closed' in message ? 'closes' : 'listens')
        if ('closed' in message) return this.#letDrainedFinish()
        ready.resolve(message.ready.port)
        onChange?.()
        // Updates while it was starting have not reached it.
        const latest = briefing?.(this.served)
        if (latest && worker.briefing) for (const update of updatesSince(worker.briefing, latest)) worker.send(update)
      },
    })
    const worker: Worker = Object.assign(process, { startedAt: this.#now() })
    this.#workers.add(worker)
    void worker.ended.then(() => this.#onExit(worker, ready))
    return ready.promise
  }

  async #replyAbout(worker: Worker, missingRelease: string): Promise<void> {
    worker.send({ missingRelease, onShelf: (await this.#options.findOnShelf?.(missingRelease)) ?? 'absent' })
  }

  #onReport({ metrics, status }: WorkerReport, before: WorkerReport | undefined): void {
    const hasFailed = metrics.errors > (before?.metrics.errors ?? 0)
    if (hasFailed && this.#now() - this.#lookedAt >= NEXT_LOOK_MILLISECONDS)
      // A home that cannot be read is reported by those that follow it.
      this.#lookIntoFailure().catch(() => {})
    this.served = status.release
  }

  /** Replaces workers that are too large, and kills those that are stopped or stuck: they are then replaced like any that died. */
  #check(): void {
    for (const worker of this.#workers) {
      // A worker that is to stop has a time limit of its own.
      if (worker.isRetired || this.#isStopping) continue
      this.#replaceIfTooLarge(worker)
      const { pid, life, silence } = worker
      const maxChecks = life.is('starting') ? Silence.MAX_STARTING_CHECKS : Silence.MAX_CHECKS
      const waited = this.#options.waitedForCore?.(worker) ?? worker.waitedForCore
      if (!silence.check(waited, maxChecks) || !life.on('is silent')) continue
      const message = `${this.#name} STUCK: process ${pid} has not reported for ${maxChecks} s; killing it`
      this.#options.log({ level: 'error', event: 'worker-stuck', message, worker: pid })
      worker.kill()
    }
  }

  /** Replaces a worker whose memory has grown too much: it ends after its last response, or at once if it goes on growing. */
  #replaceIfTooLarge(worker: Worker): void {
    const { maxBytes } = this.#options
    const bytes = maxBytes === undefined || !worker.life.is('ready') ? 0 : worker.ownBytes
    if (maxBytes === undefined || bytes <= maxBytes) return
    const { pid } = worker
    const message = `${this.#name} TOO LARGE: process ${pid} has ${Math.round(bytes / MEGABYTE)} MB of its own; replacing it`
    void this.#replaceFaulty(worker, { level: 'warn', event: 'worker-too-large', message, worker: pid, bytes })
    if (bytes > 2 * maxBytes) worker.kill()
  }

  /**
   * Lets the workers that have stopped listening send their last responses. When the whole service stops, all must have
   * stopped listening first: the clients of one would otherwise connect to the next, which is about to stop too.
   */
  #letDrainedFinish(): void {
    const workers = [...this.#workers]
    if (this.#isStopping && workers.some(({ life }) => life.is('ready'))) return
    for (const worker of workers) if (worker.life.on('may finish')) worker.send({ finish: true })
  }

  #onExit(worker: Worker, ready: PromiseWithResolvers<number>): void {
    const { pid, ending, hasCrashed, life, isRetired, lastReport, startedAt } = worker
    const { name = 'worker', log } = this.#options
    life.on('exits')
    this.#workers.delete(worker)
    this.#options.onChange?.()
    this.#letDrainedFinish()
    if (lastReport !== undefined) this.#keepCounters(lastReport)
    ready.reject(new OperationalError(`a ${name} could not start (${ending}); its reason stands above`))
    if (life.is('failed') || isRetired || this.#isStopping) return
    this.#backoff.workerDied(this.#now() - startedAt)
    this.restarts++
    const message = `${this.#name} DIED: process ${pid}, ${ending}; starting another in ${this.#backoff.next(this.#isServing())} ms`
    log({ level: 'error', event: 'worker-died', message, worker: pid, how: ending })
    if (!this.#isServing()) {
      const words = `NO ${this.#name} IS LEFT: nothing is ${name === 'compute worker' ? 'searched, resolved or rendered' : 'served'} until one can start`
      log({ level: 'error', event: 'no-worker-left', message: words })
    }
    void this.#replaceDead(hasCrashed)
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
        if (this.#isStopping) return
        const wait = `trying again in ${this.#backoff.next(this.#isServing())} ms`
        const message = `${this.#name} DID NOT START: ${messageOf(error)}; ${wait}`
        this.#options.log({ level: 'error', event: 'worker-not-started', message })
      }
    }
  }

  async #retire(worker: Worker): Promise<void> {
    worker.isRetired = true
    this.#options.onChange?.()
    await worker.retire(this.#options.drainMilliseconds)
  }
}
