// The routes of API v1.
import type { Catalog } from '../../catalog/catalog.ts'
import { type Collection, V1_PATH, v1Collections } from '../../catalog/collections.ts'
import { readPage } from '../../query/page.ts'
import type { Release } from '../../release/release.ts'
import { evaluateConditions } from '../conditional.ts'
import { type HttpRequest, type HttpResponse, textResponse } from '../exchange.ts'
import type { Problem } from '../problem.ts'
import { CACHE_CONTROL, COMMON_HEADERS, pageHeaderLines } from './page-headers.ts'
import { pageRequest } from './page-request.ts'

type Route = (release: Release, request: HttpRequest, baseUrl: string) => HttpResponse | Problem

const routesByCatalog = new WeakMap<Catalog, ReadonlyMap<string, Route>>()

/** By path. */
export function v1Routes(catalog: Catalog): ReadonlyMap<string, Route> {
  const known = routesByCatalog.get(catalog)
  if (known !== undefined) return known
  const routes = new Map<string, Route>([
    [V1_PATH, listCollections],
    ...v1Collections(catalog).map((collection): [string, Route] => [
      collection.path,
      (release, request, baseUrl) => pageResponse(release, collection, request, baseUrl),
    ]),
  ])
  routesByCatalog.set(catalog, routes)
  return routes
}

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
  const condition = evaluateConditions(request.headers, page.etag, page.lastModified)
  if (typeof condition === 'object') return { kind: 'precondition-failed', header: condition.failed }
  const head = pageHeaderLines(page, baseUrl)
  // A 304 has the headers of the page too: the totals may have changed while its records did not.
  if (condition === 'not-modified') return { status: 304, head, body: undefined }
  return { status: 200, head, body: page.body }
}

function listCollections({ catalog }: Release, _request: HttpRequest, baseUrl: string): HttpResponse {
  const urls = v1Collections(catalog).map(({ name, path }) => [name, `${baseUrl}${path}`])
  const headers = { 'Content-Type': 'application/json', ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL }
  return textResponse(200, headers, JSON.stringify(Object.fromEntries(urls)))
}
