// The pages of a collection, as much of them as the checks need that look at them together.
import type { ContractCollection } from './contract.ts'
import { partsOf } from './json.ts'
import { hashOf, type ReceivedPage } from './received-page.ts'

/** The key, the code and a hash of a record. */
type WalkedRecord = {
  readonly key: string | undefined
  readonly code: string | undefined
  readonly content: string
}

type WalkedPage = {
  readonly page: number
  readonly request: string
  readonly total: number | undefined
  readonly totalPages: number | undefined
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  /** A hash of the records; undefined if there are none. */
  readonly content: string | undefined
  /** The first and the last identifier; undefined if the collection has no order. */
  readonly ends: readonly [first: number, last: number] | undefined
  readonly records: readonly WalkedRecord[]
}

/** Further records of a collection would fill the memory, so they are not compared with each other. */
const MAX_COMPARED = 1_000_000

export class CollectionWalk {
  readonly collection: ContractCollection
  /** In the order of their numbers. */
  readonly pages: WalkedPage[] = []
  records = 0
  faultyPages = 0
  confirmations = 0

  constructor(collection: ContractCollection) {
    this.collection = collection
  }

  add(received: ReceivedPage, request: string): void {
    const { entity, page, total, content, records = [], identifiers: ids = [] } = received
    const [first, last] = [ids[0], ids.at(-1)]
    this.records += records.length
    const walked: WalkedPage = {
      ...{ page, request, total, content },
      totalPages: received.number('X-Total-Pages'),
      etag: received.header('ETag'),
      lastModified: received.header('Last-Modified'),
      ends: first === undefined || last === undefined ? undefined : [first, last],
      records: (this.records > MAX_COMPARED ? [] : (received.fewRecords ?? [])).map((record) => ({
        key: partsOf(entity, 'key', record),
        code: partsOf(entity, 'code', record),
        content: hashOf(JSON.stringify(record)),
      })),
    }
    // Pages that were requested at the same time come in any order.
    const at = this.pages.findLastIndex((other) => other.page < page) + 1
    this.pages.splice(at, 0, walked)
  }
}
