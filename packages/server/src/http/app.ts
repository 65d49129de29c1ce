// The way of a request to its response, without a socket: its route is found and responds; a problem that is thrown on the
// way becomes the response.
import { WorkStopped } from '../base/checkpoint.ts'
import type { Release } from '../release/release.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'
import { clientAddress, networkOf } from './client-address.ts'
import { MUCH } from './cost.ts'
import { type ConnectionInfo, type HttpRequest, type HttpResponse, type ParsedRequest, whenReady } from './exchange.ts'
import type { Budget } from './limits/budget.ts'
import type { AnyId } from './observation/request-id.ts'
import { goneOrAwaited, withShelfHeader } from './observation/shelf-header.ts'
import type { OnShelf, ShelfTrouble } from './observation/shelf-status.ts'
import { type Problem, ProblemError, problemResponse } from './problem.ts'
import { maxBodyAt, surfaceAt } from './routes.ts'
import { respondV1 } from './v1/v1.ts'
import type { V2Context } from './v2/context.ts'
import { OpenReleases, type ReadableStore } from './v2/open-releases.ts'
import type { ResponseCache } from './v2/response-cache.ts'

type Response = HttpResponse | Promise<HttpResponse>

/** Parses a request; of one that is refused, the response is the problem. Never throws. */
export type Parse = (
  request: HttpRequest,
  connection: ConnectionInfo,
  id?: AnyId,
) => ParsedRequest | Promise<ParsedRequest>

export type App = {
  (request: HttpRequest, connection: ConnectionInfo, id?: AnyId): Response
  /** The first half of a response, for those who decide by its cost who makes the other. */
  readonly parse?: Parse
  /** The response to what the wire refuses; by default that of problemResponse. */
  readonly refuse?: (problem: Problem, path: string, connection?: ConnectionInfo) => HttpResponse
  /** Called with an error while a body was being sent, when it was too late for a problem. */
  readonly failed?: AppContext['logError']
  /** Returns the client whose share of the budget a request counts towards. */
  readonly clientOf?: (request: HttpRequest, connection: ConnectionInfo) => string
  /** Returns the bytes of a body that are read for a request that is neither GET nor HEAD; undefined if none are. */
  readonly maxBody?: (request: HttpRequest) => number | undefined
  /** Loads the modules that would otherwise be loaded by the first request that needs them. */
  readonly preload?: () => Promise<void>
}

export type AppContext = {
  /** The release to read, which may be another at the next request. */
  readonly release: () => Release
  /** The older releases, for requests that name one. */
  readonly store?: ReadableStore
  /** The cache of whole collections and changes; without one, few clients can download them at a time. */
  readonly cache?: ResponseCache
  readonly policy: BaseUrlPolicy
  /** The budget for slow clients. A client that has used it up is refused before anything large is rendered. */
  readonly budget?: Budget
  readonly logError: (error: unknown, request: HttpRequest, id?: AnyId) => void
  /** Pages for people; they may be absent. */
  readonly pages?: Pages
  /** Responds below /shelf, with the home as a shelf that other nodes follow. */
  readonly shelfFiles?: (request: HttpRequest) => Promise<HttpResponse>
  /** Returns why the shared shelf is not followed at the moment: responses of API v2 say so. */
  readonly shelfTrouble?: () => ShelfTrouble | undefined
  /** Returns whether the shared shelf has a release that is not here; without a shelf the release is gone. Never rejects. */
  readonly findOnShelf?: (digest: string) => Promise<OnShelf>
}

/** Pages for people, loaded at the first request for one. */
export type Pages = () => LoadedPages | Promise<LoadedPages>

export type LoadedPages = {
  readonly respond: (context: V2Context, request: HttpRequest) => Response
  readonly respondProblem: (context: V2Context, request: HttpRequest, problem: Problem) => HttpResponse
}

type Service = AppContext & { readonly releases: OpenReleases }

export function createApp(context: AppContext): App {
  const service: Service = { ...context, releases: new OpenReleases(context.release, context.store) }
  const parse: Parse = (request, connection, id) => {
    const refused = (error: unknown): ParsedRequest => ({
      cost: costOfRefusal(error),
      respond: () => respondError(service, request, connection, id, error),
    })
    const guarded = ({ cost, respond }: ParsedRequest): ParsedRequest => ({
      cost,
      respond: () => {
        try {
          const response = respond()
          return response instanceof Promise ? response.catch((error) => refused(error).respond()) : response
        } catch (error) {
          return refused(error).respond()
        }
      },
    })
    try {
      const parsed = parseRequest(service, request, connection)
      return parsed instanceof Promise ? parsed.then(guarded, refused) : guarded(parsed)
    } catch (error) {
      return refused(error)
    }
  }
  const preload = async () => {
    await Promise.all([v2(), ...(context.pages === undefined ? [] : [reconcile(), context.pages()])])
  }
  const clientOf = ({ headers }: HttpRequest, connection: ConnectionInfo) =>
    networkOf(clientAddress(context.policy, headers, connection))
  const maxBody = ({ method, path }: HttpRequest) => (method === 'POST' ? maxBodyAt(path) : undefined)
  return appOf(parse, { failed: context.logError, clientOf, maxBody, preload })
}

/** The app that parses requests in a way, and responds to them. */
export const appOf = (parse: Parse, others: Omit<App, 'parse'>): App =>
  Object.assign((...given: Parameters<Parse>) => whenReady(parse(...given), ({ respond }) => respond()), others, {
    parse,
  })

/** How an app parses requests: one that does not say what they cost responds to them itself. */
export const parsedBy = (app: App): Parse =>
  app.parse ?? ((request, connection, id) => ({ cost: 0, respond: () => app(request, connection, id) }))

/** A list of what is known instead takes about a microsecond for each of its names. */
const costOfRefusal = (error: unknown): number =>
  error instanceof ProblemError && 'known' in error.problem ? error.problem.known.length : 0

/** Parses a request where its cost depends on what it says; of most, the path says enough. */
function parseRequest(
  service: Service,
  request: HttpRequest,
  connection: ConnectionInfo,
): ParsedRequest | Promise<ParsedRequest> {
  const { name, cost } = surfaceAt(request.path)
  const response = () => respond(service, request, connection)
  const isPosted = request.body !== undefined || request.method === 'POST'
  if (cost !== 'parsed') return { cost: isPosted && name !== 'v1' ? MUCH : cost, respond: response }
  const parsed = whenReady(v2(), ({ parseV2 }) => parseV2(contextOf(service, request, connection), request))
  return whenReady(parsed, ({ cost, respond }) => ({
    cost: isPosted ? MUCH : cost,
    respond: () =>
      whenReady(withinBudget(service, request, connection, respond), (ready) =>
        withShelfHeader(service.shelfTrouble?.(), ready),
      ),
  }))
}

function respond(service: Service, request: HttpRequest, connection: ConnectionInfo): Response {
  const { pages } = service
  const { name } = surfaceAt(request.path)
  if (name === 'v1') return respondV1(service, request, connection)
  if (name === 'reconcile')
    return withinBudget(service, request, connection, ({ releases, baseUrlOf, work }) =>
      whenReady(reconcile(), ({ respondReconcile }) =>
        respondReconcile({ release: releases.current, baseUrlOf, work }, request),
      ),
    )
  if (name === 'wscatgeo')
    return withinBudget(service, request, connection, ({ releases }) =>
      whenReady(wscatgeo(), ({ respondWscatgeo }) => respondWscatgeo(releases.current, request)),
    )
  const { shelfFiles } = service
  if (name === 'shelf' && shelfFiles !== undefined)
    return withinBudget(service, request, connection, () => shelfFiles(request))
  if (name === 'pages' && pages !== undefined)
    return withinBudget(service, request, connection, (context) =>
      whenReady(pages(), (loaded) => loaded.respond(context, request)),
    )
  return respondV1(service, request, connection)
}

/** Loads a module when it is first needed; from then on it is returned at once. */
function loadedOnce<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined
  return () =>
    loaded ??
    load().then((module) => {
      loaded = module
      return module
    })
}

// Workers load both by a timer a second after their start, so that neither the start nor a request waits for them.
const v2 = loadedOnce(() => import('./v2/pipeline.ts'))
const reconcile = loadedOnce(() => import('./reconcile/service.ts'))
const wscatgeo = loadedOnce(() => import('./wscatgeo/wscatgeo.ts'))

/** Responses of API v2 and pages can be large. A page of v1 is small enough for the socket to take it at once. */
function withinBudget(
  service: Service,
  request: HttpRequest,
  connection: ConnectionInfo,
  use: (context: V2Context) => Response,
): Response {
  const { policy, budget } = service
  const refusal = budget?.refusal(networkOf(clientAddress(policy, request.headers, connection)))
  if (refusal !== undefined) throw new ProblemError(refusal)
  return use(contextOf(service, request, connection))
}

const contextOf = (
  { releases, cache, policy }: Service,
  { headers }: HttpRequest,
  connection: ConnectionInfo,
): V2Context => ({
  releases,
  cache,
  baseUrlOf: () => baseUrlOf(policy, headers, connection),
  isBaseUrlFixed: policy.baseUrl !== undefined,
  work: connection.work,
})

/** The problem that was thrown is the response. Any other error is a fault of the service: it is logged, and not shown. */
function respondError(
  service: Service,
  request: HttpRequest,
  connection: ConnectionInfo,
  id: AnyId | undefined,
  error: unknown,
): Response {
  return whenReady(problemOf(service, error), (problem) => {
    if (problem.kind === 'internal-error') service.logError(error, request, id)
    if (problem.kind === 'overloaded') service.budget?.countRefusal(problem.reason)
    if (service.pages !== undefined && isForBrowser(request))
      return problemPage(service, service.pages, request, connection, id, problem)
    const response = problemResponse(problem, request.path, id)
    return surfaceAt(request.path).name === 'v2' ? withShelfHeader(service.shelfTrouble?.(), response) : response
  })
}

function problemOf({ findOnShelf, release }: Service, error: unknown): Problem | Promise<Problem> {
  // Nobody reads the response of a job that is stopped because its client is gone.
  if (error instanceof WorkStopped) return { kind: 'took-too-long' }
  if (!(error instanceof ProblemError)) return internalError(release)
  const { problem } = error
  if (problem.kind !== 'release-gone' || findOnShelf === undefined) return problem
  return goneOrAwaited(problem.digest, findOnShelf)
}

function internalError(release: AppContext['release']): Problem {
  try {
    return { kind: 'internal-error', release: release().digest }
  } catch {
    return { kind: 'internal-error' }
  }
}

const HTML_ACCEPTED = /(?:^|[,\s])text\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i

/** True if a problem is rendered as a page: outside the API, for a client that accepts HTML. */
const isForBrowser = ({ path, headers }: HttpRequest) =>
  surfaceAt(path).hasProblemPages && HTML_ACCEPTED.test(headers.get('accept') ?? '')

/** Renders a problem as a page; if that fails, as JSON. */
async function problemPage(
  service: Service,
  pages: Pages,
  request: HttpRequest,
  connection: ConnectionInfo,
  id: AnyId | undefined,
  problem: Problem,
): Promise<HttpResponse> {
  try {
    const { respondProblem } = await pages()
    return respondProblem(contextOf(service, request, connection), request, problem)
  } catch (error) {
    service.logError(error, request, id)
    return problemResponse(problem, request.path, id)
  }
}
