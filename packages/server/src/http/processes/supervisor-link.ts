// The end of a worker in its connection with its supervisor.
import type { ScrubState } from '../../release/home/scrub.ts'
import type { OnShelf, ShelfTrouble } from '../observation/shelf-status.ts'
import type { SupervisorMessage, WorkerMessage } from './messages.ts'
import type { WorkerReport } from './serving-status.ts'

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
