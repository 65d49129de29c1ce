// Whole responses with every header, as the contract and the decisions beside it want them.

import { expect } from 'bun:test'
import { collections } from './built-in.ts'
import type { HttpResponse } from './wire.ts'

/** Matches any text of this shape. */
const like = (pattern: RegExp) => expect.stringMatching(pattern) as unknown as string

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-3][0-9] [A-Z][a-z]{2} [0-9]{4} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT$/
const STRONG_TAG = /^"[0-9a-f]{16}"$/
const anyDate = { Date: like(HTTP_DATE) }

const common = {
  Allow: 'GET, HEAD, OPTIONS',
  Vary: 'Accept',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow',
}

const lengthOf = (body: string) => ({ 'Content-Length': String(Buffer.byteLength(body)) })

export type PageFacts = {
  readonly base: string
  readonly path: string
  readonly page: number
  readonly total: number
  readonly pages: number
  readonly built: string
  readonly body: string
}

export function pageResponse({ base, path, page, total, pages, built, body }: PageFacts): HttpResponse {
  const links = [
    ...(page > 1 ? [`<${base}${path}?format=api&page=${page - 1}>; rel="prev"`] : []),
    ...(page < pages ? [`<${base}${path}?format=api&page=${page + 1}>; rel="next"`] : []),
  ]
  return {
    status: 200,
    reason: 'OK',
    headers: {
      'Content-Type': 'application/json',
      ...common,
      'X-Page': String(page),
      'X-Per-Page': '10',
      'X-Total': String(total),
      'X-Total-Pages': String(pages),
      ...(links.length > 0 ? { Link: links.join(', ') } : {}),
      ETag: like(STRONG_TAG),
      'Last-Modified': new Date(built).toUTCString(),
      'Cache-Control': 'public, no-cache',
      ...anyDate,
      ...lengthOf(body),
    },
    body,
  }
}

/** The response to a client that has the page already: the same headers, and no body. */
export function notModifiedResponse(facts: PageFacts): HttpResponse {
  const { 'Content-Length': _, ...headers } = pageResponse(facts).headers
  return { status: 304, reason: 'Not Modified', headers, body: '' }
}

const titles = {
  'bad-request': [400, 'Bad Request', 'The request is not sound HTTP'],
  'bad-parameter': [400, 'Bad Request', 'A query parameter has a value that is not allowed'],
  'bad-host': [400, 'Bad Request', 'The request does not say soundly which host it is for'],
  'not-found': [404, 'Not Found', 'There is nothing at this path'],
  'page-beyond-last': [404, 'Not Found', 'The page is beyond the last one'],
  'method-not-allowed': [405, 'Method Not Allowed', 'The method is not allowed: the service is read-only'],
  'uri-too-long': [414, 'URI Too Long', 'The URL is too long'],
  'headers-too-large': [431, 'Request Header Fields Too Large', 'The headers of the request are too large'],
  'internal-error': [500, 'Internal Server Error', 'The service failed to answer'],
} as const

type Kind = keyof typeof titles

export function problemResponse(
  kind: Kind,
  detail: string,
  instance: string,
  more: Record<string, string> = {},
): HttpResponse {
  const [status, reason, title] = titles[kind]
  const body = JSON.stringify({ type: `urn:nomenclator:problem:${kind}`, title, status, detail, instance })
  const type = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' }
  const headers = { ...type, ...common, ...noSniffingAt(instance), ...more, ...anyDate, ...lengthOf(body) }
  return { status, reason, headers, body }
}

/** The header that all responses have except those of API v1. */
const noSniffingAt = (path: string): Record<string, string> =>
  /^\/api\/v1(?:\/|$)/.test(path) ? {} : { 'X-Content-Type-Options': 'nosniff' }

/** The response as the last one of its connection. */
export const closing = ({ headers, ...response }: HttpResponse): HttpResponse => ({
  ...response,
  headers: { ...headers, Connection: 'close' },
})

/** The response to HEAD: without a body. */
export const headOf = (response: HttpResponse): HttpResponse => ({ ...response, body: '' })

/** The response to invalid HTTP, which closes the connection. */
export const refusal = (wrong: string, instance: string): HttpResponse =>
  closing(problemResponse('bad-request', `In the request, ${wrong}.`, instance))

export const INVALID_LINES = 'there is a control character, or a line that does not end with CR LF'
export const PAGE_ALLOWED = 'a whole number from 1, without sign, leading zeros or more than 15 digits, given once'
export const FORMAT_ALLOWED = 'api or json, given once'
export const HOST_DETAIL = 'Host must be one host name or address, with a port if needed, such as example.org:8080.'
const KNOWN = ['/', '/api/v1', ...collections.map(({ path }) => path)].join(', ')
/** The detail of a 404; below the path of API v1 it lists the paths of API v1 only. */
export const notFoundDetail = (path: string, hint = '') =>
  `${hint}Known paths are ${KNOWN}${path.startsWith('/api/v1') ? '' : ', /api/v2, /api/openapi.json'}.`

export const redirectResponse = (location: string): HttpResponse => ({
  status: 308,
  reason: 'Permanent Redirect',
  headers: { ...common, Location: location, ...anyDate, 'Content-Length': '0' },
  body: '',
})

export const optionsResponse: HttpResponse = {
  status: 200,
  reason: 'OK',
  headers: {
    ...common,
    'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '86400',
    ...anyDate,
    'Content-Length': '0',
  },
  body: '',
}

export const jsonResponse = (body: string): HttpResponse => ({
  status: 200,
  reason: 'OK',
  headers: {
    'Content-Type': 'application/json',
    ...common,
    'Cache-Control': 'public, no-cache',
    ...anyDate,
    ...lengthOf(body),
  },
  body,
})
