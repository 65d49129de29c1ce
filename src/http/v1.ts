// The routes of API v1.
import { type Collection, collections, V1_PATH } from '../catalog/collections.ts'
import { readPage } from '../page/page.ts'
import { CACHE_CONTROL, COMMON_HEADERS } from '../page/page-headers.ts'
import { pageRequest } from '../page/page-request.ts'
import type { Release } from '../release/release.ts'
import { isNotModified } from './conditional.ts'
import { type HttpRequest, type HttpResponse, textResponse } from './exchange.ts'
import { pageHead } from './page-head.ts'
import type { Problem } from './problem.ts'

export type Route = (release: Release, request: HttpRequest, baseUrl: string) => HttpResponse | Problem

export const v1Routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  [V1_PATH, listCollections],
  ...collections.map((collection): [string, Route] => [
    collection.path,
    (release, request, baseUrl) => answerPage(release, collection, request, baseUrl),
  ]),
])

function answerPage(
  release: Release,
  collection: Collection,
  request: HttpRequest,
  baseUrl: string,
): HttpResponse | Problem {
  const wanted = pageRequest(request.query)
  if (typeof wanted !== 'number') return wanted
  const page = readPage(release, collection, wanted)
  if ('kind' in page) return page
  const head = pageHead(page, baseUrl)
  // The headers of the page go with the 304 too: the totals may have changed while the records did not.
  if (isNotModified(request.headers, page.etag, page.lastModified)) return { status: 304, head, body: undefined }
  return { status: 200, head, body: page.body }
}

function listCollections(_release: Release, _asked: HttpRequest, baseUrl: string): HttpResponse {
  const urls = collections.map(({ name, path }) => [name, `${baseUrl}${path}`])
  const headers = { 'Content-Type': 'application/json', ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL }
  return textResponse(200, headers, JSON.stringify(Object.fromEntries(urls)))
}
