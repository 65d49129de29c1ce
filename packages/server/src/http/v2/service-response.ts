// Responses about the service itself: its releases, what changed between them, the description of the API, the profile of packages.
import { parseJson } from '../../base/json.ts'
import { catalogOfBoth } from '../../release/diff.ts'
import { signedBytes } from '../../release/signing/release-signature.ts'
import { profileText } from '../../source/package/profile-file.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { ProblemError } from '../problem.ts'
import type { Making } from './cached-response.ts'
import { changesResponse } from './changes-response.ts'
import type { Exchange } from './context.ts'
import { describeManifest, describeRelease, describeReleases, packagesOf } from './describe.ts'
import { keptDocument } from './kept-document.ts'
import { isDigestOrPrefix, type OpenReleases } from './open-releases.ts'
import { openapiDocument } from './openapi/document.ts'
import { refuseParameters } from './parameter.ts'
import { parseChangesRequest, parseComparedReleases } from './request/changes-request.ts'
import type { RawQuery } from './request/query-string.ts'
import { jsonResponse, textResponse } from './response.ts'
import { type ReleaseRoute, releasePartTemplate, releaseTemplate, type ServiceRoute } from './v2-routes.ts'

type Response = HttpResponse | Promise<HttpResponse>

const openapiResponse = keptDocument(({ catalog, manifest }, baseUrl) =>
  openapiDocument(catalog, baseUrl, packagesOf(manifest)),
)

export function respondAboutService(
  { context: { releases, cache, work }, request, query, baseUrl }: Exchange,
  route: ServiceRoute,
): Response {
  if (route.kind === 'changes') return respondChanges(releases, { cache, work }, request, query)
  refuseParameters(query)
  const { current } = releases
  // Another release may become the current one, and the descriptions say which it is.
  const chosen = { release: current, isNamed: false, isUndated: true }
  switch (route.kind) {
    case 'releases':
      return jsonResponse(request, chosen, describeReleases(releases.list(), current.digest, baseUrl))
    case 'openapi':
      return openapiResponse(request, chosen, baseUrl)
    case 'profile':
      return jsonResponse(request, chosen, parseJson(profileText()))
    default:
      return respondRelease(releases, route, request, baseUrl)
  }
}

/** The description of a release, or a part that others need to have the same release and to check it. */
function respondRelease(
  releases: OpenReleases,
  { kind, digest: prefix }: ReleaseRoute,
  request: HttpRequest,
  baseUrl: string,
): HttpResponse {
  if (!isDigestOrPrefix(prefix))
    throw new ProblemError({
      kind: 'not-found',
      known: [kind === 'release' ? releaseTemplate : releasePartTemplate(kind)],
    })
  const release = releases.find('digest', prefix)
  const { digest, manifest } = release
  // A release may be signed anew, upgraded to another format of its files, or be the current one no more.
  const chosen = { release, isNamed: false, isUndated: true }
  switch (kind) {
    case 'release':
      return jsonResponse(request, chosen, describeRelease(manifest, releases.current.digest, baseUrl))
    case 'manifest':
      return jsonResponse(request, chosen, describeManifest(release))
    case 'checksums':
      // The checksums follow from the digest.
      return textResponse(request, { release, isNamed: prefix === digest }, Buffer.from(signedBytes(manifest)))
    case 'signature': {
      const signature = releases.signatureOf(digest)
      if (signature === undefined) throw new ProblemError({ kind: 'not-signed', digest })
      return textResponse(request, chosen, Buffer.from(signature))
    }
  }
}

function respondChanges(releases: OpenReleases, making: Making, request: HttpRequest, query: RawQuery): Response {
  const { current } = releases
  const { from, to } = parseComparedReleases(query, current.catalog)
  const older = releases.find('from', from)
  const newer = to === undefined ? current : releases.find('to', to)
  const changes = parseChangesRequest(query, request.headers, catalogOfBoth(older, newer))
  // The beginning of a digest may become that of another release, too.
  const isNamed = from === older.digest && to === newer.digest
  return changesResponse(making, request, older, { release: newer, isNamed }, changes)
}
