// What was decided where the contract is silent: one test for each decision, named after the question.
import { expect, test } from 'bun:test'
import { bodyOf, lists } from './support/expected.ts'
import {
  closing,
  FORMAT_ALLOWED,
  headOf,
  notFoundDetail,
  notModifiedResponse,
  optionsResponse,
  PAGE_ALLOWED,
  pageResponse,
  problemResponse,
  redirectResponse,
  refusal,
} from './support/expected-responses.ts'
import { fullRecords, fullService } from './support/full-service.ts'
import { jumbled } from './support/jumbled-catalog.ts'
import { releaseOf } from './support/releases.ts'
import { serverOf } from './support/server.ts'
import { countries, smallSource } from './support/small-source.ts'
import { message, send, sendAll, sendUntilClosed } from './support/wire.ts'

const { release, url, request, get, factsOf } = await fullService()
const [localities, , list] = lists
const { path, pages } = list

const badParameter = (name: string, value: string, allowed: string) =>
  problemResponse('bad-parameter', `${name} was ${JSON.stringify(value)}; allowed is ${allowed}.`, path)

test('a page beyond the last: 404 that names the last page, with the totals', async () => {
  const totals = { 'X-Per-Page': '10', 'X-Total': '247', 'X-Total-Pages': '25' }
  const detail = 'Page 26 was asked for; the last one is 25.'
  expect(await get(`${path}?page=26`)).toEqual(problemResponse('page-beyond-last', detail, path, totals))
})

test('page=0, -1, 1.5, abc, empty, repeated, absurdly long: 400 with the value and what is allowed', async () => {
  for (const value of ['0', '-1', '1.5', 'abc', ''])
    expect(await get(`${path}?page=${value}`)).toEqual(badParameter('page', value, PAGE_ALLOWED))
  expect(await get(`${path}?page=1&page=1`)).toEqual(badParameter('page', '1, 1', PAGE_ALLOWED))
  const long = await get(`${path}?page=${'1'.repeat(7_000)}`)
  expect(long).toEqual(badParameter('page', `${'1'.repeat(100)}…`, PAGE_ALLOWED))
})

test('an empty catalog: page 1 is 200 with [], X-Total 0, X-Total-Pages 0, no Link', async () => {
  const empty = await releaseOf(smallSource({}))
  const server = serverOf(() => empty)
  const facts = { base: server.url, path, page: 1, total: 0, pages: 0, built: empty.manifest.built, body: '[]' }
  const response = await send(server.url, message('GET', `${path}?page=1`, `Host: ${server.host}`))
  await server.close()
  expect(response).toEqual(pageResponse(facts))
  expect(Object.keys(response.headers)).not.toContain('Link')
})

test('the last page: prev only, and no Link at all on a single page', async () => {
  const last = await get(`${path}?page=${pages}`)
  expect(last.headers.Link).toBe(`<${url}${path}?format=api&page=${pages - 1}>; rel="prev"`)
  const single = await releaseOf(smallSource({ pais: countries(10) }))
  const server = serverOf(() => single)
  const response = await send(server.url, message('GET', path, `Host: ${server.host}`))
  await server.close()
  expect(Object.keys(response.headers)).not.toContain('Link')
})

test('format: api and json are JSON, anything else is 400, and Link always has api', async () => {
  for (const format of ['api', 'json'])
    expect(await get(`${path}?format=${format}&page=2`)).toEqual(pageResponse(factsOf(list, 2)))
  for (const format of ['xml', '', 'JSON'])
    expect(await get(`${path}?format=${format}`)).toEqual(badParameter('format', format, FORMAT_ALLOWED))
})

test('other parameters: ignored', async () => {
  const response = await get(`${path}?_=1700000000&per_page=50&page=2&search=x&ordering=-idPais&page_size=%FF&%00`)
  expect(response).toEqual(pageResponse(factsOf(list, 2)))
})

test('a trailing slash: 308 to the path without it, query kept', async () => {
  expect(await get(`${path}/?page=2&format=api`)).toEqual(redirectResponse(`${path}?page=2&format=api`))
})

test('other spellings of a path: taken as they were sent, so 404', async () => {
  for (const target of ['/api/v1/./paises', '/api/v1/x/../paises', '/api/v1/x/%2e%2e/paises', '/api/v1/%70aises'])
    expect(await get(target)).toEqual(problemResponse('not-found', notFoundDetail(target), target))
})

test('methods: HEAD as GET, OPTIONS 200, the rest 405 with Allow', async () => {
  const [head, options, posted] = await sendAll(
    url,
    ...['HEAD', 'OPTIONS', 'POST'].map((method) => request(method, path)),
  )
  expect(head).toEqual(headOf(pageResponse(factsOf(list, 1))))
  expect(options).toEqual(optionsResponse)
  const detail = 'POST was used; allowed are GET, HEAD, OPTIONS.'
  expect(posted).toEqual(problemResponse('method-not-allowed', detail, path))
})

test('a request with a body: gets its response, and then the connection is closed', async () => {
  const responses = await sendUntilClosed(url, `${request('GET', path, 'Content-Length: 2')}{}`, request('GET', path))
  expect(responses).toEqual([closing(pageResponse(factsOf(list, 1)))])
})

test('several requests at once: responses in order', async () => {
  const numbers = Array.from({ length: pages }, (_, at) => at + 1)
  const responses = await sendAll(url, ...numbers.map((page) => request('GET', `${path}?page=${page}`)))
  expect(responses).toEqual(numbers.map((page) => pageResponse(factsOf(list, page))))
})

test('HTTP/1.0: a response, and the connection stays open only on request', async () => {
  const page = pageResponse(factsOf(list, 1))
  const old = (...fields: readonly string[]) => request('GET', path, ...fields).replace('HTTP/1.1', 'HTTP/1.0')
  expect(await sendUntilClosed(url, old(), old())).toEqual([closing(page)])
  const [kept, last] = await sendUntilClosed(url, old('Connection: keep-alive'), old())
  expect([kept, last]).toEqual([{ ...page, headers: { ...page.headers, Connection: 'keep-alive' } }, closing(page)])
})

test('what is not valid HTTP: a problem like any other, and the connection is closed', async () => {
  const responses = await sendUntilClosed(url, `GET ${path}?page=2 HTTP/1.1\r\n\r\n`, request('GET', path))
  expect(responses).toEqual([refusal('the header host is missing', path)])
})

test('errors: problem+json of type, title, status, detail, instance', async () => {
  const refused: [string, number][] = [
    [`${path}?page=0`, 400],
    [`${path}?page=26`, 404],
    ['/nowhere', 404],
    [`${path}?x=${'x'.repeat(9_000)}`, 414],
  ]
  for (const [target, status] of refused) {
    const response = await get(target)
    expect([response.status, response.headers['Content-Type']]).toEqual([status, 'application/problem+json'])
    const problem = JSON.parse(response.body)
    expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'instance'])
    expect([problem.status, problem.instance]).toEqual([status, target.replace(/\?.*/, '')])
  }
})

test('Vary: exactly Accept, on every response, and never a compressed body', async () => {
  for (const target of [path, '/api/v1', '/nowhere', `${path}/`, `${path}?page=0`]) {
    const { headers } = await get(target, 'Accept-Encoding: gzip, deflate, br, zstd')
    expect([target, headers.Vary, headers['Content-Encoding']]).toEqual([target, 'Accept', undefined])
  }
})

test('Content-Type: exactly application/json', async () => {
  for (const { path } of lists) expect((await get(path)).headers['Content-Type']).toBe('application/json')
})

test('Accept: JSON whatever its value', async () => {
  const accepts = ['text/html', 'application/xml;q=1, */*;q=0', 'application/json;version=9', '', 'no such thing']
  for (const list of lists)
    for (const accept of accepts)
      expect(await get(list.path, `Accept: ${accept}`)).toEqual(pageResponse(factsOf(list, 1)))
})

test('header names: spelled on the wire as the contract spells them', async () => {
  const { headers } = await get(`${path}?page=2`)
  const named = ['Allow', 'Content-Type', 'Link', 'Vary', 'X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages']
  expect(Object.keys(headers).sort()).toEqual(expect.arrayContaining(named))
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
  const targets = [1, 15_000, 15_001].map((page) => `${localities.path}?page=${page}`)
  const responses = await sendAll(url, ...targets.map((target) => request('GET', target)))
  const records = fullRecords('localidad')
  expect(responses.map(({ body }) => body)).toEqual([1, 15_000, 15_001].map((page) => bodyOf(records, page)))
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

test('browsers: any origin may send requests, and may read the pagination headers', async () => {
  const { headers } = await get(path, 'Origin: https://a.test')
  expect(headers['Access-Control-Allow-Origin']).toBe('*')
  const exposed = headers['Access-Control-Expose-Headers']?.split(', ')
  expect(exposed).toEqual(expect.arrayContaining(['X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages', 'Link', 'ETag']))
})
