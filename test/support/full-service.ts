// The real server over a catalog of the size that the contract saw, with what it is expected to response.
import { afterAll, expect } from 'bun:test'
import { bodyOf, type Listed, lists, type PublishedRecord, recordsOf } from './expected.ts'
import type { PageFacts } from './expected-responses.ts'
import { fullRelease, fullSource } from './releases.ts'
import { serverOf } from './server.ts'
import { type HttpResponse, message, send } from './wire.ts'

export type List = (typeof lists)[number]

const cache = new Map<Listed, readonly PublishedRecord[]>()
/** The records of a collection, as the contract wants them and in its order. */
export function fullRecords(entity: Listed): readonly PublishedRecord[] {
  const records = cache.get(entity) ?? recordsOf(fullSource, entity)
  cache.set(entity, records)
  return records
}

/** A server for one test file, which closes it after its last test; it must have logged nothing. */
export async function fullService() {
  const release = await fullRelease()
  // All at once and before the tests, whose time is measured.
  for (const { entity } of lists) fullRecords(entity)
  const { url, host, logged, close } = serverOf(() => release)
  afterAll(async () => {
    // Hundreds of thousands of objects would make each collection of garbage slow in the files that this process runs next.
    cache.clear()
    await close()
    expect(logged).toEqual([])
  })
  const request = (method: string, target: string, ...fields: readonly string[]) =>
    message(method, target, `Host: ${host}`, ...fields)
  const get = (target: string, ...fields: readonly string[]): Promise<HttpResponse> =>
    send(url, request('GET', target, ...fields))
  const factsOf = ({ path, entity, total, pages }: List, page: number): PageFacts => {
    const body = bodyOf(fullRecords(entity), page)
    return { base: url, path, page, total, pages, built: release.manifest.built, body }
  }
  return { release, url, request, get, factsOf }
}
