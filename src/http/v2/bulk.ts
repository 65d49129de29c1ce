// A whole collection in one response. An interrupted download can be resumed with a range.
import type { Entity } from '../../catalog/entity.ts'
import { bulkChunks, bulkMeta } from '../../page/bulk.ts'
import { type Headers, headerLines } from '../../page/page-headers.ts'
import { isNotModified } from '../conditional.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { ProblemError } from '../problem.ts'
import { type ByteRange, type Encoding, readRange } from './negotiate.ts'
import type { BulkRequest } from './request.ts'
import { type ChosenRelease, compressedChunks, entityTag, streamTag, v2Headers } from './response.ts'

export async function bulkResponse(
  request: HttpRequest,
  chosen: ChosenRelease,
  entity: Entity,
  { format, facts, encoding }: BulkRequest,
): Promise<HttpResponse> {
  const { release } = chosen
  const meta = await bulkMeta(release, entity.name, { format, facts })
  const { length, sha256 } = meta
  const etag = entityTag(Buffer.from(sha256, 'base64').toString('hex', 0, 8), encoding)
  const own = {
    'Content-Disposition': `attachment; filename="${entity.plural}-${release.digest.slice(0, 12)}.${format}"`,
    'X-Total': String(release.entity(entity.name).count),
  }
  const chunks = (range?: ByteRange) => bulkChunks(release, entity.name, { format, facts }, meta, range)
  const head = (headers: Headers) =>
    headerLines(v2Headers(chosen, format, streamTag(etag, encoding), undefined, headers))
  if (isNotModified(request.headers, etag, release.lastModified))
    return { status: 304, head: head(own), body: undefined }
  if (encoding !== undefined)
    return compressedResponse(head({ ...own, 'Content-Encoding': encoding }), encoding, chunks)
  const whole = { ...own, 'Accept-Ranges': 'bytes', 'Repr-Digest': `sha-256=:${sha256}:` }
  const range = isSame(request, etag, release.lastModified)
    ? readRange(request.headers.get('range'), length)
    : undefined
  if (range === undefined) return { status: 200, head: head(whole), body: { length, chunks } }
  if (range === 'beyond') throw new ProblemError({ kind: 'range-not-satisfiable', length })
  const [from, to] = range
  const part = head({ ...whole, 'Content-Range': `bytes ${from}-${to - 1}/${length}` })
  return { status: 206, head: part, body: { length: to - from, chunks: () => chunks(range) } }
}

/** If-Range: a part is of use only if the rest is what the client has. */
function isSame({ headers }: HttpRequest, etag: string, lastModified: string): boolean {
  const condition = headers.get('if-range')
  return condition === undefined || condition === etag || condition === lastModified
}

/** The digest of the compressed bytes is known only after they were sent, and so it comes in a trailer. */
function compressedResponse(head: string, encoding: Encoding, source: () => AsyncIterable<Uint8Array>): HttpResponse {
  const hasher = new Bun.CryptoHasher('sha256')
  async function* chunks() {
    for await (const chunk of compressedChunks(source(), encoding)) {
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
  return { status: 200, head, body }
}
