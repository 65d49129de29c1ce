// The routes of API v1.
import { type Collection, collections, V1_PATH } from '../catalog/collections.ts'
import { readPage } from '../page/page.ts'
import { CACHE_CONTROL, COMMON_HEADERS, pageHeaderLines } from '../page/page-headers.ts'
import { pageRequest } from '../page/page-request.ts'
import type { Release } from '../release/release.ts'
import { isNotModified } from './conditional.ts'
import { type HttpRequest, type HttpResponse, textResponse } from './exchange.ts'
import type { Problem } from './problem.ts'

export type Route = (release: Release, request: HttpRequest, baseUrl: string) => HttpResponse | Problem

export const v1Routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  [V1_PATH, listCollections],
  ...collections.map((collection): [string, Route] => [
    collection.path,
    (release, request, baseUrl) => pageResponse(release, collection, request, baseUrl),
  ]),
])

function pageResponse(
  release: Release,
  collection: Collection,
  request: HttpRequest,
  baseUrl: string,
): HttpResponse | Problem {
  const number = pageRequest(request.query)
  if (typeof number !== 'number') return number
  const page = readPage(release, collection, number)
  if ('kind' in page) return page
  const head = pageHeaderLines(page, baseUrl)
  // A 304 has the headers of the page too: the totals may have changed while its records did not.
  if (isNotModified(request.headers, page.etag, page.lastModified)) return { status: 304, head, body: undefined }
  return { status: 200, head, body: page.body }
}

function listCollections(_release: Release, _request: HttpRequest, baseUrl: string): HttpResponse {
  const urls = collections.map(({ name, path }) => [name, `${baseUrl}${path}`])
  const headers = { 'Content-Type': 'application/json', ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL }
  return textResponse(200, headers, JSON.stringify(Object.fromEntries(urls)))
}
