// Request → Response, with no socket in it: the one place that knows all routes, and the only one that catches.
import { ALLOW, COMMON_HEADERS } from '../page/page-headers.ts'
import type { Release } from '../release/release.ts'
import { type BaseUrlPolicy, baseUrlOf, type Connection } from './base-url.ts'
import { homePage } from './home.ts'
import { type Problem, problemResponse } from './problem.ts'
import { type Route, v1Routes } from './v1.ts'

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([['/', homePage], ...v1Routes])
const paths = [...routes.keys()]

export const MOST_URL = 8_000
export const MOST_HEADERS = 100

export type App = (request: Request, connection: Connection) => Response

export type AppContext = {
  /** The release to answer from, asked for once a request. */
  readonly release: () => Release
  readonly policy: BaseUrlPolicy
  readonly logError: (error: unknown, request: Request) => void
}

export function createApp(context: AppContext): App {
  return (request, connection) => {
    const target = splitUrl(request.url)
    const answer = answerOrCatch(context, request, target, connection)
    const response = answer instanceof Response ? answer : problemResponse(answer, target.path)
    // Bun leaves the date out of answers to HEAD.
    if (request.method === 'HEAD') response.headers.set('Date', new Date().toUTCString())
    return response
  }
}

type Target = { readonly path: string; readonly query: string }

/** The URL is absolute, or just the target of the request where the Host makes no URL. */
function splitUrl(url: string): Target {
  const scheme = url.startsWith('/') ? -1 : url.indexOf('://')
  const start = scheme === -1 ? 0 : Math.max(url.indexOf('/', scheme + 3), 0)
  const mark = url.indexOf('?', start)
  return mark === -1
    ? { path: url.slice(start), query: '' }
    : { path: url.slice(start, mark), query: url.slice(mark + 1) }
}

function answerOrCatch(
  context: AppContext,
  request: Request,
  target: Target,
  connection: Connection,
): Response | Problem {
  try {
    return sizeProblem(request) ?? route(context, request, target, connection)
  } catch (error) {
    context.logError(error, request)
    return { kind: 'internal-error' }
  }
}

function sizeProblem(request: Request): Problem | undefined {
  const length = request.url.length
  if (length > MOST_URL) return { kind: 'uri-too-long', length, most: MOST_URL }
  const count = request.headers.count
  return count > MOST_HEADERS ? { kind: 'too-many-headers', count, most: MOST_HEADERS } : undefined
}

function route(context: AppContext, request: Request, target: Target, connection: Connection): Response | Problem {
  const { method, headers } = request
  const found = routes.get(target.path)
  if (method !== 'GET' && method !== 'HEAD') return otherMethod(method, target.path)
  if (found === undefined) return elsewhere(target)
  const baseUrl = baseUrlOf(context.policy, headers, connection)
  if (typeof baseUrl !== 'string') return baseUrl
  return found(context.release(), { query: target.query, headers, baseUrl })
}

const PREFLIGHT = {
  'Access-Control-Allow-Methods': ALLOW,
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const

function otherMethod(method: string, path: string): Response | Problem {
  if (!routes.has(path) && !routes.has(withoutSlash(path))) return { kind: 'not-found', known: paths }
  if (method !== 'OPTIONS') return { kind: 'method-not-allowed', method }
  return new Response(null, { headers: { ...COMMON_HEADERS, ...PREFLIGHT } })
}

const withoutSlash = (path: string) => path.replace(/\/$/, '')

/** Only a path that is known without its last slash is redirected, so that no one can be sent elsewhere. */
function elsewhere({ path, query }: Target): Response | Problem {
  const trimmed = withoutSlash(path)
  if (!routes.has(trimmed)) return { kind: 'not-found', known: paths }
  // Where the Host makes no URL the query comes as it was sent, and a header holds nothing beyond ASCII.
  const location = query === '' ? trimmed : `${trimmed}?${query.replace(/[^\x21-\x7e]/gu, encodeURIComponent)}`
  return new Response(null, { status: 308, headers: { ...COMMON_HEADERS, Location: location } })
}
