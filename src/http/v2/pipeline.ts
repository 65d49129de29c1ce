// The way of a request through API v2: parse it, choose the release, find, render, respond.
//
// Each step is a function that returns what the next one needs, or throws a ProblemError, which the app catches.
import { completedCatalog } from '../../catalog/catalog.ts'
import { type Found, find } from '../../find/finder.ts'
import { bodyOf, type Rendition, recordEncoder } from '../../page/rendition.ts'
import { isWhole } from '../../page/selection.ts'
import type { Release } from '../../release/release.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { isRead, otherMethod, redirected, withoutSlash } from '../methods.ts'
import { orThrow, ProblemError } from '../problem.ts'
import { bulkResponse } from './bulk.ts'
import { changesResponse } from './changes.ts'
import { describeIndex, describeRelease, describeReleases } from './describe.ts'
import { isDigestOrPrefix, type OpenReleases } from './open-releases.ts'
import { openapiDocument } from './openapi/document.ts'
import { type CatalogRoute, catalogRouteAt, releaseTemplate, type ServiceRoute, serviceRouteAt } from './paths.ts'
import { findParent, findRecord } from './record-key.ts'
import {
  badCursor,
  type ListRequest,
  parseBulkRequest,
  parseChangesRequest,
  parseComparedReleases,
  parseIndexRequest,
  parseListRequest,
  parseQuery,
  parseRecordRequest,
  parseSearchRequest,
  type RawQuery,
  refuseParameters,
  releaseNamedIn,
  writeCursor,
} from './request.ts'
import { bodyResponse, type ChosenRelease, jsonResponse, type ListPage, listHeaders } from './response.ts'
import { searchSuggestions } from './search.ts'

export type V2Context = {
  readonly releases: OpenReleases
  /** Under which address the service presents itself in links; throws where the request does not say so. */
  readonly baseUrlOf: () => string
}

type Response = HttpResponse | Promise<HttpResponse>

/** A request on its way: what is known of it before its parameters are parsed. */
type Exchange = {
  readonly request: HttpRequest
  readonly query: RawQuery
  readonly baseUrl: string
}

export function respondV2({ releases, baseUrlOf }: V2Context, request: HttpRequest): Response {
  const { path } = request
  if (!isRead(request) || path.endsWith('/')) return respondWithoutReading(releases, request)
  const serviceRoute = serviceRouteAt(path)
  if (serviceRoute !== undefined) {
    const exchange = { request, baseUrl: baseUrlOf(), query: parseQuery(request.query) }
    return respondAboutService(exchange, releases, serviceRoute)
  }
  const query = parseQuery(request.query)
  const chosen = chooseRelease(releases, query)
  const route = catalogRouteAt(chosen.release.catalog, path)
  return respondFromRelease({ request, query, baseUrl: baseUrlOf() }, chosen, route)
}

/** To other methods than GET and HEAD, and to a known path with a slash after it. */
function respondWithoutReading({ current }: OpenReleases, request: HttpRequest): HttpResponse {
  const path = withoutSlash(request.path)
  // Of a path that is not known, this throws that it is not.
  if (serviceRouteAt(path) === undefined) catalogRouteAt(current.catalog, path)
  return isRead(request) ? redirected(request) : orThrow(otherMethod(request))
}

/** A cursor belongs to the release in which it was made, so that a walk with cursors is exact. */
function chooseRelease(releases: OpenReleases, query: RawQuery): ChosenRelease {
  const { current } = releases
  const named = releaseNamedIn(query)
  if (named === undefined) return { release: current, isNamed: false }
  const { parameter, prefix } = named
  if (parameter === 'after' && current.digest.startsWith(prefix)) return { release: current, isNamed: false }
  const release = releases.find(parameter, prefix)
  // What begins with the same digits as another release in future is not named for good.
  return { release, isNamed: prefix === release.digest }
}

function respondFromRelease(exchange: Exchange, chosen: ChosenRelease, route: CatalogRoute): Response {
  const { request, query, baseUrl } = exchange
  const { release } = chosen
  switch (route.kind) {
    case 'list':
      return respondList(exchange, chosen, route)
    case 'record':
      return respondRecord(exchange, chosen, route)
    case 'bulk':
      return bulkResponse(request, chosen, route.entity, parseBulkRequest(query, request.headers))
    case 'search': {
      const wanted = parseSearchRequest(query, release.catalog)
      return jsonResponse(request, chosen, searchSuggestions(release, wanted, baseUrl))
    }
    case 'index':
      parseIndexRequest(query)
      return jsonResponse(request, chosen, describeIndex(release, baseUrl))
  }
}

type RouteOf<K extends CatalogRoute['kind']> = Extract<CatalogRoute, { readonly kind: K }>

/** The records of an entity, or those below one record. */
function respondList(exchange: Exchange, chosen: ChosenRelease, { entity, parent }: RouteOf<'list'>): HttpResponse {
  const { request, query, baseUrl } = exchange
  const { release } = chosen
  const wanted = parseListRequest(query, request.headers, release, entity)

  const within = parent === undefined ? [] : findParent(release, parent)
  const found = find(release, entity.name, { ...wanted.query, filters: [...within, ...wanted.query.filters] })
  const { page, positions } = cutPage(found, wanted, release.digest)

  const { records } = release.entity(entity.name)
  const jsons = Array.from(positions, (position) => records.record(position))
  const body = bodyOf(recordEncoder(entity, wanted.rendition), jsons)

  const headers = listHeaders(page, `${baseUrl}${request.path}`, query)
  return bodyResponse(request, chosen, { format: wanted.rendition.format, encoding: wanted.encoding, body, headers })
}

function cutPage(found: Found, { start: at, perPage }: ListRequest, digest: string) {
  const { total } = found
  const totalPages = Math.ceil(total / perPage)
  if ('page' in at && at.page > Math.max(totalPages, 1))
    throw new ProblemError({ kind: 'page-beyond-last', page: at.page, total, totalPages, perPage })
  const start = 'page' in at ? (at.page - 1) * perPage : found.placeOf(at.position) + 1
  // It has no place in a list that was found in another way, with other filters.
  if ('after' in at && start === 0) throw badCursor(at.after)
  const positions = found.slice(start, start + perPage)
  const last = positions.at(-1)
  const isLast = last === undefined || start + positions.length >= total
  const page: ListPage = {
    page: Math.floor(start / perPage) + 1,
    perPage,
    total,
    totalPages,
    start,
    next: isLast ? undefined : writeCursor(digest, last),
  }
  return { page, positions }
}

function respondRecord(exchange: Exchange, chosen: ChosenRelease, route: RouteOf<'record'>): HttpResponse {
  const { request, query } = exchange
  const { release } = chosen
  const { by, rendition, encoding } = parseRecordRequest(query, request.headers, route.entity)
  const position = findRecord(release, route, by)
  const json = release.entity(route.entity.name).records.record(position)
  return bodyResponse(request, chosen, {
    format: rendition.format,
    encoding,
    body: renderRecord(route, rendition, json),
  })
}

/** In JSON it is the record itself, not a list of one. */
function renderRecord({ entity }: RouteOf<'record'>, rendition: Rendition, json: Uint8Array): Uint8Array {
  if (rendition.format === 'json' && isWhole(rendition)) return json
  const encoder = recordEncoder(entity, rendition)
  if (rendition.format !== 'json') return bodyOf(encoder, [json])
  return Buffer.concat(encoder.records([json]))
}

function respondAboutService(exchange: Exchange, releases: OpenReleases, route: ServiceRoute): HttpResponse {
  const { request, query, baseUrl } = exchange
  const { current } = releases
  // Which release is current may change, and with it what is told of all of them.
  const chosen = { release: current, isNamed: false, isUndated: true }
  switch (route.kind) {
    case 'releases':
      refuseParameters(query)
      return jsonResponse(request, chosen, describeReleases(releases.list(), current.digest, baseUrl))
    case 'release': {
      refuseParameters(query)
      if (!isDigestOrPrefix(route.digest)) throw new ProblemError({ kind: 'not-found', known: [releaseTemplate] })
      const release = releases.find('digest', route.digest)
      return jsonResponse(request, { ...chosen, release }, describeRelease(release.manifest, current.digest, baseUrl))
    }
    case 'changes':
      return respondChanges(exchange, releases)
    case 'openapi':
      refuseParameters(query)
      return jsonResponse(request, chosen, cachedDocument(current, baseUrl))
  }
}

function respondChanges({ request, query }: Exchange, releases: OpenReleases): HttpResponse {
  const { current } = releases
  const { from, to } = parseComparedReleases(query, current.catalog)
  const older = releases.find('from', from)
  const newer = to === undefined ? current : releases.find('to', to)
  const catalog = completedCatalog(newer.catalog, older.catalog)
  const wanted = parseChangesRequest(query, request.headers, catalog)
  return changesResponse(request, older, { release: newer, isNamed: to !== undefined }, wanted)
}

const documents = new WeakMap<Release, { readonly baseUrl: string; readonly document: object }>()

/** Only the document for the last base URL is cached: nearly all requests have the same one. */
function cachedDocument(release: Release, baseUrl: string): object {
  const cached = documents.get(release)
  if (cached?.baseUrl === baseUrl) return cached.document
  const document = openapiDocument(release, baseUrl)
  documents.set(release, { baseUrl, document })
  return document
}
