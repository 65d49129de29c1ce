// The supervisor: keeps several processes of the server running on one port, and talks with them.
import { Failure } from '../failure.ts'
import { CannotListen } from './serve.ts'
import { type Listening, urlOf } from './wire/server.ts'

/** In the environment of a worker: the process that supervises it. */
export const SUPERVISOR_VARIABLE = 'NOMENCLATOR_SUPERVISOR'

/** What a worker tells its supervisor: that it listens, and that it does so no more. */
type WorkerMessage = { readonly ready: { readonly port: number } } | { readonly closed: true }

export const tellReady = (port: number): void => tell({ ready: { port } })

/**
 * Tells the supervisor that this worker listens no more, and resolves when its clients may have their last answers:
 * when all of the service stops, not before every worker has stopped listening.
 */
export function untilReleased(): Promise<void> {
  return new Promise((resolve) => {
    process.once('message', () => resolve())
    tell({ closed: true })
  })
}

function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}

export type WorkersOptions = {
  readonly count: number
  readonly listening: Listening
  /** The command line of a worker that listens on this port. */
  readonly command: (port: number) => readonly string[]
  /** How long a worker may take to stop. */
  readonly drainMilliseconds: number
  readonly log: (line: string) => void
}

export type Workers = {
  readonly url: string
  /** One after the other, each replaced before it is stopped; if one cannot start, those that are there go on. */
  restart(): void
  stop(): Promise<void>
  kill(): void
}

type Worker = {
  readonly process: Bun.Subprocess
  readonly startedAt: number
  state: 'starting' | 'listening' | 'closed' | 'released'
  /** It was told to stop. */
  retired: boolean
}

const FIRST_BACKOFF_MILLISECONDS = 100
const MAX_BACKOFF_MILLISECONDS = 10_000
const STEADY_MILLISECONDS = 10_000
const KILL_AFTER_MILLISECONDS = 1_000

/** Starts the workers; if the first of them cannot start, neither can the service. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  refusePortInUse(options.listening)
  const supervisor = new Supervisor(options)
  await supervisor.start()
  return supervisor
}

/** Workers share a port, and would share it with a stranger that allows it too. */
function refusePortInUse({ host, port }: Listening): void {
  if (port === 0) return
  try {
    Bun.listen({ hostname: host, port, socket: { data: () => {} } }).stop(true)
  } catch (error) {
    throw error instanceof Error ? new CannotListen({ host, port }, error) : error
  }
}

class Supervisor implements Workers {
  readonly #options: WorkersOptions
  /** All that are alive, those that are starting or stopping too. */
  readonly #workers = new Set<Worker>()
  #port: number
  #stopping = false
  #restarting: Promise<void> = Promise.resolve()
  #backoff = FIRST_BACKOFF_MILLISECONDS

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#port = options.listening.port
  }

  get url(): string {
    return urlOf(this.#options.listening.host, this.#port)
  }

  async start(): Promise<void> {
    try {
      this.#port = await this.#spawn()
      await this.#fill()
    } catch (error) {
      this.kill()
      throw error
    }
  }

  restart(): void {
    this.#restarting = this.#restarting.then(() => this.#replaceAll())
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
      for (const old of this.#serving()) {
        if (this.#stopping) return
        // Whoever died meanwhile is being replaced already.
        if (!this.#workers.has(old)) continue
        await this.#spawn()
        await this.#retire(old)
        await this.#fill()
      }
      this.#options.log('All workers were restarted.\n')
    } catch (error) {
      if (!this.#stopping) this.#options.log(`WORKERS NOT RESTARTED: ${messageOf(error)}; those that are there go on\n`)
    }
  }

  #serving(): Worker[] {
    return [...this.#workers].filter(({ retired }) => !retired)
  }

  async #fill(): Promise<void> {
    const missing = this.#stopping ? 0 : Math.max(this.#options.count - this.#serving().length, 0)
    await Promise.all(Array.from({ length: missing }, () => this.#spawn()))
  }

  /** Resolves with its port when the worker listens. */
  #spawn(): Promise<number> {
    const ready = Promise.withResolvers<number>()
    const child = Bun.spawn([...this.#options.command(this.#port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, [SUPERVISOR_VARIABLE]: String(process.pid) },
      ipc: (message: WorkerMessage) => {
        worker.state = 'ready' in message ? 'listening' : 'closed'
        if ('ready' in message) ready.resolve(message.ready.port)
        else this.#release()
      },
    })
    const worker: Worker = { process: child, startedAt: performance.now(), state: 'starting', retired: false }
    this.#workers.add(worker)
    const said = [child.stdout, child.stderr].map((stream) => this.#passOn(stream, child.pid))
    // What it said last is passed on before its end is told.
    void Promise.all([child.exited, ...said]).then(() => this.#gone(worker, ready))
    return ready.promise
  }

  /** All writing is done by one process, so that lines stay whole. */
  async #passOn(stream: ReadableStream<Uint8Array>, pid: number): Promise<void> {
    const decoder = new TextDecoder()
    let held = ''
    for await (const chunk of stream) {
      held += decoder.decode(chunk, { stream: true })
      const end = held.lastIndexOf('\n') + 1
      for (const line of held.slice(0, end).split('\n').slice(0, -1)) this.#options.log(`[${pid}] ${line}\n`)
      held = held.slice(end)
    }
    if (held !== '') this.#options.log(`[${pid}] ${held}\n`)
  }

  /** When all of the service stops, clients that were let go early would only connect to the next worker that leaves. */
  #release(): void {
    const workers = [...this.#workers]
    if (this.#stopping && workers.some(({ state }) => state === 'listening')) return
    for (const worker of workers) if (worker.state === 'closed') release(worker)
  }

  #gone(worker: Worker, ready: PromiseWithResolvers<number>): void {
    this.#workers.delete(worker)
    this.#release()
    const { pid, exitCode, signalCode } = worker.process
    const how = signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`
    ready.reject(new Failure(`a worker could not start (${how}); its reason stands above`))
    if (worker.state === 'starting' || worker.retired || this.#stopping) return
    if (performance.now() - worker.startedAt > STEADY_MILLISECONDS) this.#backoff = FIRST_BACKOFF_MILLISECONDS
    this.#options.log(`WORKER DIED: process ${pid}, ${how}; starting another in ${this.#backoff} ms\n`)
    void this.#replaceLater()
  }

  async #replaceLater(): Promise<void> {
    for (;;) {
      const pause = this.#backoff
      this.#backoff = Math.min(pause * 2, MAX_BACKOFF_MILLISECONDS)
      await Bun.sleep(pause)
      try {
        return await this.#fill()
      } catch (error) {
        if (this.#stopping) return
        this.#options.log(`WORKER DID NOT START: ${messageOf(error)}; trying again in ${this.#backoff} ms\n`)
      }
    }
  }

  async #retire(worker: Worker): Promise<void> {
    worker.retired = true
    worker.process.kill('SIGTERM')
    const patience = this.#options.drainMilliseconds + KILL_AFTER_MILLISECONDS
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), patience)
    await worker.process.exited
    clearTimeout(timer)
  }
}

function release(worker: Worker): void {
  worker.state = 'released'
  try {
    worker.process.send({ release: true })
  } catch {
    // It ended without waiting for the word.
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
