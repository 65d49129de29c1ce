// Asked → Answer, with no socket in it: the one place that knows all routes, and the only one that catches.
import { OPENAPI_PATH, V1_PATH, V2_PATH } from '../catalog/collections.ts'
import type { Release } from '../release/release.ts'
import type { Shelf } from '../release/shelf.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'
import type { ConnectionInfo, HttpRequest, HttpResponse } from './exchange.ts'
import { homePage } from './home.ts'
import { isRead, otherMethod, redirected, withoutSlash } from './methods.ts'
import { type Problem, problemResponse } from './problem.ts'
import { type Route, v1Routes } from './v1.ts'
import { OpenReleases } from './v2/open-releases.ts'

type Outcome = HttpResponse | Problem
type AnyRoute = (...request: Parameters<Route>) => Outcome | Promise<Outcome>

const routes: ReadonlyMap<string, AnyRoute> = new Map<string, AnyRoute>([['/', homePage], ...v1Routes])
const v1Paths = [...routes.keys()]

/** API v1 answers as it ever did, also to those who mistype. */
const notFound = (path: string): Problem => ({
  kind: 'not-found',
  known: path.startsWith(V1_PATH) ? v1Paths : [...v1Paths, V2_PATH, OPENAPI_PATH],
})

export type App = {
  (request: HttpRequest, connection: ConnectionInfo): HttpResponse | Promise<HttpResponse>
  /** Told what went wrong with an answer that had already begun, and so could not become a problem. */
  readonly failed?: AppContext['logError']
}

export type AppContext = {
  /** The release to answer from, asked for once a request. */
  readonly release: () => Release
  /** Where older releases are, for those who ask for one. */
  readonly shelf?: Shelf
  readonly policy: BaseUrlPolicy
  readonly logError: (error: unknown, request: HttpRequest) => void
}

type InnerContext = AppContext & { readonly releases: OpenReleases }

export function createApp(given: AppContext): App {
  const context = { ...given, releases: new OpenReleases(given.release, given.shelf) }
  const app = (request: HttpRequest, connection: ConnectionInfo) => {
    const outcome = outcomeOrCatch(context, request, connection)
    return outcome instanceof Promise ? answerLater(context, request, outcome) : answerOf(outcome, request)
  }
  return Object.assign(app, { failed: context.logError })
}

const answerOf = (outcome: Outcome, { path }: HttpRequest): HttpResponse =>
  'kind' in outcome ? problemResponse(outcome, path) : outcome

function outcomeOrCatch(
  context: InnerContext,
  request: HttpRequest,
  connection: ConnectionInfo,
): Outcome | Promise<Outcome> {
  try {
    return route(context, request, connection)
  } catch (error) {
    return caught(context, request, error)
  }
}

/** What is rejected is caught as what is thrown. */
export const answerLater = (
  context: AppContext,
  request: HttpRequest,
  outcome: Promise<Outcome>,
): Promise<HttpResponse> =>
  outcome.catch((error) => caught(context, request, error)).then((settled) => answerOf(settled, request))

function caught({ logError }: AppContext, request: HttpRequest, error: unknown): Problem {
  logError(error, request)
  return { kind: 'internal-error' }
}

function route(context: InnerContext, request: HttpRequest, connection: ConnectionInfo): Outcome | Promise<Outcome> {
  const found = routes.get(request.path)
  if (found === undefined && isV2Path(request.path)) return later(context, request, connection)
  if (!isRead(request))
    return routes.has(withoutSlash(request.path)) || found || request.path === '*'
      ? otherMethod(request)
      : notFound(request.path)
  if (found === undefined) return routes.has(withoutSlash(request.path)) ? redirected(request) : notFound(request.path)
  const baseUrl = baseUrlOf(context.policy, request.headers, connection)
  if (typeof baseUrl !== 'string') return baseUrl
  return found(context.release(), request, baseUrl)
}

const isV2Path = (path: string) =>
  path === V2_PATH || path.startsWith(`${V2_PATH}/`) || withoutSlash(path) === OPENAPI_PATH

let v2: typeof import('./v2/routes.ts') | undefined

/** API v2 is loaded when it is first asked for, so that a start does not wait for it. */
function later(context: InnerContext, request: HttpRequest, connection: ConnectionInfo): Outcome | Promise<Outcome> {
  const baseUrl = () => baseUrlOf(context.policy, request.headers, connection)
  if (v2 !== undefined) return v2.answerV2(context.releases, request, baseUrl)
  return import('./v2/routes.ts').then((loaded) => {
    v2 = loaded
    return loaded.answerV2(context.releases, request, baseUrl)
  })
}
