// When the next request may be sent: at most so many a second, and none while the server asks for a pause.
import { wait } from '../requests.ts'

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
