// Sends requests as politely as the harvest does, and keeps what came to each.
import { OperationalError } from '../base/operational-error.ts'
import { CLIENT_HEADERS, type Politeness, RETRIED_STATUSES } from '../source/live-v1/client.ts'
import { Pace } from '../source/live-v1/pace.ts'
import { backoff, parseRetryAfter, wait } from '../source/requests.ts'
import { type HeaderField, NoResponse, ProbeConnection, type RawResponse, valuesOf } from './connection.ts'

export type Sent = {
  readonly method: string
  /** Path and query, from the base of the service. */
  readonly target: string
  readonly fields?: readonly HeaderField[]
}

export type ProbeExchange = Sent & {
  /** The request as it is told to people. */
  readonly request: string
  readonly outcome: RawResponse | NoResponse
}

/** How many requests were sent, and what happened to them on the way, whether or not a retry made up for it. */
export type Traffic = {
  readonly requests: number
  readonly retries: number
  readonly droppedConnections: number
  readonly timeouts: number
  /** Responses of 5xx. */
  readonly serverErrors: number
}

/** What went wrong on the way. */
type Mishap = {
  readonly kind: Exclude<keyof Traffic, 'requests' | 'retries'>
  readonly request: string
  readonly came: string
}

export type ClientOptions = Politeness & { readonly ca?: string }

/** A server that asks for a longer pause is left alone. */
const MAX_PAUSE = 60_000
/** After so many requests without a response nothing more is requested. */
const MAX_LOST = 5
/** A connection that is closed sooner after a response, and unannounced, was dropped; later, the server may have found it idle. */
const IDLE_MILLISECONDS = 1_000
const METHODS = ['GET', 'HEAD', 'OPTIONS']
const PATIENCE_MILLISECONDS = 1_000
/** Some servers never respond to what they do not understand. */
const CONVERSATION_MILLISECONDS = 3_000

/** The server does not let itself be checked: it does not respond, or it asks to be left alone. */
export class Unchecked extends OperationalError {}

export class Client implements Disposable {
  readonly base: string
  readonly #url: URL
  readonly #options: ClientOptions
  readonly #pace: Pace
  readonly #idle: { readonly connection: ProbeConnection; readonly since: number }[] = []
  readonly #signal = new AbortController().signal
  #lost = 0
  #responded = false
  readonly #mishaps: Mishap[] = []
  #retries = 0
  #requests = 0

  constructor(base: string, options: ClientOptions) {
    this.base = base
    this.#url = new URL(base)
    this.#options = options
    this.#pace = new Pace(options.rate)
  }

  get traffic(): Traffic {
    const count = (kind: Mishap['kind']) => this.mishaps(kind).length
    return {
      requests: this.#requests,
      retries: this.#retries,
      droppedConnections: count('droppedConnections'),
      timeouts: count('timeouts'),
      serverErrors: count('serverErrors'),
    }
  }

  /** Whether the server has ever responded. */
  get hasResponded(): boolean {
    return this.#responded
  }

  mishaps(kind: Mishap['kind']): readonly Mishap[] {
    return this.#mishaps.filter((mishap) => mishap.kind === kind)
  }

  /** How many milliseconds to wait for what may not come: a body after HEAD, or the end of a connection. */
  get patience(): number {
    return Math.min(PATIENCE_MILLISECONDS, this.#options.timeout)
  }

  /** The target in the request line: the path of the base comes before it. */
  targetOf(target: string): string {
    return `${this.#url.pathname.replace(/\/+$/, '')}${target}`
  }

  /** Sends a request that a server may well refuse: once, whatever comes. */
  sendOnce(sent: Sent): Promise<ProbeExchange> {
    return this.#attempt(sent)
  }

  /** Repeats what failed for a reason that passes; what remains of a failure is the outcome. */
  async send(sent: Sent): Promise<ProbeExchange> {
    const { retries, backoff: pause } = this.#options
    for (let attempt = 0; ; attempt++) {
      const exchange = await this.#attempt(sent)
      const again = this.#retryAfter(exchange)
      if (again === undefined) return exchange
      if (attempt === retries) return this.#lose(exchange)
      this.#retries++
      await wait(Math.max(backoff(pause, attempt), again), this.#signal)
    }
  }

  /** A connection of its own, for what is no plain request, but told in words. */
  async connect(request: string): Promise<ProbeConnection> {
    await this.#pace.turn(this.#signal)
    this.#requests++
    const timeout = Math.min(this.#options.timeout, CONVERSATION_MILLISECONDS)
    return ProbeConnection.open(this.#url, {
      ...this.#options,
      timeout,
      onStatus: (status) => {
        // What is sent here may be what nobody has to implement.
        if (status >= 500 && status !== 501 && status !== 505)
          this.#mishaps.push({ kind: 'serverErrors', request, came: `status ${status}` })
      },
    })
  }

  /** The lines of a request as they go on the wire. */
  message({ method, target, fields = [] }: Sent, version = 'HTTP/1.1'): string {
    const given = new Set(fields.map(([name]) => name.toLowerCase()))
    const defaults = Object.entries({ Host: this.#url.host, ...CLIENT_HEADERS, 'Accept-Encoding': 'identity' })
    const all = [...defaults.filter(([name]) => !given.has(name.toLowerCase())), ...fields]
    const lines = [`${method} ${target} ${version}`, ...all.map(([name, value]) => `${name}: ${value}`)]
    return `${lines.join('\r\n')}\r\n\r\n`
  }

  [Symbol.dispose](): void {
    for (const { connection } of this.#idle) connection[Symbol.dispose]()
  }

  async #attempt(sent: Sent): Promise<ProbeExchange> {
    await this.#pace.turn(this.#signal)
    this.#requests++
    const request = `${sent.method} ${this.base}${sent.target}`
    try {
      const outcome = await this.#exchange(sent, request)
      this.#responded = true
      const { status } = outcome
      // Another method need not be implemented.
      if (status >= 500 && !(status === 501 && !METHODS.includes(sent.method)))
        this.#mishaps.push({ kind: 'serverErrors', request, came: `status ${status}` })
      return { ...sent, request, outcome }
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      this.#noteLoss(request, error)
      return { ...sent, request, outcome: error }
    }
  }

  #noteLoss(request: string, { kind, message }: NoResponse): void {
    // What is no HTTP was received whole.
    if (kind === 'invalid') return
    this.#mishaps.push({ kind: kind === 'timeout' ? 'timeouts' : 'droppedConnections', request, came: message })
  }

  async #exchange(sent: Sent, request: string): Promise<RawResponse> {
    const isHead = sent.method === 'HEAD'
    // A body after HEAD would be taken for the beginning of the next response, so that connection is used once.
    const fields: readonly HeaderField[] = isHead
      ? [...(sent.fields ?? []), ['Connection', 'close']]
      : (sent.fields ?? [])
    const message = this.message({ ...sent, target: this.targetOf(sent.target), fields })
    const kept = this.#take()
    if (kept !== undefined) {
      try {
        return await this.#on(kept.connection, message, isHead)
      } catch (error) {
        // The server may have closed an idle connection just as the request was sent.
        if (!(error instanceof NoResponse) || error.kind !== 'closed' || isHead) throw error
        if (error.isPartial || performance.now() - kept.since < IDLE_MILLISECONDS) {
          this.#noteLoss(request, error)
          this.#retries++
        }
      }
    }
    return this.#on(await ProbeConnection.open(this.#url, this.#options), message, isHead)
  }

  async #on(connection: ProbeConnection, message: string, isHead: boolean): Promise<RawResponse> {
    try {
      connection.write(message)
      const response = await connection.read(isHead)
      if (isHead) {
        await connection.readUntilClosed(this.patience)
        const surplus = connection.unread
        connection[Symbol.dispose]()
        return { ...response, surplus }
      }
      if (response.closes || !connection.isUsable) connection[Symbol.dispose]()
      else this.#idle.push({ connection, since: performance.now() })
      return response
    } catch (error) {
      connection[Symbol.dispose]()
      throw error
    }
  }

  #take(): { readonly connection: ProbeConnection; readonly since: number } | undefined {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      if (kept.connection.isUsable) return kept
      kept.connection[Symbol.dispose]()
    }
    return undefined
  }

  /** How many milliseconds to wait at least before the same request is sent again; undefined where that would not help. */
  #retryAfter({ outcome, request }: ProbeExchange): number | undefined {
    if (outcome instanceof NoResponse) return outcome.kind === 'invalid' ? undefined : 0
    if (!RETRIED_STATUSES.has(outcome.status)) return undefined
    const asked = parseRetryAfter(valuesOf(outcome.fields, 'retry-after')[0] ?? null, Date.now()) ?? 0
    if (asked > MAX_PAUSE)
      throw new Unchecked(`${request} gets ${outcome.status} and is to be sent again in ${Math.ceil(asked / 1_000)} s`)
    // The server asks for a pause of all requests, not only of the one that it refused.
    this.#pace.pause(asked)
    return asked
  }

  #lose(exchange: ProbeExchange): ProbeExchange {
    const { outcome, request } = exchange
    this.#lost++
    const reason = outcome instanceof NoResponse ? outcome.message : `status ${outcome.status}`
    const times = `${this.#options.retries + 1} times`
    if (!this.#responded && outcome instanceof NoResponse && !outcome.isPartial)
      throw new Unchecked(`${request} was sent ${times} without a response: ${reason}`)
    if (this.#lost >= MAX_LOST)
      throw new Unchecked(`${this.#lost} requests got no usable response; the last was ${request}: ${reason}`)
    return exchange
  }
}
