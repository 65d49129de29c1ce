// One page as a server sent it, parsed once for all checks.
import { createHash } from 'node:crypto'
import { type ContractCollection, type ContractEntity, PER_PAGE, pathOf } from './contract.ts'
import { type ParsedJson, parseJson, parseWholeNumber, valueAt } from './json.ts'
import { type PageLink, parseLink } from './link-header.ts'
import { type RawResponse, valuesOf } from './raw-response.ts'
import { type RecordFault, recordFaults } from './record-faults.ts'

/** The most records of a page that are looked at one by one. */
const MAX_RECORDS = 1_000

/** A BOM is no part of JSON, so it is left in for the parser to refuse. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export class ReceivedPage {
  readonly collection: ContractCollection
  readonly entity: ContractEntity
  /** The number that was requested. */
  readonly page: number
  readonly response: RawResponse
  /** The address that the URLs of Link have to begin with. */
  readonly linkBase: string
  /** Undefined if the body is no JSON. */
  readonly json: ParsedJson | undefined
  /** The entries of Link; none if the header is missing or cannot be read. */
  readonly links: readonly PageLink[]
  /** The reason why Link cannot be read. */
  readonly linkFault: string | undefined
  #faults: readonly (RecordFault & { readonly record: number })[] | undefined

  constructor(collection: ContractCollection, page: number, response: RawResponse, linkBase: string) {
    this.collection = collection
    this.entity = collection.entity
    this.page = page
    this.response = response
    this.linkBase = linkBase
    this.json = bodyJson(response.body)
    const links = parseLink(headerOf(response, 'Link') ?? '')
    this.links = typeof links === 'string' ? [] : links
    this.linkFault = typeof links === 'string' ? links : undefined
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

  /** The first records: those that are looked at one by one. */
  get fewRecords(): readonly unknown[] | undefined {
    return this.records?.slice(0, MAX_RECORDS)
  }

  get total(): number | undefined {
    return this.number('X-Total')
  }

  /** The number of pages: computed from that of records, or else taken from its header. */
  get pages(): number | undefined {
    return this.total === undefined ? this.number('X-Total-Pages') : Math.ceil(this.total / PER_PAGE)
  }

  get isLast(): boolean | undefined {
    return this.pages === undefined ? undefined : this.page >= this.pages
  }

  /** The identifiers that the records ascend by; undefined if the collection has no order. */
  get identifiers(): readonly number[] | undefined {
    if (!this.collection.isOrdered) return undefined
    const values = this.records?.map((record) => valueAt(record, [this.entity.key[0]]))
    return values?.filter((value) => typeof value === 'number')
  }

  /** A hash of the records; undefined if there are none. */
  get content(): string | undefined {
    return this.records?.length ? hashOf(this.response.body) : undefined
  }

  get faults(): readonly (RecordFault & { readonly record: number })[] {
    this.#faults ??= (this.fewRecords ?? []).flatMap((value, record) =>
      recordFaults(this.entity, value).map((fault) => ({ ...fault, record })),
    )
    return this.#faults
  }
}

export const pageTarget = (collection: ContractCollection, page: number): string =>
  `${pathOf(collection)}?format=api&page=${page}`

/** Headers of a page that may come in several lines, which together are one list. */
const LIST_HEADERS = ['Allow', 'Vary', 'Link']
/** Headers of a page that have one value. */
export const SINGLE_HEADERS = ['Content-Type', 'X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages']
export const PAGE_HEADERS: readonly string[] = [...SINGLE_HEADERS, ...LIST_HEADERS]

/** The value of a header: of several lines the first, unless they are a list. */
export function headerOf({ fields }: Pick<RawResponse, 'fields'>, name: string): string | undefined {
  const values = valuesOf(fields, name)
  return values.length > 1 && LIST_HEADERS.includes(name) ? values.join(', ') : values[0]
}

export const hashOf = (content: string | Uint8Array): string => createHash('sha1').update(content).digest('base64')

/** Undefined if a body is no JSON. */
export function bodyJson(body: Uint8Array): ParsedJson | undefined {
  try {
    return parseJson(decoder.decode(body))
  } catch {
    return undefined
  }
}
