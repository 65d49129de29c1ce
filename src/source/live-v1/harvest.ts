// Brings all pages of one collection to disk: several at a time, each checked as it comes, none that is there already.
import { join } from 'node:path'
import type { Collection } from '../../catalog/collections.ts'
import { Failure } from '../../failure.ts'
import { Faults } from '../faults.ts'
import { type HttpResponse, type PoliteClient, Refused } from './fetch.ts'
import { bodyFault, type Facts, factsOf, type PageFault } from './page.ts'
import { PageFile } from './page-file.ts'

export type HarvestProgress = {
  readonly collection: string
  readonly donePages: number
  readonly totalPages: number
  /** Of the records that came in this run. */
  readonly recordsPerSecond: number
}

export type Harvesting = {
  /** The address of the service, without a slash at its end. */
  readonly base: string
  readonly directory: string
  readonly client: PoliteClient
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: HarvestProgress) => void
}

/** A server that gets this many pages wrong is not asked for more. */
const MAX_FAULTY_PAGES = 25

/** How a page is named in faults and findings. */
export const pageName = (base: string, collection: Collection, page: number): string =>
  `${new URL(base).pathname.replace(/\/$/, '')}${collection.path}?page=${page}`

/** The first page is always asked for, to see whether the server still has what was harvested before. */
export async function harvestCollection(collection: Collection, harvesting: Harvesting): Promise<PageFile> {
  const faults = new Faults()
  const first = await askFirst(collection, harvesting, faults)
  const path = join(harvesting.directory, `${collection.name}.pages`)
  const file = new PageFile(path, harvesting.base, first.facts)
  try {
    if (file.pageWith(first.answer.body) !== 1) {
      file.restart()
      if (first.facts.totalPages > 0) file.add(1, first.answer.body)
    }
    await new CollectionHarvest(collection, harvesting, file, faults).run()
  } finally {
    file.close()
  }
  faults.throwIfAny()
  return file
}

type First = { readonly answer: HttpResponse; readonly facts: Facts }

async function askFirst(collection: Collection, harvesting: Harvesting, faults: Faults): Promise<First> {
  const answer = await ask(collection, harvesting, 1, harvesting.signal)
  const facts = factsOf(answer, 1)
  const fault = 'column' in facts ? facts : bodyFault(answer, 1, facts)
  if (fault !== undefined) faults.add({ file: pageName(harvesting.base, collection, 1), line: 0, ...fault })
  faults.throwIfAny()
  return { answer, facts: facts as Facts }
}

const ask = (collection: Collection, { base, client }: Harvesting, page: number, signal: AbortSignal) =>
  client.get(`${base}${collection.path}?format=api&page=${page}`, signal)

class CollectionHarvest {
  readonly #collection: Collection
  readonly #harvesting: Harvesting
  readonly #file: PageFile
  readonly #faults: Faults
  readonly #began = performance.now()
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  #faultyPages = 0
  #came = 0

  constructor(collection: Collection, harvesting: Harvesting, file: PageFile, faults: Faults) {
    this.#collection = collection
    this.#harvesting = harvesting
    this.#file = file
    this.#faults = faults
    this.#signal = AbortSignal.any([harvesting.signal, this.#stop.signal])
  }

  /** What goes wrong in one worker stops them all, and they have all stopped when this ends. */
  async run(): Promise<void> {
    this.#tellProgress()
    const pages = this.#file.missing()
    const workers = Array.from({ length: this.#harvesting.concurrency }, () =>
      this.#work(pages).catch((error) => this.#stop.abort(error)),
    )
    await Promise.all(workers)
    this.#signal.throwIfAborted()
  }

  async #work(pages: Iterable<number>): Promise<void> {
    for (const page of pages) {
      if (this.#faultyPages >= MAX_FAULTY_PAGES) return
      const answer = await this.#askOrSayWhy(page)
      const fault = this.#faultOf(answer, page)
      if (fault === undefined) this.#file.add(page, answer.body)
      else this.#blame(page, fault)
      this.#came++
      this.#tellProgress()
    }
  }

  /** A page that was announced and is refused may be gone because the collection has become smaller. */
  async #askOrSayWhy(page: number): Promise<HttpResponse> {
    try {
      return await ask(this.#collection, this.#harvesting, page, this.#signal)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const facts = factsOf(await ask(this.#collection, this.#harvesting, 1, this.#signal), 1)
      if ('total' in facts) this.#throwIfChanged(facts, page)
      throw error
    }
  }

  #faultOf(answer: HttpResponse, page: number): PageFault | undefined {
    const facts = factsOf(answer, page)
    if ('column' in facts) return facts
    this.#throwIfChanged(facts, page)
    const same = this.#file.pageWith(answer.body)
    if (same !== undefined)
      return { column: 'body', value: `page ${same} again`, expected: 'records that no other page has' }
    return bodyFault(answer, page, facts)
  }

  #throwIfChanged(now: Facts, page: number): void {
    const { facts } = this.#file
    const changed = (['total', 'perPage', 'totalPages'] as const).filter((name) => now[name] !== facts[name])
    if (changed.length === 0) return
    const { base } = this.#harvesting
    throw new Failure(
      `${base}${this.#collection.path}: the server changed while it was read: page 1 had ${inWords(facts)}, ` +
        `and at page ${page} there were ${inWords(now)}; run the same command again to read it anew`,
    )
  }

  #blame(page: number, fault: PageFault): void {
    this.#faultyPages++
    this.#faults.add({ file: pageName(this.#harvesting.base, this.#collection, page), line: 0, ...fault })
  }

  #tellProgress(): void {
    const { facts, count } = this.#file
    const seconds = Math.max(performance.now() - this.#began, 1) / 1_000
    this.#harvesting.onProgress({
      collection: this.#collection.name,
      donePages: count,
      totalPages: facts.totalPages,
      recordsPerSecond: Math.round((this.#came * facts.perPage) / seconds),
    })
  }
}

const inWords = ({ total, perPage }: Facts) => `${total} records, ${perPage} on a page`
