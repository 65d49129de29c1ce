// Sends requests: a few at a time, with timeouts, retries and revalidation.
import * as errors from './errors.ts'
import { ConnectionFailed, NomenclatorError, type Problem, type RequestLine, TimedOut } from './errors.ts'
import { fits, valueIn } from './json.ts'

/** A response that is kept to be revalidated. */
export type CachedResponse = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

export type Awaitable<T> = T | Promise<T>

/** Keeps responses by URL. A Map is one. */
export type Cache = {
  get(url: string): Awaitable<CachedResponse | undefined>
  set(url: string, response: CachedResponse): unknown
}

export type Options = {
  /** Milliseconds for which a server may send nothing. */
  readonly timeout?: number
  /** Limit on the retries of a request that failed for a reason that may pass. */
  readonly retries?: number
  /** Milliseconds before the first retry at most, doubled for each further one; a random part of them is waited. */
  readonly backoff?: number
  /** Seconds that a server may demand with Retry-After; if it demands more, the request fails at once. */
  readonly maxRetryAfter?: number
  /** Bytes of a response at most; by default 50 million, and 500 million for those of `sync`. */
  readonly maxBytes?: number
  /** Requests at a time. */
  readonly concurrency?: number
  /** The cache of responses; false for none. */
  readonly cache?: Cache | false
  /** Ends all requests of the client. */
  readonly signal?: AbortSignal
  /** Sent with every request to the server, and to no other. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export type Reply = CachedResponse & { readonly url: string }

export type Call = {
  readonly signal?: AbortSignal | undefined
  /** Sent as JSON with a POST. That is not idempotent, so it is sent only once. */
  readonly body?: unknown
  /** False leaves the cache out. */
  readonly keep?: boolean
  readonly maxBytes?: number
}

const RETRIED = [429, 502, 503, 504]
const PROBLEM = { type: 'string|undefined', title: 'string|undefined', detail: 'string|undefined' }
/** A longer body is no problem that a server describes. */
const MAX_PROBLEM_LENGTH = 20_000

const REDIRECTS = [301, 302, 307, 308]
const MAX_BACKOFF = 20_000

/** Keeps the most recently used responses, up to so many characters. */
class MemoryCache extends Map<string, CachedResponse> {
  #room = 8e6

  override get(url: string): CachedResponse | undefined {
    const response = super.get(url)
    if (response !== undefined) this.set(url, response)
    return response
  }

  override set(url: string, response: CachedResponse): this {
    this.delete(url)
    super.set(url, response)
    this.#room -= response.body.length
    while (this.#room < 0) this.delete(this.keys().next().value ?? '')
    return this
  }

  override delete(url: string): boolean {
    this.#room += super.get(url)?.body.length ?? 0
    return super.delete(url)
  }
}

type Received = CachedResponse & { readonly status: number; readonly failure?: NomenclatorError }

export class Transport {
  readonly #options: Options
  readonly #cache: Cache | undefined
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(options: Options) {
    this.#options = options
    const { cache = new MemoryCache(), concurrency = 6 } = options
    this.#cache = cache || undefined
    this.#free = Math.max(concurrency, 1)
  }

  /** A response with a status of 2xx; anything else is an error. */
  async send(url: string, call: Call = {}): Promise<Reply> {
    const signals = [call.signal, this.#options.signal].filter((signal) => signal !== undefined)
    const controller = new AbortController()
    const abort = () => controller.abort(signals.find(({ aborted }) => aborted)?.reason)
    for (const signal of signals) signal.addEventListener('abort', abort)
    if (signals.some(({ aborted }) => aborted)) abort()
    try {
      return await this.#retried(url, call, controller.signal)
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', abort)
    }
  }

  async #retried(url: string, { body, keep = true, maxBytes = 50e6 }: Call, signal: AbortSignal): Promise<Reply> {
    const { retries = 4, backoff = 250, maxRetryAfter = 60 } = this.#options
    const isRead = body === undefined
    const request = { method: isRead ? 'GET' : 'POST', url }
    const cache = isRead && keep ? this.#cache : undefined
    const cached = await cache?.get(url)
    if (cached?.headers['cache-control']?.includes('immutable')) return { ...cached, url }
    const init: RequestInit = {
      method: request.method,
      // Another host must get neither the headers of the caller nor what is sent.
      redirect: isRead && this.#options.headers === undefined ? 'follow' : 'manual',
      headers: {
        Accept: 'application/json',
        ...(cached?.headers.etag && { 'If-None-Match': cached.headers.etag }),
        ...(isRead ? {} : { 'Content-Type': 'application/json' }),
        ...this.#options.headers,
      },
      ...(isRead ? {} : { body: JSON.stringify(body) }),
    }
    for (let attempt = 0; ; attempt++) {
      const attempted = await this.#inTurn(signal, () => this.#attempt(request, init, signal, maxBytes))
      const { status, headers, body: text, failure } = attempted
      if (status === 304 && cached !== undefined)
        // The content may belong to another release now: a date that the 304 does not repeat is forgotten.
        return { url, body: cached.body, headers: { ...cached.headers, ...dateless(cached), ...headers } }
      if (status >= 200 && status < 300) {
        if (headers.etag) await cache?.set(url, { headers, body: text })
        return { url, headers, body: text }
      }
      const seconds = secondsOf(headers['retry-after'])
      // A server that does not have the release yet has done nothing.
      const isSafe = isRead || headers['nomenclator-shelf'] === 'lag'
      const mayPass =
        (failure instanceof ConnectionFailed || RETRIED.includes(status)) && (seconds ?? 0) <= maxRetryAfter
      if (attempt >= retries || !isSafe || !mayPass) throw failure ?? responseError(request, status, text, seconds)
      const wait = Math.random() * Math.min(backoff * 2 ** attempt, MAX_BACKOFF) + (seconds ?? 0) * 1_000
      await abortable(signal, (resolve) => {
        const timer = setTimeout(resolve, wait)
        return () => clearTimeout(timer)
      })
    }
  }

  /** Calls `send` when fewer requests are under way than there may be. */
  async #inTurn<T>(signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else
      await abortable(signal, (resolve) => {
        this.#waiting.add(resolve)
        return () => this.#waiting.delete(resolve)
      })
    try {
      return await send()
    } finally {
      const [next] = this.#waiting
      if (next === undefined) this.#free++
      else {
        // Its place is handed over, so that no request comes in between.
        this.#waiting.delete(next)
        next()
      }
    }
  }

  async #attempt({ method, url }: RequestLine, init: RequestInit, signal: AbortSignal, max: number): Promise<Received> {
    const { timeout = 30_000, maxBytes = max, fetch: send = (...call) => fetch(...call) } = this.#options
    signal.throwIfAborted()
    const controller = new AbortController()
    signal.addEventListener('abort', () => controller.abort())
    const late = new TimedOut(`${method} ${url}: nothing was received for ${timeout} ms`)
    let timer: ReturnType<typeof setTimeout> | undefined
    const restartTimer = () => {
      clearTimeout(timer)
      timer = setTimeout(() => controller.abort(late), timeout)
    }
    try {
      restartTimer()
      const response = await redirected(send, new URL(url), { ...init, signal: controller.signal })
      const reader = response.body?.getReader()
      const decoder = new TextDecoder()
      let [body, size] = ['', 0]
      for (;;) {
        restartTimer()
        const { done, value } = (await reader?.read()) ?? { done: true }
        size += value?.length ?? 0
        if (size > maxBytes) throw new NomenclatorError(`${method} ${url}: more than ${maxBytes} bytes came`)
        body += decoder.decode(value, { stream: !done })
        if (done) break
      }
      return { status: response.status, headers: Object.fromEntries(response.headers), body }
    } catch (cause) {
      signal.throwIfAborted()
      const failed = () => new ConnectionFailed(`${method} ${url}: ${reasonOf(cause)}`, { cause })
      const failure = cause instanceof NomenclatorError ? cause : controller.signal.aborted ? late : failed()
      return { status: 0, headers: {}, body: '', failure }
    } finally {
      clearTimeout(timer)
      // The rest of a response that is refused is not read.
      controller.abort()
    }
  }
}

type Send = NonNullable<Options['fetch']>

/** Follows redirects within the server; no other host gets what is sent. */
async function redirected(send: Send, at: URL, init: RequestInit, hopsLeft = 5): Promise<Response> {
  const response = await send(at.href, init)
  // Browsers do not say where a redirect leads that they do not follow.
  if (response.type !== 'opaqueredirect' && !REDIRECTS.includes(response.status)) return response
  await response.body?.cancel()
  const next = new URL(response.headers.get('location') ?? 'about:blank', at)
  if (next.origin === at.origin && hopsLeft > 0) return redirected(send, next, init, hopsLeft - 1)
  throw new NomenclatorError(`${init.method} ${at}: the server redirects this elsewhere; connect to where it leads`)
}

const CLASSES: Readonly<Record<number, typeof errors.ResponseError>> = {
  400: errors.BadRequest,
  404: errors.NotFound,
  410: errors.ReleaseGone,
  429: errors.TooManyRequests,
  502: errors.Unavailable,
  503: errors.Unavailable,
  504: errors.Unavailable,
}

function responseError(request: RequestLine, status: number, body: string, retryAfter?: number) {
  // A proxy may respond with a page.
  const given = valueIn(body.length > MAX_PROBLEM_LENGTH ? '' : body)
  const problem: Problem = fits(given, PROBLEM) ? { ...(given as object), status } : { status }
  return new (CLASSES[status] ?? errors.ResponseError)(request, problem, retryAfter)
}

const dateless = ({ headers }: CachedResponse) => (headers['last-modified'] ? { 'last-modified': '' } : {})

/** The address of a version of the API of a server; on a page, an address may be relative. */
export function apiAt(url: string, version: 'v1' | 'v2'): string {
  const { location } = globalThis as { location?: { readonly href: string } }
  const { origin, pathname } = new URL(url, location?.href)
  return `${origin}${pathname.replace(/\/+$/, '')}/api/${version}`
}

/** In Node, the cause of an error says why a request failed. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

/** Waits until `resolve` is called; fails as soon as the signal is aborted, and calls what `start` returned. */
const abortable = (signal: AbortSignal, start: (resolve: () => void) => () => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const cancel = start(resolve)
    const stop = () => {
      cancel()
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })

/** Retry-After is a number of seconds or a date. */
function secondsOf(text: string | undefined): number | undefined {
  if (!text) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(Math.ceil(seconds), 0)
}
