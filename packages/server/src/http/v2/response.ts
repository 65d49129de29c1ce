// Puts a response of API v2 together: every header, validators, caching and compression.
import { brotliCompressSync, constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib'
import { contentTypeOf, type FormatName } from '../../query/formats/formats.ts'
import type { Release } from '../../release/release.ts'
import { evaluateConditions } from '../conditional.ts'
import {
  CACHE_CONTROL,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  totalHeaders,
  V2_COMMON_HEADERS,
} from '../exchange.ts'
import { headerLines } from '../header-fields.ts'
import { ProblemError } from '../problem.ts'
import type { ListPage } from './find.ts'
import { acceptedEncoding, type ContentCoding } from './negotiate.ts'
import type { QueryPairs } from './request/query-string.ts'

const PLAIN_TEXT = 'text/plain; charset=utf-8'

const IMMUTABLE = 'public, max-age=31536000, immutable'

/** The release that a response is read from. */
export type ChosenRelease = {
  readonly release: Release
  /** True if the request names it by its whole digest: then the response never changes. */
  readonly isNamed: boolean
  /** True if the response also depends on something else, such as the current release: then it has no date. */
  readonly isUndated?: boolean
  /** True if the response has the address that the request was sent to, which anyone may choose. */
  readonly isAddressed?: boolean
}

export type Representation = {
  readonly format: FormatName | 'text'
  readonly encoding: ContentCoding | undefined
  /** Made for this response alone. */
  readonly body: Uint8Array
  /** The headers that only this kind of response has. */
  readonly headers?: Headers
}

export const jsonResponse = (request: HttpRequest, chosen: ChosenRelease, value: unknown): HttpResponse =>
  textResponse(request, chosen, Buffer.from(JSON.stringify(value)), 'json')

export const textResponse = (
  request: HttpRequest,
  chosen: ChosenRelease,
  body: Uint8Array,
  format: Representation['format'] = 'text',
): HttpResponse =>
  bodyResponse(request, chosen, { format, encoding: acceptedEncoding(request.headers.get('accept-encoding')), body })

/** A smaller body fits into one packet anyway. */
export const MIN_COMPRESSED_BYTES = 1_000

export function bodyResponse(
  request: HttpRequest,
  chosen: ChosenRelease,
  { encoding: accepted, body, ...form }: Representation,
): HttpResponse {
  const encoding = body.length < MIN_COMPRESSED_BYTES ? undefined : accepted
  const bytes = () => (encoding === undefined ? body : compressed(body, encoding))
  return validatedResponse(request, chosen, { ...form, encoding, hash: contentHash(body), body: bytes, ownsBody: true })
}

type Validated = Omit<Representation, 'body'> & {
  /** The hash of the bytes before compression. */
  readonly hash: string
  readonly body: () => Exclude<HttpResponse['body'], undefined>
} & Pick<HttpResponse, 'ownsBody'>

/** A 304 if the client has the bytes under their tag, which is that before compression, marked with the encoding. */
export function validatedResponse(
  request: HttpRequest,
  chosen: ChosenRelease,
  { format, encoding, headers = {}, hash, body, ownsBody = false }: Validated,
): HttpResponse {
  const etag = entityTag(hash, encoding)
  const head = responseHead(chosen, { format, encoding, headers }, etag)
  const condition = evaluateConditions(request.headers, etag, chosen.isUndated ? '' : chosen.release.lastModified)
  if (typeof condition === 'object') throw new ProblemError({ kind: 'precondition-failed', header: condition.failed })
  if (condition === 'not-modified') return { status: 304, head, body: undefined }
  return { status: 200, head, body: body(), ownsBody }
}

export const contentHash = (body: Uint8Array): string => Bun.hash.xxHash64(body).toString(16).padStart(16, '0')

export const entityTag = (hash: string, encoding: ContentCoding | undefined): string =>
  encoding === undefined ? `"${hash}"` : `"${hash}-${encoding}"`

/** Every header of a response of API v2 that succeeds. */
export const responseHead = (
  { release, isNamed, isUndated = false, isAddressed = false }: ChosenRelease,
  { format, encoding, headers = {} }: Omit<Representation, 'body'>,
  etag: string | undefined,
): string =>
  headerLines({
    'Content-Type': format === 'text' ? PLAIN_TEXT : contentTypeOf(format),
    ...V2_COMMON_HEADERS,
    ...headers,
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    ...(etag === undefined ? {} : { ETag: etag }),
    'X-Release': release.digest,
    ...(isUndated ? {} : { 'Last-Modified': release.lastModified }),
    // A cache must not keep for a year a response with an address that one client made up.
    'Cache-Control': isNamed && !isAddressed ? IMMUTABLE : CACHE_CONTROL,
  })

/** Every header of a response to a POST, which has no validators, and which no cache keeps. */
export const postedHead = (release: Release, encoding: ContentCoding | undefined, headers: Headers): string =>
  headerLines({
    ...V2_COMMON_HEADERS,
    ...headers,
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    'X-Release': release.digest,
    'Cache-Control': 'no-store',
  })

/** Headers of a page of a list: its number, the totals, and links to other pages of the same query. */
export const listHeaders = (page: ListPage, url: string, query: QueryPairs): Headers => ({
  'X-Page': String(page.page),
  ...totalHeaders(page.total, page.totalPages, page.perPage),
  ...linkHeader(page, url, query),
})

function linkHeader({ page, perPage, totalPages, start, next }: ListPage, url: string, query: QueryPairs): Headers {
  if (totalPages <= 1 && start === 0) return {}
  let kept = ''
  for (const [name, value] of query)
    if (name !== 'page' && name !== 'after') kept += `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`
  // A cursor and a number need no encoding.
  const to = (rel: string, name: string, value: string | number) => `<${url}?${kept}${name}=${value}>; rel="${rel}"`
  const links = [to('first', 'page', 1)]
  // A page after a cursor may begin in the middle of a numbered page: then that one has the records before it.
  if (start > 0) links.push(to('prev', 'page', start % perPage === 0 ? page - 1 : page))
  if (next !== undefined) links.push(to('next', 'after', next))
  links.push(to('last', 'page', Math.max(totalPages, 1)))
  return { Link: links.join(', ') }
}

/** Levels that cost about as much time as they save on a fast network. */
const GZIP = 5
const ZSTD = 3
const BROTLI = 4
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI, [constants.BROTLI_PARAM_LGWIN]: 20 } }

const compressors = {
  gzip: {
    whole: (body: Uint8Array<ArrayBuffer>) => Bun.gzipSync(body, { level: GZIP }),
    stream: () => createGzip({ level: GZIP }),
  },
  zstd: {
    whole: (body: Uint8Array<ArrayBuffer>) => Bun.zstdCompressSync(body, { level: ZSTD }),
    stream: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD } }),
  },
  br: {
    whole: (body: Uint8Array<ArrayBuffer>) => brotliCompressSync(body, brotli),
    stream: () => createBrotliCompress(brotli),
  },
}

export const compressed = (body: Uint8Array, encoding: ContentCoding): Uint8Array =>
  compressors[encoding].whole(body as Uint8Array<ArrayBuffer>)

/** Pulls the next chunk only when the one before is compressed, so that its bytes may be used again. */
export async function* compressedChunks(
  chunks: AsyncIterable<Uint8Array>,
  encoding: ContentCoding,
): AsyncGenerator<Uint8Array> {
  const stream = compressors[encoding].stream()
  const ready: Uint8Array[] = []
  const failed = new Promise<never>((_, reject) => stream.on('error', reject))
  // It may fail while nothing awaits it.
  failed.catch(() => {})
  const ended = new Promise<void>((resolve) => stream.on('end', resolve))
  stream.on('data', (bytes) => void ready.push(bytes))
  const written = (chunk: Uint8Array) => new Promise<void>((resolve) => stream.write(chunk, () => resolve()))
  try {
    for await (const chunk of chunks) {
      await Promise.race([written(chunk), failed])
      yield* ready.splice(0)
    }
    stream.end()
    await Promise.race([ended, failed])
    yield* ready
  } finally {
    stream.destroy()
  }
}
