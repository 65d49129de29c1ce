// One page as a server sent it, read once for all the checks that look at it.

import { v1PathOf } from '../base/api-v1.ts'
import { isObject } from '../base/json.ts'
import { parseWholeNumber } from '../base/whole-number.ts'
import { entityIn } from '../catalog/catalog.ts'
import { type CatalogCollection, PER_PAGE } from '../catalog/collections.ts'
import type { Entity } from '../catalog/entity.ts'
import { builtInCatalog } from '../source/built-in.ts'
import { type RawResponse, valuesOf } from './connection.ts'
import { type PageLink, parseLink } from './link.ts'
import { type RecordFault, recordFaults } from './record-faults.ts'

/** A BOM is no part of JSON, so it is left in for the parser to refuse. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export class SeenPage {
  readonly collection: CatalogCollection
  readonly entity: Entity
  /** The number that was requested. */
  readonly page: number
  readonly response: RawResponse
  /** What the URLs of Link are to begin with. */
  readonly linkBase: string
  /** The body as JSON, if that is what it is. */
  readonly json: Json | undefined
  /** Undefined without the header; the reason in words where it cannot be read. */
  readonly links: readonly PageLink[] | string | undefined
  #faults: readonly (RecordFault & { readonly record: number })[] | undefined

  constructor(collection: CatalogCollection, page: number, response: RawResponse, linkBase: string) {
    this.collection = collection
    this.entity = entityIn(builtInCatalog, collection.entity)
    this.page = page
    this.response = response
    this.linkBase = linkBase
    this.json = parseJson(response.body)
    const link = headerOf(response, 'Link') ?? ''
    this.links = link.trim() === '' ? undefined : parseLink(link)
  }

  header(name: string): string | undefined {
    return headerOf(this.response, name)
  }

  number(name: string): number | undefined {
    return parseWholeNumber(this.header(name) ?? '')
  }

  get records(): readonly unknown[] | undefined {
    return Array.isArray(this.json?.value) ? this.json.value : undefined
  }

  get total(): number | undefined {
    return this.number('X-Total')
  }

  /** How many pages there are: by the number of records, or else as the header has it. */
  get pages(): number | undefined {
    return this.total === undefined ? this.number('X-Total-Pages') : Math.ceil(this.total / PER_PAGE)
  }

  get isLast(): boolean | undefined {
    return this.pages === undefined ? undefined : this.page >= this.pages
  }

  /** The field that the records ascend by; undefined where no order is required. */
  get orderedBy(): string | undefined {
    return this.entity.order === 'by key' ? this.entity.key[0] : undefined
  }

  /** The identifiers that the records ascend by; undefined where none are required to. */
  get identifiers(): readonly number[] | undefined {
    const { orderedBy, records } = this
    if (orderedBy === undefined || records === undefined) return undefined
    return records.flatMap((record) => {
      const value = isObject(record) ? record[orderedBy] : undefined
      return typeof value === 'number' ? [value] : []
    })
  }

  /** A hash of the records; undefined where there are none. */
  get content(): number | bigint | undefined {
    return contentOf(this.json)
  }

  get faults(): readonly (RecordFault & { readonly record: number })[] {
    this.#faults ??= (this.records ?? []).flatMap((value, record) =>
      recordFaults(this.entity, value).map((fault) => ({ ...fault, record })),
    )
    return this.#faults
  }
}

export const pageTarget = (collection: CatalogCollection, page: number): string =>
  `${v1PathOf(collection)}?format=api&page=${page}`

/** The headers that the contract gives to a page. */
export const PAGE_HEADERS = [
  'Content-Type',
  'Allow',
  'Vary',
  'X-Page',
  'X-Per-Page',
  'X-Total',
  'X-Total-Pages',
  'Link',
] as const
/** Those of them that may be sent in several lines, which together are one list. */
export const LIST_HEADERS: readonly string[] = ['Allow', 'Vary', 'Link']

/** The value of a header: of several lines the first, unless they are a list. */
export function headerOf({ fields }: Pick<RawResponse, 'fields'>, name: string): string | undefined {
  const values = valuesOf(fields, name)
  return values.length > 1 && LIST_HEADERS.includes(name) ? values.join(', ') : values[0]
}

type Json = { readonly text: string; readonly value: unknown }

/** A hash of records; undefined where there are none. */
export const contentOf = (json: Json | undefined): number | bigint | undefined =>
  Array.isArray(json?.value) && json.value.length > 0 ? Bun.hash.xxHash64(json.text) : undefined

export function parseJson(body: Uint8Array): Json | undefined {
  try {
    const text = decoder.decode(body)
    return { text, value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
