// Checks a page of API v1: its headers, and an array of as many records as they announce.

import { isUtf8 } from 'node:buffer'
import { boundedJson } from '../../base/json-bounds.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import type { ColumnFault } from '../faults.ts'
import type { V1Response } from './client.ts'

/** The headers of a page that concern the collection: the same on all pages, unless the collection changes. */
export type CollectionSize = { readonly total: number; readonly perPage: number; readonly totalPages: number }

const MAX_PER_PAGE = 100_000
const MAX_PAGES = 10_000_000

export function collectionSize({ headers }: V1Response, page: number): CollectionSize | ColumnFault {
  if (headerNumber(headers, 'X-Page') !== page) return headerFault(headers, 'X-Page', String(page))
  const total = headerNumber(headers, 'X-Total')
  if (total === undefined) return headerFault(headers, 'X-Total', 'a whole number')
  const perPage = headerNumber(headers, 'X-Per-Page')
  if (perPage === undefined || perPage < 1 || perPage > MAX_PER_PAGE)
    return headerFault(headers, 'X-Per-Page', `a whole number from 1 to ${MAX_PER_PAGE}`)
  const totalPages = Math.ceil(total / perPage)
  if (headerNumber(headers, 'X-Total-Pages') !== totalPages)
    return headerFault(
      headers,
      'X-Total-Pages',
      `${totalPages}, since there are ${total} records and ${perPage} on a page`,
    )
  if (totalPages > MAX_PAGES) return headerFault(headers, 'X-Total-Pages', `at most ${MAX_PAGES}`)
  return { total, perPage, totalPages }
}

const headerFault = (headers: Headers, column: string, expected: string): ColumnFault => ({
  column,
  value: headers.get(column) ?? undefined,
  expected,
})

const headerNumber = (headers: Headers, name: string) => parseWholeNumber(headers.get(name) ?? '')

/** The fault of the body of a page as a whole, if it has one. */
export function bodyFault({ body }: V1Response, page: number, size: CollectionSize): ColumnFault | undefined {
  const records = isUtf8(body) ? boundedJson(body, MAX_VALUES) : undefined
  if (!Array.isArray(records))
    return { column: 'body', value: beginning(body), expected: 'a JSON array of records, in UTF-8' }
  const count = Math.max(Math.min(size.perPage, size.total - size.perPage * (page - 1)), 0)
  if (records.length === count) return undefined
  const which = page < size.totalPages ? 'not the last page' : 'the last page'
  return { column: 'records', value: records.length, expected: `${count}, since this is ${which}` }
}

/** Twenty for each record of the largest page. */
const MAX_VALUES = 20 * MAX_PER_PAGE

const MAX_BEGINNING = 60
const beginning = (body: Uint8Array) => new TextDecoder().decode(body.subarray(0, MAX_BEGINNING))
