// The budget of a process for clients that are slow to read: streamed responses and bytes, in all and for each client.
import type { Metrics, RefusalReason } from '../observation/metrics.ts'
import { overloaded } from '../problem.ts'

export type BudgetLimits = {
  /** Responses that are being streamed. */
  readonly streams: number
  readonly streamsPerClient: number
  /** Bytes of responses that were not taken yet, and of requests that wait behind them. */
  readonly bytes: number
  readonly bytesPerClient: number
}

export const MEGABYTE = 1 << 20
export const DEFAULT_BUDGET: BudgetLimits = {
  streams: 256,
  streamsPerClient: 64,
  bytes: 32 * MEGABYTE,
  bytesPerClient: 8 * MEGABYTE,
}

type Overloaded = ReturnType<typeof overloaded>

type Share = { streams: number; bytes: number }
const NO_SHARE: Readonly<Share> = { streams: 0, bytes: 0 }

export class Budget {
  readonly #limits: BudgetLimits
  /** Has the totals, and counts refusals. */
  readonly #metrics: Metrics
  /** The shares of the clients for which something is kept at this moment. */
  readonly #shares = new Map<string, Share>()

  constructor(limits: BudgetLimits, metrics: Metrics) {
    this.#limits = limits
    this.#metrics = metrics
  }

  /** The number of clients that something is kept for. */
  get clients(): number {
    return this.#shares.size
  }

  /** Takes a place for a streamed response, which must be given back; or returns why there is none. */
  takeStream(client: string): Overloaded | undefined {
    const { streams, streamsPerClient } = this.#limits
    const ofClient = (this.#shares.get(client) ?? NO_SHARE).streams
    if (this.#metrics.streams < streams && ofClient < streamsPerClient) {
      this.#metrics.streams++
      this.#change(client, 1, 0)
      return undefined
    }
    this.#metrics.refused.streams++
    return overloaded(
      'streams',
      ofClient < streamsPerClient
        ? `${streams} responses are being streamed, as many as are possible at a time`
        : `${streamsPerClient} responses are being streamed to your address, as many as one may have at a time`,
    )
  }

  giveStreamBack(client: string): void {
    this.#metrics.streams--
    this.#change(client, -1, 0)
  }

  /** Returns why nothing more is kept for a client; undefined while more may be. Bodies leave half of it to responses. */
  refusal(client: string, isBody = false): Overloaded | undefined {
    const { bytes, bytesPerClient } = this.#limits
    if (this.#metrics.unsentBytes >= (isBody ? bytes / 2 : bytes))
      return overloaded('bytes', 'responses that clients have not read fill the memory that is set aside for them')
    if ((this.#shares.get(client) ?? NO_SHARE).bytes >= bytesPerClient)
      return overloaded('bytes', 'responses that your address has not read fill the memory that is set aside for it')
    return undefined
  }

  /** Counts a client that was turned away. */
  countRefusal(reason: RefusalReason): void {
    this.#metrics.refused[reason]++
  }

  /** Counts bytes that are kept for a client, or, if negative, that are kept no more. */
  keepBytes(client: string, bytes: number): void {
    this.#metrics.unsentBytes += bytes
    this.#change(client, 0, bytes)
  }

  #change(client: string, streams: number, bytes: number): void {
    const share = this.#shares.get(client) ?? { streams: 0, bytes: 0 }
    share.streams += streams
    share.bytes += bytes
    if (share.streams === 0 && share.bytes === 0) this.#shares.delete(client)
    else this.#shares.set(client, share)
  }
}
