// Responses to methods other than GET and HEAD, and to paths with a trailing slash.

import { emptyResponse, type HttpRequest, type HttpResponse } from './exchange.ts'
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

/** The path must be known without its trailing slash: any other could redirect a client to another host. */
export const redirected = ({ path, query }: HttpRequest): HttpResponse => {
  const trimmed = withoutSlash(path)
  return emptyResponse(308, { ...commonHeadersAt(path), Location: query === '' ? trimmed : `${trimmed}?${query}` })
}
