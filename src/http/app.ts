// Asked → Answer, with no socket in it: the one place that knows all routes, and the only one that catches.
import { ALLOW, COMMON_HEADERS } from '../page/page-headers.ts'
import type { Release } from '../release/release.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'
import { type Answer, type Asked, type Connection, emptyAnswer } from './exchange.ts'
import { homePage } from './home.ts'
import { type Problem, problemAnswer } from './problem.ts'
import { type Route, v1Routes } from './v1.ts'

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([['/', homePage], ...v1Routes])
const paths = [...routes.keys()]

export type App = (asked: Asked, connection: Connection) => Answer

export type AppContext = {
  /** The release to answer from, asked for once a request. */
  readonly release: () => Release
  readonly policy: BaseUrlPolicy
  readonly logError: (error: unknown, asked: Asked) => void
}

export function createApp(context: AppContext): App {
  return (asked, connection) => {
    const answer = answerOrCatch(context, asked, connection)
    return 'kind' in answer ? problemAnswer(answer, asked.path) : answer
  }
}

function answerOrCatch(context: AppContext, asked: Asked, connection: Connection): Answer | Problem {
  try {
    return route(context, asked, connection)
  } catch (error) {
    context.logError(error, asked)
    return { kind: 'internal-error' }
  }
}

function route(context: AppContext, asked: Asked, connection: Connection): Answer | Problem {
  const found = routes.get(asked.path)
  if (asked.method !== 'GET' && asked.method !== 'HEAD') return otherMethod(asked)
  if (found === undefined) return elsewhere(asked)
  const baseUrl = baseUrlOf(context.policy, asked.headers, connection)
  if (typeof baseUrl !== 'string') return baseUrl
  return found(context.release(), asked, baseUrl)
}

const PREFLIGHT = {
  'Access-Control-Allow-Methods': ALLOW,
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const

/** `OPTIONS *` asks about the service as a whole. */
function otherMethod({ method, path }: Asked): Answer | Problem {
  const known = routes.has(path) || routes.has(withoutSlash(path)) || path === '*'
  if (!known) return { kind: 'not-found', known: paths }
  if (method !== 'OPTIONS') return { kind: 'method-not-allowed', method }
  return emptyAnswer(200, { ...COMMON_HEADERS, ...PREFLIGHT })
}

const withoutSlash = (path: string) => path.replace(/\/$/, '')

/** Only a path that is known without its last slash is redirected, so that no one can be sent elsewhere. */
function elsewhere({ path, query }: Asked): Answer | Problem {
  const trimmed = withoutSlash(path)
  if (!routes.has(trimmed)) return { kind: 'not-found', known: paths }
  return emptyAnswer(308, { ...COMMON_HEADERS, Location: query === '' ? trimmed : `${trimmed}?${query}` })
}
