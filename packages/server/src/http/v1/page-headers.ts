// Every header of a page of API v1.
import { V1_PATH } from '../../base/api-v1.ts'
import type { RecordPage } from '../../query/page.ts'
import { CACHE_CONTROL, COMMON_HEADERS, type Headers, totalHeaders } from '../exchange.ts'
import { headerLines } from '../header-fields.ts'

/**
 * Every header of a page of API v1 is written by one of two functions: collectionHeaders, for those that all pages of a
 * collection have in common, and ownHeaders, for the others.
 */
const collectionHeaders = ({ total, totalPages, lastModified }: RecordPage): Headers => ({
  'Content-Type': 'application/json',
  ...COMMON_HEADERS,
  ...totalHeaders(total, totalPages),
  'Last-Modified': lastModified,
  'Cache-Control': CACHE_CONTROL,
})

function ownHeaders(page: RecordPage, baseUrl: string): Headers {
  const Link = linkHeader(page, baseUrl)
  const headers = { 'X-Page': String(page.number), ETag: page.etag }
  return Link === '' ? headers : { ...headers, Link }
}

/** Empty on a single page. */
function linkHeader({ collection, number, totalPages }: RecordPage, baseUrl: string): string {
  const to = `<${baseUrl}${V1_PATH}/${collection.name}?format=api&page=`
  const prev = number > 1 ? `${to}${number - 1}>; rel="prev"` : ''
  const next = number < totalPages ? `${to}${number + 1}>; rel="next"` : ''
  return prev !== '' && next !== '' ? `${prev}, ${next}` : prev + next
}

/** Every header of a page, by name. */
export const pageHeaders = (page: RecordPage, baseUrl: string): Headers => ({
  ...collectionHeaders(page),
  ...ownHeaders(page, baseUrl),
})

/** The headers of a page as lines, those of the collection from a cache. */
export const pageHeaderLines = (page: RecordPage, baseUrl: string): string =>
  collectionLines(page) + headerLines(ownHeaders(page, baseUrl))

type CachedLines = { readonly total: number; readonly lastModified: string; readonly lines: string }

const cachedLines = new Map<string, CachedLines>()

/** The lines of collectionHeaders. The number of pages is not compared: it follows from the total. */
function collectionLines(page: RecordPage): string {
  const { total, lastModified } = page
  const cached = cachedLines.get(page.collection.name)
  if (cached !== undefined && cached.total === total && cached.lastModified === lastModified) return cached.lines
  const lines = headerLines(collectionHeaders(page))
  cachedLines.set(page.collection.name, { total, lastModified, lines })
  return lines
}
