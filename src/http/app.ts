// Request → response, without a socket: the one place that knows all routes, and the only one that catches.
import { OPENAPI_PATH, V1_PATH, V2_PATH } from '../catalog/collections.ts'
import type { Release } from '../release/release.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'
import type { Connection, HttpRequest, HttpResponse } from './exchange.ts'
import { homePage } from './home.ts'
import { isRead, otherMethod, redirected, withoutSlash } from './methods.ts'
import { orThrow, type Problem, ProblemError, problemResponse } from './problem.ts'
import { v1Routes } from './v1.ts'
import { OpenReleases, type ReadableShelf } from './v2/open-releases.ts'

type Outcome = HttpResponse | Problem

export type App = {
  (request: HttpRequest, connection: Connection): HttpResponse | Promise<HttpResponse>
  /** Called with what went wrong while a body was being sent, when it was too late for a problem. */
  readonly failed?: AppContext['logError']
}

export type AppContext = {
  /** The release to read, which may be another at the next request. */
  readonly release: () => Release
  /** Where older releases are, for requests that name one. */
  readonly shelf?: ReadableShelf
  readonly policy: BaseUrlPolicy
  readonly logError: (error: unknown, request: HttpRequest) => void
}

export function createApp(context: AppContext): App {
  const releases = new OpenReleases(context.release, context.shelf)
  const app = (request: HttpRequest, connection: Connection) =>
    catchProblems(context, request, () => route(context, releases, request, connection))
  return Object.assign(app, { failed: context.logError })
}

/** What is thrown becomes the response to the request: a problem that was meant to be, or else a logged 500. */
export function catchProblems(
  { logError }: Pick<AppContext, 'logError'>,
  request: HttpRequest,
  handle: () => Outcome | Promise<Outcome>,
): HttpResponse | Promise<HttpResponse> {
  const toResponse = (outcome: Outcome): HttpResponse =>
    'kind' in outcome ? problemResponse(outcome, request.path) : outcome
  const failed = (error: unknown): HttpResponse => {
    if (error instanceof ProblemError) return toResponse(error.problem)
    logError(error, request)
    return toResponse({ kind: 'internal-error' })
  }
  try {
    const outcome = handle()
    return outcome instanceof Promise ? outcome.then(toResponse).catch(failed) : toResponse(outcome)
  } catch (error) {
    return failed(error)
  }
}

function route(
  { release, policy }: AppContext,
  releases: OpenReleases,
  request: HttpRequest,
  connection: Connection,
): Outcome | Promise<Outcome> {
  const { path, headers } = request
  const current = release()
  const routes = v1Routes(current.catalog)
  const handlerAt = (at: string) => routes.get(at) ?? (at === '/' ? homePage : undefined)
  const handler = handlerAt(path)
  if (handler === undefined && isV2Path(path))
    return routeV2(releases, request, () => orThrow(baseUrlOf(policy, headers, connection)))
  const isSlashed = handler === undefined && handlerAt(withoutSlash(path)) !== undefined
  if (!isRead(request) && (handler !== undefined || isSlashed || path === '*')) return otherMethod(request)
  if (isSlashed) return redirected(request)
  if (handler === undefined) return notFound(path, ['/', ...routes.keys()])
  const baseUrl = baseUrlOf(policy, headers, connection)
  return typeof baseUrl === 'string' ? handler(current, request, baseUrl) : baseUrl
}

/** Below API v1 only its own paths are listed, as they always were. */
const notFound = (path: string, v1Paths: readonly string[]): Problem => ({
  kind: 'not-found',
  known: path.startsWith(V1_PATH) ? v1Paths : [...v1Paths, V2_PATH, OPENAPI_PATH],
})

const isV2Path = (path: string) =>
  path === V2_PATH || path.startsWith(`${V2_PATH}/`) || withoutSlash(path) === OPENAPI_PATH

let v2: typeof import('./v2/pipeline.ts') | undefined

/** API v2 is loaded at the first request for it, so that the start does not wait for it. */
function routeV2(
  releases: OpenReleases,
  request: HttpRequest,
  baseUrlOf: () => string,
): HttpResponse | Promise<HttpResponse> {
  if (v2 !== undefined) return v2.respondV2({ releases, baseUrlOf }, request)
  return import('./v2/pipeline.ts').then((loaded) => {
    v2 = loaded
    return loaded.respondV2({ releases, baseUrlOf }, request)
  })
}
