// When the next request may go out: at most so many a second, and none while the server asks for a pause.

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

  /** Resolves when it is the caller's turn; turns are given out in the order in which they are asked for. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    const mine = Math.max(this.#next, now)
    this.#next = mine + this.#gap
    await wait(mine - now, signal)
  }

  /** Gives out no turn before so many milliseconds from now. */
  pause(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds)
  }
}

/** Doubles with every attempt; the jitter keeps those that failed together from coming back together. */
export const backoff = (base: number, attempt: number): number => base * 2 ** attempt * (0.5 + Math.random() / 2)

/** The milliseconds that a Retry-After header asks for, in seconds or as a date; nothing when it says neither. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0)
}
