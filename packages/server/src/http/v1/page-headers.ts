// The headers of responses: those that all responses carry, and every header of a page of API v1.
import { V1_PATH } from '../../base/api-v1.ts'
import { PER_PAGE } from '../../catalog/collections.ts'
import type { Page } from '../../query/page.ts'

export type Headers = Record<string, string>

/** Headers as they go on the wire, each line with its end. */
export function headerLines(headers: Readonly<Headers>): string {
  let lines = ''
  for (const name of Object.keys(headers)) lines += `${name}: ${headers[name]}\r\n`
  return lines
}

export const ALLOW = 'GET, HEAD, OPTIONS'
export const CACHE_CONTROL = 'public, no-cache'

/** What every response carries, whether it succeeds or fails: the methods, and that any origin may use them. */
export const COMMON_HEADERS = {
  Allow: ALLOW,
  Vary: 'Accept',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow',
} as const

/** The same for API v2, whose responses are compressed and have more headers. */
export const V2_COMMON_HEADERS = {
  ...COMMON_HEADERS,
  Vary: 'Accept, Accept-Encoding',
  'Access-Control-Expose-Headers':
    'X-Page, X-Per-Page, X-Total, X-Total-Pages, X-Release, Link, ETag, Allow, Content-Range, Accept-Ranges, Repr-Digest, ' +
    'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After',
} as const

export function totalHeaders(total: number, totalPages: number, perPage: number = PER_PAGE): Headers {
  return { 'X-Per-Page': String(perPage), 'X-Total': String(total), 'X-Total-Pages': String(totalPages) }
}

/**
 * Every header of a page of API v1 is written by one of two functions: collectionHeaders, for those that all pages of a
 * collection have in common, and pageLines, for the others. Those are lines already, since they are written for each
 * request.
 */
const collectionHeaders = ({ total, totalPages, lastModified }: Page): Headers => ({
  'Content-Type': 'application/json',
  ...COMMON_HEADERS,
  ...totalHeaders(total, totalPages),
  'Last-Modified': lastModified,
  'Cache-Control': CACHE_CONTROL,
})

function pageLines(page: Page, baseUrl: string): string {
  const link = linkHeader(page, baseUrl)
  const lines = `X-Page: ${page.number}\r\nETag: ${page.etag}\r\n`
  return link === '' ? lines : `${lines}Link: ${link}\r\n`
}

/** Empty on a single page. */
function linkHeader({ collection, number, totalPages }: Page, baseUrl: string): string {
  const to = `<${baseUrl}${V1_PATH}/${collection.name}?format=api&page=`
  const prev = number > 1 ? `${to}${number - 1}>; rel="prev"` : ''
  const next = number < totalPages ? `${to}${number + 1}>; rel="next"` : ''
  return prev !== '' && next !== '' ? `${prev}, ${next}` : prev + next
}

/** Every header of a page, by name. */
export const pageHeaders = (page: Page, baseUrl: string): Headers => ({
  ...collectionHeaders(page),
  ...Object.fromEntries(pageLines(page, baseUrl).split('\r\n').slice(0, -1).map(splitLine)),
})

function splitLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(': ')
  return [line.slice(0, colon), line.slice(colon + 2)]
}

/** The same as they go on the wire, with the lines of the collection taken from a cache. */
export const pageHeaderLines = (page: Page, baseUrl: string): string => collectionLines(page) + pageLines(page, baseUrl)

type CachedLines = { readonly total: number; readonly lastModified: string; readonly lines: string }

const cachedLines = new Map<string, CachedLines>()

/** The lines of collectionHeaders; of what it reads, the number of pages is not compared: it follows from the total. */
function collectionLines(page: Page): string {
  const { total, lastModified } = page
  const cached = cachedLines.get(page.collection.name)
  if (cached !== undefined && cached.total === total && cached.lastModified === lastModified) return cached.lines
  const lines = headerLines(collectionHeaders(page))
  cachedLines.set(page.collection.name, { total, lastModified, lines })
  return lines
}
