// The routes of API v1.
import { type Collection, collections, V1_PATH } from '../catalog/collections.ts'
import { readPage } from '../page/page.ts'
import { CACHE_CONTROL, COMMON_HEADERS } from '../page/page-headers.ts'
import { pageRequest } from '../page/page-request.ts'
import type { Release } from '../release/release.ts'
import { pageResponse } from './page-response.ts'
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
  return pageResponse(page, asked.baseUrl, asked.headers)
}

function listCollections(_release: Release, { baseUrl }: Asked): Response {
  const urls = collections.map(({ name, path }) => [name, `${baseUrl}${path}`])
  return new Response(JSON.stringify(Object.fromEntries(urls)), {
    headers: { 'Content-Type': 'application/json', ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL },
  })
}
