// The bytes of a map: the points of a collection, and a bit for each that a search finds. Both belong to one release.
import { type Entity, hasCoordinates } from '../catalog/entity.ts'
import { type HttpRequest, type HttpResponse, isRead } from '../http/exchange.ts'
import { otherMethod } from '../http/methods.ts'
import { ProblemError } from '../http/problem.ts'
import { cachedResponse } from '../http/v2/cached-response.ts'
import type { V2Context } from '../http/v2/context.ts'
import { percentDecoded } from '../http/v2/key-text.ts'
import { acceptedEncoding } from '../http/v2/negotiate.ts'
import { parseQuery } from '../http/v2/request/query-string.ts'
import { parseListRequest } from '../http/v2/request/records-request.ts'
import { bodyResponse } from '../http/v2/response.ts'
import type { Release } from '../release/release.ts'
import { MAP_PATH } from './links.ts'
import { foundBits, pointBytes, pointPieces } from './map-points.ts'

type Kind = 'points' | 'found'

/** The digest names the release, so what is at an address never changes. */
const MAP_DATA = new RegExp(`^${MAP_PATH}/(points|found)/([0-9a-f]{64})/([^/]+)\\.bin$`)

export const mapDataAddress = (kind: Kind, { digest }: Release, { plural }: Entity): string =>
  `${MAP_PATH}/${kind}/${digest}/${encodeURIComponent(plural)}.bin`

export const isMapData = (path: string): boolean => MAP_DATA.test(path)

export function respondMapData(context: V2Context, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  if (!isRead(request)) return otherMethod(request)
  const [, kind, digest = '', plural = ''] = MAP_DATA.exec(request.path) ?? []
  const release = context.releases.find('release', digest)
  const entity = release.catalog.collections.get(percentDecoded(plural) ?? '')
  if (entity === undefined || !hasCoordinates(entity)) throw new ProblemError({ kind: 'not-found', known: [MAP_PATH] })
  const chosen = { release, isNamed: true }
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
  // It has all headers of a response of API v2 but this one.
  const form = { format: 'json', encoding, headers: { 'Content-Type': 'application/octet-stream' } } as const
  const query = parseQuery(request.query)
  if (kind === 'found') {
    const route = { kind: 'list', entity, parent: undefined } as const
    const list = parseListRequest(route, query, new Map())
    return bodyResponse(request, chosen, { ...form, body: foundBits(release, list) })
  }
  const [unknown] = query.pairs
  if (unknown !== undefined)
    throw new ProblemError({ kind: 'unknown-parameter', name: unknown[0], known: [], nearest: undefined })
  const open = release.entity(entity.name)
  return cachedResponse(context, request, chosen, form, {
    key: ['map', release.digest, entity.name],
    madeFrom: [release.digest],
    minLength: pointBytes(open),
    pieces: () => pointPieces(release, open),
  })
}
