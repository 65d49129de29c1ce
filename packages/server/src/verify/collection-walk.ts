// What is kept of the pages of a collection while they are requested, for the checks that look at them together.
import type { JsonObject } from '../base/json.ts'
import type { CatalogCollection } from '../catalog/collections.ts'
import type { Entity } from '../catalog/entity.ts'
import { EmbeddedRecords, recordsWithin } from './embedded-records.ts'
import { NUMERIC_CODES } from './record-faults.ts'
import { partsOf } from './record-parts.ts'
import type { SeenPage } from './seen-page.ts'

/** A record by what no other may have: its key and its code, if it has them, and a hash of all that it is. */
type WalkedRecord = {
  readonly key: string | undefined
  readonly code: string | undefined
  readonly content: number | bigint
}

/** What is kept of a page after it has been checked. */
type WalkedPage = {
  readonly page: number
  readonly request: string
  readonly total: number | undefined
  readonly totalPages: number | undefined
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  /** A hash of the records; undefined where there are none. */
  readonly content: number | bigint | undefined
  /** The first and the last value of the field that the records ascend by. */
  readonly ends: readonly [first: number, last: number] | undefined
  readonly records: readonly WalkedRecord[]
}

/** The codes of one field and one length: how many, the first of them, and one that begins with 0. */
type CodesOfLength = { count: number; readonly code: string; readonly request: string; padded: string | undefined }

/** The pages of a collection that were requested, in the order of their numbers. */
export type FinishedWalk = {
  readonly collection: CatalogCollection
  readonly pages: readonly WalkedPage[]
  /** Codes that are numeric text, by field and length. */
  readonly codes: ReadonlyMap<string, ReadonlyMap<number, CodesOfLength>>
}

/** Beyond so many records of a collection, they are not compared with each other: they would fill the memory. */
const MAX_RECORDS = 1_000_000

export class CollectionWalk implements FinishedWalk {
  readonly collection: CatalogCollection
  readonly codes = new Map<string, Map<number, CodesOfLength>>()
  readonly embedded = new EmbeddedRecords()
  #pages: WalkedPage[] = []
  records = 0
  faultyPages = 0
  confirmations = 0

  constructor(collection: CatalogCollection) {
    this.collection = collection
  }

  get pages(): readonly WalkedPage[] {
    return this.#pages
  }

  /** Pages that were requested at the same time come in any order. */
  sort(): void {
    this.#pages = this.#pages.toSorted((a, b) => a.page - b.page)
  }

  add(seen: SeenPage, request: string): void {
    const { entity, records = [] } = seen
    const ids = seen.identifiers ?? []
    const [first, last] = [ids[0], ids.at(-1)]
    this.records += records.length
    this.#pages.push({
      page: seen.page,
      request,
      total: seen.total,
      totalPages: seen.number('X-Total-Pages'),
      etag: seen.header('ETag'),
      lastModified: seen.header('Last-Modified'),
      content: seen.content,
      ends: first === undefined || last === undefined ? undefined : [first, last],
      records: this.records > MAX_RECORDS ? [] : records.map((record) => walkedRecord(entity, record)),
    })
    for (const record of records)
      for (const [inner, value] of recordsWithin(entity, record)) this.#addCodes(inner, value, request)
    this.embedded.addPage(seen)
  }

  #addCodes({ fields }: Entity, record: JsonObject, request: string): void {
    for (const name of Object.keys(NUMERIC_CODES)) {
      const code = Object.hasOwn(fields, name) ? record[name] : undefined
      if (typeof code !== 'string' || !/^[0-9]+$/.test(code)) continue
      const lengths = this.codes.get(name) ?? new Map<number, CodesOfLength>()
      this.codes.set(name, lengths)
      const same = lengths.get(code.length) ?? { count: 0, code, request, padded: undefined }
      lengths.set(code.length, same)
      same.count++
      if (/^0[0-9]/.test(code)) same.padded ??= code
    }
  }
}

const walkedRecord = (entity: Entity, record: unknown): WalkedRecord => ({
  key: partsOf(entity, 'key', record),
  code: partsOf(entity, 'code', record),
  content: Bun.hash.xxHash64(JSON.stringify(record)),
})
