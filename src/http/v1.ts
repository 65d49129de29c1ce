// The routes of API v1.
import { type Collection, collections, V1_PATH } from '../catalog/collections.ts'
import { readPage } from '../page/page.ts'
import { CACHE_CONTROL, COMMON_HEADERS, pageHeaders } from '../page/page-headers.ts'
import { pageRequest } from '../page/page-request.ts'
import type { Release } from '../release/release.ts'
import { isNotModified } from './conditional.ts'
import type { Problem } from './problem.ts'

export type Asked = {
  readonly query: string
  readonly headers: Headers
  readonly baseUrl: string
}

export type Route = (release: Release, asked: Asked) => Response | Problem

export const v1Routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  [V1_PATH, listCollections],
  ...collections.map((collection): [string, Route] => [
    collection.path,
    (release, asked) => answerPage(release, collection, asked),
  ]),
])

function answerPage(release: Release, collection: Collection, asked: Asked): Response | Problem {
  const wanted = pageRequest(asked.query)
  if (typeof wanted !== 'number') return wanted
  const page = readPage(release, collection, wanted)
  if ('kind' in page) return page
  const headers = pageHeaders(page, asked.baseUrl)
  // The headers of the page go with the 304 too: the totals may have changed while the records did not.
  if (isNotModified(asked.headers, page.etag, page.lastModified)) return new Response(null, { status: 304, headers })
  return new Response(page.body, { headers })
}

function listCollections(_release: Release, { baseUrl }: Asked): Response {
  const urls = collections.map(({ name, path }) => [name, `${baseUrl}${path}`])
  return new Response(JSON.stringify(Object.fromEntries(urls)), {
    headers: { 'Content-Type': 'application/json', ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL },
  })
}
