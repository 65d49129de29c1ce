// Responses to methods other than GET and HEAD, and to paths with a trailing slash.
import { COMMON_HEADERS } from '../page/page-headers.ts'
import { emptyResponse, type HttpRequest, type HttpResponse } from './exchange.ts'
import { allowAt, withoutSlash } from './posted-paths.ts'
import type { Problem } from './problem.ts'

const PREFLIGHT = {
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const

export const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD'

/** For a known path. */
export function otherMethod({ method, path }: HttpRequest): HttpResponse | Problem {
  if (method !== 'OPTIONS') return { kind: 'method-not-allowed', method }
  const allow = allowAt(path)
  return emptyResponse(200, { ...COMMON_HEADERS, Allow: allow, 'Access-Control-Allow-Methods': allow, ...PREFLIGHT })
}

/** Only for a path that is known without its trailing slash: any other could redirect a client to another host. */
export const redirected = ({ path, query }: HttpRequest): HttpResponse => {
  const trimmed = withoutSlash(path)
  return emptyResponse(308, { ...COMMON_HEADERS, Location: query === '' ? trimmed : `${trimmed}?${query}` })
}
