// Request → response, without a socket: the one place that knows all routes, and the only one that catches.
import { OPENAPI_PATH, V1_PATH, V2_PATH } from '../catalog/collections.ts'
import type { Release } from '../release/release.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'
import type { ConnectionInfo, HttpRequest, HttpResponse } from './exchange.ts'
import { isRead, otherMethod, redirected, withoutSlash } from './methods.ts'
import { orThrow, type Problem, ProblemError, problemResponse } from './problem.ts'
import { v1Routes } from './v1.ts'
import { OpenReleases, type ReadableShelf } from './v2/open-releases.ts'

type Outcome = HttpResponse | Problem

export type App = {
  (request: HttpRequest, connection: ConnectionInfo): HttpResponse | Promise<HttpResponse>
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
  const respondProblem: RespondProblem = (problem, request, connection) =>
    isForBrowser(request)
      ? problemAsPage(context, releases, request, connection, problem)
      : problemResponse(problem, request.path)
  const app = (request: HttpRequest, connection: ConnectionInfo) => {
    try {
      const outcome = route(context, releases, request, connection)
      if (outcome instanceof Promise) {
        return promisedResponse(context, request, outcome, (problem) => respondProblem(problem, request, connection))
      }
      return 'kind' in outcome ? respondProblem(outcome, request, connection) : outcome
    } catch (error) {
      return respondProblem(problemOf(error, context, request), request, connection)
    }
  }
  return Object.assign(app, { failed: context.logError })
}

type ErrorLog = Pick<AppContext, 'logError'>
type RespondProblem = (
  problem: Problem,
  request: HttpRequest,
  connection: ConnectionInfo,
) => HttpResponse | Promise<HttpResponse>

/** What a promise rejects with is caught like what is thrown. */
export const promisedResponse = (
  log: ErrorLog,
  request: HttpRequest,
  outcome: Promise<Outcome>,
  respondProblem: (problem: Problem) => HttpResponse | Promise<HttpResponse> = (problem) =>
    problemResponse(problem, request.path),
): Promise<HttpResponse> =>
  outcome
    .catch((error) => problemOf(error, log, request))
    .then((settled) => ('kind' in settled ? respondProblem(settled) : settled))

const HTML_ACCEPTED = /(?:^|[,\s])text\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i
const isApiPath = (path: string) => path === '/api' || path.startsWith('/api/')

/** Outside the API, whoever accepts HTML gets a problem as a page. */
const isForBrowser = ({ path, headers }: HttpRequest) =>
  !isApiPath(path) && HTML_ACCEPTED.test(headers.get('accept') ?? '')

/** The problem that was thrown. Any other error is a fault of the service: it is logged, and not shown to the client. */
function problemOf(error: unknown, { logError }: ErrorLog, request: HttpRequest): Problem {
  if (error instanceof ProblemError) return error.problem
  logError(error, request)
  return { kind: 'internal-error' }
}

function route(
  { release, policy }: AppContext,
  releases: OpenReleases,
  request: HttpRequest,
  connection: ConnectionInfo,
): Outcome | Promise<Outcome> {
  const { path, headers } = request
  if (isV2Path(path)) return routeV2(releases, request, () => orThrow(baseUrlOf(policy, headers, connection)))
  const current = release()
  const routes = v1Routes(current.catalog)
  const handler = routes.get(path)
  if (handler === undefined && isExplorerPath(path))
    return routeExplorer(releases, request, () => orThrow(baseUrlOf(policy, headers, connection)))
  const isSlashed = handler === undefined && isKnown(routes, withoutSlash(path))
  if (!isRead(request) && (handler !== undefined || isSlashed || path === '*')) return otherMethod(request)
  if (isSlashed) return redirected(request)
  if (handler === undefined) return notFound(path, ['/', ...routes.keys()])
  const baseUrl = baseUrlOf(policy, headers, connection)
  return typeof baseUrl === 'string' ? handler(current, request, baseUrl) : baseUrl
}

const isKnown = (routes: ReturnType<typeof v1Routes>, path: string) => path === '/' || routes.has(path)

/** Below API v1 only its own paths are listed, as they always were. */
const notFound = (path: string, v1Paths: readonly string[]): Problem => ({
  kind: 'not-found',
  known: path.startsWith(V1_PATH) ? v1Paths : [...v1Paths, V2_PATH, OPENAPI_PATH],
})

const V2_PREFIX = `${V2_PATH}/`
const v2Paths: readonly string[] = [V2_PATH, OPENAPI_PATH, `${OPENAPI_PATH}/`]
const isV2Path = (path: string) => path.startsWith(V2_PREFIX) || v2Paths.includes(path)

const EXPLORER_PATH = /^\/(?:$|(?:explore|releases|docs|assets)(?:\/|$))/
const isExplorerPath = (path: string) => EXPLORER_PATH.test(path)

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

/** The explorer likewise. */
let explorer: typeof import('./explorer/explorer.ts') | undefined

async function loadExplorer(): Promise<typeof import('./explorer/explorer.ts')> {
  explorer ??= await import('./explorer/explorer.ts')
  return explorer
}

function routeExplorer(
  releases: OpenReleases,
  request: HttpRequest,
  baseUrlOf: () => string,
): HttpResponse | Promise<HttpResponse> {
  if (explorer !== undefined) return explorer.respondExplorer({ releases, baseUrlOf }, request)
  return loadExplorer().then((loaded) => loaded.respondExplorer({ releases, baseUrlOf }, request))
}

/** Where even the page of a problem fails, the problem is given as it is to everyone else. */
async function problemAsPage(
  { policy, logError }: AppContext,
  releases: OpenReleases,
  request: HttpRequest,
  connection: ConnectionInfo,
  problem: Problem,
): Promise<HttpResponse> {
  const baseUrl = () => orThrow(baseUrlOf(policy, request.headers, connection))
  try {
    const { problemPageResponse } = await loadExplorer()
    return problemPageResponse({ releases, baseUrlOf: baseUrl }, request, problem)
  } catch (error) {
    logError(error, request)
    return problemResponse(problem, request.path)
  }
}
