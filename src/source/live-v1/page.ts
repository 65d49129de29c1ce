// What a page of API v1 must be like: its headers, and the array of records that they announce.
import type { HttpResponse } from './fetch.ts'

/** What every page of a collection says of the whole, and says alike as long as the collection does not change. */
export type Facts = { readonly total: number; readonly perPage: number; readonly totalPages: number }

export type PageFault = { readonly column: string; readonly value: unknown; readonly expected: string }

const MAX_PER_PAGE = 100_000
const MAX_PAGES = 10_000_000

export function factsOf({ headers }: HttpResponse, page: number): Facts | PageFault {
  if (wholeNumber(headers, 'X-Page') !== page) return wrong(headers, 'X-Page', String(page))
  const total = wholeNumber(headers, 'X-Total')
  if (total === undefined) return wrong(headers, 'X-Total', 'a whole number')
  const perPage = wholeNumber(headers, 'X-Per-Page')
  if (perPage === undefined || perPage < 1 || perPage > MAX_PER_PAGE)
    return wrong(headers, 'X-Per-Page', `a whole number from 1 to ${MAX_PER_PAGE}`)
  const totalPages = Math.ceil(total / perPage)
  if (wholeNumber(headers, 'X-Total-Pages') !== totalPages)
    return wrong(headers, 'X-Total-Pages', `${totalPages}, since there are ${total} records and ${perPage} on a page`)
  if (totalPages > MAX_PAGES) return wrong(headers, 'X-Total-Pages', `at most ${MAX_PAGES}`)
  return { total, perPage, totalPages }
}

const wrong = (headers: Headers, column: string, expected: string): PageFault => ({
  column,
  value: headers.get(column) ?? undefined,
  expected,
})

function wholeNumber(headers: Headers, name: string): number | undefined {
  const value = headers.get(name)
  return value !== null && /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined
}

/** What is wrong with the body of a page, as a whole. */
export function bodyFault({ body }: HttpResponse, page: number, facts: Facts): PageFault | undefined {
  const records = parsed(body)
  if (!Array.isArray(records))
    return { column: 'body', value: beginning(body), expected: 'a JSON array of records, in UTF-8' }
  const wanted = Math.max(Math.min(facts.perPage, facts.total - facts.perPage * (page - 1)), 0)
  if (records.length === wanted) return undefined
  const place = page < facts.totalPages ? 'not the last page' : 'the last page'
  return { column: 'records', value: records.length, expected: `${wanted}, since this is ${place}` }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body))
  } catch {
    return undefined
  }
}

const SHOWN = 60
const beginning = (body: Uint8Array) => new TextDecoder().decode(body.subarray(0, SHOWN))
