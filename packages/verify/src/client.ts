// Sends requests politely, with a pace, retries and growing pauses, and counts the failures on the way.
import manifest from '../package.json' with { type: 'json' }
import { type ConnectionOptions, ProbeConnection } from './connection.ts'
import { METHODS } from './contract.ts'
import type { RuleFinding } from './findings.ts'
import { RequestPace, wait } from './pace.ts'
import { type HeaderField, NoResponse, type RawResponse, valuesOf } from './raw-response.ts'

export type Sent = {
  readonly method: string
  /** Path and query, from the base of the service. */
  readonly target: string
  readonly fields?: readonly HeaderField[]
}

export type ProbeExchange = Sent & {
  /** The request as people read it. */
  readonly request: string
  readonly outcome: RawResponse | NoResponse
}

/** The numbers of requests, and of the failures on the way, whether or not a retry made up for them. */
export type Traffic = Readonly<Client['traffic']>

/** A failure on the way; a server error is a response of 5xx. */
type Mishap = RuleFinding & { readonly kind: 'droppedConnections' | 'timeouts' | 'serverErrors' }

export type ClientOptions = ConnectionOptions & {
  /** The number of times that a failed request is sent again. */
  readonly retries: number
  /** Milliseconds before the first retry; each further one waits twice as long. */
  readonly backoff: number
  /** Requests per second, over all connections. */
  readonly rate: number | undefined
}

export const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])
const HEADERS = {
  Accept: 'application/json',
  'User-Agent': `nomenclator/${manifest.version}`,
  'Accept-Encoding': 'identity',
}

/** A server that wants a longer pause is left alone. */
const MAX_PAUSE = 60_000
/** After so many requests without a response nothing more is requested. */
const MAX_LOST = 5
/** A connection that is closed sooner after a response, and unannounced, was dropped; later, the server may have found it idle. */
const IDLE_MILLISECONDS = 1_000
/** The time to wait for a body after HEAD, which should not come. */
const PATIENCE_MILLISECONDS = 1_000

/** The server cannot be checked: it does not respond, or it wants to be left alone. */
export class Unchecked extends Error {}

export class Client {
  readonly base: string
  readonly #url: URL
  readonly #options: ClientOptions
  readonly #pace: RequestPace
  readonly #idle: { readonly connection: ProbeConnection; readonly since: number }[] = []
  #lost = 0
  /** True once the server has responded to any request. */
  hasResponded = false
  readonly #mishaps: Mishap[] = []
  readonly traffic = { requests: 0, retries: 0, droppedConnections: 0, timeouts: 0, serverErrors: 0 }

  constructor(base: string, options: ClientOptions) {
    this.base = base
    this.#url = new URL(base)
    this.#options = options
    this.#pace = new RequestPace(options.rate)
  }

  mishaps(kind: Mishap['kind']): readonly Mishap[] {
    return this.#mishaps.filter((mishap) => mishap.kind === kind)
  }

  #note(kind: Mishap['kind'], request: string, came: string): void {
    this.traffic[kind]++
    this.#mishaps.push({ kind, request, came })
  }

  /** Sends a request, and again if it fails for a reason that passes; the outcome of the last attempt counts. */
  async send(sent: Sent): Promise<ProbeExchange> {
    const { retries, backoff: pause } = this.#options
    for (let attempt = 0; ; attempt++) {
      const exchange = await this.sendOnce(sent)
      const again = this.#retryAfter(exchange)
      if (again === undefined) return exchange
      if (attempt === retries) return this.#lose(exchange)
      this.traffic.retries++
      // The jitter keeps requests that failed together from being sent again together.
      await wait(Math.max(pause * 2 ** attempt * (0.5 + Math.random() / 2), again))
    }
  }

  /** The lines of a request as they go on the wire. */
  #message({ method, target, fields = [] }: Sent): string {
    // The path of the base comes before the target.
    const path = this.#url.pathname.replace(/\/+$/, '')
    const given = new Set(fields.map(([name]) => name.toLowerCase()))
    const defaults = Object.entries({ Host: this.#url.host, ...HEADERS })
    const all = [...defaults.filter(([name]) => !given.has(name.toLowerCase())), ...fields]
    const lines = [`${method} ${path}${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`)]
    return `${lines.join('\r\n')}\r\n\r\n`
  }

  close(): void {
    for (const { connection } of this.#idle) connection.close()
  }

  /** Sends a request that a server may well refuse. */
  async sendOnce(sent: Sent): Promise<ProbeExchange> {
    await this.#pace.turn()
    this.traffic.requests++
    const request = `${sent.method} ${this.base}${sent.target}`
    try {
      const outcome = await this.#exchange(sent, request)
      this.hasResponded = true
      const { status } = outcome
      // Another method need not be implemented.
      if (status >= 500 && !(status === 501 && !METHODS.includes(sent.method)))
        this.#note('serverErrors', request, `status ${status}`)
      return { ...sent, request, outcome }
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      this.#noteLoss(request, error)
      return { ...sent, request, outcome: error }
    }
  }

  #noteLoss(request: string, { kind, message }: NoResponse): void {
    // A response that is no HTTP was received whole.
    if (kind === 'invalid') return
    this.#note(kind === 'timeout' ? 'timeouts' : 'droppedConnections', request, message)
  }

  async #exchange(sent: Sent, request: string): Promise<RawResponse> {
    const isHead = sent.method === 'HEAD'
    const { fields: given = [] } = sent
    // A body after HEAD would be taken for the beginning of the next response, so that connection is used once.
    const fields: readonly HeaderField[] = isHead ? [...given, ['Connection', 'close']] : given
    const message = this.#message({ ...sent, fields })
    const kept = this.#take()
    if (kept !== undefined) {
      try {
        return await this.#on(kept.connection, message, isHead)
      } catch (error) {
        // The server may have closed an idle connection just as the request was sent.
        if (!(error instanceof NoResponse) || error.kind !== 'closed' || isHead) throw error
        if (error.isPartial || performance.now() - kept.since < IDLE_MILLISECONDS) {
          this.#noteLoss(request, error)
          this.traffic.retries++
        }
      }
    }
    return this.#on(await ProbeConnection.open(this.#url, this.#options), message, isHead)
  }

  async #on(connection: ProbeConnection, message: string, isHead: boolean): Promise<RawResponse> {
    try {
      connection.write(message)
      const response = await connection.read(isHead)
      if (isHead) await connection.readUntilClosed(Math.min(PATIENCE_MILLISECONDS, this.#options.timeout))
      const surplus = isHead ? connection.unread : response.surplus
      if (isHead || response.closes || !connection.isUsable) connection.close()
      else this.#idle.push({ connection, since: performance.now() })
      return { ...response, surplus }
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** An idle connection that can be used. */
  #take() {
    let kept = this.#idle.pop()
    for (; kept?.connection.isUsable === false; kept = this.#idle.pop()) kept.connection.close()
    return kept
  }

  /** The least milliseconds to wait before the same request is sent again; undefined if that would not help. */
  #retryAfter({ outcome, request }: ProbeExchange): number | undefined {
    if (outcome instanceof NoResponse) return outcome.kind === 'invalid' ? undefined : 0
    if (!RETRIED_STATUSES.has(outcome.status)) return undefined
    const pause = parseRetryAfter(valuesOf(outcome.fields, 'retry-after')[0] ?? '')
    if (pause > MAX_PAUSE)
      throw new Unchecked(`${request} gets ${outcome.status} and is to be sent again in ${Math.ceil(pause / 1_000)} s`)
    // The pause is for all requests, not only for the one that the server refused.
    this.#pace.pause(pause)
    return pause
  }

  #lose(exchange: ProbeExchange): ProbeExchange {
    const { outcome, request } = exchange
    this.#lost++
    const reason = outcome instanceof NoResponse ? outcome.message : `status ${outcome.status}`
    const times = `${this.#options.retries + 1} times`
    if (!this.hasResponded && outcome instanceof NoResponse && !outcome.isPartial)
      throw new Unchecked(`${request} was sent ${times} without a response: ${reason}`)
    if (this.#lost >= MAX_LOST)
      throw new Unchecked(`${this.#lost} requests got no usable response; the last was ${request}: ${reason}`)
    return exchange
  }
}

/** The milliseconds that a Retry-After header wants, in seconds or as a date. */
function parseRetryAfter(header: string): number {
  if (/^[0-9]{1,15}$/.test(header)) return Number(header) * 1_000
  return Math.max(Date.parse(header) - Date.now(), 0) || 0
}
