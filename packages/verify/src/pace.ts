// The pace of requests: at most so many a second, and none while the server wants a pause.

export const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

export class RequestPace {
  readonly #gap: number
  #next = 0

  constructor(requestsPerSecond: number | undefined) {
    this.#gap = requestsPerSecond === undefined ? 0 : 1_000 / requestsPerSecond
  }

  /** Resolves when the caller may send a request; callers take turns in the order of their calls. */
  async turn(): Promise<void> {
    const now = performance.now()
    const start = Math.max(this.#next, now)
    this.#next = start + this.#gap
    if (start > now) await wait(start - now)
  }

  /** Stops all requests for some milliseconds. */
  pause(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds)
  }
}
