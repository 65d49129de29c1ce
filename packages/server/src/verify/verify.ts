// Verifies a server: walks its collections, applies every check, and tells what each of them found.
import { v1PathOf } from '../base/api-v1.ts'
import type { CatalogCollection } from '../catalog/collections.ts'
import { RETRIED_STATUSES } from '../source/live-v1/client.ts'
import type { Check, CheckOutcome, Probe, Severity } from './check.ts'
import { checks } from './checks.ts'
import { Client, type ClientOptions, type ProbeExchange, type Sent, type Traffic, Unchecked } from './client.ts'
import { CollectionWalk } from './collection-walk.ts'
import { NoResponse, type RawResponse } from './connection.ts'
import { EmbeddedRecords } from './embedded-records.ts'
import { type Extent, inParallel, MAX_PAGES, pagesToRequest } from './sample.ts'
import { pageTarget, SeenPage } from './seen-page.ts'

export type VerifyOptions = Extent &
  ClientOptions & {
    readonly collections: readonly CatalogCollection[]
    /** What the URLs of Link are to begin with. */
    readonly linkBase: string
    readonly concurrency: number
    /** Whether to check what the contract leaves open. */
    readonly advice: boolean
    /** Called after every page. */
    readonly onProgress: (what: string, done: number, expected: number) => void
  }

export type ReportedFault = { readonly request: string; readonly came: string; readonly expected: string }

/** `skipped` is a check that had nothing to look at, such as the second page of a collection that has one. */
type CheckStatus = 'ok' | 'failed' | 'advice' | 'skipped'

export type CheckResult = {
  readonly id: string
  readonly severity: Severity
  readonly rule: string
  readonly status: CheckStatus
  /** How often it was broken; the first of these are the problems. */
  readonly count: number
  readonly problems: readonly ReportedFault[]
}

export type Verification = Traffic & {
  readonly base: string
  readonly conforms: boolean
  /** What kept some of it from being checked. */
  readonly unchecked: readonly string[]
  readonly checks: readonly CheckResult[]
  readonly collections: readonly { readonly name: string; readonly pages: number; readonly records: number }[]
  readonly seconds: number
}

const MAX_PROBLEMS = 5
/** After this many faulty pages of a collection, no more of it are requested. */
const MAX_FAULTY_PAGES = 25
/** How often a collection is read anew because the catalog changed in between. */
const MAX_RESTARTS = 2
/** How often in a walk the first page is requested again to see whether the catalog has changed. */
const MAX_CONFIRMATIONS = 3

export async function verify(base: string, options: VerifyOptions): Promise<Verification> {
  using client = new Client(base, options)
  return await new Verifier(client, options).run()
}

class Tally {
  applied = false
  count = 0
  problems: ReportedFault[] = []
}

/** The catalog got another release while it was read. */
class CatalogChanged extends Error {}

class Verifier {
  readonly #client: Client
  readonly #options: VerifyOptions
  readonly #checks: readonly Check[]
  #tallies = new Map<string, Tally>()
  readonly #unchecked: string[] = []
  readonly #collections: { name: string; pages: number; records: number }[] = []
  readonly #embedded = new EmbeddedRecords()
  #probedOnce = false

  constructor(client: Client, options: VerifyOptions) {
    this.#client = client
    this.#options = options
    this.#checks = checks.filter(({ severity }) => options.advice || severity === 'rule')
  }

  async run(): Promise<Verification> {
    const start = performance.now()
    await this.#asFarAsPossible(async () => {
      for (const collection of this.#options.collections) await this.#collection(collection)
    })
    const end = { client: this.#client, embedded: this.#embedded }
    for (const check of this.#checks)
      await this.#asFarAsPossible(async () => this.#add(check, await check.end?.(end), this.#client.base))
    const results = this.#checks.map((check) => this.#result(check))
    return {
      base: this.#client.base,
      conforms: this.#unchecked.length === 0 && results.every(({ status }) => status !== 'failed'),
      unchecked: this.#unchecked,
      checks: results,
      collections: this.#collections,
      ...this.#client.traffic,
      seconds: (performance.now() - start) / 1_000,
    }
  }

  /** What was seen until the server did not let itself be checked any more counts all the same. */
  async #asFarAsPossible(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error
      this.#unchecked.push(error.message)
    }
  }

  #result({ id, severity, rule }: Check): CheckResult {
    const { applied, count, problems } = this.#tallies.get(id) ?? new Tally()
    const broken = severity === 'rule' ? 'failed' : 'advice'
    const status = count > 0 ? broken : applied ? 'ok' : 'skipped'
    return { id, severity, rule, status, count, problems }
  }

  /** After some restarts the totals that differ are taken for a fault. */
  async #collection(collection: CatalogCollection): Promise<void> {
    for (let restarts = 0; ; restarts++) {
      const before = structuredClone(this.#tallies)
      try {
        return await this.#walk(collection, restarts < MAX_RESTARTS)
      } catch (error) {
        if (!(error instanceof CatalogChanged)) throw error
        this.#tallies = before
      }
    }
  }

  async #walk(collection: CatalogCollection, mayChange: boolean): Promise<void> {
    const { onProgress, concurrency } = this.#options
    const walk = new CollectionWalk(collection)
    const first = await this.#page(walk, 1)
    const pages = this.#pagesOf(collection, first)
    const what = `pages of ${collection.name}`
    onProgress(what, 1, pages.length)
    await inParallel(pages.slice(1), concurrency, async (page) => {
      if (walk.faultyPages >= MAX_FAULTY_PAGES) return
      const seen = await this.#page(walk, page)
      if (mayChange && first !== undefined && seen !== undefined) await this.#throwIfChanged(walk, first, seen)
      onProgress(what, walk.pages.length, pages.length)
    })
    walk.sort()
    for (const check of this.#checks) if (check.walk) this.#add(check, check.walk(walk), walk.pages[0]?.request ?? '')
    if (first !== undefined && walk.pages.length === first.pages) walk.embedded.addWhole(first.entity)
    this.#embedded.addAll(walk.embedded)
    this.#collections.push({ name: collection.name, pages: walk.pages.length, records: walk.records })
    if (first?.response.status === 200) await this.#probe(first, walk)
  }

  /** The pages to request; without readable totals, the second is tried. */
  #pagesOf({ name }: CatalogCollection, first: SeenPage | undefined): number[] {
    if (first?.response.status !== 200) return [1]
    const { pages } = first
    if (pages === undefined) return [1, 2]
    if (this.#options.deep && pages > MAX_PAGES)
      this.#unchecked.push(`${name} claims ${pages} pages; no more than ${MAX_PAGES} are read`)
    return pagesToRequest(Math.max(pages, 1), this.#options)
  }

  async #page(walk: CollectionWalk, page: number): Promise<SeenPage | undefined> {
    const sent = { method: 'GET', target: pageTarget(walk.collection, page) }
    const { request, outcome } = await this.#exchange(sent)
    if (outcome instanceof NoResponse) {
      walk.faultyPages++
      return undefined
    }
    if (this.#isUnusable(request, outcome)) return undefined
    const seen = new SeenPage(walk.collection, page, outcome, this.#options.linkBase)
    const before = this.#failures()
    for (const check of this.#checks) {
      if (check.response) this.#add(check, check.response(seen), request)
      if (check.page && outcome.status === 200) this.#add(check, check.page(seen), request)
    }
    if (this.#failures() > before) walk.faultyPages++
    if (outcome.status === 200) walk.add(seen, request)
    return seen
  }

  #failures(): number {
    let count = 0
    for (const { id, severity } of this.#checks) if (severity === 'rule') count += this.#tallies.get(id)?.count ?? 0
    return count
  }

  /** Whether the server had too much to do, even after retries: that is no fault, but nothing can be told either. */
  #isUnusable(request: string, { status }: RawResponse): boolean {
    if (!RETRIED_STATUSES.has(status)) return false
    this.#unchecked.push(`${request} got status ${status} each time`)
    return true
  }

  /** Pages may disagree because the catalog has changed; then the first page tells so. */
  async #throwIfChanged(walk: CollectionWalk, first: SeenPage, seen: SeenPage): Promise<void> {
    if (!isOtherRelease(first, seen) || walk.confirmations++ >= MAX_CONFIRMATIONS) return
    const { outcome } = await this.#client.send({ method: 'GET', target: pageTarget(first.collection, 1) })
    if (outcome instanceof NoResponse) return
    const again = new SeenPage(first.collection, 1, outcome, this.#options.linkBase)
    if (isOtherRelease(first, again)) throw new CatalogChanged()
  }

  async #probe(first: SeenPage, walk: CollectionWalk): Promise<void> {
    const isOnce = !this.#probedOnce && (first.pages ?? 0) > 0
    const sent = new Map<string, Promise<RawResponse | undefined>>()
    const probe: Probe = {
      client: this.#client,
      collection: first.collection,
      first,
      other: walk.pages.find(({ etag }) => etag !== undefined && etag !== first.header('ETag')),
      send: (one) => {
        const key = `${one.method} ${one.target}`
        const response = sent.get(key) ?? this.#covered(one)
        sent.set(key, response)
        return response
      },
      trial: (one) => this.#client.sendOnce(one),
    }
    for (const check of this.#checks) {
      const verdict = check.probe ?? (isOnce ? check.probeOnce : undefined)
      if (verdict === undefined) continue
      const { requests } = this.#client.traffic
      this.#options.onProgress(`requests to ${first.collection.name}`, requests, requests)
      this.#add(check, await verdict(probe), v1PathOf(first.collection))
    }
    this.#probedOnce ||= isOnce
  }

  async #covered(sent: Sent): Promise<RawResponse | undefined> {
    const { request, outcome } = await this.#exchange(sent)
    return outcome instanceof NoResponse || this.#isUnusable(request, outcome) ? undefined : outcome
  }

  async #exchange(sent: Sent): Promise<ProbeExchange> {
    const exchange = await this.#client.send(sent)
    for (const check of this.#checks) if (check.exchange) this.#add(check, check.exchange(exchange), exchange.request)
    return exchange
  }

  #add({ id }: Check, verdict: CheckOutcome, request: string): void {
    if (verdict === undefined) return
    const tally = this.#tallies.get(id) ?? new Tally()
    this.#tallies.set(id, tally)
    tally.applied = true
    tally.count += verdict.length
    for (const one of verdict) if (tally.problems.length < MAX_PROBLEMS) tally.problems.push({ request, ...one })
  }
}

/** Whether two pages tell different totals or dates. */
const isOtherRelease = (one: SeenPage, other: SeenPage): boolean =>
  (one.total !== undefined && other.total !== undefined && one.total !== other.total) ||
  one.header('Last-Modified') !== other.header('Last-Modified')
