// When the next request may be sent: at most so many a second, and none while the server asks for a pause.
import { parseWholeNumber } from '../../whole-number.ts'

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

export class Pace {
  readonly #gap: number
  #next = 0

  constructor(requestsPerSecond: number | undefined) {
    if (requestsPerSecond !== undefined && !(requestsPerSecond > 0))
      throw new RangeError(`a rate cannot be ${requestsPerSecond}`)
    this.#gap = requestsPerSecond === undefined ? 0 : 1_000 / requestsPerSecond
  }

  /** Resolves when the caller may send a request; callers take turns in the order of their calls. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    const start = Math.max(this.#next, now)
    this.#next = start + this.#gap
    await wait(start - now, signal)
  }

  /** Lets nobody send a request for so many milliseconds from now. */
  pause(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds)
  }
}

/** Doubles with every attempt; the jitter keeps requests that failed together from being sent again together. */
export const backoff = (base: number, attempt: number): number => base * 2 ** attempt * (0.5 + Math.random() / 2)

/** The milliseconds that a Retry-After header asks for, in seconds or as a date; undefined when it is neither. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const seconds = parseWholeNumber(header, { leadingZeros: true })
  if (seconds !== undefined) return seconds * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0)
}
