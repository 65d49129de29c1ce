// Puts an answer of API v2 together: form and coding as negotiated, validators, caching.
import { CACHE_CONTROL, type Headers, headerLines, V2_COMMON_HEADERS } from '../../page/page-headers.ts'
import { CONTENT_TYPES, FORMATS, type Format } from '../../page/rendition.ts'
import type { Release } from '../../release/release.ts'
import { isNotModified } from '../conditional.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { compressed, LEAST_BYTES } from './compress.ts'
import { acceptedEncoding, acceptedFormat } from './negotiate.ts'
import { oneOf, type Parameters } from './parameters.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'

/** What every good answer of API v2 carries. */
export const v2Headers = (contentType: string): Headers => ({ 'Content-Type': contentType, ...V2_COMMON_HEADERS })

/** What an answer is taken from, and whether the request named it: then the answer never changes. */
export type From = {
  readonly release: Release
  readonly isNamed: boolean
  /** Not all that is told of a release is as old as it: whether it is the current one may change. */
  readonly isUndated?: boolean
}

export const releaseHeaders = ({ release, isNamed, isUndated = false }: From): Headers => ({
  'X-Release': release.manifest.digest,
  ...(isUndated ? {} : { 'Last-Modified': release.lastModified }),
  'Cache-Control': isNamed ? IMMUTABLE : CACHE_CONTROL,
})

export type NotAcceptable = { readonly kind: 'not-acceptable'; readonly accept: string; readonly forms?: string }

/** The parameter goes before the header. */
export function formatOf(parameters: Parameters, { headers }: HttpRequest): Format | NotAcceptable {
  const request = oneOf(parameters, 'format', FORMATS, undefined)
  const accept = headers.get('accept')
  return request ?? acceptedFormat(accept, FORMATS) ?? { kind: 'not-acceptable', accept: accept as string }
}

export const jsonResponse = (request: HttpRequest, from: From, value: unknown): HttpResponse =>
  bodyResponse(request, from, 'json', Buffer.from(JSON.stringify(value)))

/** The entity tag is that of the bytes before coding, marked with the coding. */
export function bodyResponse(
  request: HttpRequest,
  from: From,
  format: Format,
  body: Uint8Array,
  headers: Headers = {},
): HttpResponse {
  const encoding = body.length < LEAST_BYTES ? undefined : acceptedEncoding(request.headers.get('accept-encoding'))
  const hash = Bun.hash.xxHash64(body).toString(16).padStart(16, '0')
  const etag = encoding === undefined ? `"${hash}"` : `"${hash}-${encoding}"`
  const head = headerLines({
    ...v2Headers(CONTENT_TYPES[format]),
    ...headers,
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    ETag: etag,
    ...releaseHeaders(from),
  })
  const date = from.isUndated ? '' : from.release.lastModified
  if (isNotModified(request.headers, etag, date)) return { status: 304, head, body: undefined }
  return { status: 200, head, body: encoding === undefined ? body : compressed(body, encoding) }
}
