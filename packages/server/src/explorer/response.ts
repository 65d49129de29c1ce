// Puts the response with a page together: security headers, validators, caching and compression.
import { LruCache } from '../base/lru-cache.ts'
import { evaluateConditions } from '../http/conditional.ts'
import { ALLOW, CACHE_CONTROL, type Headers, type HttpRequest, type HttpResponse } from '../http/exchange.ts'
import { headerLines, NO_SNIFFING } from '../http/header-fields.ts'
import type { Html } from '../http/html.ts'
import { ProblemError } from '../http/problem.ts'
import { acceptedEncoding } from '../http/v2/negotiate.ts'
import { compressed, entityTag } from '../http/v2/response.ts'
import { type LanguageCode, languageCookie } from './language.ts'

/** Everything comes from here, and nothing is inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SECURITY_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  ...NO_SNIFFING,
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const

export const PAGE_VARY = 'Accept, Accept-Encoding, Accept-Language, Cookie'

type PageResponse = {
  readonly status: number
  readonly language: LanguageCode
  /** True if the address names the language, which a cookie then keeps. */
  readonly isLanguageNamed: boolean
  readonly html: Html
  readonly headers?: Headers
}

export function pageResponse(
  request: HttpRequest,
  { status, language, isLanguageNamed, html, headers = {} }: PageResponse,
): HttpResponse {
  const body = Buffer.from(html.text)
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
  const hash = Bun.hash.xxHash64(body).toString(16).padStart(16, '0')
  const etag = entityTag(hash, encoding)
  const isCacheable = status === 200
  const head = headerLines({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    ...SECURITY_HEADERS,
    Allow: ALLOW,
    Vary: PAGE_VARY,
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    ...(isCacheable ? { ETag: etag } : {}),
    // A cookie is for one reader alone.
    'Cache-Control': isCacheable ? (isLanguageNamed ? 'private, no-cache' : CACHE_CONTROL) : 'no-store',
    ...(isLanguageNamed ? { 'Set-Cookie': languageCookie(language) } : {}),
    ...headers,
  })
  if (isCacheable && isUnchanged(request, etag)) return { status: 304, head, body: undefined }
  return {
    status,
    head,
    body: encoding === undefined ? body : compressedPages.get(etag, () => compressed(body, encoding)),
  }
}

/** True if the client has it already. A failed precondition is a 412, as everywhere. */
export function isUnchanged({ headers }: HttpRequest, etag: string): boolean {
  const condition = evaluateConditions(headers, etag, '')
  if (typeof condition === 'object') throw new ProblemError({ kind: 'precondition-failed', header: condition.failed })
  return condition === 'not-modified'
}

/** Many readers open the same pages: each is compressed once. */
const compressedPages = new LruCache<Uint8Array>({
  maxEntries: 256,
  maxWeight: 8_000_000,
  weightOf: ({ length }) => length,
})
