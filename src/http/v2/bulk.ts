// A whole collection in one response. An interrupted download can be resumed with a range.
import type { Entity } from '../../catalog/entity.ts'
import { bulkPieces } from '../../page/bulk.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import type { ResponseCache } from '../response-cache.ts'
import { cachedResponse, smallResponse } from './cached-response.ts'
import type { BulkRequest } from './request.ts'
import type { ChosenRelease } from './response.ts'

/** A collection whose records take no more room is rendered for every request, like a page. */
const SMALL_BYTES = 1 << 16

export function bulkResponse(
  cache: ResponseCache | undefined,
  request: HttpRequest,
  chosen: ChosenRelease,
  { name, plural }: Entity,
  { format, facts, encoding }: BulkRequest,
): HttpResponse | Promise<HttpResponse> {
  const { release } = chosen
  const entity = release.entity(name)
  const pieces = () => bulkPieces(entity, { format, facts })
  const headers = {
    'Content-Disposition': `attachment; filename="${plural}-${release.digest.slice(0, 12)}.${format}"`,
    'X-Total': String(entity.count),
  }
  const form = { format, encoding, headers }
  if (entity.stored === undefined || entity.stored.manifest.files.records.size <= SMALL_BYTES)
    return smallResponse(request, chosen, form, { pieces })
  const { digest } = entity.stored
  const key = ['bulk', digest, format, facts]
  return cachedResponse(cache, request, chosen, form, { key, madeFrom: [digest], minLength: entity.count, pieces })
}
