// API v1, and paths that are of no other API: a page of a collection, the list of collections, a redirect, or a problem.
import { V1_PATH, v1PathOf } from '../../base/api-v1.ts'
import { V2_PATH } from '../../base/api-v2.ts'
import { memoized } from '../../base/memoized.ts'
import { nearest } from '../../base/nearest.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { type CatalogCollection, v1Collections } from '../../catalog/collections.ts'
import { readPage } from '../../query/page.ts'
import type { Release } from '../../release/release.ts'
import { type BaseUrlPolicy, baseUrlOf } from '../base-url.ts'
import { evaluateConditions } from '../conditional.ts'
import {
  CACHE_CONTROL,
  COMMON_HEADERS,
  type ConnectionInfo,
  type HttpRequest,
  type HttpResponse,
  isRead,
  textResponse,
} from '../exchange.ts'
import { otherMethod, redirected, withoutSlash } from '../methods.ts'
import { ADMIN_PATHS } from '../observation/admin-paths.ts'
import { ProblemError } from '../problem.ts'
import { OPENAPI_PATH, PAGE_PATHS } from '../routes.ts'
import { pageHeaderLines } from './page-headers.ts'
import { pageRequest } from './page-request.ts'

type V1Handler = (release: Release, request: HttpRequest, baseUrl: string) => HttpResponse

/** Handlers by path. */
export const v1Routes = memoized(
  (catalog: Catalog): ReadonlyMap<string, V1Handler> =>
    new Map<string, V1Handler>([
      [V1_PATH, listCollections],
      ...v1Collections(catalog).map((collection): [string, V1Handler] => [
        v1PathOf(collection),
        (release, request, baseUrl) => respondPage(release, collection, request, baseUrl),
      ]),
    ]),
)

type V1Context = { readonly release: () => Release; readonly policy: BaseUrlPolicy }

export function respondV1(context: V1Context, request: HttpRequest, connection: ConnectionInfo): HttpResponse {
  const release = context.release()
  const routes = v1Routes(release.catalog)
  const handler = routes.get(request.path)
  if (handler === undefined) return respondElsewhere(routes, request)
  if (!isRead(request)) return otherMethod(request)
  return handler(release, request, baseUrlOf(context.policy, request.headers, connection))
}

function respondPage(
  release: Release,
  collection: CatalogCollection,
  request: HttpRequest,
  baseUrl: string,
): HttpResponse {
  const page = readPage(release, collection, pageRequest(request.query))
  if ('kind' in page) throw new ProblemError(page)
  const condition = evaluateConditions(request.headers, page.etag, page.lastModified)
  if (typeof condition === 'object') throw new ProblemError({ kind: 'precondition-failed', header: condition.failed })
  const head = pageHeaderLines(page, baseUrl)
  // A 304 has the headers of the page too: the totals may have changed while its records did not.
  if (condition === 'not-modified') return { status: 304, head, body: undefined }
  return { status: 200, head, body: page.body }
}

function listCollections({ catalog }: Release, _request: HttpRequest, baseUrl: string): HttpResponse {
  const urls = v1Collections(catalog).map((collection) => [collection.name, `${baseUrl}${v1PathOf(collection)}`])
  const headers = { 'Content-Type': 'application/json', ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL }
  return textResponse(200, headers, JSON.stringify(Object.fromEntries(urls)))
}

/** The response to a request for a path at which there is nothing, unless it is that of all services. */
function respondElsewhere(routes: ReadonlyMap<string, V1Handler>, request: HttpRequest): HttpResponse {
  const { path } = request
  const trimmed = withoutSlash(path)
  const isSlashed = trimmed === PAGE_PATHS.home || routes.has(trimmed)
  if (!isRead(request) && (isSlashed || path === '*')) return otherMethod(request)
  if (isSlashed) return redirected(request)
  const paths = [PAGE_PATHS.home, ...routes.keys()]
  // Below API v1 only its own paths are listed, as they always were.
  if (path.startsWith(V1_PATH)) throw new ProblemError({ kind: 'not-found', known: paths })
  const hint = path.startsWith('/api/') ? collectionHint(paths, path) : adminHint(path)
  throw new ProblemError({ kind: 'not-found', known: [...paths, V2_PATH, OPENAPI_PATH], hint })
}

const lastSegment = (path: string) => path.slice(path.lastIndexOf('/') + 1)

function collectionHint(paths: readonly string[], path: string): string | undefined {
  const meant = nearest(lastSegment(path), paths.map(lastSegment))
  return meant && `Did you mean ${paths.find((one) => lastSegment(one) === meant)}?`
}

/** Monitoring often asks the port that everyone may. */
function adminHint(path: string): string | undefined {
  const meant = nearest(path, Object.keys(ADMIN_PATHS))
  return meant && `${meant} is for operators, at the address that serve has from --admin, and not here.`
}
