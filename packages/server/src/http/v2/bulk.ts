// All records that a request finds in one response: a whole collection, or some of it. An interrupted download can be
// resumed with a range.

import { bulkPieces } from '../../query/bulk.ts'
import { type Found, find, type Query } from '../../query/finder.ts'
import { type Rendition, recordFormats } from '../../query/formats/formats.ts'
import { isWhole } from '../../query/formats/selection.ts'
import { DISTANCE, distanceFrom } from '../../query/near.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { cachedResponse, smallResponse } from './cached-response.ts'
import { MAX_PER_PAGE } from './parameter-definitions.ts'
import { findParent, isBelow } from './record-key.ts'
import type { BulkRequest, ListRequest } from './request.ts'
import type { ChosenRelease } from './response.ts'
import type { ResponseCache } from './response-cache.ts'

/** A collection whose records take no more room is rendered for every request, like a page. */
const SMALL_BYTES = 1 << 16

export function bulkResponse(
  cache: ResponseCache | undefined,
  request: HttpRequest,
  chosen: ChosenRelease,
  wanted: BulkRequest,
): HttpResponse | Promise<HttpResponse> {
  const { release } = chosen
  const { rendition, encoding } = wanted
  const { format, facts } = rendition
  const entity = release.entity(wanted.entity.name)
  const { query, parentId } = queryWithin(release, wanted)
  // A whole collection is read from beginning to end, without a list of what is in it.
  const found = findsAll(query) ? undefined : find(release, wanted.entity.name, query)
  const total = found?.total ?? entity.count
  const ownMembers = distanceMember(entity, query)
  const pieces = () => bulkPieces(entity, rendition, { positions: found?.slice(0, total), ownMembers })
  const name = wanted.parent === undefined ? '' : `${wanted.parent.entity.plural}-${parentId}-`
  const headers = {
    'Content-Disposition': `attachment; filename="${name}${wanted.entity.plural}-${release.digest.slice(0, 12)}.${format}"`,
    'X-Total': String(total),
  }
  const form = { format, encoding, headers }
  if (entity.stored === undefined || isSmall(entity, found)) return smallResponse(request, chosen, form, { pieces })
  // Words are also looked for in what belongs to the release and not to this entity.
  const digest = query.words.length === 0 ? entity.stored.digest : release.digest
  const key = ['bulk', digest, format, facts, ...keyOf(query, rendition)]
  return cachedResponse(cache, request, chosen, form, { key, madeFrom: [digest], minLength: total, pieces })
}

/** The query for the records of an entity; of those below one record, that one must be there. */
export function queryWithin(release: Release, { parent, by, query }: Pick<ListRequest, 'parent' | 'by' | 'query'>) {
  if (parent === undefined) return { query, parentId: undefined }
  const parentId = findParent(release, parent, by)
  return { query: { ...query, filters: [isBelow(parent, parentId), ...query.filters] }, parentId }
}

/** How far from a point a record is, where that is asked for. */
export function distanceMember(entity: OpenEntity, { near }: Query): ((position: number) => object) | undefined {
  if (near === undefined) return undefined
  const distance = distanceFrom(entity, near)
  return (position) => ({ [DISTANCE]: distance(position) })
}

const findsAll = ({ filters, words, sorts, near }: Query): boolean =>
  filters.length + words.length + sorts.length === 0 && near === undefined

/** Many different queries that find little must not fill the cache with small files. */
const isSmall = ({ stored }: OpenEntity, found: Found | undefined): boolean =>
  found === undefined ? (stored?.manifest.files.records.size ?? 0) <= SMALL_BYTES : found.total <= MAX_PER_PAGE

/** What tells a body from that of the whole collection: the same for queries that mean the same. */
function keyOf(query: Query, rendition: Rendition): string[] {
  if (findsAll(query) && isWhole(rendition)) return []
  const filters = query.filters.map(({ steps, match, values }) =>
    JSON.stringify([steps, match, [...new Set(values)].sort()]),
  )
  return [JSON.stringify([rendition.embed, fieldsOf(rendition), { ...query, filters: filters.sort() }])]
}

/** Only the columns of CSV stand in the order in which the fields are named. */
const fieldsOf = ({ format, fields = [] }: Rendition): readonly string[] =>
  recordFormats[format].hasColumns ? fields : fields.toSorted()
