// Responses about the service itself: its releases, what changed between them, the description of the API, the profile of packages.
import { parseJson } from '../../base/json.ts'
import { catalogOfBoth } from '../../release/diff.ts'
import type { Release } from '../../release/release.ts'
import { signedBytes } from '../../release/signing/release-signature.ts'

import { profileText } from '../../source/package/profile-file.ts'
import type { HttpResponse } from '../exchange.ts'

import { ProblemError } from '../problem.ts'
import { changesResponse } from './changes-response.ts'
import type { Exchange } from './context.ts'
import { describeManifest, describeRelease, describeReleases, packagesOf } from './describe.ts'
import { READ_PATHS, type ReadRouteName } from './fixed-routes.ts'
import { keptDocument } from './kept-document.ts'
import { isDigestOrPrefix } from './open-releases.ts'
import { openapiDocument } from './openapi/document.ts'
import { refuseParameters } from './parameter.ts'
import { parseChangesRequest, parseComparedReleases } from './request/changes-request.ts'
import { type ChosenRelease, jsonResponse, textResponse } from './response.ts'
import type { FixedRoute } from './v2-routes.ts'

type Response = HttpResponse | Promise<HttpResponse>
type Responder = (exchange: Exchange, route: FixedRoute) => Response

const openapiResponse = keptDocument(({ catalog, manifest }, baseUrl) =>
  openapiDocument(catalog, baseUrl, packagesOf(manifest)),
)

/** Another release may become the current one, be signed anew or upgraded; the descriptions say which it is. */
const undated = (release: Release): ChosenRelease => ({ release, isNamed: false, isUndated: true })

const withoutParameters =
  (respond: (exchange: Exchange, chosen: ChosenRelease) => Response): Responder =>
  (exchange) => {
    refuseParameters(exchange.query)
    return respond(exchange, undated(exchange.context.releases.current))
  }

/** The description of a release, or a part that others need to have the same release and to check it. */
const ofRelease =
  (respond: (exchange: Exchange, release: Release, prefix: string) => Response): Responder =>
  (exchange, { kind, digest: prefix }) => {
    refuseParameters(exchange.query)
    if (!isDigestOrPrefix(prefix)) throw new ProblemError({ kind: 'not-found', known: [READ_PATHS[kind]] })
    return respond(exchange, exchange.context.releases.find('digest', prefix), prefix)
  }

/** The routes to what is no content of one release. Most of them look at the disk; the others describe the whole catalog. */
export const SERVICE_RESPONDERS = {
  listReleases: withoutParameters(({ context: { releases }, request, baseUrl }, chosen) =>
    jsonResponse(request, chosen, describeReleases(releases.list(), chosen.release.digest, baseUrl)),
  ),
  getOpenapi: withoutParameters(({ request, baseUrl }, chosen) => openapiResponse(request, chosen, baseUrl)),
  getProfile: withoutParameters(({ request }, chosen) => jsonResponse(request, chosen, parseJson(profileText()))),
  getRelease: ofRelease(({ context: { releases }, request, baseUrl }, release) =>
    jsonResponse(request, undated(release), describeRelease(release.manifest, releases.current.digest, baseUrl)),
  ),
  getReleaseManifest: ofRelease(({ request }, release) =>
    jsonResponse(request, undated(release), describeManifest(release)),
  ),
  getReleaseChecksums: ofRelease(({ request }, release, prefix) =>
    // They follow from the digest.
    textResponse(request, { release, isNamed: prefix === release.digest }, Buffer.from(signedBytes(release.manifest))),
  ),
  getReleaseSignature: ofRelease(({ context: { releases }, request }, release) => {
    const signature = releases.signatureOf(release.digest)
    if (signature === undefined) throw new ProblemError({ kind: 'not-signed', digest: release.digest })
    return textResponse(request, undated(release), Buffer.from(signature))
  }),
  changes: ({ context: { releases, cache, work }, request, query }) => {
    const { current } = releases
    const { from, to } = parseComparedReleases(query, current.catalog)
    const older = releases.find('from', from)
    const newer = to === undefined ? current : releases.find('to', to)
    const changes = parseChangesRequest(query, request.headers, catalogOfBoth(older, newer))
    // The beginning of a digest may become that of another release, too.
    const isNamed = from === older.digest && to === newer.digest
    return changesResponse({ cache, work }, request, older, { release: newer, isNamed }, changes)
  },
} as const satisfies Partial<Readonly<Record<ReadRouteName, Responder>>>

export type ServiceRouteName = keyof typeof SERVICE_RESPONDERS

export const isOfService = (route: FixedRoute): route is FixedRoute<ServiceRouteName> =>
  route.kind in SERVICE_RESPONDERS
