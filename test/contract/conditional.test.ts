// A client that has a page already gets a 304 with the headers of the page and no body, in every collection.
import { describe, expect, test } from 'bun:test'
import { smallService } from '../support/contract-service.ts'
import { notModifiedResponse, pageResponse } from '../support/expected-responses.ts'
import { sendAll } from '../support/wire.ts'

const { lists, release, url, request, get, factsOf } = await smallService()

const LONG_AGO = 'If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT'
const FAR_AHEAD = 'If-Modified-Since: Fri, 31 Dec 9999 23:59:59 GMT'
const built = new Date(release.manifest.built)

type Fields = (tag: string) => readonly string[]

const known: readonly (readonly [name: string, Fields])[] = [
  ['its own tag', (tag) => [`If-None-Match: ${tag}`]],
  ['its own tag, weak', (tag) => [`If-None-Match: W/${tag}`]],
  ['a list with its tag last', (tag) => [`If-None-Match: "a", W/"b" ,${tag}`]],
  ['a list with its tag first', (tag) => [`If-None-Match: ${tag},"0123456789abcdef"`]],
  ['a list with its tag weak in the middle', (tag) => [`If-None-Match: "a,b", W/${tag}, "c"`]],
  ['any tag', () => ['If-None-Match: *']],
  ['its own tag, and an old date that does not count', (tag) => [`If-None-Match: ${tag}`, LONG_AGO]],
  ['its date', () => [`If-Modified-Since: ${built.toUTCString()}`]],
]

const unknown: readonly (readonly [name: string, Fields])[] = [
  ['another tag', () => ['If-None-Match: "0123456789abcdef"']],
  ['a list of other tags', () => ['If-None-Match: "0123456789abcdef", W/"x", ""']],
  ['its tag without quotes', (tag) => [`If-None-Match: ${tag.replaceAll('"', '')}`]],
  ['a tag that only contains its own', (tag) => [`If-None-Match: "W/${tag.replaceAll('"', '')}"`]],
  ['half a tag', () => ['If-None-Match: "']],
  ['an empty list', () => ['If-None-Match:']],
  ['another tag, and a late date that does not count', () => ['If-None-Match: "x"', FAR_AHEAD]],
  ['a later date, which a release may have that was rolled back', () => [FAR_AHEAD]],
  ['an earlier date', () => [LONG_AGO]],
  ['the second before', () => [`If-Modified-Since: ${new Date(built.getTime() - 1_000).toUTCString()}`]],
  ['a date that is none', () => ['If-Modified-Since: yesterday']],
]

const expected: readonly (readonly [name: string, Fields])[] = [
  ['its own tag', (tag) => [`If-Match: ${tag}`]],
  ['a list with its tag', (tag) => [`If-Match: "a", ${tag}`]],
  ['any tag', () => ['If-Match: *']],
  ['its date', () => [`If-Unmodified-Since: ${built.toUTCString()}`]],
  ['a date that is none', () => ['If-Unmodified-Since: yesterday']],
]

const unexpected: readonly (readonly [name: string, Fields])[] = [
  ['another tag', () => ['If-Match: "0123456789abcdef"']],
  ['its own tag, weak', (tag) => [`If-Match: W/${tag}`]],
  ['another tag, although it has this page', (tag) => ['If-Match: "a"', `If-None-Match: ${tag}`]],
  ['an earlier date', () => ['If-Unmodified-Since: Sat, 01 Jan 2000 00:00:00 GMT']],
]

const tagOf = async (target: string) => (await get(target)).headers.ETag ?? 'no tag'

describe.each(lists)('$path', (list) => {
  const { path, pages } = list

  test.each(known)('304 for %s', async (_, fields) => {
    const target = `${path}?page=${pages}`
    const tag = await tagOf(target)
    const notModified = notModifiedResponse(factsOf(list, pages))
    const tagged = { ...notModified, headers: { ...notModified.headers, ETag: tag } }
    const requests = ['GET', 'HEAD'].map((method) => request(method, target, ...fields(tag)))
    const responses = await sendAll(url, ...requests, request('GET', target))
    expect(responses).toEqual([tagged, tagged, pageResponse(factsOf(list, pages))])
  })

  test.each(unknown)('200 for %s', async (_, fields) => {
    expect(await get(path, ...fields(await tagOf(path)))).toEqual(pageResponse(factsOf(list, 1)))
  })

  test.each(expected)('200 for a client that expects %s', async (_, fields) => {
    expect(await get(path, ...fields(await tagOf(path)))).toEqual(pageResponse(factsOf(list, 1)))
  })

  test.each(unexpected)('412 for a client that expects %s', async (_, fields) => {
    const { status, headers, body } = await get(path, ...fields(await tagOf(path)))
    expect([status, headers.ETag, JSON.parse(body).type]).toEqual([
      412,
      undefined,
      'urn:nomenclator:problem:precondition-failed',
    ])
  })

  test('200 for the second page when only the first is known', async () => {
    const tag = await tagOf(path)
    expect(await get(`${path}?page=2`, `If-None-Match: ${tag}`)).toEqual(pageResponse(factsOf(list, 2)))
  })

  test.each(['page=0', 'page=999999', 'format=xml'])('a problem is never 304: %s', async (query) => {
    const { status } = await get(`${path}?${query}`, 'If-None-Match: *', FAR_AHEAD)
    expect(status).toBe(query === 'page=999999' ? 404 : 400)
  })
})
