// A run over the collections of one server or two: it ends early if nothing more can be checked, and counts its requests.
import { type Client, type ClientOptions, type Traffic, Unchecked } from './client.ts'
import type { ContractCollection } from './contract.ts'
import { printable } from './printable.ts'
import { type Extent, MAX_PAGES, pagesToRequest } from './sample.ts'

/** The options of a verification and of a comparison. */
export type RunOptions = Extent &
  ClientOptions & {
    readonly collections: readonly ContractCollection[]
    readonly concurrency: number
    /** Called after every page. */
    readonly onProgress: (what: string, done: number, expected: number) => void
  }

/** The part that the reports of verifications and comparisons share. */
export type RunReport = Traffic & {
  /** The reasons why a part was not checked. */
  readonly unchecked: readonly string[]
  readonly collections: readonly { readonly name: string; readonly pages: number; readonly records: number }[]
  readonly seconds: number
}

const addTraffic = (one: Traffic, other: Traffic): Traffic =>
  Object.fromEntries(
    Object.entries(one).map(([name, count]) => [name, count + other[name as keyof Traffic]]),
  ) as Traffic

export abstract class Run<Clients extends readonly Client[], Options extends RunOptions> {
  protected readonly clients: Clients
  protected readonly options: Options
  protected readonly unchecked: string[] = []
  protected readonly collections: RunReport['collections'][number][] = []

  constructor(clients: Clients, options: Options) {
    this.clients = clients
    this.options = options
  }

  protected abstract collection(collection: ContractCollection): Promise<void>

  /** Goes through all collections, and closes the clients. */
  protected async throughAll(): Promise<RunReport> {
    const start = performance.now()
    try {
      for (const collection of this.options.collections) await this.collection(collection)
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error
      this.unchecked.push(error.message)
    } finally {
      for (const client of this.clients) client.close()
    }
    return {
      ...{ unchecked: this.unchecked.map(printable), collections: this.collections },
      ...this.clients.map(({ traffic }) => traffic).reduce(addTraffic),
      seconds: (performance.now() - start) / 1_000,
    }
  }

  /** The pages of a collection to request. */
  protected pagesOf({ name }: ContractCollection, total: number): number[] {
    if (this.options.deep && total > MAX_PAGES)
      this.unchecked.push(`${name} claims ${total} pages; no more than ${MAX_PAGES} are read`)
    return pagesToRequest(total, this.options)
  }
}
