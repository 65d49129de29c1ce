// Verifies a server: walks its collections, applies every check, and counts the findings.
import type { Check, Probe } from './check.ts'
import { checks } from './checks.ts'
import { Client, type ProbeExchange, RETRIED_STATUSES, type Sent } from './client.ts'
import { CollectionWalk } from './collection-walk.ts'
import { type ContractCollection, pathOf } from './contract.ts'
import type { RuleFinding, RuleFindings } from './findings.ts'
import { printable } from './printable.ts'
import { get } from './probing.ts'
import { NoResponse, type RawResponse } from './raw-response.ts'
import { pageTarget, ReceivedPage } from './received-page.ts'
import { Run, type RunOptions, type RunReport } from './run.ts'
import { inParallel } from './sample.ts'

export type VerifyOptions = RunOptions & {
  /** The address that the URLs of Link have to begin with. */
  readonly linkBase: string
  /** True to check what the contract leaves open, too. */
  readonly advice: boolean
}

/** The number of findings; the first of them are the problems. */
type Tally = { readonly count: number; readonly problems: readonly RuleFinding[] }

type CheckResult = Pick<Check, 'id' | 'severity' | 'rule'> &
  Tally & {
    /** `skipped` is a check that had nothing to look at, such as the second page of a collection that has one. */
    readonly status: 'ok' | 'failed' | 'advice' | 'skipped'
  }

export type Verification = RunReport & {
  readonly base: string
  readonly conforms: boolean
  readonly checks: readonly CheckResult[]
}

const MAX_PROBLEMS = 5
/** After this many faulty pages of a collection, no more of it are requested. */
const MAX_FAULTY_PAGES = 25
/** The number of times that a collection is read anew because the catalog has changed meanwhile. */
const MAX_RESTARTS = 2
/** The number of times in a walk that the first page is requested again to see whether the catalog has changed. */
const MAX_CONFIRMATIONS = 3

export const verify = (base: string, options: VerifyOptions): Promise<Verification> =>
  new Verifier([new Client(base, options)], options).run()

/** The catalog got another release while it was read. */
class CatalogChanged extends Error {}

class Verifier extends Run<readonly [Client], VerifyOptions> {
  readonly #client = this.clients[0]
  readonly #checks = checks.filter(({ severity }) => this.options.advice || severity === 'rule')
  /** The findings of every check that had something to check. */
  #tallies = new Map<string, Tally>()
  /** The number of findings of rules. */
  #failures = 0
  #probedOnce = false

  async run(): Promise<Verification> {
    const { base } = this.#client
    const report = await this.throughAll()
    for (const check of this.#checks) this.#add(check, check.end?.(this.#client), base)
    const results = this.#checks.map((check) => this.#result(check))
    const conforms = report.unchecked.length === 0 && results.every(({ status }) => status !== 'failed')
    return { base, conforms, checks: results, ...report }
  }

  #result({ id, severity, rule }: Check): CheckResult {
    const tally = this.#tallies.get(id)
    const broken = severity === 'rule' ? 'failed' : 'advice'
    const status = tally === undefined ? 'skipped' : tally.count > 0 ? broken : 'ok'
    return { id, severity, rule, status, count: 0, problems: [], ...tally }
  }

  /** After some restarts, totals that differ are a fault. */
  protected async collection(collection: ContractCollection): Promise<void> {
    for (let restarts = 0; ; restarts++) {
      const before = new Map(this.#tallies)
      try {
        return await this.#walk(collection, restarts < MAX_RESTARTS)
      } catch (error) {
        if (!(error instanceof CatalogChanged)) throw error
        this.#tallies = before
      }
    }
  }

  async #walk(collection: ContractCollection, mayChange: boolean): Promise<void> {
    const { onProgress, concurrency } = this.options
    const walk = new CollectionWalk(collection)
    const first = await this.#page(walk, 1)
    const pages = this.#pagesAfter(collection, first)
    const what = `pages of ${collection.name}`
    onProgress(what, 1, pages.length)
    await inParallel(pages.slice(1), concurrency, async (page) => {
      if (walk.faultyPages >= MAX_FAULTY_PAGES) return
      const received = await this.#page(walk, page)
      if (mayChange && first !== undefined && received !== undefined) await this.#throwIfChanged(walk, first, received)
      onProgress(what, walk.pages.length, pages.length)
    })
    for (const check of this.#checks) this.#add(check, check.walk?.(walk), walk.pages[0]?.request ?? '')
    this.collections.push({ name: collection.name, pages: walk.pages.length, records: walk.records })
    if (first?.response.status === 200) await this.#probe(first, walk)
  }

  /** The pages to request; without readable totals, the first two. */
  #pagesAfter(collection: ContractCollection, first: ReceivedPage | undefined): number[] {
    if (first?.response.status !== 200) return [1]
    if (first.pages === undefined) return [1, 2]
    return this.pagesOf(collection, Math.max(first.pages, 1))
  }

  async #page(walk: CollectionWalk, page: number): Promise<ReceivedPage | undefined> {
    const exchange = await this.#exchange(get(pageTarget(walk.collection, page)))
    const { request } = exchange
    const response = this.#usable(exchange)
    if (exchange.outcome instanceof NoResponse) walk.faultyPages++
    if (response === undefined) return undefined
    const received = new ReceivedPage(walk.collection, page, response, this.options.linkBase)
    const before = this.#failures
    for (const check of this.#checks) {
      this.#add(check, check.response?.(received), request)
      if (response.status === 200) this.#add(check, check.page?.(received), request)
    }
    if (this.#failures > before) walk.faultyPages++
    if (response.status === 200) walk.add(received, request)
    return received
  }

  /** Returns a response, and notes a server that is too busy even after retries: the rest cannot be checked. */
  #usable({ request, outcome }: ProbeExchange): RawResponse | undefined {
    if (outcome instanceof NoResponse) return undefined
    if (!RETRIED_STATUSES.has(outcome.status)) return outcome
    this.unchecked.push(`${request} got status ${outcome.status} each time`)
    return undefined
  }

  /** Pages may disagree because the catalog has changed; then the first page has changed, too. */
  async #throwIfChanged(walk: CollectionWalk, first: ReceivedPage, received: ReceivedPage): Promise<void> {
    if (!isOtherRelease(first, received) || walk.confirmations++ >= MAX_CONFIRMATIONS) return
    const { outcome } = await this.#client.send(get(pageTarget(first.collection, 1)))
    if (outcome instanceof NoResponse) return
    const again = new ReceivedPage(first.collection, 1, outcome, this.options.linkBase)
    if (isOtherRelease(first, again)) throw new CatalogChanged()
  }

  async #probe(first: ReceivedPage, { collection, pages }: CollectionWalk): Promise<void> {
    const isOnce = !this.#probedOnce && (first.pages ?? 0) > 0
    const responses = new Map<string, Promise<RawResponse | undefined>>()
    const probe: Probe = {
      ...{ client: this.#client, collection, first },
      other: pages.find(({ etag }) => etag !== undefined && etag !== first.header('ETag')),
      send: (sent) => {
        const key = `${sent.method} ${sent.target}`
        const response = responses.get(key) ?? this.#exchange(sent).then((exchange) => this.#usable(exchange))
        responses.set(key, response)
        return response
      },
    }
    for (const check of this.#checks) {
      const run = check.probe ?? (isOnce ? check.probeOnce : undefined)
      const { requests } = this.#client.traffic
      this.options.onProgress(`requests to ${collection.name}`, requests, requests)
      this.#add(check, await run?.(probe), pathOf(collection))
    }
    this.#probedOnce ||= isOnce
  }

  async #exchange(sent: Sent): Promise<ProbeExchange> {
    const exchange = await this.#client.send(sent)
    for (const check of this.#checks) this.#add(check, check.exchange?.(exchange), exchange.request)
    return exchange
  }

  #add({ id, severity }: Check, findings: RuleFindings, request: string): void {
    if (findings === undefined) return
    if (severity === 'rule') this.#failures += findings.length
    const { count, problems } = this.#tallies.get(id) ?? { count: 0, problems: [] }
    const more = findings.slice(0, MAX_PROBLEMS - problems.length).map((finding) => ({
      ...{ request: printable(finding.request ?? request), came: printable(finding.came) },
      ...(severity === 'rule' && finding.expected !== undefined ? { expected: printable(finding.expected) } : {}),
    }))
    this.#tallies.set(id, { count: count + findings.length, problems: [...problems, ...more] })
  }
}

/** Returns true if two pages have different totals or dates. */
const isOtherRelease = (one: ReceivedPage, other: ReceivedPage): boolean =>
  (one.total !== undefined && other.total !== undefined && one.total !== other.total) ||
  one.header('Last-Modified') !== other.header('Last-Modified')
