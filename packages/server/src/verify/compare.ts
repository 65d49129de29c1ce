// Compares two servers record by record and header by header, and tells the differences by kind.
import { v1PathOf } from '../base/api-v1.ts'
import { entityIn } from '../catalog/catalog.ts'
import type { CatalogCollection } from '../catalog/collections.ts'
import { builtInCatalog } from '../source/built-in.ts'
import { RETRIED_STATUSES } from '../source/live-v1/client.ts'
import { Client, type ClientOptions, type Sent, type Traffic, Unchecked } from './client.ts'
import { NoResponse, type RawResponse, valuesOf } from './connection.ts'
import { headerCame } from './page-verdicts.ts'
import { MAX_WAITING, RecordMatch } from './record-match.ts'
import { type Extent, inParallel, MAX_PAGES, pagesToRequest } from './sample.ts'
import { PAGE_HEADERS, pageTarget, SeenPage } from './seen-page.ts'
import { shown } from './shown.ts'

/** The kinds of differences, each with a description; what is advice alone keeps nobody from moving. */
export const DIFFERENCE_KINDS = {
  'only-left': ['difference', 'a record that only the first server has'],
  'only-right': ['difference', 'a record that only the second server has'],
  field: ['difference', 'a field with another value'],
  order: ['difference', 'a record in another order'],
  header: ['difference', 'a header of the contract with another value'],
  status: ['difference', 'another status for a request that the contract covers'],
  body: ['difference', 'a body that is no array of records, on one server or both'],
  'other-header': ['advice', 'another header with another value, such as ETag or Cache-Control'],
  'other-status': ['advice', 'another status where the contract is silent'],
} as const satisfies Readonly<Record<string, readonly ['difference' | 'advice', string]>>

type Kind = keyof typeof DIFFERENCE_KINDS

type Example = { readonly where: string; readonly left: string; readonly right: string }

export type Difference = {
  readonly kind: Kind
  readonly severity: 'difference' | 'advice'
  readonly description: string
  readonly count: number
  /** How often each field or header differs. */
  readonly of: Readonly<Record<string, number>>
  readonly examples: readonly Example[]
}

export type Comparison = Traffic & {
  readonly left: string
  readonly right: string
  /** Whether nothing differs but what is advice, and everything could be compared. */
  readonly same: boolean
  readonly unchecked: readonly string[]
  readonly kinds: readonly Kind[]
  /** Only the kinds that were found. */
  readonly differences: readonly Difference[]
  readonly collections: readonly { readonly name: string; readonly pages: number; readonly records: number }[]
  readonly seconds: number
}

export type CompareOptions = Extent &
  ClientOptions & {
    readonly collections: readonly CatalogCollection[]
    readonly concurrency: number
    readonly onProgress: (what: string, done: number, expected: number) => void
  }

const MAX_EXAMPLES = 5
/** The most examples of one header or field, so that others are shown too. */
const MAX_EXAMPLES_OF_ONE = 2
/** Headers that tell of the moment, the connection or the program: they differ between any two servers. */
const PASSING_HEADERS = new Set([
  'date',
  'server',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'age',
  'via',
  'x-request-id',
  'x-powered-by',
  'alt-svc',
  'set-cookie',
  'expires',
])
/** Requests about which the contract says nothing, and whose status clients may have come to rely on. */
const SILENT: readonly ((path: string, pages: number) => Sent)[] = [
  (path, pages) => ({ method: 'GET', target: `${path}?format=api&page=${pages + 1}` }),
  (path) => ({ method: 'GET', target: `${path}?page=0` }),
  (path) => ({ method: 'GET', target: `${path}?page=abc` }),
  (path) => ({ method: 'GET', target: `${path}?format=json` }),
  (path) => ({ method: 'GET', target: `${path}?format=xml` }),
  (path) => ({ method: 'GET', target: `${path}?_=1` }),
  (path) => ({ method: 'GET', target: `${path}/` }),
  (path) => ({ method: 'GET', target: path, fields: [['Accept', 'text/html']] }),
]

export async function compareServers(left: string, right: string, options: CompareOptions): Promise<Comparison> {
  using one = new Client(left, options)
  using other = new Client(right, options)
  return await new Comparer([one, other], options).run()
}

type Pair<T> = readonly [left: T, right: T]

class Tally {
  count = 0
  readonly of: Record<string, number> = {}
  readonly examples: Example[] = []
}

class Comparer {
  readonly #clients: Pair<Client>
  readonly #options: CompareOptions
  readonly #tallies = new Map<Kind, Tally>()
  readonly #unchecked: string[] = []
  readonly #collections: { name: string; pages: number; records: number }[] = []

  constructor(clients: Pair<Client>, options: CompareOptions) {
    this.#clients = clients
    this.#options = options
  }

  async run(): Promise<Comparison> {
    const start = performance.now()
    const [left, right] = this.#clients
    try {
      for (const collection of this.#options.collections) await this.#collection(collection)
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error
      this.#unchecked.push(error.message)
    }
    const kinds = Object.keys(DIFFERENCE_KINDS) as Kind[]
    const differences = kinds.flatMap((kind): Difference[] => {
      const tally = this.#tallies.get(kind)
      const [severity, description] = DIFFERENCE_KINDS[kind]
      return tally === undefined ? [] : [{ kind, severity, description, ...tally }]
    })
    return {
      left: left.base,
      right: right.base,
      same: this.#unchecked.length === 0 && differences.every(({ severity }) => severity === 'advice'),
      unchecked: this.#unchecked,
      kinds,
      differences,
      collections: this.#collections,
      ...sum(left.traffic, right.traffic),
      seconds: (performance.now() - start) / 1_000,
    }
  }

  async #collection(collection: CatalogCollection): Promise<void> {
    const { onProgress, concurrency, deep } = this.#options
    const records = new RecordMatch(entityIn(builtInCatalog, collection.entity), ({ key, page, field, values }) =>
      this.#add(
        'field',
        field,
        `${v1PathOf(collection)}, key ${key}, page ${page}: ${field}`,
        shown(values[0]),
        shown(values[1]),
      ),
    )
    const firsts = await this.#pages(collection, 1, records)
    const counts = firsts?.map((page) => page?.pages ?? 1) ?? [1]
    const last = Math.max(...counts, 1)
    if (deep && last > MAX_PAGES)
      this.#unchecked.push(`${collection.name} claims ${last} pages; no more than ${MAX_PAGES} are read`)
    const pages = pagesToRequest(last, this.#options)
    let done = 1
    onProgress(`pages of ${collection.name}`, done, pages.length)
    await inParallel(firsts === undefined ? [] : pages.slice(1), concurrency, async (page) => {
      if (records.isHopeless) return
      await this.#pages(collection, page, records, counts)
      onProgress(`pages of ${collection.name}`, ++done, pages.length)
    })
    if (records.isHopeless)
      this.#unchecked.push(
        `${collection.name} from page ${done} on: more than ${MAX_WAITING} records have no counterpart`,
      )
    else if (pages.length < last) await this.#lookBeside(collection, records, last)
    this.#addRecords(collection, records)
    this.#collections.push({ name: collection.name, pages: done, records: records.matched + records.unmatched })
    await this.#otherRequests(collection, last)
  }

  /** One page of both; a page beyond the last of one of them is taken as empty there. */
  async #pages(
    collection: CatalogCollection,
    page: number,
    records: RecordMatch,
    counts: readonly number[] = [],
  ): Promise<Pair<SeenPage | undefined> | undefined> {
    const sent = { method: 'GET', target: pageTarget(collection, page) }
    const isThere = (side: 0 | 1) => page <= (counts[side] ?? page)
    const both = isThere(0) && isThere(1)
    const [left, right] = await Promise.all(
      this.#clients.map((client, side) => (isThere(side as 0 | 1) ? this.#response(client, sent) : undefined)),
    )
    if (both && (left === undefined || right === undefined)) return undefined
    const where = `GET ${sent.target}`
    if (both && left !== undefined && right !== undefined) this.#compareResponses(where, left, right, PAGE_HEADERS)
    const seen = [left, right].map((response, side) =>
      response?.status === 200
        ? new SeenPage(collection, page, response, this.#clients[side as 0 | 1].base)
        : undefined,
    ) as [SeenPage | undefined, SeenPage | undefined]
    const [a, b] = seen
    if (a !== undefined && b !== undefined && (a.records === undefined || b.records === undefined))
      this.#add('body', undefined, where, shown(a.json?.value), shown(b.json?.value))
    else records.add(page, a?.records ?? [], b?.records ?? [])
    return seen
  }

  /** Undefined where there is nothing to compare, which is noted. */
  async #response(client: Client, sent: Sent): Promise<RawResponse | undefined> {
    const { outcome, request } = await client.send(sent)
    if (!(outcome instanceof NoResponse) && !RETRIED_STATUSES.has(outcome.status)) return outcome
    const reason = outcome instanceof NoResponse ? outcome.message : `status ${outcome.status} each time`
    this.#unchecked.push(`${request}: ${reason}`)
    return undefined
  }

  /** `covered` are the headers that the contract gives to the response; undefined where it is silent about the request. */
  #compareResponses(
    where: string,
    left: RawResponse,
    right: RawResponse,
    covered: readonly string[] | undefined,
  ): void {
    if (left.status !== right.status) {
      this.#add(
        covered === undefined ? 'other-status' : 'status',
        undefined,
        where,
        `${left.status}`,
        `${right.status}`,
      )
      return
    }
    if (covered === undefined) return
    const names = new Map([...left.fields, ...right.fields].map(([name]) => [name.toLowerCase(), name]))
    for (const [name, spelled] of names) {
      if (PASSING_HEADERS.has(name)) continue
      const [a, b] = [headerText(left, name, this.#clients), headerText(right, name, this.#clients)]
      if (a === b) continue
      const kind = covered.some((one) => one.toLowerCase() === name) ? 'header' : 'other-header'
      this.#add(kind, spelled, where, headerCame(spelled, a), headerCame(spelled, b))
    }
  }

  /** In a sample a record may be on a page beside its own, where the other server has one record more before it. */
  async #lookBeside(collection: CatalogCollection, records: RecordMatch, last: number): Promise<void> {
    const beside = new Set(
      records
        .unmatchedPages()
        .flatMap((page) => [page - 1, page + 1])
        .filter((page) => page >= 1 && page <= last),
    )
    const missing = [...beside].filter((page) => !records.pages.has(page))
    await inParallel(missing, this.#options.concurrency, async (page) => {
      const sent = { method: 'GET', target: pageTarget(collection, page) }
      const [a, b] = await Promise.all(
        this.#clients.map(async (client, side) => {
          const { outcome } = await client.send(sent)
          if (outcome instanceof NoResponse || outcome.status !== 200) return []
          return new SeenPage(collection, page, outcome, this.#clients[side as 0 | 1].base).records ?? []
        }),
      )
      records.addBeside(page, a ?? [], b ?? [])
    })
  }

  #addRecords(collection: CatalogCollection, records: RecordMatch): void {
    const path = v1PathOf(collection)
    for (const { key, page, record } of records.left())
      this.#add('only-left', undefined, `${path}, key ${key}, page ${page}`, shown(record), 'no such record')
    for (const { key, page, record } of records.right())
      this.#add('only-right', undefined, `${path}, key ${key}, page ${page}`, 'no such record', shown(record))
    for (const { key, left, right } of records.misplaced())
      this.#add(
        'order',
        undefined,
        `${path}, key ${key}`,
        `record ${left}`,
        `record ${right}, after one that follows it on the first`,
      )
  }

  async #otherRequests(collection: CatalogCollection, pages: number): Promise<void> {
    const covered: readonly Sent[] = [
      { method: 'GET', target: v1PathOf(collection) },
      { method: 'HEAD', target: pageTarget(collection, 1) },
      { method: 'OPTIONS', target: v1PathOf(collection) },
    ]
    for (const sent of covered) {
      const headers = sent.method === 'OPTIONS' ? ['Allow'] : PAGE_HEADERS
      const [left, right] = await Promise.all(this.#clients.map((client) => this.#response(client, sent)))
      if (left !== undefined && right !== undefined)
        this.#compareResponses(`${sent.method} ${sent.target}`, left, right, headers)
    }
    for (const request of SILENT) {
      const sent = request(v1PathOf(collection), pages)
      const accept = sent.fields === undefined ? '' : ' with Accept: text/html'
      const [left, right] = (await Promise.all(this.#clients.map((client) => client.sendOnce(sent)))).map(
        ({ outcome }) => outcome,
      )
      if (left instanceof NoResponse || right instanceof NoResponse || left === undefined || right === undefined)
        continue
      this.#compareResponses(`${sent.method} ${sent.target}${accept}`, left, right, undefined)
    }
  }

  #add(kind: Kind, of: string | undefined, where: string, left: string, right: string): void {
    const tally = this.#tallies.get(kind) ?? new Tally()
    this.#tallies.set(kind, tally)
    tally.count++
    const countOfOne = (tally.of[of ?? ''] ?? 0) + 1
    if (of !== undefined) tally.of[of] = countOfOne
    if (tally.examples.length < MAX_EXAMPLES && countOfOne <= MAX_EXAMPLES_OF_ONE)
      tally.examples.push({ where, left, right })
  }
}

const sum = (left: Traffic, right: Traffic): Traffic => ({
  requests: left.requests + right.requests,
  retries: left.retries + right.retries,
  droppedConnections: left.droppedConnections + right.droppedConnections,
  timeouts: left.timeouts + right.timeouts,
  serverErrors: left.serverErrors + right.serverErrors,
})

/** The value of a header, in which the address of either server is written the same. */
function headerText(response: RawResponse, name: string, clients: Pair<Client>): string | undefined {
  const values = valuesOf(response.fields, name)
  if (values.length === 0) return undefined
  const text = values.join(', ')
  if (name !== 'link') return text
  return clients.reduce((link, { base }) => link.replaceAll(`<${base}/`, '<{base_url}/'), text)
}
