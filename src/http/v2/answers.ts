// Puts an answer of API v2 together: form and coding as negotiated, validators, caching.
import { ALLOW, CACHE_CONTROL, type Headers } from '../../page/page-headers.ts'
import { CONTENT_TYPES, FORMATS, type Format } from '../../page/rendition.ts'
import type { Release } from '../../release/release.ts'
import { isNotModified } from '../conditional.ts'
import { type Answer, type Asked, headerLines } from '../exchange.ts'
import { compressed, LEAST_BYTES } from './compress.ts'
import { acceptedEncoding, acceptedFormat } from './negotiate.ts'
import { oneOf, type Parameters } from './parameters.ts'

export const VARY = 'Accept, Accept-Encoding'
const EXPOSED =
  'X-Page, X-Per-Page, X-Total, X-Total-Pages, X-Release, Link, ETag, Allow, Content-Range, Accept-Ranges, Repr-Digest'
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** What every good answer of API v2 carries. */
export const v2Headers = (contentType: string): Headers => ({
  'Content-Type': contentType,
  Allow: ALLOW,
  Vary: VARY,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
})

/** Where the release is named in the URL, the answer never changes. */
export const releaseHeaders = (release: Release, isNamed: boolean): Headers => ({
  'X-Release': release.manifest.digest,
  'Last-Modified': release.lastModified,
  'Cache-Control': isNamed ? IMMUTABLE : CACHE_CONTROL,
})

export type NotAcceptable = { readonly kind: 'not-acceptable'; readonly accept: string; readonly forms?: string }

/** The parameter goes before the header. */
export function formatOf(parameters: Parameters, { headers }: Asked): Format | NotAcceptable {
  const asked = oneOf(parameters, 'format', FORMATS, undefined)
  const accept = headers.get('accept')
  return asked ?? acceptedFormat(accept, FORMATS) ?? { kind: 'not-acceptable', accept: accept as string }
}

export function jsonAnswer(
  asked: Asked,
  release: Release,
  isNamed: boolean,
  value: unknown,
  headers: Headers = {},
): Answer {
  return bodyAnswer(asked, release, isNamed, 'json', Buffer.from(JSON.stringify(value)), headers)
}

/** The entity tag is that of the bytes before coding, marked with the coding. */
export function bodyAnswer(
  asked: Asked,
  release: Release,
  isNamed: boolean,
  format: Format,
  body: Uint8Array,
  headers: Headers,
): Answer {
  const encoding = body.length < LEAST_BYTES ? undefined : acceptedEncoding(asked.headers.get('accept-encoding'))
  const hash = Bun.hash.xxHash64(body).toString(16).padStart(16, '0')
  const etag = encoding === undefined ? `"${hash}"` : `"${hash}-${encoding}"`
  const head = headerLines({
    ...v2Headers(CONTENT_TYPES[format]),
    ...headers,
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    ETag: etag,
    ...releaseHeaders(release, isNamed),
  })
  if (isNotModified(asked.headers, etag, release.lastModified)) return { status: 304, head, body: undefined }
  return { status: 200, head, body: encoding === undefined ? body : compressed(body, encoding) }
}
