// HTTP requests that may fail: which are repeated and when, where a redirect leads, and what went wrong in words.
import { own } from '../base/json.ts'
import { OperationalError } from '../base/operational-error.ts'
import { parseWholeNumber } from '../base/whole-number.ts'

const MAX_URL = 2_000

/** The address of a service without a slash at its end; `path` is that of the API that is added to it. */
export function serviceAddress(given: string, path: string): string {
  const url = URL.parse(given)
  if (url !== null && `${url.username}${url.password}` !== '')
    throw new OperationalError('give the address without name and password: it is published with the release')
  const isPlain = url !== null && `${url.search}${url.hash}` === '' && url.href.length <= MAX_URL
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw new OperationalError(
      `${given} is not the http or https address of a service, such as https://catalogs.example.org`,
    )
  const base = url.href.replace(/\/+$/, '')
  if (`${base}/`.includes(`${path}/`))
    throw new OperationalError(`give the address that comes before ${path}, not ${given}`)
  return base
}

export type RetryPolicy = {
  /** How often a failed request is sent again. */
  readonly retries: number
  /** Milliseconds before the first retry; each further one waits twice as long. */
  readonly backoff: number
}

/** A failed attempt that may be repeated. */
export class Retry {
  readonly reason: string
  /** The milliseconds that the server asks to wait. */
  readonly retryAfter: number | undefined

  constructor(reason: string, retryAfter?: number | undefined) {
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

type Retrying = RetryPolicy & {
  readonly signal: AbortSignal
  /** Advice for when the last attempt has failed. */
  readonly advice: string
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry, milliseconds: number) => void
}

const MAX_PAUSE = 5 * 60_000

/** Calls `attempt` until it gives something other than a Retry; then, or after the last retry, this ends. */
export async function withRetries<T>(url: string, attempt: () => Promise<T | Retry>, retrying: Retrying): Promise<T> {
  const { retries, backoff: base, signal, advice, onRetry } = retrying
  for (let count = 0; ; count++) {
    const outcome = await attempt()
    if (!(outcome instanceof Retry)) return outcome
    const { reason, retryAfter = 0 } = outcome
    if (retryAfter > MAX_PAUSE)
      throw new OperationalError(`${url} asks for a pause of ${Math.ceil(retryAfter / 1_000)} s; after it, ${advice}`)
    if (count === retries)
      throw new OperationalError(
        `${url} was requested ${retries + 1} times without success; the last time: ${reason}; ${advice}`,
      )
    const pause = Math.max(backoff(base, count), retryAfter)
    onRetry?.(outcome, pause)
    await wait(pause, signal)
  }
}

/** Doubles with every attempt; the jitter keeps requests that failed together from being sent again together. */
export const backoff = (base: number, attempt: number): number => base * 2 ** attempt * (0.5 + Math.random() / 2)

/** Waits, and throws the reason of the signal as soon as it is aborted. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (milliseconds <= 0) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/** The milliseconds that a Retry-After header asks for, in seconds or as a date; undefined when it is neither. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const seconds = parseWholeNumber(header, { leadingZeros: true })
  if (seconds !== undefined) return seconds * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0)
}

export const isRedirect = ({ status }: { readonly status: number }): boolean =>
  status >= 300 && status <= 399 && status !== 304

/** The target of a redirect, if it has one. The caller decides whether to follow it. */
export function redirectTarget(url: string, { headers }: { readonly headers: Headers }): URL | undefined {
  const location = headers.get('location') ?? ''
  return location === '' ? undefined : (URL.parse(location, url) ?? undefined)
}

const MAX_TEXT = 300

/** Text of a server, without what would control a terminal. */
export const printable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_TEXT)

/** Why a request failed, in words where the code of the error is known. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  const reason = own(REASONS, code)
  return reason === undefined ? error.message : `${reason} (${code})`
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response was complete',
  ENOTFOUND: 'the name of the host was not found',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ENETUNREACH: 'the network cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
}
