// The contract of API v1 over a real socket: status, every header and body of pages of every collection.

import { describe, expect, test } from 'bun:test'
import { collections } from '../support/built-in.ts'
import { fullRecords, fullService } from '../support/contract-service.ts'
import { lists } from '../support/expected.ts'
import { headOf, jsonResponse, pageResponse, redirectResponse } from '../support/expected-responses.ts'
import { sendAll } from '../support/wire.ts'

const { release, url, request, get, factsOf } = await fullService()

/** The first two pages, two in the middle and the last two, without repetition. */
function triedPages(pages: number): number[] {
  const middle = Math.ceil(pages / 2)
  const tried = [1, 2, middle, middle + 1, pages - 1, pages]
  return [...new Set(tried)].filter((page) => page >= 1 && page <= pages)
}

describe.each(lists)('$path', (list) => {
  const { path, entity, total, pages } = list
  const tried = triedPages(pages)

  test('has as many records as in the contract', () => expect(fullRecords(entity).length).toBe(total))

  test.each(tried)(`page %i of ${pages}`, async (page) => {
    expect(await get(`${path}?format=api&page=${page}`)).toEqual(pageResponse(factsOf(list, page)))
  })

  test.each(['', '?', '?format=api', '?format=json', '?&', '?&&format=api&', '?Page=2', '?page[]=2'])(
    'page omitted: "%s"',
    async (query) => expect(await get(path + query)).toEqual(pageResponse(factsOf(list, 1))),
  )

  test.each(tried)('HEAD of page %i is GET without the body', async (page) => {
    const target = `${path}?format=api&page=${page}`
    const [head, after] = await sendAll(url, request('HEAD', target), request('GET', target))
    if (head === undefined || after === undefined) throw new Error('a response is missing')
    expect(after).toEqual(pageResponse(factsOf(list, page)))
    expect(head).toEqual(headOf(pageResponse(factsOf(list, page))))
    expect(head.headers.ETag).toBe(after.headers.ETag)
  })

  test('a page is the same however its URL is spelled, and no two pages have the same tag', async () => {
    const [bare, spelled, second, encoded] = await sendAll(
      url,
      request('GET', path),
      request('GET', `${path}?page=1&format=json&x=1`, 'Accept: text/html'),
      request('GET', `${path}?page=2`),
      request('GET', `${path}?page%20=9&p%61ge=%32&%FF=%`),
    )
    expect([encoded?.headers['X-Page'], encoded?.body]).toEqual(['2', second?.body])
    expect(spelled?.headers.ETag).toBe(bare?.headers.ETag)
    expect(second?.headers.ETag).not.toBe(bare?.headers.ETag)
  })
})

test('GET /api/v1 names every collection', async () => {
  const urls = collections.map(({ name }) => [name, `${url}/api/v1/${name}`])
  expect(await get('/api/v1')).toEqual(jsonResponse(JSON.stringify(Object.fromEntries(urls))))
  expect(await get('/api/v1/')).toEqual(redirectResponse('/api/v1'))
})

test('GET / is a page that names the release, and links every list', async () => {
  const { status, headers, body } = await get('/')
  expect([status, headers['Content-Type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(body).toStartWith('<!doctype html>\n<html lang="es">')
  expect(body).toContain(release.digest.slice(0, 8))
  for (const { name, total } of lists.map(({ path, total }) => ({ name: path.split('/').at(-1), total })))
    expect(body).toContain(`<a href="/explore/${name}"><span class="figure">${total.toLocaleString('es-MX')}</span>`)
})
