// The real server over the collections of the contract, of the size that it saw or with few localities, and what each page is
// expected to be.
import { afterAll } from 'bun:test'
import type { Release } from '../../packages/server/src/release/release.ts'
import { bodyOf, type Listed, lists, type PublishedRecord, recordsOf } from './expected.ts'
import type { PageFacts } from './expected-responses.ts'
import { fullRelease, fullSource, releaseOf, sourceWithThousands } from './releases.ts'
import { serverForAll } from './server.ts'
import { type HttpResponse, message, send } from './wire.ts'

export type List = {
  readonly path: string
  readonly entity: Listed
  readonly total: number
  readonly pages: number
}

const cache = new Map<Listed, readonly PublishedRecord[]>()
/** The records of a collection, as the contract wants them and in its order. */
export function fullRecords(entity: Listed): readonly PublishedRecord[] {
  const records = cache.get(entity) ?? recordsOf(fullSource, entity)
  cache.set(entity, records)
  return records
}

export async function fullService() {
  // All at once and before the tests, whose time is measured.
  for (const { entity } of lists) fullRecords(entity)
  // Hundreds of thousands of objects would make each collection of garbage slow in the files that this process runs next.
  afterAll(() => cache.clear())
  return serviceOf(await fullRelease(), fullRecords)
}

/** A service with few localities, for tests that need a few pages of each list. */
export async function smallService() {
  const source = sourceWithThousands(1)
  const small = new Map(lists.map(({ entity }) => [entity, recordsOf(source, entity)]))
  const recordsIn = (entity: Listed) => small.get(entity) ?? []
  const sized = lists.map(({ path, entity }): List => {
    const total = recordsIn(entity).length
    return { path, entity, total, pages: Math.ceil(total / 10) }
  })
  return { lists: sized, ...serviceOf(await releaseOf(source), recordsIn) }
}

/** For one test file: the server is closed after its last test, and must have logged nothing. */
function serviceOf(release: Release, recordsIn: (entity: Listed) => readonly PublishedRecord[]) {
  const { url, host } = serverForAll(() => release)
  const request = (method: string, target: string, ...fields: readonly string[]) =>
    message(method, target, `Host: ${host}`, ...fields)
  const get = (target: string, ...fields: readonly string[]): Promise<HttpResponse> =>
    send(url, request('GET', target, ...fields))
  const factsOf = ({ path, entity, total, pages }: List, page: number): PageFacts => {
    const body = bodyOf(recordsIn(entity), page)
    return { base: url, path, page, total, pages, built: release.manifest.built, body }
  }
  return { release, url, request, get, factsOf }
}
