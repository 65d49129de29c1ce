// The header lines of a page. All pages of a collection share most of them, so those are written once.
import type { Page } from '../page/page.ts'
import { linkHeader, pageHeaders } from '../page/page-headers.ts'
import { headerLines } from './exchange.ts'

type Shared = { readonly total: number; readonly lastModified: string; readonly lines: string }

const sharedByCollection = new Map<string, Shared>()

/** What differs from page to page. */
const OWN = ['X-Page', 'ETag', 'Link']

export function pageHead(page: Page, baseUrl: string): string {
  const link = linkHeader(page, baseUrl)
  const own = `X-Page: ${page.number}\r\nETag: ${page.etag}\r\n`
  return link === '' ? sharedLines(page) + own : `${sharedLines(page)}${own}Link: ${link}\r\n`
}

function sharedLines(page: Page): string {
  const { total, lastModified } = page
  const known = sharedByCollection.get(page.collection.name)
  if (known !== undefined && known.total === total && known.lastModified === lastModified) return known.lines
  const shared = Object.entries(pageHeaders(page, '')).filter(([name]) => !OWN.includes(name))
  const lines = headerLines(Object.fromEntries(shared))
  sharedByCollection.set(page.collection.name, { total, lastModified, lines })
  return lines
}
