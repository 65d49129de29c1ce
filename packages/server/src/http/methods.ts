// Responses to methods other than GET and HEAD, and to paths with a trailing slash.

import { emptyResponse, type HttpRequest, type HttpResponse } from './exchange.ts'
import { allowedAt } from './posted-paths.ts'
import type { Problem } from './problem.ts'
import { COMMON_HEADERS } from './v1/page-headers.ts'

const preflightAt = (path: string) => ({
  Allow: allowedAt(path),
  'Access-Control-Allow-Methods': allowedAt(path),
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
})

export const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD'

/** For a known path. */
export const otherMethod = ({ method, path }: HttpRequest): HttpResponse | Problem =>
  method === 'OPTIONS'
    ? emptyResponse(200, { ...COMMON_HEADERS, ...preflightAt(path) })
    : { kind: 'method-not-allowed', method }

export const withoutSlash = (path: string): string => path.replace(/\/$/, '')

/** Only for a path that is known without its trailing slash: any other could redirect a client to another host. */
export const redirected = ({ path, query }: HttpRequest): HttpResponse => {
  const trimmed = withoutSlash(path)
  return emptyResponse(308, { ...COMMON_HEADERS, Location: query === '' ? trimmed : `${trimmed}?${query}` })
}
