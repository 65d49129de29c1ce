// Makes the answer for a page. All pages of a collection share most of their headers, so those are laid out once.
import { type Page, pagesOf } from '../page/page.ts'
import { linkHeader, pageHeaders } from '../page/page-headers.ts'
import { isNotModified } from './conditional.ts'

type Template = {
  readonly headers: Headers
  readonly baseUrl: string
  readonly lastModified: string
  readonly total: number
}

const templates = new Map<string, Template>()

/** The headers of the page; they are good until the next call for the same collection. */
export function headersFor(page: Page, baseUrl: string): Headers {
  const known = templates.get(page.collection.name)
  if (
    known === undefined ||
    known.baseUrl !== baseUrl ||
    known.lastModified !== page.lastModified ||
    known.total !== page.total
  ) {
    const headers = new Headers(pageHeaders(page, baseUrl))
    templates.set(page.collection.name, { headers, baseUrl, lastModified: page.lastModified, total: page.total })
    return headers
  }
  const { headers } = known
  headers.set('X-Page', String(page.number))
  headers.set('ETag', page.etag)
  // A collection of several pages has the header on every one of them.
  if (pagesOf(page.total) > 1) headers.set('Link', linkHeader(page, baseUrl))
  return headers
}

export function pageResponse(page: Page, baseUrl: string, asked: Headers): Response {
  const headers = headersFor(page, baseUrl)
  // The headers of the page go with the 304 too: the totals may have changed while the records did not.
  if (isNotModified(asked, page.etag, page.lastModified)) return new Response(null, { status: 304, headers })
  return new Response(page.body, { headers })
}
