// All records that a request finds in one response: a whole collection, or some of it. An interrupted download can be
// resumed with a range.

import { valueAt } from '../../base/json.ts'
import { derivedCodesOf } from '../../catalog/official-code.ts'
import { keyPathsOf } from '../../catalog/paths.ts'
import { bulkPieces } from '../../query/bulk.ts'
import { type Found, find, type Query } from '../../query/finder.ts'
import { aboutRecords } from '../../query/formats/about.ts'
import { type Rendition, recordFormats } from '../../query/formats/formats.ts'
import type { RecordFormat } from '../../query/formats/record-format.ts'
import { isWhole } from '../../query/formats/selection.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { attachment } from '../header-fields.ts'
import { cachedResponse, type Making, smallResponse } from './cached-response.ts'
import { distanceMember, languageHeader, queryWithin, refuseTooMany } from './find.ts'
import { MAX_PER_PAGE } from './parameter-definitions.ts'
import { findNamed } from './record-key.ts'
import { publishedRecord } from './record-summary.ts'
import type { BulkRequest } from './request/records-request.ts'
import type { ChosenRelease } from './response.ts'

/** A collection whose records take no more room is rendered for every request, like a page. */
const SMALL_BYTES = 1 << 16

export function bulkResponse(
  making: Making,
  request: HttpRequest,
  chosen: ChosenRelease,
  bulk: BulkRequest,
): HttpResponse | Promise<HttpResponse> {
  const { release } = chosen
  const { rendition, encoding } = bulk
  const { format, facts, forExcel = false, geometry = '' } = rendition
  const { extension = format, saysAbout }: RecordFormat = recordFormats[format]
  const entity = release.entity(bulk.entity.name)
  const query = queryWithin(release, bulk)
  // A whole collection is read from beginning to end, without a list of what is in it.
  const found = findsAll(query) ? undefined : find(release, bulk.entity.name, query)
  const total = found?.total ?? entity.count
  refuseTooMany(bulk, total)
  const ownMembers = distanceMember(entity, bulk.query)
  const pieces = () => bulkPieces(release, entity, rendition, { positions: found?.slice(0, total), ownMembers })
  const headers = {
    ...languageHeader(entity, rendition, found?.slice(0, total)),
    ...attachment(`${nameOf(release, bulk)}${bulk.entity.plural}-${release.digest.slice(0, 12)}.${extension}`),
    'X-Total': String(total),
  }
  const form = { format, encoding, headers }
  if (entity.stored === undefined || isSmall(entity, found)) return smallResponse(request, chosen, form, { pieces })
  // Words are also looked for in ancestors and aliases, which belong to the release.
  const digest = query.words.length === 0 ? entity.stored.digest : release.digest
  const about = saysAbout === true ? [JSON.stringify(aboutRecords(release, bulk.entity))] : []
  // Codes are declared with the program or by a package, and are in no digest of records.
  const codes = derivedCodesOf(bulk.entity).map(({ name }) => name)
  const key = ['bulk', digest, format, facts, forExcel, geometry, codes.join(), ...about, ...keyOf(query, rendition)]
  return cachedResponse(making, request, chosen, form, { key, madeFrom: [digest], minLength: total, pieces })
}

/** The beginning of a file name, after the record that the path names: only signs that any system allows. */
function nameOf(release: Release, { parent, node, entity, by }: BulkRequest): string {
  const named = parent ?? node
  if (named === undefined) return ''
  const owner = parent?.entity ?? entity
  const record = publishedRecord(release, owner.name, findNamed(release, owner, named, by))
  const key = keyPathsOf(owner).map(({ steps }) => String(valueAt(record, steps)).replaceAll(/[^A-Za-z0-9.]+/g, '_'))
  return [owner.plural, ...key, ...(node === undefined ? [] : [node.axis]), ''].join('-')
}

const findsAll = ({ filters, words, sorts, near, ancestorsOf }: Query): boolean =>
  filters.length + words.length + sorts.length === 0 && near === undefined && ancestorsOf === undefined

/** True for a body that is not cached: many queries that find little must not fill the cache with small files. */
const isSmall = ({ stored }: OpenEntity, found: Found | undefined): boolean =>
  found === undefined ? (stored?.manifest.files.records.size ?? 0) <= SMALL_BYTES : found.total <= MAX_PER_PAGE

/** Tells a body apart from that of the whole collection. Queries that mean the same have the same. */
function keyOf(query: Query, rendition: Rendition): string[] {
  if (findsAll(query) && isWhole(rendition)) return []
  const filters = query.filters.map(({ steps, match, values }) =>
    JSON.stringify([steps, match, [...new Set(values)].sort()]),
  )
  const { embed, language } = rendition
  return [JSON.stringify([embed, fieldsOf(rendition), { ...query, filters: filters.sort() }, language])]
}

/** Only columns keep the order in which the fields are named. */
const fieldsOf = ({ format, fields = [] }: Rendition): readonly string[] =>
  recordFormats[format].hasColumns ? fields : fields.toSorted()
