// Compares two servers record by record and header by header, and counts the differences by kind.
import { Client, RETRIED_STATUSES, type Sent } from './client.ts'
import { type ContractCollection, pathOf } from './contract.ts'
import { headerCame } from './findings.ts'
import { printable, shown } from './printable.ts'
import { get } from './probing.ts'
import { NoResponse, type RawResponse, valuesOf } from './raw-response.ts'
import { PAGE_HEADERS, pageTarget, ReceivedPage } from './received-page.ts'
import { MAX_WAITING, RecordMatch } from './record-match.ts'
import { Run, type RunOptions, type RunReport } from './run.ts'
import { inParallel } from './sample.ts'

/** The kinds of differences, each with a description; one that is only advice keeps nobody from moving. */
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

type Tally = {
  count: number
  /** The count of each field or header. */
  readonly of: Record<string, number>
  readonly examples: { readonly where: string; readonly left: string; readonly right: string }[]
}

export type Difference = Readonly<Tally> & {
  readonly kind: Kind
  readonly severity: 'difference' | 'advice'
  readonly description: string
}

export type Comparison = RunReport & {
  readonly left: string
  readonly right: string
  /** True if nothing differs except for advice, and everything could be compared. */
  readonly same: boolean
  readonly kinds: readonly Kind[]
  /** The kinds that were found. */
  readonly differences: readonly Difference[]
}

const MAX_EXAMPLES = 5
/** The most examples of one header or field, so that there is room for others. */
const MAX_EXAMPLES_OF_ONE = 2
/** Headers of the moment, the connection or the program, which differ between any two servers. */
const PASSING_HEADERS = new Set([
  ...['date', 'server', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'age', 'via'],
  ...['x-request-id', 'x-powered-by', 'alt-svc', 'set-cookie', 'expires'],
])
/** Requests about which the contract is silent, and whose status clients may have come to rely on. */
const silentRequests = (path: string, pages: number): readonly Sent[] => [
  ...[`?format=api&page=${pages + 1}`, '?page=0', '?page=abc', '?format=json', '?format=xml', '?_=1', '/'].map((rest) =>
    get(`${path}${rest}`),
  ),
  get(path, ['Accept', 'text/html']),
]

export const compareServers = (left: string, right: string, options: RunOptions): Promise<Comparison> =>
  new Comparer([new Client(left, options), new Client(right, options)], options).run()

type Pair<T> = readonly [left: T, right: T]

const ofBoth = async <T, U>([left, right]: Pair<T>, send: (one: T, side: 0 | 1) => Promise<U>): Promise<Pair<U>> =>
  Promise.all([send(left, 0), send(right, 1)])

class Comparer extends Run<Pair<Client>, RunOptions> {
  readonly #tallies = new Map<Kind, Tally>()

  async run(): Promise<Comparison> {
    const [left, right] = this.clients
    const report = await this.throughAll()
    const kinds = Object.keys(DIFFERENCE_KINDS) as Kind[]
    const differences = kinds.flatMap((kind): Difference[] => {
      const tally = this.#tallies.get(kind)
      const [severity, description] = DIFFERENCE_KINDS[kind]
      return tally === undefined ? [] : [{ kind, severity, description, ...tally }]
    })
    const same = report.unchecked.length === 0 && differences.every(({ severity }) => severity === 'advice')
    return { left: left.base, right: right.base, kinds, differences, same, ...report }
  }

  protected async collection(collection: ContractCollection): Promise<void> {
    const { onProgress, concurrency } = this.options
    const { name } = collection
    const path = pathOf(collection)
    const records = new RecordMatch(collection.entity, ({ key, page, field, values }) =>
      this.#add('field', `${path}, key ${key}, page ${page}: ${field}`, shown(values[0]), shown(values[1]), field),
    )
    const firsts = await this.#pages(collection, 1, records)
    const counts = firsts?.map((page) => page?.pages ?? 1) ?? [1]
    const last = Math.max(...counts, 1)
    const pages = this.pagesOf(collection, last)
    let done = 1
    onProgress(`pages of ${name}`, done, pages.length)
    await inParallel(firsts === undefined ? [] : pages.slice(1), concurrency, async (page) => {
      if (records.isHopeless) return
      await this.#pages(collection, page, records, counts)
      onProgress(`pages of ${name}`, ++done, pages.length)
    })
    if (records.isHopeless)
      this.unchecked.push(`${name} from page ${done} on: more than ${MAX_WAITING} records have no counterpart`)
    else if (pages.length < last) await this.#lookBeside(collection, records, last)
    this.#addRecords(path, records)
    const count = records.matches.length + records.unmatched(0).length + records.unmatched(1).length
    this.collections.push({ name, pages: done, records: count })
    await this.#otherRequests(collection, last)
  }

  /** Compares one page of both; a page beyond the last of one of them is empty there. */
  async #pages(
    collection: ContractCollection,
    page: number,
    records: RecordMatch,
    counts: readonly number[] = [],
  ): Promise<Pair<ReceivedPage | undefined> | undefined> {
    const sent = get(pageTarget(collection, page))
    const where = `GET ${sent.target}`
    const isBeyond = counts.some((count) => page > count)
    const [left, right] = await ofBoth(this.clients, async (client, side) =>
      page > (counts[side] ?? page) ? undefined : this.#response(client, sent),
    )
    if (!isBeyond && (left === undefined || right === undefined)) return undefined
    if (left !== undefined && right !== undefined) this.#compareResponses(where, left, right, PAGE_HEADERS)
    const [a, b] = [this.#received(collection, page, left), this.#received(collection, page, right)]
    if (a !== undefined && b !== undefined && (a.records === undefined || b.records === undefined))
      this.#add('body', where, shown(a.json?.value), shown(b.json?.value))
    else records.add(page, a?.fewRecords ?? [], b?.fewRecords ?? [])
    return [a, b]
  }

  #received(collection: ContractCollection, page: number, response: RawResponse | undefined): ReceivedPage | undefined {
    return response?.status === 200 ? new ReceivedPage(collection, page, response, '') : undefined
  }

  /** Returns undefined if there is no response to compare, and notes why. */
  async #response(client: Client, sent: Sent): Promise<RawResponse | undefined> {
    const { outcome, request } = await client.send(sent)
    if (!(outcome instanceof NoResponse) && !RETRIED_STATUSES.has(outcome.status)) return outcome
    const reason = outcome instanceof NoResponse ? outcome.message : `status ${outcome.status} each time`
    this.unchecked.push(`${request}: ${reason}`)
    return undefined
  }

  /** `covered` are the headers that the contract gives to the response. */
  #compareResponses(where: string, left: RawResponse, right: RawResponse, covered: readonly string[]): void {
    if (left.status !== right.status) {
      this.#add('status', where, `${left.status}`, `${right.status}`)
      return
    }
    const names = new Map([...left.fields, ...right.fields].map(([name]) => [name.toLowerCase(), name]))
    for (const [name, spelled] of names) {
      if (PASSING_HEADERS.has(name)) continue
      const [a, b] = [headerText(left, name, this.clients), headerText(right, name, this.clients)]
      if (a === b) continue
      const kind = covered.some((one) => one.toLowerCase() === name) ? 'header' : 'other-header'
      this.#add(kind, where, headerCame(spelled, a), headerCame(spelled, b), spelled)
    }
  }

  /** In a sample a record may be on a page beside its own, where the other server has one record more before it. */
  async #lookBeside(collection: ContractCollection, records: RecordMatch, last: number): Promise<void> {
    const unmatched = [...records.unmatched(0), ...records.unmatched(1)]
    const beside = new Set(unmatched.flatMap(({ page }) => [page - 1, page + 1]))
    const missing = [...beside].filter((page) => page >= 1 && page <= last && !records.pages.has(page))
    await inParallel(missing, this.options.concurrency, async (page) => {
      const [left, right] = await ofBoth(this.clients, async (client) => {
        const { outcome } = await client.send(get(pageTarget(collection, page)))
        return outcome instanceof NoResponse ? [] : (this.#received(collection, page, outcome)?.fewRecords ?? [])
      })
      records.addBeside(page, left, right)
    })
  }

  #addRecords(path: string, records: RecordMatch): void {
    const none = 'no such record'
    for (const { key, page, record } of records.unmatched(0))
      this.#add('only-left', `${path}, key ${key}, page ${page}`, shown(record), none)
    for (const { key, page, record } of records.unmatched(1))
      this.#add('only-right', `${path}, key ${key}, page ${page}`, none, shown(record))
    for (const { key, left, right } of records.misplaced()) {
      const place = `record ${right}, after one that follows it on the first`
      this.#add('order', `${path}, key ${key}`, `record ${left}`, place)
    }
  }

  async #otherRequests(collection: ContractCollection, pages: number): Promise<void> {
    const path = pathOf(collection)
    const head = { method: 'HEAD', target: pageTarget(collection, 1) }
    const covered: readonly Sent[] = [get(path), head, { method: 'OPTIONS', target: path }]
    for (const sent of covered) {
      const [left, right] = await ofBoth(this.clients, (client) => this.#response(client, sent))
      const headers = sent.method === 'OPTIONS' ? ['Allow'] : PAGE_HEADERS
      if (left !== undefined && right !== undefined)
        this.#compareResponses(`${sent.method} ${sent.target}`, left, right, headers)
    }
    for (const sent of silentRequests(path, pages)) {
      const [left, right] = await ofBoth(this.clients, async (client) => (await client.sendOnce(sent)).outcome)
      if (left instanceof NoResponse || right instanceof NoResponse || left.status === right.status) continue
      const accept = sent.fields?.map(([name, value]) => ` with ${name}: ${value}`).join('')
      this.#add('other-status', `GET ${sent.target}${accept}`, `${left.status}`, `${right.status}`)
    }
  }

  /** `of` is the field or the header that differs. */
  #add(kind: Kind, where: string, left: string, right: string, of?: string): void {
    const tally: Tally = this.#tallies.get(kind) ?? { count: 0, of: Object.create(null), examples: [] }
    this.#tallies.set(kind, tally)
    tally.count++
    if (of !== undefined) tally.of[of] = (tally.of[of] ?? 0) + 1
    const isShown = of === undefined || (tally.of[of] ?? 0) <= MAX_EXAMPLES_OF_ONE
    if (isShown && tally.examples.length < MAX_EXAMPLES)
      tally.examples.push({ where: printable(where), left: printable(left), right: printable(right) })
  }
}

/** The value of a header, in which the address of either server is written the same. */
function headerText(response: RawResponse, name: string, clients: Pair<Client>): string | undefined {
  const values = valuesOf(response.fields, name)
  if (values.length === 0) return undefined
  if (name !== 'link') return values.join(', ')
  return clients.reduce((link, { base }) => link.replaceAll(`<${base}/`, '<{base_url}/'), values.join(', '))
}
