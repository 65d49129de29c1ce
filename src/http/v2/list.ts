// A page of a list of API v2: found, cut, and rendered as it was asked for.
import { type EntityName, entities } from '../../catalog/entities.ts'
import type { Filter } from '../../find/filter.ts'
import { type Found, find } from '../../find/finder.ts'
import type { PageBeyondLast } from '../../page/page.ts'
import type { Headers } from '../../page/page-headers.ts'
import { bodyOf, recordEncoder } from '../../page/rendition.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { bodyResponse, formatOf, type NotAcceptable } from './answers.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { type ListRequest, readListRequest } from './list-request.ts'
import type { Chosen, OpenReleases, ReleaseGone } from './open-releases.ts'
import { badParameter, type Parameters } from './parameters.ts'

/** The records of an entity, or those below one record: then with the filter that says so. */
export function answerList(
  releases: OpenReleases,
  name: EntityName,
  within: (chosen: Chosen) => readonly Filter[] | undefined,
  request: HttpRequest,
  baseUrl: string,
): HttpResponse | PageBeyondLast | ReleaseGone | NotAcceptable | undefined {
  const entity = entities[name]
  const wanted = readListRequest(entity, request.query)
  const format = formatOf(wanted.parameters, request)
  if (typeof format !== 'string') return format
  const chosen = chosenBy(releases, wanted)
  if ('kind' in chosen) return chosen
  const { release } = chosen
  const filters = within(chosen)
  if (filters === undefined) return undefined
  const found = find(release, name, { ...wanted.query, filters: [...filters, ...wanted.query.filters] })
  const from = startOf(wanted, found)
  const pages = Math.ceil(found.total / wanted.perPage)
  const page = Math.floor(from / wanted.perPage) + 1
  if ('page' in wanted.at && wanted.at.page > Math.max(pages, 1)) {
    return {
      kind: 'page-beyond-last',
      page: wanted.at.page,
      total: found.total,
      totalPages: pages,
      perPage: wanted.perPage,
    }
  }
  const positions = found.slice(from, from + wanted.perPage)
  const records = Array.from(positions, (position) => release.entity(name).records.record(position))
  const body = bodyOf(recordEncoder(entity, { ...wanted.selection, format }), records)
  const last = positions.at(-1)
  const cursor =
    last === undefined || from + records.length >= found.total ? undefined : writeCursor(release.manifest.digest, last)
  const headers = {
    'X-Page': String(page),
    'X-Per-Page': String(wanted.perPage),
    'X-Total': String(found.total),
    'X-Total-Pages': String(pages),
    ...linkHeader(`${baseUrl}${request.path}`, wanted.parameters, {
      page,
      pages,
      from,
      perPage: wanted.perPage,
      cursor,
    }),
  }
  return bodyResponse(request, chosen, format, body, headers)
}

/** A cursor stays in the release in which it was made, so that a walk is exact. */
function chosenBy(releases: OpenReleases, { at, parameters }: ListRequest): Chosen | ReleaseGone {
  const chosen = releases.chosen(parameters)
  if ('kind' in chosen || !('after' in at)) return chosen
  const cursor = readCursor(at.after)
  if (cursor === undefined) throw badCursor(at.after)
  if (chosen.release.manifest.digest.startsWith(cursor.release)) return chosen
  if (parameters.has('release')) throw badParameter('after', at.after, 'a cursor of the same release')
  const digest = releases.digestOf('after', cursor.release)
  if (typeof digest !== 'string') return digest
  const release = releases.open(digest)
  return 'kind' in release ? release : { release, isNamed: false }
}

const badCursor = (after: string) =>
  badParameter('after', after, 'a cursor out of the Link header of a page of the same list')

/** How many of those found come before the page. */
function startOf({ at, perPage }: ListRequest, found: Found): number {
  if ('page' in at) return (at.page - 1) * perPage
  const place = found.placeOf(readCursor(at.after)?.position ?? -1)
  if (place === -1) throw badCursor(at.after)
  return place + 1
}

type Place = {
  readonly page: number
  readonly pages: number
  readonly from: number
  readonly perPage: number
  readonly cursor: string | undefined
}

function linkHeader(url: string, parameters: Parameters, { page, pages, from, perPage, cursor }: Place): Headers {
  if (pages <= 1 && from === 0) return {}
  let kept = ''
  for (const [name, value] of parameters.entries)
    if (name !== 'page' && name !== 'after') kept += `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`
  // A cursor and a number need no encoding.
  const to = (rel: string, name: string, value: string | number) => `<${url}?${kept}${name}=${value}>; rel="${rel}"`
  const links = [to('first', 'page', 1)]
  // After a cursor a page need not begin where numbered pages do; what is before it is then on the same number.
  if (from > 0) links.push(to('prev', 'page', from % perPage === 0 ? page - 1 : page))
  if (cursor !== undefined) links.push(to('next', 'after', cursor))
  links.push(to('last', 'page', Math.max(pages, 1)))
  return { Link: links.join(', ') }
}
