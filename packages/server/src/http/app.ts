// Request → response, without a socket: the one place that knows all routes, and the only one that catches.
import { isReconcilePath, OPENAPI_PATH, V1_PATH, V2_PATH } from '../catalog/collections.ts'
import type { Release } from '../release/release.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'
import { clientAddress } from './client-address.ts'
import type { ConnectionInfo, HttpRequest, HttpResponse } from './exchange.ts'
import type { Budget } from './limits/budget.ts'
import { isRead, otherMethod, redirected, withoutSlash } from './methods.ts'
import type { RequestId } from './observation/request-id.ts'
import type { ShelfTrouble } from './observation/shelf-status.ts'
import { maxBodyAt } from './posted-paths.ts'
import { orThrow, type Problem, ProblemError, problemResponse } from './problem.ts'
import { v1Routes } from './v1/v1.ts'
import { OpenReleases, type ReadableShelf } from './v2/open-releases.ts'
import type { V2Context } from './v2/pipeline.ts'
import type { ResponseCache } from './v2/response-cache.ts'

type Outcome = HttpResponse | Problem

export type App = {
  (request: HttpRequest, connection: ConnectionInfo, id?: RequestId): HttpResponse | Promise<HttpResponse>
  /** The response to what the wire refuses; by default that of problemResponse. */
  readonly refuse?: (problem: Problem, path: string, connection?: ConnectionInfo) => HttpResponse
  /** Called with what went wrong while a body was being sent, when it was too late for a problem. */
  readonly failed?: AppContext['logError']
  /** Whose share of the budget a request counts towards. */
  readonly clientOf?: (request: HttpRequest, connection: ConnectionInfo) => string
  /** How long a body is read for a request that is neither GET nor HEAD, in bytes; undefined if none is. */
  readonly maxBody?: (request: HttpRequest) => number | undefined
  /** Loads what would otherwise be loaded by the first request that needs it. */
  readonly preload?: () => Promise<void>
}

export type AppContext = {
  /** The release to read, which may be another at the next request. */
  readonly release: () => Release
  /** Where older releases are, for requests that name one. */
  readonly shelf?: ReadableShelf
  /** Where whole collections and changes are kept; without one, few clients can download them at a time. */
  readonly cache?: ResponseCache
  readonly policy: BaseUrlPolicy
  /** What may be kept for slow clients. Those that have used it up are refused before anything large is rendered. */
  readonly budget?: Budget
  readonly logError: (error: unknown, request: HttpRequest, id?: RequestId) => void
  /** Pages for people, which stand above the API; without them there are none. */
  readonly pages?: Pages
  /** Why the shared shelf is not followed at the moment: responses of API v2 say so. */
  readonly shelfTrouble?: () => ShelfTrouble | undefined
}

/** Pages for people, as the command that serves mounts them. */
export type Pages = {
  readonly isPage: (path: string) => boolean
  /** Loads them at the first request for one; from then on they are at hand. */
  readonly load: () => LoadedPages | Promise<LoadedPages>
}

export type LoadedPages = {
  readonly respond: RouteV2
  readonly respondProblem: (context: V2Context, request: HttpRequest, problem: Problem) => HttpResponse
}

export function createApp(context: AppContext): App {
  const releases = new OpenReleases(context.release, context.shelf)
  const respondProblem: RespondProblem = (problem, request, connection, id) =>
    context.pages !== undefined && isForBrowser(request)
      ? problemAsPage(context, context.pages, releases, request, connection, problem, id)
      : withWarning(context, request, problemResponse(problem, request.path, id))
  const app = (request: HttpRequest, connection: ConnectionInfo, id?: RequestId) => {
    try {
      const outcome = route(context, releases, request, connection)
      if (outcome instanceof Promise) {
        const onProblem = (problem: Problem) => respondProblem(problem, request, connection, id)
        return promisedResponse(context, request, outcome, id, onProblem)
      }
      return 'kind' in outcome ? respondProblem(outcome, request, connection, id) : outcome
    } catch (error) {
      return respondProblem(problemOf(error, context, request, id), request, connection, id)
    }
  }
  const preload = async () => {
    const [{ warmUp }] = await Promise.all([loadV2(), loadReconcile()])
    await warmUp(context.release())
  }
  const clientOf = ({ headers }: HttpRequest, connection: ConnectionInfo) =>
    clientAddress(context.policy, headers, connection)
  const maxBody = ({ method, path }: HttpRequest) => (method === 'POST' ? maxBodyAt(path) : undefined)
  return Object.assign(app, { failed: context.logError, clientOf, maxBody, preload })
}

/** A structured field (RFC 9651): what is wrong, and since when. */
export const SHELF_HEADER = 'Nomenclator-Shelf'

/** What is read from a release that the request names is right whatever the shelf has; all else may be of an older one. */
function withWarning<T extends Outcome>({ shelfTrouble }: AppContext, { path }: HttpRequest, outcome: T): T {
  const trouble = isV2Path(path) ? shelfTrouble?.() : undefined
  if (trouble === undefined || !('head' in outcome) || outcome.head.includes('immutable')) return outcome
  const lines = [
    `${SHELF_HEADER}: ${trouble.kind};since=@${trouble.since}`,
    `Access-Control-Expose-Headers: ${SHELF_HEADER}`,
  ]
  return { ...outcome, head: `${outcome.head}${lines.join('\r\n')}\r\n` }
}

type ErrorLog = Pick<AppContext, 'logError' | 'budget'>
type RespondProblem = (
  problem: Problem,
  request: HttpRequest,
  connection: ConnectionInfo,
  id: RequestId | undefined,
) => HttpResponse | Promise<HttpResponse>

/** What a promise rejects with is caught like what is thrown. */
export const promisedResponse = (
  log: ErrorLog,
  request: HttpRequest,
  outcome: Promise<Outcome>,
  id?: RequestId,
  respondProblem: (problem: Problem) => HttpResponse | Promise<HttpResponse> = (problem) =>
    problemResponse(problem, request.path, id),
): Promise<HttpResponse> =>
  outcome
    .catch((error) => problemOf(error, log, request, id))
    .then((settled) => ('kind' in settled ? respondProblem(settled) : settled))

const HTML_ACCEPTED = /(?:^|[,\s])text\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i
const isApiPath = (path: string) => path === '/api' || path.startsWith('/api/')

/** Outside the API, whoever accepts HTML gets a problem as a page. */
const isForBrowser = ({ path, headers }: HttpRequest) =>
  !isApiPath(path) && HTML_ACCEPTED.test(headers.get('accept') ?? '')

/** The problem that was thrown. Any other error is a fault of the service: it is logged, and not shown to the client. */
function problemOf(
  error: unknown,
  { logError, budget }: ErrorLog,
  request: HttpRequest,
  id: RequestId | undefined,
): Problem {
  if (error instanceof ProblemError) {
    // Only what prepares downloads throws it.
    if (error.problem.kind === 'overloaded') budget?.countRefusal('streams')
    return error.problem
  }
  logError(error, request, id)
  return { kind: 'internal-error' }
}

function route(
  context: AppContext,
  releases: OpenReleases,
  request: HttpRequest,
  connection: ConnectionInfo,
): Outcome | Promise<Outcome> {
  const { release, policy } = context
  const { path, headers } = request
  if (isV2Path(path)) {
    const outcome = withinBudget(context, releases, request, connection, routeV2)
    if (context.shelfTrouble?.() === undefined) return outcome
    return outcome instanceof Promise
      ? outcome.then((settled) => withWarning(context, request, settled))
      : withWarning(context, request, outcome)
  }
  if (isReconcilePath(path)) return withinBudget(context, releases, request, connection, routeReconcile)
  const current = release()
  const routes = v1Routes(current.catalog)
  const handler = routes.get(path)
  if (handler === undefined && context.pages?.isPage(path)) {
    const { load } = context.pages
    return withinBudget(context, releases, request, connection, (context, request) => {
      const pages = load()
      if (!(pages instanceof Promise)) return pages.respond(context, request)
      return pages.then(({ respond }) => respond(context, request))
    })
  }
  const isSlashed = handler === undefined && isKnown(routes, withoutSlash(path))
  if (!isRead(request) && (handler !== undefined || isSlashed || path === '*')) return otherMethod(request)
  if (isSlashed) return redirected(request)
  if (handler === undefined) return notFound(path, ['/', ...routes.keys()])
  const baseUrl = baseUrlOf(policy, headers, connection)
  return typeof baseUrl === 'string' ? handler(current, request, baseUrl) : baseUrl
}

type RouteV2 = (context: V2Context, request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** Responses of API v2 and pages can be large. A page of v1 is small enough for the socket to take it at once. */
function withinBudget(
  { policy, budget, cache }: AppContext,
  releases: OpenReleases,
  request: HttpRequest,
  connection: ConnectionInfo,
  routeTo: RouteV2,
): Outcome | Promise<Outcome> {
  const { turn } = connection
  const respond = (): Outcome | Promise<Outcome> => {
    const refusal = budget?.refusal(clientAddress(policy, request.headers, connection))
    if (refusal !== undefined) {
      budget?.countRefusal('bytes')
      return refusal
    }
    const isBaseUrlFixed = policy.baseUrl !== undefined
    const baseUrl = () => orThrow(baseUrlOf(policy, request.headers, connection))
    return routeTo({ releases, cache, baseUrlOf: baseUrl, isBaseUrlFixed, turn }, request)
  }
  return turn === undefined || turn.hasTime() ? respond() : turn.timeForMore().then(respond)
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

let v2: typeof import('./v2/pipeline.ts') | undefined

/** API v2 is loaded when the server is idle for the first time, so that neither the start nor a request waits for it. */
async function loadV2(): Promise<typeof import('./v2/pipeline.ts')> {
  v2 = await import('./v2/pipeline.ts')
  return v2
}

function routeV2(context: V2Context, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  if (v2 !== undefined) return v2.respondV2(context, request)
  return loadV2().then(({ respondV2 }) => respondV2(context, request))
}

/** Where even the page of a problem fails, the problem is given as it is to everyone else. */
async function problemAsPage(
  { policy, cache, logError }: AppContext,
  pages: Pages,
  releases: OpenReleases,
  request: HttpRequest,
  connection: ConnectionInfo,
  problem: Problem,
  id: RequestId | undefined,
): Promise<HttpResponse> {
  const baseUrl = () => orThrow(baseUrlOf(policy, request.headers, connection))
  try {
    const { respondProblem } = await pages.load()
    const context = { releases, cache, baseUrlOf: baseUrl, isBaseUrlFixed: policy.baseUrl !== undefined }
    return respondProblem(context, request, problem)
  } catch (error) {
    logError(error, request, id)
    return problemResponse(problem, request.path, id)
  }
}

let reconcile: typeof import('./reconcile/service.ts') | undefined

/** The reconciliation service is loaded in the same way. */
async function loadReconcile(): Promise<typeof import('./reconcile/service.ts')> {
  reconcile = await import('./reconcile/service.ts')
  return reconcile
}

function routeReconcile({ releases, baseUrlOf, turn }: V2Context, request: HttpRequest) {
  const context = { release: releases.current, baseUrlOf, turn }
  if (reconcile !== undefined) return reconcile.respondReconcile(context, request)
  return loadReconcile().then(({ respondReconcile }) => respondReconcile(context, request))
}
