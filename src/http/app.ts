// Request → response, without a socket: the one place that knows all routes, and the only one that catches.
import { isReconcilePath, OPENAPI_PATH, V1_PATH, V2_PATH } from '../catalog/collections.ts'
import type { Release } from '../release/release.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'
import type { Budget } from './budget.ts'
import { clientAddress } from './client-address.ts'
import type { ConnectionInfo, HttpRequest, HttpResponse } from './exchange.ts'
import { homePage } from './home.ts'
import { isRead, otherMethod, redirected, withoutSlash } from './methods.ts'
import { maxBodyAt } from './posted-paths.ts'
import { orThrow, type Problem, ProblemError, problemResponse } from './problem.ts'
import type { ReconcileContext } from './reconcile/service.ts'
import type { RequestId } from './request-id.ts'
import type { ResponseCache } from './response-cache.ts'
import { v1Routes } from './v1.ts'
import { OpenReleases, type ReadableShelf } from './v2/open-releases.ts'
import type { V2Context } from './v2/pipeline.ts'

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
}

export function createApp(context: AppContext): App {
  const releases = new OpenReleases(context.release, context.shelf)
  const app = (request: HttpRequest, connection: ConnectionInfo, id?: RequestId) => {
    try {
      const outcome = route(context, releases, request, connection)
      return outcome instanceof Promise
        ? promisedResponse(context, request, outcome, id)
        : toResponse(outcome, request, id)
    } catch (error) {
      return toResponse(problemOf(error, context, request, id), request, id)
    }
  }
  const preload = async () => {
    await Promise.all([loadV2(), loadReconcile()])
  }
  const clientOf = ({ headers }: HttpRequest, connection: ConnectionInfo) =>
    clientAddress(context.policy, headers, connection)
  const maxBody = ({ method, path }: HttpRequest) => (method === 'POST' ? maxBodyAt(path) : undefined)
  return Object.assign(app, { failed: context.logError, clientOf, maxBody, preload })
}

type ErrorLog = Pick<AppContext, 'logError' | 'budget'>

/** What a promise rejects with is caught like what is thrown. */
export const promisedResponse = (
  log: ErrorLog,
  request: HttpRequest,
  outcome: Promise<Outcome>,
  id?: RequestId,
): Promise<HttpResponse> =>
  outcome.catch((error) => problemOf(error, log, request, id)).then((settled) => toResponse(settled, request, id))

const toResponse = (outcome: Outcome, { path }: HttpRequest, id: RequestId | undefined): HttpResponse =>
  'kind' in outcome ? problemResponse(outcome, path, id) : outcome

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
  { release, policy, budget, cache }: AppContext,
  releases: OpenReleases,
  request: HttpRequest,
  connection: ConnectionInfo,
): Outcome | Promise<Outcome> {
  const { path, headers } = request
  const isReconcile = isReconcilePath(path)
  if (isReconcile || isV2Path(path)) {
    const { turn } = connection
    const respond = (): Outcome | Promise<Outcome> => {
      // Only responses of API v2 and of the reconciliation service can be large. A page of v1 is small enough for the socket to take it at once.
      const refusal = budget?.refusal(clientAddress(policy, headers, connection))
      if (refusal !== undefined) {
        budget?.countRefusal('bytes')
        return refusal
      }
      const isBaseUrlFixed = policy.baseUrl !== undefined
      const baseUrl = () => orThrow(baseUrlOf(policy, headers, connection))
      if (isReconcile) return routeReconcile({ release: release(), baseUrlOf: baseUrl, turn }, request)
      return routeV2({ releases, cache, baseUrlOf: baseUrl, isBaseUrlFixed, turn }, request)
    }
    return turn === undefined || turn.hasTime() ? respond() : turn.timeForMore().then(respond)
  }
  const current = release()
  const routes = v1Routes(current.catalog)
  const handler = handlerAt(routes, path)
  const isSlashed = handler === undefined && handlerAt(routes, withoutSlash(path)) !== undefined
  if (!isRead(request) && (handler !== undefined || isSlashed || path === '*')) return otherMethod(request)
  if (isSlashed) return redirected(request)
  if (handler === undefined) return notFound(path, ['/', ...routes.keys()])
  const baseUrl = baseUrlOf(policy, headers, connection)
  return typeof baseUrl === 'string' ? handler(current, request, baseUrl) : baseUrl
}

const handlerAt = (routes: ReturnType<typeof v1Routes>, path: string) =>
  routes.get(path) ?? (path === '/' ? homePage : undefined)

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

let reconcile: typeof import('./reconcile/service.ts') | undefined

/** The reconciliation service is loaded in the same way. */
async function loadReconcile(): Promise<typeof import('./reconcile/service.ts')> {
  reconcile = await import('./reconcile/service.ts')
  return reconcile
}

function routeReconcile(context: ReconcileContext, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  if (reconcile !== undefined) return reconcile.respondReconcile(context, request)
  return loadReconcile().then(({ respondReconcile }) => respondReconcile(context, request))
}
