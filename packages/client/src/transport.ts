// Sends requests: a few at a time, with timeouts, retries and revalidation.
import { ConnectionFailed, NomenclatorError, type RequestLine, responseError, TimedOut } from './errors.ts'

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
  /** Requests at a time. */
  readonly concurrency?: number
  /** The cache of responses; false for none. */
  readonly cache?: Cache | false
  /** Ends all requests of the client. */
  readonly signal?: AbortSignal
  /** Sent with every request. */
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
}

const RETRIED = [429, 502, 503, 504]
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

type Received = CachedResponse & { readonly status: number; readonly failure?: ConnectionFailed }

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

  async #retried(url: string, { body, keep = true }: Call, signal: AbortSignal): Promise<Reply> {
    const { retries = 4, backoff = 250, maxRetryAfter = 60 } = this.#options
    const isRead = body === undefined
    const request = { method: isRead ? 'GET' : 'POST', url }
    const cache = isRead && keep ? this.#cache : undefined
    const cached = await cache?.get(url)
    if (cached?.headers['cache-control']?.includes('immutable')) return { ...cached, url }
    const etag = cached?.headers.etag
    const init = {
      method: request.method,
      headers: {
        Accept: 'application/json',
        ...(etag ? { 'If-None-Match': etag } : {}),
        ...(isRead ? {} : { 'Content-Type': 'application/json' }),
        ...this.#options.headers,
      },
      ...(isRead ? {} : { body: JSON.stringify(body) }),
    }
    for (let attempt = 0; ; attempt++) {
      const attempted = await this.#inTurn(signal, () => this.#attempt(request, init, signal))
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
      const mayPass = (failure || RETRIED.includes(status)) && (seconds ?? 0) <= maxRetryAfter
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

  async #attempt({ method, url }: RequestLine, init: RequestInit, signal: AbortSignal): Promise<Received> {
    const { timeout = 30_000, fetch: send = (...call) => fetch(...call) } = this.#options
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
      const response = await send(url, { ...init, signal: controller.signal })
      const reader = response.body?.getReader()
      const decoder = new TextDecoder()
      let body = ''
      for (;;) {
        restartTimer()
        const { done, value } = (await reader?.read()) ?? { done: true }
        body += decoder.decode(value, { stream: !done })
        if (done) break
      }
      return { status: response.status, headers: Object.fromEntries(response.headers), body }
    } catch (cause) {
      signal.throwIfAborted()
      const broken = () => new ConnectionFailed(`${method} ${url}: ${reasonOf(cause)}`, { cause })
      return { status: 0, headers: {}, body: '', failure: controller.signal.aborted ? late : broken() }
    } finally {
      clearTimeout(timer)
    }
  }
}

const dateless = ({ headers }: CachedResponse) => (headers['last-modified'] ? { 'last-modified': '' } : {})

/** The address of a version of the API of a server; on a page, an address may be relative. */
export function apiAt(url: string, version: 'v1' | 'v2'): string {
  const { location } = globalThis as { location?: { readonly href: string } }
  const { origin, pathname } = new URL(url, location?.href)
  return `${origin}${pathname.replace(/\/+$/, '')}/api/${version}`
}

/** The value of a response in JSON; a proxy may have sent something else in its place. */
export function jsonOf<T>({ url, body }: Reply): T {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new NomenclatorError(`GET ${url}: the response is not JSON`, { cause })
  }
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
