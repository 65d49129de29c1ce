// Asked → Answer, with no socket in it: the one place that knows all routes, and the only one that catches.
import { OPENAPI_PATH, V1_PATH, V2_PATH } from '../catalog/collections.ts'
import type { Release } from '../release/release.ts'
import type { Shelf } from '../release/shelf.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'
import type { Answer, Asked, Connection } from './exchange.ts'
import { homePage } from './home.ts'
import { isRead, otherMethod, redirected, withoutSlash } from './methods.ts'
import { type Problem, problemAnswer } from './problem.ts'
import { type Route, v1Routes } from './v1.ts'
import { ReleasesAtHand } from './v2/releases-at-hand.ts'

type Outcome = Answer | Problem
type AnyRoute = (...asked: Parameters<Route>) => Outcome | Promise<Outcome>

const routes: ReadonlyMap<string, AnyRoute> = new Map<string, AnyRoute>([['/', homePage], ...v1Routes])
const v1Paths = [...routes.keys()]

/** API v1 answers as it ever did, also to those who mistype. */
const notFound = (path: string): Problem => ({
  kind: 'not-found',
  known: path.startsWith(V1_PATH) ? v1Paths : [...v1Paths, V2_PATH, OPENAPI_PATH],
})

export type App = {
  (asked: Asked, connection: Connection): Answer | Promise<Answer>
  /** Told what went wrong with an answer that had already begun, and so could not become a problem. */
  readonly failed?: AppContext['logError']
}

export type AppContext = {
  /** The release to answer from, asked for once a request. */
  readonly release: () => Release
  /** Where older releases are, for those who ask for one. */
  readonly shelf?: Shelf
  readonly policy: BaseUrlPolicy
  readonly logError: (error: unknown, asked: Asked) => void
}

type InnerContext = AppContext & { readonly releases: ReleasesAtHand }

export function createApp(given: AppContext): App {
  const context = { ...given, releases: new ReleasesAtHand(given.release, given.shelf) }
  const app = (asked: Asked, connection: Connection) => {
    const outcome = outcomeOrCatch(context, asked, connection)
    return outcome instanceof Promise ? answerLater(context, asked, outcome) : answerOf(outcome, asked)
  }
  return Object.assign(app, { failed: context.logError })
}

const answerOf = (outcome: Outcome, { path }: Asked): Answer =>
  'kind' in outcome ? problemAnswer(outcome, path) : outcome

function outcomeOrCatch(context: InnerContext, asked: Asked, connection: Connection): Outcome | Promise<Outcome> {
  try {
    return route(context, asked, connection)
  } catch (error) {
    return caught(context, asked, error)
  }
}

/** What is rejected is caught as what is thrown. */
export const answerLater = (context: AppContext, asked: Asked, outcome: Promise<Outcome>): Promise<Answer> =>
  outcome.catch((error) => caught(context, asked, error)).then((settled) => answerOf(settled, asked))

function caught({ logError }: AppContext, asked: Asked, error: unknown): Problem {
  logError(error, asked)
  return { kind: 'internal-error' }
}

function route(context: InnerContext, asked: Asked, connection: Connection): Outcome | Promise<Outcome> {
  const found = routes.get(asked.path)
  if (found === undefined && isLater(asked.path)) return later(context, asked, connection)
  if (!isRead(asked))
    return routes.has(withoutSlash(asked.path)) || found || asked.path === '*'
      ? otherMethod(asked)
      : notFound(asked.path)
  if (found === undefined) return routes.has(withoutSlash(asked.path)) ? redirected(asked) : notFound(asked.path)
  const baseUrl = baseUrlOf(context.policy, asked.headers, connection)
  if (typeof baseUrl !== 'string') return baseUrl
  return found(context.release(), asked, baseUrl)
}

const isLater = (path: string) =>
  path === V2_PATH || path.startsWith(`${V2_PATH}/`) || withoutSlash(path) === OPENAPI_PATH

let v2: typeof import('./v2/routes.ts') | undefined

/** API v2 is loaded when it is first asked for, so that a start does not wait for it. */
function later(context: InnerContext, asked: Asked, connection: Connection): Outcome | Promise<Outcome> {
  const baseUrl = () => baseUrlOf(context.policy, asked.headers, connection)
  if (v2 !== undefined) return v2.answerV2(context.releases, asked, baseUrl)
  return import('./v2/routes.ts').then((loaded) => {
    v2 = loaded
    return loaded.answerV2(context.releases, asked, baseUrl)
  })
}
