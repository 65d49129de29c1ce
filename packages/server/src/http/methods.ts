// Responses to methods other than GET and HEAD, and to paths that have become others.

import { emptyResponse, type Headers, type HttpRequest, type HttpResponse } from './exchange.ts'
import { ProblemError } from './problem.ts'
import { allowedAt, commonHeadersAt } from './routes.ts'

const preflightAt = (path: string) => ({
  Allow: allowedAt(path),
  'Access-Control-Allow-Methods': allowedAt(path),
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
})

/** The response to another method at a known path: only OPTIONS is allowed. */
export function otherMethod({ method, path }: HttpRequest): HttpResponse {
  if (method !== 'OPTIONS') throw new ProblemError({ kind: 'method-not-allowed', method })
  return emptyResponse(200, { ...commonHeadersAt(path), ...preflightAt(path) })
}

export const withoutSlash = (path: string): string => path.replace(/\/$/, '')

/** The response to a path that has become another one, which must be known: any other could redirect a client to another host. */
export const redirected = (
  { path, query }: HttpRequest,
  to = withoutSlash(path),
  headers: Headers = {},
): HttpResponse =>
  emptyResponse(308, { ...commonHeadersAt(path), ...headers, Location: query === '' ? to : `${to}?${query}` })
