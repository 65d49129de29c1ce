// The query string of a v1 request: which page it is for.

import { parseDigits, parseWholeNumber } from '../../base/whole-number.ts'
import type { PageNumber } from '../../query/page.ts'
import { badParameter } from '../problem.ts'

const PAGE_ALLOWED = 'a whole number from 1, without sign, leading zeros or more than 15 digits, given once'
const FORMAT_ALLOWED = 'api or json, given once'
export const FORMATS: readonly string[] = ['api', 'json']

export const FIRST_PAGE = 1 as PageNumber

export function pageRequest(query: string): PageNumber {
  if (query === '') return FIRST_PAGE
  return canonicalPage(query) ?? anyPageRequest(query)
}

const ZERO = 0x30

/** Reads nearly every query, and those of the service's own links: a page number, maybe after format=api. */
function canonicalPage(query: string): PageNumber | undefined {
  const start = query.startsWith('page=') ? 5 : query.startsWith('format=api&page=') ? 16 : query.length
  if (query.charCodeAt(start) === ZERO) return undefined
  return parseDigits(query, start, query.length) as PageNumber | undefined
}

/** Parameters other than page and format are ignored: old clients send cache-busters. */
export function anyPageRequest(query: string): PageNumber {
  // The parser removes a leading question mark: this one, and not one of the query.
  const parameters = new URLSearchParams(`?${query}`)
  const formats = parameters.getAll('format')
  if (formats.length > 1 || !formats.every((format) => FORMATS.includes(format)))
    throw badParameter('format', formats.join(', '), FORMAT_ALLOWED)
  const pages = parameters.getAll('page')
  const [page] = pages
  if (page === undefined) return FIRST_PAGE
  const number = pages.length === 1 ? parseWholeNumber(page, { min: 1 }) : undefined
  if (number === undefined) throw badParameter('page', pages.join(', '), PAGE_ALLOWED)
  return number as PageNumber
}
