// Every header of a page of API v1, in one place.
import { PER_PAGE } from '../catalog/collections.ts'
import type { Page } from './page.ts'

export const ALLOW = 'GET, HEAD, OPTIONS'
export const VARY = 'Accept'
export const EXPOSED = 'X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow'
export const CACHE_CONTROL = 'public, no-cache'

export type Headers = Record<string, string>

/** What every answer of the service carries, good or bad: what may be asked, and that any origin may ask it. */
export const COMMON_HEADERS = {
  Allow: ALLOW,
  Vary: VARY,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
} as const

/** Likewise of API v2, whose answers are compressed, and which has more headers. */
export const V2_COMMON_HEADERS = {
  ...COMMON_HEADERS,
  Vary: 'Accept, Accept-Encoding',
  'Access-Control-Expose-Headers':
    'X-Page, X-Per-Page, X-Total, X-Total-Pages, X-Release, Link, ETag, Allow, Content-Range, Accept-Ranges, Repr-Digest',
} as const

export function totalHeaders(total: number, totalPages: number, perPage: number = PER_PAGE): Headers {
  return { 'X-Per-Page': String(perPage), 'X-Total': String(total), 'X-Total-Pages': String(totalPages) }
}

export function pageHeaders(page: Page, baseUrl: string): Headers {
  const link = linkHeader(page, baseUrl)
  return {
    'Content-Type': 'application/json',
    ...COMMON_HEADERS,
    'X-Page': String(page.number),
    ...totalHeaders(page.total, page.totalPages),
    ...(link === '' ? {} : { Link: link }),
    ETag: page.etag,
    'Last-Modified': page.lastModified,
    'Cache-Control': CACHE_CONTROL,
  }
}

export function linkHeader({ collection, number, totalPages }: Page, baseUrl: string): string {
  const to = `<${baseUrl}${collection.path}?format=api&page=`
  const prev = number > 1 ? `${to}${number - 1}>; rel="prev"` : ''
  const next = number < totalPages ? `${to}${number + 1}>; rel="next"` : ''
  return prev !== '' && next !== '' ? `${prev}, ${next}` : prev + next
}
