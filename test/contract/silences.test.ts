// Decisions where the contract is silent, named after the question. Refusals are in problems.test.ts.
import { expect, test } from 'bun:test'
import { type List, smallService } from '../support/contract-service.ts'
import { closing, notModifiedResponse, pageResponse } from '../support/expected-responses.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { releaseOf } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'
import { message, send, sendAll, sendUntilClosed } from '../support/wire.ts'

const { lists, release, url, request, get, factsOf } = await smallService()
const [localities, , list] = lists as [List, List, List]
const { path } = list

test('other parameters: ignored', async () => {
  const response = await get(`${path}?_=1700000000&per_page=50&page=2&search=x&ordering=-idPais&page_size=%FF&%00`)
  expect(response).toEqual(pageResponse(factsOf(list, 2)))
})

test('HTTP/1.0: a response, and the connection stays open only on request', async () => {
  const page = pageResponse(factsOf(list, 1))
  const old = (...fields: readonly string[]) => request('GET', path, ...fields).replace('HTTP/1.1', 'HTTP/1.0')
  expect(await sendUntilClosed(url, old(), old())).toEqual([closing(page)])
  const [kept, last] = await sendUntilClosed(url, old('Connection: keep-alive'), old())
  expect([kept, last]).toEqual([{ ...page, headers: { ...page.headers, Connection: 'keep-alive' } }, closing(page)])
})

test('Vary: exactly Accept, on every response, and never a compressed body', async () => {
  for (const target of [path, '/api/v1', '/nowhere', `${path}/`, `${path}?page=0`]) {
    const { headers } = await get(target, 'Accept-Encoding: gzip, deflate, br, zstd')
    expect([target, headers.Vary, headers['Content-Encoding']]).toEqual([target, 'Accept', undefined])
  }
})

test('Accept: JSON whatever its value', async () => {
  const accepts = ['text/html', 'application/xml;q=1, */*;q=0', 'application/json;version=9', '', 'no such thing']
  for (const list of lists)
    for (const accept of accepts)
      expect(await get(list.path, `Accept: ${accept}`)).toEqual(pageResponse(factsOf(list, 1)))
})

test('base_url: configured, otherwise the Host of the request, otherwise the address of the server', async () => {
  const link = (base: string) => `<${base}${path}?format=api&page=2>; rel="next"`
  const configured = serverOf(() => release, { baseUrl: 'https://catalogs.example.org/mirror' })
  const response = await send(configured.url, message('GET', path, 'Host: elsewhere.test'))
  await configured.close()
  expect(response.headers.Link).toBe(link('https://catalogs.example.org/mirror'))
  const fromHost = await send(url, message('GET', path, 'Host: catalogs.test:81', 'X-Forwarded-Host: evil.test'))
  expect(fromHost.headers.Link).toBe(link('http://catalogs.test:81'))
  const old = await send(url, `GET ${path} HTTP/1.0\r\n\r\n`)
  expect(old.headers.Link).toBe(link(url))
})

test('the order of localities: that of the source, in every release of it', async () => {
  const pages = [1, 50, 51, localities.pages]
  const responses = await sendAll(url, ...pages.map((page) => request('GET', `${localities.path}?page=${page}`)))
  expect(responses.map(({ body }) => body)).toEqual(pages.map((page) => factsOf(localities, page).body))
  const [one, two] = [await releaseOf(smallSource(jumbled)), await releaseOf(smallSource(jumbled))]
  expect(two.entity('localidad').records.page(1)).toEqual(one.entity('localidad').records.page(1))
})

test('validators: a strong ETag of the content alone, Last-Modified of the release, 304 for If-None-Match', async () => {
  const page = await get(path)
  expect(page).toEqual(pageResponse(factsOf(list, 1)))
  expect(await get(path, `If-None-Match: ${page.headers.ETag}`)).toEqual(notModifiedResponse(factsOf(list, 1)))
  const tags = await Promise.all(
    [10, 11, 12].map(async (count) => {
      const { records } = (await releaseOf(smallSource({ pais: countries(count) }))).entity('pais')
      return [records.etag(0), records.etag(Math.ceil(count / 10) - 1)]
    }),
  )
  const [[ten, same] = [], [tenOfEleven, eleventh] = [], [tenOfTwelve, both] = []] = tags
  expect([same, tenOfEleven, tenOfTwelve]).toEqual([ten, ten, ten])
  expect(new Set([ten, eleventh, both]).size).toBe(3)
})
