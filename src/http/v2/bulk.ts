// A whole collection of API v2 in one answer, which can be gone on with after an interruption.
import { type EntityName, entities } from '../../catalog/entities.ts'
import { bulkFacts, bulkPieces } from '../../page/bulk.ts'
import { headerLines } from '../../page/page-headers.ts'
import { CONTENT_TYPES } from '../../page/rendition.ts'
import { isNotModified } from '../conditional.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { formatOf, type NotAcceptable, releaseHeaders, v2Headers } from './answers.ts'
import { compressedPieces } from './compress.ts'
import { acceptedEncoding, type Encoding } from './negotiate.ts'
import type { OpenReleases, ReleaseGone } from './open-releases.ts'
import { bulkParameters } from './parameter-definitions.ts'
import { readParameters } from './parameters.ts'
import { readRange } from './range.ts'

export type RangeNotSatisfiable = { readonly kind: 'range-not-satisfiable'; readonly length: number }

export async function answerAll(
  releases: OpenReleases,
  name: EntityName,
  request: HttpRequest,
): Promise<HttpResponse | ReleaseGone | NotAcceptable | RangeNotSatisfiable> {
  const parameters = readParameters(request.query, bulkParameters)
  const format = formatOf(parameters, request)
  if (typeof format !== 'string') return format
  const chosen = releases.chosen(parameters)
  if ('kind' in chosen) return chosen
  const { release } = chosen
  const facts = await bulkFacts(release, name, format)
  // Who wants a part of it wants it as it is: a coding has other bytes.
  const encoding =
    request.headers.get('range') === undefined ? acceptedEncoding(request.headers.get('accept-encoding')) : undefined
  const hash = Buffer.from(facts.sha256, 'base64').toString('hex', 0, 8)
  const etag = encoding === undefined ? `"${hash}"` : `"${hash}-${encoding}"`
  const headers = {
    ...v2Headers(CONTENT_TYPES[format]),
    'Content-Disposition': `attachment; filename="${entities[name].plural}-${release.manifest.digest.slice(0, 12)}.${format}"`,
    'X-Total': String(release.entity(name).records.count),
    // A coding made in pieces need not come out the same every time.
    ETag: encoding === undefined ? etag : `W/${etag}`,
    ...releaseHeaders(chosen),
  }
  const pieces = (range?: readonly [number, number]) => bulkPieces(release, name, format, facts, range)
  if (isNotModified(request.headers, etag, release.lastModified)) {
    return { status: 304, head: headerLines(headers), body: undefined }
  }
  if (encoding !== undefined) return encoded(headers, encoding, () => pieces())
  const whole = { ...headers, 'Accept-Ranges': 'bytes', 'Repr-Digest': `sha-256=:${facts.sha256}:` }
  const range = isSame(request, etag, release.lastModified)
    ? readRange(request.headers.get('range'), facts.length)
    : undefined
  if (range === 'beyond') return { kind: 'range-not-satisfiable', length: facts.length }
  if (range === undefined) {
    return { status: 200, head: headerLines(whole), body: { length: facts.length, chunks: () => pieces() } }
  }
  const [from, to] = range
  const part = { ...whole, 'Content-Range': `bytes ${from}-${to - 1}/${facts.length}` }
  return { status: 206, head: headerLines(part), body: { length: to - from, chunks: () => pieces(range) } }
}

/** If-Range: a part is only of use if the rest is still what the client has. */
function isSame({ headers }: HttpRequest, etag: string, lastModified: string): boolean {
  const condition = headers.get('if-range')
  return condition === undefined || condition === etag || condition === lastModified
}

/** The digest of a coding is known when it has been sent, and so comes after it. */
function encoded(
  headers: Record<string, string>,
  encoding: Encoding,
  pieces: () => AsyncIterable<Uint8Array>,
): HttpResponse {
  const hasher = new Bun.CryptoHasher('sha256')
  async function* chunks() {
    for await (const chunk of compressedPieces(pieces(), encoding)) {
      hasher.update(chunk)
      yield chunk
    }
  }
  const body = {
    length: undefined,
    chunks,
    trailers: () => ({ 'Repr-Digest': `sha-256=:${hasher.digest('base64')}:` }),
    trailerNames: ['Repr-Digest'],
  }
  return { status: 200, head: headerLines({ ...headers, 'Content-Encoding': encoding }), body }
}
