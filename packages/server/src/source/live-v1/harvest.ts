// Downloads all pages of one collection to disk: several at a time, each checked as it arrives, none that is there already.

import { join } from 'node:path'
import { v1PathOf } from '../../base/api-v1.ts'
import { OperationalError } from '../../base/operational-error.ts'
import type { CatalogCollection } from '../../catalog/collections.ts'
import { type ColumnFault, Faults } from '../faults.ts'
import { type PoliteClient, Refused, type V1Response } from './client.ts'
import { bodyFault, type CollectionSize, collectionSize } from './page.ts'
import { PageFile } from './page-file.ts'

export type HarvestProgress = {
  readonly collection: string
  readonly donePages: number
  readonly totalPages: number
  /** How fast records were downloaded in this run. */
  readonly recordsPerSecond: number
}

type Harvesting = {
  /** The address of the service, without a slash at its end. */
  readonly base: string
  readonly directory: string
  readonly client: PoliteClient
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: HarvestProgress) => void
}

/** After this many faulty pages, no more are requested. */
const MAX_FAULTY_PAGES = 25

/** How a page is named in faults and findings. */
export const pageName = (base: string, collection: CatalogCollection, page: number): string =>
  `${new URL(base).pathname.replace(/\/$/, '')}${v1PathOf(collection)}?page=${page}`

/** The first page is always requested, to see whether the server still has what was harvested before. */
export async function harvestCollection(collection: CatalogCollection, harvesting: Harvesting): Promise<PageFile> {
  const faults = new Faults()
  const first = await requestFirst(collection, harvesting, faults)
  const path = join(harvesting.directory, `${collection.name}.pages`)
  const file = new PageFile(path, harvesting.base, first.size)
  try {
    if (file.pageWith(first.response.body) !== 1) {
      file.restart()
      if (first.size.totalPages > 0) file.add(1, first.response.body)
    }
    await new CollectionHarvest(collection, harvesting, file, faults).run()
  } finally {
    file.close()
  }
  faults.throwIfAny()
  return file
}

type FirstPage = { readonly response: V1Response; readonly size: CollectionSize }

async function requestFirst(collection: CatalogCollection, harvesting: Harvesting, faults: Faults): Promise<FirstPage> {
  const response = await requestPage(collection, harvesting, 1, harvesting.signal)
  const size = collectionSize(response, 1)
  const fault = 'column' in size ? size : bodyFault(response, 1, size)
  if (fault !== undefined) faults.add({ file: pageName(harvesting.base, collection, 1), line: 0, ...fault })
  faults.throwIfAny()
  return { response, size: size as CollectionSize }
}

const requestPage = (collection: CatalogCollection, { base, client }: Harvesting, page: number, signal: AbortSignal) =>
  client.get(`${base}${v1PathOf(collection)}?format=api&page=${page}`, signal)

class CollectionHarvest {
  readonly #collection: CatalogCollection
  readonly #harvesting: Harvesting
  readonly #file: PageFile
  readonly #faults: Faults
  readonly #start = performance.now()
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  #faultyPages = 0
  #downloadedPages = 0

  constructor(collection: CatalogCollection, harvesting: Harvesting, file: PageFile, faults: Faults) {
    this.#collection = collection
    this.#harvesting = harvesting
    this.#file = file
    this.#faults = faults
    this.#signal = AbortSignal.any([harvesting.signal, this.#stop.signal])
  }

  /** An error in one worker stops all of them. When this returns or throws, all have stopped. */
  async run(): Promise<void> {
    this.#reportProgress()
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
      const response = await this.#request(page)
      const fault = this.#faultOf(response, page)
      if (fault === undefined) this.#file.add(page, response.body)
      else this.#addFault(page, fault)
      this.#downloadedPages++
      this.#reportProgress()
    }
  }

  /** If a page is refused although the first page announced it, the collection may have become smaller. */
  async #request(page: number): Promise<V1Response> {
    try {
      return await requestPage(this.#collection, this.#harvesting, page, this.#signal)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const size = collectionSize(await requestPage(this.#collection, this.#harvesting, 1, this.#signal), 1)
      if ('total' in size) this.#throwIfChanged(size, page)
      throw error
    }
  }

  #faultOf(response: V1Response, page: number): ColumnFault | undefined {
    const size = collectionSize(response, page)
    if ('column' in size) return size
    this.#throwIfChanged(size, page)
    const same = this.#file.pageWith(response.body)
    if (same !== undefined)
      return { column: 'body', value: `page ${same} again`, expected: 'records that no other page has' }
    return bodyFault(response, page, size)
  }

  #throwIfChanged(size: CollectionSize, page: number): void {
    const { size: first } = this.#file
    if (size.total === first.total && size.perPage === first.perPage) return
    const { base } = this.#harvesting
    throw new OperationalError(
      `${base}${v1PathOf(this.#collection)}: the server changed while it was read: page 1 had ${inWords(first)}, ` +
        `and at page ${page} there were ${inWords(size)}; run the same command again to read it anew`,
    )
  }

  #addFault(page: number, fault: ColumnFault): void {
    this.#faultyPages++
    this.#faults.add({ file: pageName(this.#harvesting.base, this.#collection, page), line: 0, ...fault })
  }

  #reportProgress(): void {
    const { size, count } = this.#file
    const seconds = Math.max(performance.now() - this.#start, 1) / 1_000
    this.#harvesting.onProgress({
      collection: this.#collection.name,
      donePages: count,
      totalPages: size.totalPages,
      recordsPerSecond: Math.round((this.#downloadedPages * size.perPage) / seconds),
    })
  }
}

const inWords = ({ total, perPage }: CollectionSize) => `${total} records, ${perPage} on a page`
