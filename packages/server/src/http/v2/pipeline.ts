// A request in API v2: parse it, choose the release, find, render, respond.
//
// Each step is a function that returns the input of the next one, or throws a ProblemError, which the app catches.

import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { bodyOf, type Rendition, recordEncoder } from '../../query/formats/formats.ts'
import { isWhole } from '../../query/formats/selection.ts'
import type { Release } from '../../release/release.ts'
import { MUCH } from '../cost.ts'
import {
  CACHE_CONTROL,
  type HttpRequest,
  type HttpResponse,
  isRead,
  type ParsedRequest,
  type RequestHeaders,
} from '../exchange.ts'
import { otherMethod, redirected, withoutSlash } from '../methods.ts'
import { RESOLVE_PATH } from '../routes.ts'
import { refuseLargeShapes } from './boundary-filters.ts'
import { bulkResponse } from './bulk-response.ts'
import type { Exchange, V2Context } from './context.ts'
import { describeIndex } from './describe.ts'
import { findingWork, findPage, languageHeader, recordJsons } from './find.ts'
import type { ReadRouteName } from './fixed-routes.ts'
import { keptDocument } from './kept-document.ts'
import { type OpenReleases, releaseGone } from './open-releases.ts'
import { refuseParameters } from './parameter.ts'
import { describeParameters } from './parameter-definitions.ts'
import { namingWork, pathOfToday, positionAt } from './record-key.ts'
import { parseQuery, type RawQuery } from './request/query-string.ts'
import {
  type ListRequest,
  parseBulkRequest,
  parseListRequest,
  parseRecordRequest,
  type RecordRequest,
} from './request/records-request.ts'
import { parseResolveBodyRequest, parseResolveRequest } from './request/resolve-request.ts'
import { parseSearchRequest } from './request/search-request.ts'
import { resolvedInBody, resolvedInQuery } from './resolve-response.ts'
import { bodyResponse, type ChosenRelease, listHeaders } from './response.ts'

import { isOfService, SERVICE_RESPONDERS, type ServiceRouteName } from './service-response.ts'
import { respondSearch } from './suggestions.ts'
import { type CatalogRoute, catalogRouteAt, type FixedRoute, fixedRouteAt } from './v2-routes.ts'

import { costOfRecords } from './work.ts'

type Response = HttpResponse | Promise<HttpResponse>

const indexResponse = keptDocument(describeIndex)

type CatalogExchange = Exchange & { readonly chosen: ChosenRelease; readonly addressed: ChosenRelease }

/** A kind of route: how its requests are parsed, what they cost, and how they are responded to. */
type Handler<R, P> = {
  readonly parse: (route: R, query: RawQuery, headers: RequestHeaders, catalog: Catalog) => P
  /** The cost of a parsed request, in microseconds. */
  readonly cost: (parsed: P, release: Release) => number
  readonly respond: (exchange: CatalogExchange, parsed: P) => Response
}

const handler =
  <R, P>({ parse, cost, respond }: Handler<R, P>) =>
  (route: R, exchange: CatalogExchange): ParsedRequest => {
    const { release } = exchange.chosen
    const parsed = parse(route, exchange.query, exchange.request.headers, release.catalog)
    return { cost: cost(parsed, release), respond: () => respond(exchange, parsed) }
  }

const much = () => MUCH

/** Microseconds of the description of a list. */
const DESCRIPTION_COST = 20

type ReleaseRoute = CatalogRoute | FixedRoute<Exclude<ReadRouteName, ServiceRouteName>>
type RouteOf<K> = Extract<ReleaseRoute, { readonly kind: K }>
type Handling = {
  readonly [K in ReleaseRoute['kind']]: (route: RouteOf<K>, exchange: CatalogExchange) => ParsedRequest
}

/** The routes to the content of a release. */
const RELEASE_ROUTES: Handling = {
  list: handler({ parse: parseListRequest, cost: costOfPage, respond: respondList }),
  record: handler({
    parse: parseRecordRequest,
    cost: costOfRecord,
    respond: respondRecord,
  }),
  bulk: handler({
    parse: parseBulkRequest,
    cost: much,
    respond: ({ context, request, chosen }, bulk) => bulkResponse(context, request, chosen, bulk),
  }),
  search: handler({
    parse: (_, query, __, catalog) => parseSearchRequest(query, catalog),
    cost: much,
    respond: ({ request, addressed, baseUrl }, search) => respondSearch(request, addressed, search, baseUrl),
  }),
  resolve: handler({
    parse: (_, query, headers, catalog) => parseResolveRequest(query, headers, catalog),
    cost: much,
    respond: ({ context, request, addressed, baseUrl }, rows) =>
      resolvedInQuery(request, addressed, rows, baseUrl, context.work),
  }),
  describeApi: handler({
    parse: (_, query) => refuseParameters(query, describeParameters),
    cost: (_, { catalog }) => catalog.entities.size * DESCRIPTION_COST,
    respond: ({ request, addressed, baseUrl }) => indexResponse(request, addressed, baseUrl),
  }),
}

/** Parses a request: what it costs is known before anything is done for it. */
export function parseV2(context: V2Context, request: HttpRequest): ParsedRequest {
  const { releases, baseUrlOf } = context
  const { path } = request
  const isRows = request.method === 'POST' && path === RESOLVE_PATH
  if (!isRows && (!isRead(request) || path.endsWith('/'))) return parseWithoutReading(releases, request)
  const query = parseQuery(request.query)
  if (isRows) return { cost: MUCH, respond: () => respondToRows(context, request, query) }
  const fixed = fixedRouteAt(path)
  if (fixed !== undefined && isOfService(fixed)) {
    const respond = SERVICE_RESPONDERS[fixed.kind]
    return { cost: MUCH, respond: () => respond({ context, request, query, baseUrl: baseUrlOf() }, fixed) }
  }
  const parsed = () => parseForRelease(context, request, query, fixed)
  // Another release than the current one is looked for on the disk.
  return readsCurrent(releases, query) ? parsed() : { cost: MUCH, respond: () => parsed().respond() }
}

/** Parses a request with the definitions of the catalog of its release. */
function parseForRelease(
  context: V2Context,
  request: HttpRequest,
  query: RawQuery,
  fixed: ReleaseRoute | undefined,
): ParsedRequest {
  const { chosen, gone } = chooseRelease(context.releases, query)
  const route = fixed ?? catalogRouteAt(chosen.release.catalog, request.path)
  const addressed = { ...chosen, isAddressed: !context.isBaseUrlFixed }
  const exchange = { context, request, query, baseUrl: context.baseUrlOf(), chosen, addressed }
  const handle = RELEASE_ROUTES[route.kind] as (route: ReleaseRoute, exchange: CatalogExchange) => ParsedRequest
  const parsed = handle(route, exchange)
  if (gone !== undefined) throw releaseGone(gone)
  return parsed
}

/** The response to rows in the body of the request. */
function respondToRows({ releases, baseUrlOf, work }: V2Context, request: HttpRequest, query: RawQuery): Response {
  const { chosen, gone } = chooseRelease(releases, query)
  const { release } = chosen
  const form = parseResolveBodyRequest(query, request.headers, release.catalog)
  if (gone !== undefined) throw releaseGone(gone)
  return resolvedInBody(release, request, form, baseUrlOf(), work)
}

/** Other methods than GET and HEAD, and a known path with a slash after it. */
function parseWithoutReading({ current }: OpenReleases, request: HttpRequest): ParsedRequest {
  const path = withoutSlash(request.path)
  // For a path that is not known, this throws.
  if (fixedRouteAt(path) === undefined) catalogRouteAt(current.catalog, path)
  return { cost: 0, respond: () => (isRead(request) ? redirected(request) : otherMethod(request)) }
}

/**
 * The release that a request names, or else the current one. If the named one is gone, the request is parsed with the
 * definitions of the current one: a request that no release would accept is refused as such.
 */
function chooseRelease(releases: OpenReleases, { release: named }: RawQuery) {
  const { current } = releases
  if (named === undefined) return { chosen: { release: current, isNamed: false }, gone: undefined }
  const { parameter, prefix } = named
  // A cursor of the current release needs no look at the disk.
  const isCurrent = parameter === 'after' && current.digest.startsWith(prefix)
  const release = isCurrent ? current : releases.lookUp(parameter, prefix)
  if (release === undefined) return { chosen: { release: current, isNamed: false }, gone: prefix }
  // The beginning of a digest may become that of another release, too.
  return { chosen: { release, isNamed: prefix === release.digest }, gone: undefined }
}

/** True if a request reads the current release, without a look at the disk: of another, only the beginning may be the same. */
const readsCurrent = ({ current }: OpenReleases, { release: named }: RawQuery): boolean =>
  named === undefined ||
  (named.parameter === 'after' ? current.digest.startsWith(named.prefix) : current.digest === named.prefix)

function costOfPage(list: ListRequest, release: Release): number {
  const { entity, perPage } = list
  const works = [...list.work({ release, entity }), ...findingWork(release, list)]
  return costOfRecords({ release, entity }, perPage, works)
}

function costOfRecord(record: RecordRequest, release: Release): number {
  const { entity, parent, by } = record
  const works = [...record.work({ release, entity }), namingWork(entity, record, by)]
  if (parent !== undefined) works.push(namingWork(parent.entity, parent, by))
  return costOfRecords({ release, entity }, 1, works)
}

function respondList({ request, addressed, query, baseUrl }: CatalogExchange, list: ListRequest): HttpResponse {
  const { release } = addressed
  const { page, positions } = findPage(release, list)
  const { entity, rendition, encoding } = list
  refuseLargeShapes(release, list, positions)
  const body = bodyOf(recordEncoder(release, entity, rendition), recordJsons(release, list, positions))
  const named = languageHeader(release.entity(entity.name), rendition, positions)
  const headers = { ...listHeaders(page, `${baseUrl}${request.path}`, query.pairs), ...named }
  // Only the links to other pages have an address in them.
  const isAddressed = addressed.isAddressed === true && 'Link' in headers
  return bodyResponse(request, { ...addressed, isAddressed }, { format: rendition.format, encoding, body, headers })
}

function respondRecord({ request, chosen }: CatalogExchange, record: RecordRequest): HttpResponse {
  const { release } = chosen
  const { entity, rendition, encoding } = record
  const position = positionAt(release, record)
  // In another release, the former code may be that of a record.
  if (position === undefined)
    return redirected(request, pathOfToday(release, record), { 'Cache-Control': CACHE_CONTROL })
  const [json] = recordJsons(release, record, [position]) as [Uint8Array]
  const body = renderRecord(release, entity, rendition, json)
  const headers = languageHeader(release.entity(entity.name), rendition, [position])
  return bodyResponse(request, chosen, { format: rendition.format, encoding, body, headers })
}

/** The body with a record: in JSON it is the record itself, and in GeoJSON its feature, not a list of one. It is copied, since the connection frees it. */
function renderRecord(release: Release, entity: Entity, rendition: Rendition, json: Uint8Array): Uint8Array {
  if (rendition.format === 'json' && isWhole(rendition)) return Buffer.from(json)
  const encoder = recordEncoder(release, entity, rendition)
  const isAlone = rendition.format === 'json' || rendition.format === 'geojson'
  return isAlone ? Buffer.concat(encoder.records([json])) : bodyOf(encoder, [json])
}
