// A polite HTTP client: rate-limited, with timeouts, retries and backoff, and without redirects to other hosts.
import { Failure } from '../../failure.ts'
import { version } from '../../version.ts'
import { backoff, Pace, parseRetryAfter, wait } from './pace.ts'

export type Politeness = {
  /** Requests per second, over all connections. */
  readonly rate: number | undefined
  /** Milliseconds for a complete response. */
  readonly timeout: number
  /** How often a failed request is sent again. */
  readonly retries: number
  /** Milliseconds before the first retry; each further one waits twice as long. */
  readonly backoff: number
}

export type HttpResponse = { readonly headers: Headers; readonly body: Uint8Array }
type AnyResponse = HttpResponse & { readonly status: number }
/** A failed attempt that may be repeated; `retryAfter` are the milliseconds that the server asks for. */
type Retry = { readonly reason: string; readonly retryAfter: number | undefined }

const RETRIED_STATUSES = new Set([429, 502, 503, 504])
const MAX_REDIRECTS = 3
const MAX_BODY = 64 << 20
const MAX_PAUSE = 5 * 60_000
const HEADERS = { Accept: 'application/json', 'User-Agent': `nomenclator/${version}` }
const CONTINUES = 'run the same command again to continue where it stopped'

/** A response that is not the one expected, and that a retry would not change. */
export class Refused extends Failure {}

export class PoliteClient {
  readonly #options: Politeness
  readonly #pace: Pace

  constructor(options: Politeness) {
    this.#options = options
    this.#pace = new Pace(options.rate)
  }

  /** A response with status 200; anything else is a Failure. */
  async get(url: string, signal: AbortSignal): Promise<HttpResponse> {
    const { retries, backoff: base } = this.#options
    let reason = ''
    for (let attempt = 0; attempt <= retries; attempt++) {
      const outcome = await this.#attempt(url, signal)
      if ('body' in outcome) return outcome
      reason = outcome.reason
      if (outcome.retryAfter !== undefined) this.#pauseAll(url, outcome.retryAfter)
      if (attempt < retries) await wait(backoff(base, attempt), signal)
    }
    throw new Failure(
      `${url} was requested ${retries + 1} times without success; the last time: ${reason}; ${CONTINUES}`,
    )
  }

  #pauseAll(url: string, milliseconds: number): void {
    if (milliseconds > MAX_PAUSE)
      throw new Failure(`${url} asks for a pause of ${Math.ceil(milliseconds / 1_000)} s; after it, ${CONTINUES}`)
    this.#pace.pause(milliseconds)
  }

  async #attempt(url: string, signal: AbortSignal): Promise<HttpResponse | Retry> {
    let target = url
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      await this.#pace.turn(signal)
      const response = await this.#request(target, signal)
      if ('reason' in response || response.status === 200) return response
      const { status, headers } = response
      if (RETRIED_STATUSES.has(status))
        return { reason: `status ${status}`, retryAfter: parseRetryAfter(headers.get('retry-after'), Date.now()) }
      if (status < 300 || status > 399 || status === 304) throw refusal(target, response)
      target = redirectTarget(target, response)
    }
    throw new Failure(`${url} is redirected more than ${MAX_REDIRECTS} times`)
  }

  async #request(url: string, signal: AbortSignal): Promise<AnyResponse | Retry> {
    signal.throwIfAborted()
    const { timeout } = this.#options
    const controller = new AbortController()
    const abort = () => controller.abort()
    const timer = setTimeout(abort, timeout)
    signal.addEventListener('abort', abort)
    try {
      const response = await fetch(url, { redirect: 'manual', headers: HEADERS, signal: controller.signal })
      return { status: response.status, headers: response.headers, body: await readBody(url, response) }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Failure) throw error
      const late = `no complete response within ${timeout / 1_000} s`
      return { reason: controller.signal.aborted ? late : messageOf(error), retryAfter: undefined }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
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
    if (size > MAX_BODY) throw new Failure(`${url} responds with more than ${MAX_BODY >> 20} MB, too much for a page`)
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}

/** Redirects are followed to another path of the same host and from http to https, but not to another host. */
function redirectTarget(url: string, { status, headers }: AnyResponse): string {
  const location = headers.get('location') ?? ''
  if (location === '' || !URL.canParse(location, url))
    throw new Failure(`${url} responds with ${status} without a location to go to`)
  const [from, to] = [new URL(url), new URL(location, url)]
  if (from.host === to.host && (from.protocol === to.protocol || to.protocol === 'https:')) return to.href
  throw new Failure(
    `${url} redirects to ${printable(to.href)}, which is not followed; give that address if it is right`,
  )
}

function refusal(url: string, response: AnyResponse): Refused {
  const detail = problemDetail(response)
  return new Refused(`${url} responds with ${response.status}${detail === undefined ? '' : `: ${detail}`}`)
}

/** The detail or title of a problem (RFC 9457). */
function problemDetail({ headers, body }: AnyResponse): string | undefined {
  if (!(headers.get('content-type') ?? '').includes('json')) return undefined
  try {
    const { detail, title } = JSON.parse(new TextDecoder().decode(body)) ?? {}
    const text = typeof detail === 'string' ? detail : title
    return typeof text === 'string' ? printable(text) : undefined
  } catch {
    return undefined
  }
}

const MAX_TEXT = 300
const printable = (text: string) => text.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_TEXT)

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
