// A limit on the requests of each client address, in a table of fixed size that all workers share.
import { closeSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, appOf, type Parse, parsedBy } from '../app.ts'
import { clientAddress, networkOf, type ProxyPolicy } from '../client-address.ts'
import { PAGE_WORTH } from '../cost.ts'
import { type HttpRequest, type HttpResponse, type ParsedRequest, whenReady, withHeaders } from '../exchange.ts'
import type { Metrics } from '../observation/metrics.ts'
import { type Problem, problemResponse } from '../problem.ts'
import { surfaceAt } from '../routes.ts'

export type RateLimit = {
  /** Requests that a client may send in a window, all at once or spread over it. */
  readonly requests: number
  readonly windowSeconds: number
}

type Verdict = {
  readonly allowed: boolean
  /** Requests that are still allowed at once. */
  readonly remaining: number
  /** The time until one more than those is allowed. */
  readonly milliseconds: number
}

/**
 * An address belongs to one set of entries, in any of which it may be. When all of them are taken, the one that is
 * nearest to its full allowance is forgotten: in doubt a client gets too much, and never too little.
 */
const SETS = 1 << 16
const WAYS = 4
const ENTRIES = SETS * WAYS
const SEED_BYTES = 8
const TABLE_BYTES = SEED_BYTES + ENTRIES * (Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT)

const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))

/**
 * The time at which the allowance of each address is whole again, in microseconds since 1970 (the generic cell rate algorithm): each request moves
 * it on by its share of the window, and may not move it further than one window ahead. Workers do not lock the table.
 * Two that count the same address in the same instant may count one request for two.
 */
export class RateTable {
  readonly #seeds: Uint32Array
  readonly #wholeAt: Float64Array
  readonly #tags: Uint32Array

  /** Bytes of which the first are random and all others zero; they may be shared with other processes. */
  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset } = bytes
    this.#seeds = new Uint32Array(buffer, byteOffset, 2)
    this.#wholeAt = new Float64Array(buffer, byteOffset + SEED_BYTES, ENTRIES)
    this.#tags = new Uint32Array(buffer, byteOffset + SEED_BYTES + this.#wholeAt.byteLength, ENTRIES)
  }

  static ofOneProcess(): RateTable {
    const bytes = new Uint8Array(TABLE_BYTES)
    bytes.set(randomBytes(SEED_BYTES))
    return new RateTable(bytes)
  }

  /** The table behind a descriptor that this process inherited. */
  static inherited(descriptor: number): RateTable {
    return new RateTable(Bun.mmap(`/proc/self/fd/${descriptor}`, { shared: true }))
  }

  take(key: string, limit: RateLimit, now = Date.now()): Verdict {
    const { at, share, end, wholeAt } = this.#allowanceOf(key, limit, now)
    const allowed = wholeAt + share <= end
    const next = allowed ? wholeAt + share : wholeAt
    this.#wholeAt[at] = next
    const remaining = Math.floor((end - next) / share)
    return { allowed, remaining, milliseconds: ((remaining + 1) * share - (end - next)) / 1_000 }
  }

  /** Counts more requests, however far ahead that is; the wait is at most a whole window. */
  charge(key: string, limit: RateLimit, count: number, now = Date.now()): void {
    const { at, share, end, wholeAt } = this.#allowanceOf(key, limit, now)
    this.#wholeAt[at] = Math.min(wholeAt + share * count, end)
  }

  #allowanceOf(key: string, { requests, windowSeconds }: RateLimit, now: number) {
    // In whole microseconds, so that sums are exact: an error would let the last request of a burst seem one too many.
    const [start, share] = [now * 1_000, Math.max(Math.floor((windowSeconds * 1_000_000) / requests), 1)]
    const end = start + share * requests
    const at = this.#entryOf(key)
    const storedAt = this.#wholeAt[at] as number
    // Further ahead than a window it can only be because the clock was set back.
    const wholeAt = storedAt < start || storedAt > end ? start : storedAt
    return { at, share, end, wholeAt }
  }

  /** The entry of an address; one that has none gets the one that it loses least by. */
  #entryOf(key: string): number {
    const hash = Bun.hash.xxHash32(key, this.#seeds[0])
    const tag = Bun.hash.xxHash32(key, this.#seeds[1])
    const first = (hash % SETS) * WAYS
    let oldest = first
    for (let at = first; at < first + WAYS; at++) {
      if (this.#tags[at] === tag) return at
      if ((this.#wholeAt[at] as number) < (this.#wholeAt[oldest] as number)) oldest = at
    }
    this.#tags[oldest] = tag
    this.#wholeAt[oldest] = 0
    return oldest
  }
}

/** A file for the table, without a name, to be inherited by workers; undefined where no directory takes it. */
export function sharedTableFile(directories: readonly string[] = ['/dev/shm', tmpdir()]): number | undefined {
  for (const directory of directories) {
    const path = join(directory, `nomenclator-${process.pid}-${randomBytes(8).toHex()}`)
    let descriptor: number | undefined
    try {
      descriptor = openSync(path, 'wx+', 0o600)
      unlinkSync(path)
      ftruncateSync(descriptor, TABLE_BYTES)
      writeSync(descriptor, randomBytes(SEED_BYTES))
      return descriptor
    } catch {
      if (descriptor !== undefined) closeSync(descriptor)
    }
  }
  return undefined
}

type RateLimiting = {
  readonly limit: RateLimit
  readonly table: RateTable
  readonly policy: ProxyPolicy
  readonly metrics: Metrics
}

/** The processor time that counts like a request. */
const MILLISECONDS_PER_REQUEST = 10
/**
 * Compute requests are counted apart, and those of nodes that follow the shelf too: neither hold up clients that read
 * pages from the same address, nor each other.
 */
function keyOf({ path }: HttpRequest, client: string, isCompute: boolean): string {
  if (surfaceAt(path).name === 'shelf') return `shelf ${client}`
  return isCompute ? `compute ${client}` : client
}

/** Counts the processor time of a request of a client, besides the request itself. */
export function chargeComputeTime(
  { limit, table }: RateLimiting,
  request: HttpRequest,
  client: string,
  milliseconds: number,
): void {
  table.charge(keyOf(request, client, true), limit, Math.floor(milliseconds / MILLISECONDS_PER_REQUEST))
}

/** The app behind a limit. Responses of API v2 say how much of it is left; the headers of API v1 stay as they are. */
export function rateLimited(app: App, { limit, table, policy, metrics }: RateLimiting): App {
  const policyValue = `"default";q=${limit.requests};w=${limit.windowSeconds}`
  const limited = (
    { cost, respond }: ParsedRequest,
    ...[request, connection, id]: Parameters<Parse>
  ): HttpResponse | Promise<HttpResponse> => {
    const { path, headers } = request
    const client = networkOf(clientAddress(policy, headers, connection))
    const { allowed, remaining, milliseconds } = table.take(keyOf(request, client, cost > PAGE_WORTH), limit)
    const seconds = Math.ceil(milliseconds / 1_000)
    const { isExtended } = surfaceAt(path)
    const limits = { RateLimit: `"default";r=${remaining};t=${seconds}`, 'RateLimit-Policy': policyValue }
    if (!allowed) {
      metrics.refused.rate++
      const { requests, windowSeconds } = limit
      const problem: Problem = { kind: 'too-many-requests', requests, windowSeconds, retryAfter: seconds }
      return withHeaders(problemResponse(problem, path, id), isExtended ? limits : {})
    }
    return isExtended ? whenReady(respond(), (ready) => withHeaders(ready, limits)) : respond()
  }
  const parse: Parse = (...given) =>
    whenReady(parsedBy(app)(...given), (parsed) => ({ cost: parsed.cost, respond: () => limited(parsed, ...given) }))
  return appOf(parse, app)
}
