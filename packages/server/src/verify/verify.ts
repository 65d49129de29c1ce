// Verifies a server: walks its collections, applies every check, and tells what each of them found.
import { v1PathOf } from '../base/api-v1.ts'
import { isObject, valueAt } from '../base/json.ts'
import type { Collection } from '../catalog/collections.ts'
import type { Entity } from '../catalog/entity.ts'
import { RETRIED_STATUSES } from '../source/live-v1/client.ts'
import { type Check, type Probe, pageTarget, type Severity, type Verdict, type WalkedPage } from './check.ts'
import { checks } from './checks.ts'
import { Client, type ClientOptions, type Exchange, type Sent, Unchecked } from './client.ts'
import { NoResponse, type RawResponse } from './connection.ts'
import { identifiersOf } from './rules.ts'
import { type Extent, inParallel, MAX_PAGES, pagesToRequest } from './sample.ts'
import { SeenPage } from './seen-page.ts'

export type VerifyOptions = Extent &
  ClientOptions & {
    readonly collections: readonly Collection[]
    /** What the URLs of Link are to begin with. */
    readonly linkBase: string
    readonly concurrency: number
    /** Whether to check what the contract leaves open. */
    readonly advice: boolean
    /** Called after every page. */
    readonly onProgress: (what: string, done: number, expected: number) => void
  }

export type Problem = { readonly request: string; readonly came: string; readonly expected: string }

/** `skipped` is a check that had nothing to look at, such as the second page of a collection that has one. */
type CheckStatus = 'ok' | 'failed' | 'advice' | 'skipped'

export type CheckResult = {
  readonly id: string
  readonly severity: Severity
  readonly rule: string
  readonly status: CheckStatus
  /** How often it was broken; the first of these are the problems. */
  readonly count: number
  readonly problems: readonly Problem[]
}

export type Verification = {
  readonly base: string
  readonly conforms: boolean
  /** What kept some of it from being checked. */
  readonly unchecked: readonly string[]
  readonly checks: readonly CheckResult[]
  readonly collections: readonly { readonly name: string; readonly pages: number; readonly records: number }[]
  readonly requests: number
  readonly seconds: number
}

const MAX_PROBLEMS = 5
/** After this many faulty pages of a collection, no more of it are requested. */
const MAX_FAULTY_PAGES = 25
/** Beyond so many records of a collection, keys and codes are not compared: they would fill the memory. */
const MAX_KEYS = 1_000_000
/** How often a collection is read anew because the catalog changed in between. */
const MAX_RESTARTS = 2

export async function verify(base: string, options: VerifyOptions): Promise<Verification> {
  using client = new Client(base, options)
  return await new Verifier(client, options).run()
}

class Tally {
  applied = false
  count = 0
  problems: Problem[] = []
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
  #probedOnce = false

  constructor(client: Client, options: VerifyOptions) {
    this.#client = client
    this.#options = options
    this.#checks = checks.filter(({ severity }) => options.advice || severity === 'rule')
  }

  async run(): Promise<Verification> {
    const start = performance.now()
    try {
      for (const collection of this.#options.collections) await this.#collection(collection)
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error
      this.#unchecked.push(error.message)
    }
    const results = this.#checks.map((check) => this.#result(check))
    return {
      base: this.#client.base,
      conforms: this.#unchecked.length === 0 && results.every(({ status }) => status !== 'failed'),
      unchecked: this.#unchecked,
      checks: results,
      collections: this.#collections,
      requests: this.#client.requests,
      seconds: (performance.now() - start) / 1_000,
    }
  }

  #result({ id, severity, rule }: Check): CheckResult {
    const { applied, count, problems } = this.#tallies.get(id) ?? new Tally()
    const broken = severity === 'rule' ? 'failed' : 'advice'
    const status = count > 0 ? broken : applied ? 'ok' : 'skipped'
    return { id, severity, rule, status, count, problems }
  }

  /** After some restarts the totals that differ are taken for a fault. */
  async #collection(collection: Collection): Promise<void> {
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

  async #walk(collection: Collection, mayChange: boolean): Promise<void> {
    const { onProgress, concurrency } = this.#options
    const walk = new CollectionWalk(collection)
    const first = await this.#page(walk, 1)
    const pages = this.#pagesOf(collection, first)
    const what = `pages of ${collection.name}`
    onProgress(what, 1, pages.length)
    await inParallel(pages.slice(1), concurrency, async (page) => {
      if (walk.faultyPages >= MAX_FAULTY_PAGES) return
      const seen = await this.#page(walk, page)
      if (mayChange && first !== undefined && seen !== undefined) await this.#throwIfChanged(first, seen)
      onProgress(what, walk.pages.length, pages.length)
    })
    const walked = { collection, pages: walk.pages.toSorted((a, b) => a.page - b.page) }
    for (const check of this.#checks) if (check.walk) this.#add(check, check.walk(walked), walk.pages[0]?.request ?? '')
    this.#collections.push({ name: collection.name, pages: walk.pages.length, records: walk.records })
    if (first?.response.status === 200) await this.#probe(first)
  }

  /** The pages to request; without readable totals, the second is tried. */
  #pagesOf({ name }: Collection, first: SeenPage | undefined): number[] {
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
  async #throwIfChanged(first: SeenPage, seen: SeenPage): Promise<void> {
    if (first.total === undefined || seen.total === undefined || first.total === seen.total) return
    const { outcome } = await this.#client.send({ method: 'GET', target: pageTarget(first.collection, 1) })
    if (outcome instanceof NoResponse) return
    const again = new SeenPage(first.collection, 1, outcome, this.#options.linkBase)
    if (again.total !== first.total) throw new CatalogChanged()
  }

  async #probe(first: SeenPage): Promise<void> {
    const isOnce = !this.#probedOnce && (first.pages ?? 0) > 0
    const sent = new Map<string, Promise<RawResponse | undefined>>()
    const probe: Probe = {
      client: this.#client,
      collection: first.collection,
      first,
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
      this.#options.onProgress(`requests to ${first.collection.name}`, this.#client.requests, this.#client.requests)
      this.#add(check, await verdict(probe), v1PathOf(first.collection))
    }
    this.#probedOnce ||= isOnce
  }

  async #covered(sent: Sent): Promise<RawResponse | undefined> {
    const { request, outcome } = await this.#exchange(sent)
    return outcome instanceof NoResponse || this.#isUnusable(request, outcome) ? undefined : outcome
  }

  async #exchange(sent: Sent): Promise<Exchange> {
    const exchange = await this.#client.send(sent)
    for (const check of this.#checks) if (check.exchange) this.#add(check, check.exchange(exchange), exchange.request)
    return exchange
  }

  #add({ id }: Check, verdict: Verdict, request: string): void {
    if (verdict === undefined) return
    const tally = this.#tallies.get(id) ?? new Tally()
    this.#tallies.set(id, tally)
    tally.applied = true
    tally.count += verdict.length
    for (const one of verdict) if (tally.problems.length < MAX_PROBLEMS) tally.problems.push({ request, ...one })
  }
}

/** What is kept of the pages of a collection while they are requested. */
class CollectionWalk {
  readonly collection: Collection
  readonly pages: WalkedPage[] = []
  records = 0
  faultyPages = 0

  constructor(collection: Collection) {
    this.collection = collection
  }

  add(seen: SeenPage, request: string): void {
    const ids = identifiersOf(seen) ?? []
    const records = seen.records ?? []
    const [first, last] = [ids[0], ids.at(-1)]
    this.records += records.length
    this.pages.push({
      page: seen.page,
      request,
      total: seen.total,
      totalPages: seen.number('X-Total-Pages'),
      lastModified: seen.header('Last-Modified'),
      content: records.length === 0 || seen.json === undefined ? undefined : Bun.hash.xxHash64(seen.json.text),
      ends: first === undefined || last === undefined ? undefined : [first, last],
      keys: this.#partsOf(seen, 'key'),
      codes: this.#partsOf(seen, 'code'),
    })
  }

  #partsOf({ entity, records = [] }: SeenPage, which: 'key' | 'code'): string[] {
    return this.records > MAX_KEYS ? [] : records.flatMap((record) => partsOf(entity, which, record) ?? [])
  }
}

/** The key or the code of a record as text; an embedded record in it stands for its identifier. */
export function partsOf(entity: Entity, which: 'key' | 'code', record: unknown): string | undefined {
  if (!isObject(record)) return undefined
  const parts = entity[which].map((name) => {
    const field = entity.fields[name]
    return valueAt(record, field?.kind === 'embed' ? [name, field.entity.key[0] ?? ''] : [name])
  })
  return parts.some((part) => part === undefined || part === null) ? undefined : parts.map(String).join('/')
}
