// A polite HTTP client: rate-limited, with timeouts, retries and backoff, and without redirects to other hosts.

import { valueAt } from '../../base/json.ts'
import { boundedJson } from '../../base/json-bounds.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { version } from '../../base/version.ts'
import {
  isRedirect,
  parseRetryAfter,
  printable,
  Retry,
  type RetryPolicy,
  reasonOf,
  redirectTarget,
  withRetries,
} from '../requests.ts'
import { Pace } from './pace.ts'

export type Politeness = RetryPolicy & {
  /** Requests per second, over all connections. */
  readonly rate: number | undefined
  /** Milliseconds for a complete response. */
  readonly timeout: number
}

export type V1Response = { readonly headers: Headers; readonly body: Uint8Array }
type SentHeaders = Readonly<Record<string, string>>
type AnyResponse = V1Response & { readonly status: number }

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])
const MAX_REDIRECTS = 3
const MAX_BODY = 64 << 20
const CLIENT_HEADERS = { Accept: 'application/json', 'User-Agent': `nomenclator/${version}` }
const CONTINUES = 'run the same command again to continue where it stopped'

/** A response that is not the one expected, and that a retry would not change. */
export class Refused extends OperationalError {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export class PoliteClient {
  readonly #options: Politeness
  readonly #pace: Pace

  constructor(options: Politeness) {
    this.#options = options
    this.#pace = new Pace(options.rate)
  }

  /** A response with status 200; anything else is a Failure. */
  async get(url: string, signal: AbortSignal, headers: SentHeaders = {}): Promise<V1Response> {
    const all = { ...CLIENT_HEADERS, ...headers }
    return withRetries(url, () => this.#attempt(url, all, signal), { ...this.#options, signal, advice: CONTINUES })
  }

  async #attempt(url: string, headers: SentHeaders, signal: AbortSignal): Promise<V1Response | Retry> {
    let target = url
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      await this.#pace.turn(signal)
      const response = await this.#request(target, headers, signal)
      if (response instanceof Retry || response.status === 200) return response
      const { status } = response
      if (RETRIED_STATUSES.has(status)) {
        const retryAfter = parseRetryAfter(response.headers.get('retry-after'), Date.now())
        // The server asks for a pause of all requests, not only of the one that it refused.
        this.#pace.pause(retryAfter ?? 0)
        return new Retry(`status ${status}`, retryAfter)
      }
      if (!isRedirect(response)) throw refusal(target, response)
      target = followed(target, response)
    }
    throw new OperationalError(`${url} is redirected more than ${MAX_REDIRECTS} times`)
  }

  async #request(url: string, headers: SentHeaders, signal: AbortSignal): Promise<AnyResponse | Retry> {
    signal.throwIfAborted()
    const { timeout } = this.#options
    const deadline = AbortSignal.timeout(timeout)
    try {
      const response = await fetch(url, { redirect: 'manual', headers, signal: AbortSignal.any([signal, deadline]) })
      return { status: response.status, headers: response.headers, body: await readBody(url, response) }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OperationalError) throw error
      return new Retry(deadline.aborted ? `no complete response within ${timeout / 1_000} s` : reasonOf(error))
    }
  }
}

async function readBody(url: string, { body }: Response): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY)
      throw new OperationalError(`${url} responds with more than ${MAX_BODY >> 20} MB, which is too much`)
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}

/** Redirects are followed to another path of the same host and from http to https, but not to another host. */
function followed(url: string, response: AnyResponse): string {
  const [from, to] = [new URL(url), redirectTarget(url, response)]
  if (to === undefined)
    throw new OperationalError(`${url} responds with ${response.status} without a location to go to`)
  if (from.host === to.host && (from.protocol === to.protocol || to.protocol === 'https:')) return to.href
  throw new OperationalError(
    `${url} redirects to ${printable(to.href)}, which is not followed; give that address if it is right`,
  )
}

function refusal(url: string, response: AnyResponse): Refused {
  const detail = problemDetail(response)
  return new Refused(
    response.status,
    `${url} responds with ${response.status}${detail === undefined ? '' : `: ${detail}`}`,
  )
}

/** The detail or title of a problem (RFC 9457). */
function problemDetail({ headers, body }: AnyResponse): string | undefined {
  if (!(headers.get('content-type') ?? '').includes('json')) return undefined
  const problem = boundedJson(body)
  const detail = valueAt(problem, ['detail'])
  const text = typeof detail === 'string' ? detail : valueAt(problem, ['title'])
  return typeof text === 'string' ? printable(text) : undefined
}
