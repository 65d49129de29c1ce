// Finds the records that a parsed request asks for in a release: which they are, and the JSON of each.
import { checkpoint } from '../../base/checkpoint.ts'
import { broaderOf, type Entity } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import type { Filter } from '../../query/filter.ts'
import { find, type Query } from '../../query/finder.ts'
import { type Rendition, recordFormats, recordReader } from '../../query/formats/formats.ts'
import type { RecordFormat } from '../../query/formats/record-format.ts'
import { languagesShown } from '../../query/formats/shown-names.ts'
import { distanceFrom, distanceNameOf } from '../../query/near.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { badParameter, ProblemError } from '../problem.ts'
import { placeFilters } from './boundary-filters.ts'
import { findNamed, isBelow, namingWork, positionNamed } from './record-key.ts'
import { badCursor, writeCursor } from './request/query-string.ts'
import type { ListRequest } from './request/records-request.ts'
import { countOf, type Work } from './work.ts'

/** A page of a list, without its records. */
export type ListPage = {
  readonly page: number
  readonly perPage: number
  readonly total: number
  readonly totalPages: number
  /** Number of records before it. */
  readonly start: number
  /** The cursor of the page after it; undefined on the last one. */
  readonly next: string | undefined
}

/** A page of a list, and the positions of its records. */
export function findPage(release: Release, list: ListRequest): { page: ListPage; positions: Uint32Array } {
  const { start: at } = list
  const found = find(release, list.entity.name, queryWithin(release, list))
  const { total } = found
  const isWhole = list.wholeUpTo > 0 && (total <= list.wholeUpTo || isHeldWhole(list))
  if (isWhole) refuseTooMany(list, total)
  const perPage = isWhole ? Math.max(total, 1) : list.perPage
  const totalPages = Math.ceil(total / perPage)
  if ('page' in at && at.page > Math.max(totalPages, 1))
    throw new ProblemError({ kind: 'page-beyond-last', page: at.page, total, totalPages, perPage })
  const start = 'page' in at ? (at.page - 1) * perPage : found.placeOf(at.position) + 1
  if ('after' in at && start === 0) throw badCursor(at.after)
  const positions = found.slice(start, start + perPage)
  const last = positions.at(-1)
  const isLast = last === undefined || start + positions.length >= total
  const next = isLast ? undefined : writeCursor(release.digest, last)
  return { page: { page: Math.floor(start / perPage) + 1, perPage, total, totalPages, start, next }, positions }
}

/** True for a format that is a file of its own: pages of it are not to be put together. */
const isHeldWhole = ({ rendition: { format } }: ListRequest) =>
  (recordFormats[format] as RecordFormat).maxRecords !== undefined

/** Refuses more records than the format holds. */
export function refuseTooMany({ entity, rendition }: Pick<Wanted, 'entity' | 'rendition'>, total: number): void {
  const { format } = rendition
  const { maxRecords = Number.POSITIVE_INFINITY }: RecordFormat = recordFormats[format]
  if (total <= maxRecords) return
  const above = ancestorsOf(entity).map(({ entity: { plural } }) => plural)
  const example = above.length === 0 ? '' : `, as below one of ${above.join(' or ')}`
  const allowed = `another format, or filters${example}: ${format} holds ${maxRecords} records, and these are ${total}`
  throw badParameter('format', format, allowed)
}

type Around = Pick<ListRequest, 'entity' | 'parent' | 'node' | 'by' | 'within' | 'query' | 'containing' | 'box'>

/** The query for the records of a list. A record that the path or `within` names must exist. */
export function queryWithin(release: Release, around: Around): Query {
  const { entity, parent, node, by, within, query } = around
  const { filters: inPlace, near } = placeFilters(release, around)
  const filters: Filter[] = [...inPlace]
  let { ancestorsOf } = query
  if (parent !== undefined) filters.push(isBelow(release, parent, findNamed(release, parent.entity, parent, by)))
  if (node !== undefined) {
    const position = findNamed(release, entity, node, by)
    if (node.axis === 'ancestors') ancestorsOf = position
    else filters.push({ steps: [], match: node.axis === 'children' ? 'children' : 'below', values: [position] })
  }
  if (within !== undefined) {
    const position = positionNamed(release, entity, within, 'id') ?? positionNamed(release, entity, within, 'code')
    if (position === undefined)
      throw badParameter(
        'within',
        within.name,
        'the key or the official code of a record that is there, as in its path',
      )
    filters.push({ steps: [], match: 'below', values: [position] })
  }
  return {
    ...query,
    near,
    filters: [...filters, ...query.filters],
    ...(ancestorsOf === undefined ? {} : { ancestorsOf }),
  }
}

/** The records below one take a walk through all of them, and so do ancestors. */
const WALK_TIMES = 10

/** The work of finding the records that the path and the filters of a request mean, besides that of each parameter. */
export function findingWork(release: Release, { entity, parent, node, within, by, query }: Around): Work[] {
  const works: Work[] = []
  if (parent !== undefined) works.push(namingWork(parent.entity, parent, by))
  for (const name of [node, within]) if (name !== undefined) works.push(namingWork(entity, name, by))
  const count = countOf({ release, entity })
  if (parent !== undefined && broaderOf(parent.entity) !== undefined)
    works.push({ touched: WALK_TIMES * countOf({ release, entity: parent.entity }) + count })
  if (node !== undefined) works.push({ touched: node.axis === 'children' ? count : WALK_TIMES * count })
  const conditions = [parent, node, within].filter((one) => one !== undefined).length + query.filters.length
  if (conditions > 1) works.push({ touched: count })
  return works
}

type Wanted = { readonly entity: Entity; readonly rendition: Rendition; readonly query?: Query }

/** The JSON of the records at some positions, each with the members that the request wants besides its fields. */
export function recordJsons(
  release: Release,
  { entity: { name }, rendition, query }: Wanted,
  positions: Iterable<number>,
): Uint8Array[] {
  const entity = release.entity(name)
  const read = recordReader(release, entity, rendition, distanceMember(entity, query))
  return Array.from(positions, (position) => {
    checkpoint()
    return read(entity.records.record(position), position)
  })
}

/** Makes the member with the distance of a record from a point; undefined if the request has no point. */
export function distanceMember(
  entity: OpenEntity,
  { near }: Pick<Query, 'near'> = {},
): ((position: number) => object) | undefined {
  if (near === undefined) return undefined
  const distance = distanceFrom(entity, near)
  const name = distanceNameOf(entity.definition)
  return (position) => ({ [name]: distance(position) })
}

/** The languages in which the names of some records are shown, if the request names one. */
export function languageHeader(
  entity: OpenEntity,
  { language }: Rendition,
  positions: Iterable<number> | undefined,
): { 'Content-Language'?: string } {
  return language === undefined ? {} : { 'Content-Language': languagesShown(entity, language, positions).join(', ') }
}
