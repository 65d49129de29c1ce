// The supervisor: keeps several processes of the server running on one port.
import { Failure } from '../failure.ts'
import { type Listening, PortInUse, urlOf } from './serve.ts'

/** In the environment of a worker: the process that supervises it. */
export const SUPERVISOR_VARIABLE = 'NOMENCLATOR_SUPERVISOR'

/** What a worker tells its supervisor. */
export type WorkerMessage = { readonly ready: true; readonly port: number }

export type WorkersOptions = {
  readonly count: number
  readonly listening: Listening
  /** The command line of a worker that listens on this port, and the drain it is allowed. */
  readonly command: (port: number) => readonly string[]
  readonly drainMilliseconds: number
  readonly log: (line: string) => void
}

export type Workers = {
  readonly url: string
  /** One after the other, each replaced before it is stopped. */
  restart(): Promise<void>
  stop(): Promise<void>
  kill(): void
}

type Worker = { readonly process: Bun.Subprocess; readonly port: number; readonly startedAt: number }

const FIRST_BACKOFF_MILLISECONDS = 100
const MOST_BACKOFF_MILLISECONDS = 10_000
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
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw new PortInUse({ host, port })
    throw error
  }
}

class Supervisor implements Workers {
  readonly #options: WorkersOptions
  readonly #workers = new Set<Worker>()
  #port: number
  #stopping = false
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
      this.#port = (await this.#spawn()).port
      await Promise.all(Array.from({ length: this.#options.count - 1 }, () => this.#spawn()))
    } catch (error) {
      this.kill()
      throw error
    }
  }

  async restart(): Promise<void> {
    for (const old of [...this.#workers]) {
      if (this.#stopping) return
      await this.#spawn()
      await this.#retire(old)
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#workers].map((worker) => this.#retire(worker)))
  }

  kill(): void {
    this.#stopping = true
    for (const { process } of this.#workers) process.kill('SIGKILL')
  }

  /** Resolves when the worker listens. */
  #spawn(): Promise<Worker> {
    return new Promise((resolve, reject) => {
      let worker: Worker | undefined
      const child = Bun.spawn([...this.#options.command(this.#port)], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, [SUPERVISOR_VARIABLE]: String(process.pid) },
        ipc: (message: WorkerMessage) => {
          if (!message.ready || worker !== undefined) return
          worker = { process: child, port: message.port, startedAt: performance.now() }
          this.#workers.add(worker)
          resolve(worker)
        },
        onExit: (_child, code, signal) => {
          const how = signal === null ? `exit code ${code}` : `signal ${signal}`
          if (worker === undefined) reject(new Failure(`a worker could not start (${how}); its reason stands above`))
          else this.#gone(worker, how)
        },
      })
      for (const stream of [child.stdout, child.stderr]) void this.#passOn(stream, child.pid)
    })
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

  /** Retired workers are taken off the list first, so whoever is still on it died on its own. */
  #gone(worker: Worker, how: string): void {
    if (!this.#workers.delete(worker) || this.#stopping) return
    if (performance.now() - worker.startedAt > STEADY_MILLISECONDS) this.#backoff = FIRST_BACKOFF_MILLISECONDS
    this.#options.log(`WORKER DIED: process ${worker.process.pid}, ${how}; starting another in ${this.#backoff} ms\n`)
    void this.#replaceLater()
  }

  async #replaceLater(): Promise<void> {
    for (;;) {
      await Bun.sleep(this.#backoff)
      this.#backoff = Math.min(this.#backoff * 2, MOST_BACKOFF_MILLISECONDS)
      if (this.#stopping) return
      try {
        await this.#spawn()
        return
      } catch (error) {
        this.#options.log(`WORKER DID NOT START: ${error instanceof Error ? error.message : error}; trying again\n`)
      }
    }
  }

  async #retire(worker: Worker): Promise<void> {
    this.#workers.delete(worker)
    worker.process.kill('SIGTERM')
    const patience = this.#options.drainMilliseconds + KILL_AFTER_MILLISECONDS
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), patience)
    await worker.process.exited
    clearTimeout(timer)
  }
}
