// Lists and records of API v2: every header, the forms, and what is wrong with a request.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import readSheets from 'read-excel-file/node'
import { homonyms } from '../support/homonyms.ts'
import { TestHome } from '../support/releases.ts'
import { serverForAll, serverOf } from '../support/server.ts'
import { message, send } from '../support/wire.ts'

setDefaultTimeout(180_000)

const home = new TestHome()
await home.import(homonyms)
const release = home.current()
const server = serverForAll(() => release, { baseUrl: 'https://catalogs.example' }, home.store)
afterAll(() => home[Symbol.dispose]())

const get = (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  fetch(`${server.url}${target}`, { method, headers: { 'Accept-Encoding': 'identity', ...headers } })
const json = async (target: string) => (await get(target)).json()
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const URL_OF = 'https://catalogs.example'

describe('a page of a list', () => {
  test('has these headers on the wire, and no other', async () => {
    const response = await send(server.url, message('GET', '/api/v2/paises?per_page=2&page=3', 'Host: x'))
    const cursor = Buffer.from(`${release.manifest.digest.slice(0, 16)}-5`).toString('base64url')
    const to = `<${URL_OF}/api/v2/paises?per_page=2`
    expect(response.headers).toEqual({
      'Content-Type': 'application/json',
      Allow: 'GET, HEAD, OPTIONS',
      Vary: 'Accept, Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers':
        'X-Page, X-Per-Page, X-Total, X-Total-Pages, X-Release, Link, ETag, Allow, Content-Range, Accept-Ranges, Repr-Digest, ' +
        'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After',
      'X-Page': '3',
      'X-Per-Page': '2',
      'X-Total': '30',
      'X-Total-Pages': '15',
      Link: `${to}&page=1>; rel="first", ${to}&page=2>; rel="prev", ${to}&after=${cursor}>; rel="next", ${to}&page=15>; rel="last"`,
      ETag: expect.stringMatching(/^"[0-9a-f]{16}"$/) as unknown as string,
      'X-Release': release.manifest.digest,
      'Last-Modified': release.lastModified,
      'Cache-Control': 'public, no-cache',
      Date: expect.any(String) as unknown as string,
      'Content-Length': String(Buffer.byteLength(response.body)),
    })
    expect(JSON.parse(response.body).map(({ idPais }: { idPais: number }) => idPais)).toEqual([5, 6])
  })

  test('has 50 records by default, and no Link where there is only one page', async () => {
    const long = await get('/api/v2/localidades')
    expect([long.headers.get('x-per-page'), ((await long.json()) as unknown[]).length]).toEqual(['50', 50])
    const short = await get('/api/v2/areas-conocimiento')
    expect([short.headers.get('x-total-pages'), short.headers.get('link')]).toEqual(['1', null])
  })

  test('of which there is none is the first, and is empty', async () => {
    const none = await get('/api/v2/paises?cvePais=ZZZ')
    expect([
      none.status,
      none.headers.get('x-total'),
      none.headers.get('x-total-pages'),
      none.headers.get('link'),
    ]).toEqual([200, '0', '0', null])
    expect(await none.text()).toBe('[]')
  })

  test('beyond the last is a problem that names it', async () => {
    const beyond = await get('/api/v2/paises?per_page=7&page=6')
    expect([beyond.status, beyond.headers.get('x-per-page'), beyond.headers.get('x-total-pages')]).toEqual([
      404,
      '7',
      '5',
    ])
    expect(((await beyond.json()) as { detail: string }).detail).toBe('Page 6 was asked for; the last one is 5.')
  })

  test('keeps the parameters of the request in its links', async () => {
    const { headers } = await get(
      '/api/v2/localidades?descLocalidad=San+Jos%C3%A9&per_page=1&sort=-idMunicipio.descMunicipio',
    )
    const kept = 'descLocalidad=San%20Jos%C3%A9&per_page=1&sort=-idMunicipio.descMunicipio'
    expect(headers.get('link')).toStartWith(`<${URL_OF}/api/v2/localidades?${kept}&page=1>; rel="first"`)
  })

  test('after a cursor that is no border of numbered pages links to the numbered page that it begins in', async () => {
    const after = (position: number) =>
      `after=${Buffer.from(`${release.digest.slice(0, 16)}-${position}`).toString('base64url')}`
    const prev = async (query: string) =>
      /page=([0-9]+)>; rel="prev"/.exec((await get(`/api/v2/paises?${query}`)).headers.get('link') ?? '')?.[1]
    const page = async (query: string) => (await get(`/api/v2/paises?${query}`)).headers.get('x-page')
    // The cursor is the position of the last record before the page: of ten a page, 9 is a border and 12 is not.
    expect([await page(`per_page=10&${after(9)}`), await prev(`per_page=10&${after(9)}`)]).toEqual(['2', '1'])
    expect([await page(`per_page=10&${after(12)}`), await prev(`per_page=10&${after(12)}`)]).toEqual(['2', '2'])
    expect([await page(`per_page=10&${after(3)}`), await prev(`per_page=10&${after(3)}`)]).toEqual(['1', '1'])
    expect(await prev('per_page=10')).toBeUndefined()
  })

  test('to HEAD has the headers of GET and no body', async () => {
    const [head, whole] = await Promise.all([get('/api/v2/estados', {}, 'HEAD'), get('/api/v2/estados')])
    const without = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => name !== 'date'))
    expect([await head.text(), without(head)]).toEqual(['', without(whole)])
  })
})

describe('in other forms', () => {
  test('lines of JSON, by parameter or by Accept', async () => {
    const records = (await json('/api/v2/areas-conocimiento')) as unknown[]
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    const byParameter = await get('/api/v2/areas-conocimiento?format=ndjson', { Accept: 'text/csv' })
    expect([byParameter.headers.get('content-type'), await byParameter.text()]).toEqual(['application/x-ndjson', lines])
    expect(await (await get('/api/v2/areas-conocimiento', { Accept: 'application/x-ndjson' })).text()).toBe(lines)
  })

  test('CSV, with embedded records in dotted columns, quoted as need be and safe in a spreadsheet', async () => {
    const response = await get(
      '/api/v2/localidades?descLocalidad==1%2B1&descLocalidad=a,b&descLocalidad=%22%C3%89l%22+Rancho&per_page=1000',
      {
        Accept: 'text/csv;q=0.9, application/json;q=0.1',
      },
    )
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const lines = (await response.text()).split('\r\n')
    expect(lines[0]).toBe(
      'cveLocalidad,descLocalidad,idLocalidad,' +
        'idEstado.cveEstado,idEstado.cveRenapo,idEstado.descEstado,idEstado.idEstado,' +
        'idEstado.idPais.cvePais,idEstado.idPais.descPais,idEstado.idPais.idPais,' +
        'idMunicipio.cveMunicipio,idMunicipio.descMunicipio,' +
        'idMunicipio.idEstado.cveEstado,idMunicipio.idEstado.cveRenapo,idMunicipio.idEstado.descEstado,' +
        'idMunicipio.idEstado.idEstado,idMunicipio.idEstado.idPais.cvePais,idMunicipio.idEstado.idPais.descPais,' +
        'idMunicipio.idEstado.idPais.idPais,idMunicipio.idMunicipio,cvegeo',
    )
    const named = new Set(lines.slice(1, -1).map((line) => /^\d{4},('=1\+1|"a,b"|"""Él"" Rancho"),/.exec(line)?.[1]))
    expect([...named].sort()).toEqual(['"""Él"" Rancho"', '"a,b"', "'=1+1"])
  })

  test('CSV with a byte-order mark, which nothing else can have', async () => {
    const plain = await (await get('/api/v2/areas-conocimiento?format=csv')).text()
    const bytes = await (await get('/api/v2/areas-conocimiento?format=csv&excel=true')).bytes()
    expect(Buffer.from(bytes).toString()).toBe(`\ufeff${plain}`)
    for (const format of ['json', 'xlsx']) {
      const refused = await get(`/api/v2/areas-conocimiento?format=${format}&excel=true`)
      expect(refused.status).toBe(400)
      expect(((await refused.json()) as { detail: string }).detail).toContain('only together with format=csv')
    }
  })

  test('an Excel workbook, by parameter or by Accept, and never compressed again', async () => {
    const target = '/api/v2/municipios?format=xlsx&fields=cveMunicipio,idMunicipio&per_page=1000'
    const byParameter = await get(target, { 'Accept-Encoding': 'gzip' })
    expect(byParameter.headers.get('content-type')).toBe(XLSX)
    expect(byParameter.headers.get('content-encoding')).toBeNull()
    const [sheet] = await readSheets(Buffer.from(await byParameter.arrayBuffer()))
    const records = (await json('/api/v2/municipios?per_page=1000')) as { cveMunicipio: string; idMunicipio: number }[]
    expect(sheet?.data).toEqual([
      ['cveMunicipio', 'idMunicipio'],
      ...records.map(({ cveMunicipio, idMunicipio }) => [cveMunicipio, idMunicipio]),
    ])
    expect((await get('/api/v2/areas-conocimiento', { Accept: XLSX })).headers.get('content-type')).toBe(XLSX)
  })

  test.each(['=1+1', '-Menos', '+Más', '@Arroba'])('CSV in which %s is no formula', async (name) => {
    const response = await get(`/api/v2/localidades?format=csv&per_page=1&descLocalidad=${encodeURIComponent(name)}`)
    const [, row = ''] = (await response.text()).split('\r\n')
    expect(row.split(',')[1]).toBe(`'${name}`)
  })

  test.each([
    ['fields=descEstado,idPais.cvePais', { descEstado: 'x', idPais: { cvePais: 'x' } }, 'descEstado,idPais.cvePais'],
    [
      'fields=idPais',
      { idPais: { cvePais: 'x', descPais: 'x', idPais: 0 } },
      'idPais.cvePais,idPais.descPais,idPais.idPais',
    ],
    ['fields=idPais&embed=id', { idPais: 0 }, 'idPais'],
    ['fields=idPais.cvePais,idEstado&embed=id', { idEstado: 0, idPais: { cvePais: 'x' } }, 'idPais.cvePais,idEstado'],
    [
      'embed=id',
      { cveEstado: 'x', cveRenapo: 'x', descEstado: 'x', idEstado: 0, idPais: 0, cvegeo: 'x' },
      'cveEstado,cveRenapo,descEstado,idEstado,idPais,cvegeo',
    ],
  ])('%s leaves out the rest, also of a table', async (query, shape, columns) => {
    const [first] = (await json(`/api/v2/estados?per_page=1&${query}`)) as unknown[]
    const shaped = JSON.parse(JSON.stringify(first), (_, value) =>
      typeof value === 'string' ? 'x' : typeof value === 'number' ? 0 : value,
    )
    expect(shaped).toEqual(shape)
    const csv = await (await get(`/api/v2/estados?per_page=1&format=csv&${query}`)).text()
    const [head = '', row = ''] = csv.split('\r\n')
    expect([head, row.split(',').length]).toEqual([columns, columns.split(',').length])
  })

  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
  test.each(Object.entries(decoders))('coded in %s, with an entity tag of its own', async (coding, decode) => {
    const target = '/api/v2/localidades?per_page=100'
    const plain = await get(target)
    const coded = await fetch(`${server.url}${target}`, { headers: { 'Accept-Encoding': coding }, decompress: false })
    expect(coded.headers.get('content-encoding')).toBe(coding)
    expect(decode(Buffer.from(await coded.arrayBuffer())).toString()).toBe(await plain.text())
    expect(coded.headers.get('etag')).toBe(`${plain.headers.get('etag')?.slice(0, -1)}-${coding}"`)
    const again = await fetch(`${server.url}${target}`, {
      headers: { 'Accept-Encoding': coding, 'If-None-Match': coded.headers.get('etag') as string },
      decompress: false,
    })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, coded.headers.get('etag'), ''])
  })

  test.each([
    ['gzip;q=0.5, br;q=0.6', 'br'],
    ['*', 'gzip'],
    ['gzip;q=0', null],
  ])('Accept-Encoding %p gives %p', async (accepted, coding) => {
    const response = await send(
      server.url,
      message('HEAD', '/api/v2/localidades', 'Host: x', `Accept-Encoding: ${accepted}`),
    )
    expect(response.headers['Content-Encoding'] ?? null).toBe(coding)
  })

  test('what is short is not coded', async () => {
    const response = await get('/api/v2/areas-conocimiento/1', { 'Accept-Encoding': 'gzip' })
    expect(response.headers.get('content-encoding')).toBeNull()
  })
})

describe('sorted by several fields', () => {
  type Municipality = { readonly idEstado: { readonly idEstado: number }; readonly idMunicipio: number }

  test('the first goes before the second, each ascending or descending', async () => {
    const sorted = async (sort: string) =>
      ((await json(`/api/v2/municipios?per_page=1000&sort=${sort}`)) as Municipality[]).map(
        ({ idEstado, idMunicipio }) => [idEstado.idEstado, idMunicipio] as const,
      )
    const all = await sorted('idMunicipio')
    expect(await sorted('idEstado,-idMunicipio')).toEqual(all.toSorted((a, b) => a[0] - b[0] || b[1] - a[1]))
    expect(await sorted('-idEstado,idMunicipio')).toEqual(all.toSorted((a, b) => b[0] - a[0] || a[1] - b[1]))
  })

  test('and found with words, or with filters', async () => {
    const all = (await json('/api/v2/localidades?per_page=1000&idMunicipio=10&sort=idLocalidad')) as object[]
    const both = await json('/api/v2/localidades?per_page=1000&idMunicipio=10&sort=idMunicipio,idLocalidad')
    expect(both).toEqual(all)
    const named = (await json('/api/v2/municipios?per_page=1000&q=san&sort=idEstado,-idMunicipio')) as Municipality[]
    const ids = named.map(({ idEstado, idMunicipio }) => [idEstado.idEstado, idMunicipio] as const)
    expect(ids.length).toBeGreaterThan(3)
    expect(ids).toEqual(ids.toSorted((a, b) => a[0] - b[0] || b[1] - a[1]))
  })
})

test('fields that are named again and again are given once', async () => {
  const once = await json('/api/v2/estados?per_page=1&fields=idEstado,idPais.cvePais')
  const often = Array(99).fill('idPais.cvePais,idEstado').join(',')
  expect(await json(`/api/v2/estados?per_page=1&fields=${often}`)).toEqual(once)
})

describe('a wrong parameter is named, with what is allowed', () => {
  const expectRefused = async (kind: string, target: string, detail: RegExp) => {
    const response = await get(`/api/v2${target}`)
    const problem = (await response.json()) as { type: string; detail: string }
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
    expect(problem.type).toBe(`urn:nomenclator:problem:${kind}`)
    expect(problem.detail).toMatch(detail)
  }

  test.each([
    ['/paises?page=0', /^page was "0"; allowed is a whole number from 1 to 999999999999999\.$/],
    ['/paises?page=1.5', /^page was "1\.5"; /],
    ['/paises?page=1&page=2', /^page was "1, 2"; allowed is one value: it may be given only once\.$/],
    ['/paises?per_page=1001', /^per_page was "1001"; allowed is a whole number from 1 to 1000\.$/],
    ['/paises?per_page=', /^per_page was ""; /],
    ['/paises?sort=descPasi', /^sort was "descPasi"; allowed is .*; did you mean descPais\?\.$/],
    [
      '/paises?fields=idPais,nada',
      /^fields was "nada"; allowed is cvePais, descPais, idPais, nombreEn, alpha2, numeric\.$/,
    ],
    [`/paises?fields=${Array(201).fill('idPais').join(',')}`, /^fields was ".*"; allowed is at most 200 fields\.$/],
    ['/paises?sort=idPais,descPasi', /^sort was "descPasi"; .*; did you mean descPais\?\.$/],
    ['/paises?sort=idPais,', /^sort was ""; allowed is cvePais, descPais, idPais, nombreEn, alpha2, numeric\.$/],
    ['/paises?sort=idPais,idPais,idPais,idPais,idPais,idPais', /^sort was "idPais,.*"; allowed is at most 5 fields\.$/],
    ['/paises?embed=ids', /^embed was "ids"; allowed is full, id; did you mean id\?\.$/],
    ['/paises?format=xml', /^format was "xml"; allowed is json, ndjson, csv, xlsx, /],
    ['/paises?idPais=abc', /^idPais was "abc"; allowed is a whole number from 0 to 2147483647\.$/],
    ['/paises?idPais=-1', /^idPais was "-1"; /],
    ['/paises?cvePais=', /^cvePais was ""; allowed is a value: to ask for any, leave the parameter out\.$/],
    ['/paises?q=', /^q was ""; allowed is one to 32 words of letters or digits, in at most 300 characters\.$/],
    [
      `/estados?${'idPais=1&'.repeat(100)}cveEstado_prefix=J`,
      /^cveEstado_prefix was "J"; allowed is no further value: all filters of a request have at most 100\.$/,
    ],
    ['/paises?q=%20!%20', /^q was " ! "; /],
    [`/paises?q=a${'+b'.repeat(32)}`, /^q was "a b b b b b b b b b b b/],
    ['/paises?descPais=%ff', /^descPais was "%ff"; allowed is text in UTF-8, percent-encoded\.$/],
    ['/paises?after=abc', /^after was "abc"; allowed is a cursor out of the Link header/],
    ['/paises?after=abc&page=2', /^after was "abc"; allowed is either page or after, not both\.$/],
    ['/paises?release=xyz', /^release was "xyz"; allowed is the digest of a release, /],
    ['/paises/4?by=name', /^by was "name"; allowed is id, code\.$/],
    ['/search', /^q was ""; allowed is the words to search for; it must be given\.$/],
    ['/search?q=a&in=estado', /^in was "estado"; allowed is .*; did you mean estados\?\.$/],
    ['/search?q=a&within=estados', /^within was "estados"; allowed is one of paises, /],
    ['/search?q=a&limit=51', /^limit was "51"; allowed is a whole number from 1 to 50\.$/],
    ['/changes', /^from was ""; /],
  ])('%s', (target, detail) => expectRefused('bad-parameter', target, detail))

  test.each([
    ['/paises?pgae=1', /^"pgae" is not known here\. Did you mean page\? Allowed are page, per_page, /],
    ['/paises?idMunicipio=1', /^"idMunicipio" is not known here\. /],
    ['/paises?limit=10', /^"limit" is not known here\. Did you mean per_page\? /],
    ['/paises?pageSize=10', /^"pageSize" is not known here\. Did you mean per_page\? /],
    ['/paises/all?limit=10', /^"limit" is not known here\. Allowed are /],
    ['/search?per_page=10', /^"per_page" is not known here\. Did you mean limit\? /],
    ['/search?language=es', /^"language" is not known here\. Did you mean lang\? /],
    ['/paises?query=x', /^"query" is not known here\. Did you mean q\? /],
    ['/resolve?text=x', /^"text" is not known here\. Did you mean q\? /],
    ['/paises?start=10', /^"start" is not known here\. Did you mean page\? /],
    ['/paises?order_by=x', /^"order_by" is not known here\. Did you mean sort\? /],
  ])('%s', (target, detail) => expectRefused('unknown-parameter', target, detail))

  test.each([
    ['/api/v2/pais', 404, 'not-found'],
    ['/api/v2/paises/1/2/3/4', 404, 'not-found'],
    ['/api/v2/paises/1/audiencias', 404, 'not-found'],
    ['/api/v2/paises//1', 404, 'not-found'],
    ['/api/v2/paises/%ff', 404, 'not-found'],
    ['/api/v2/paises/999', 404, 'record-not-found'],
    ['/api/v2/paises/abc', 404, 'record-not-found'],
    ['/api/v2/paises/99999999999', 404, 'record-not-found'],
    ['/api/v2/paises/ZZZ?by=code', 404, 'record-not-found'],
    ['/api/v2/municipios/2-999?by=code', 404, 'record-not-found'],
    ['/api/v2/municipios/2?by=code', 404, 'record-not-found'],
    ['/api/v2/localidades/1', 404, 'record-not-found'],
    ['/api/v2/estados/999/municipios', 404, 'record-not-found'],
    ['/api/v2/municipios/999/localidades/1', 404, 'record-not-found'],
    ['/api/v2/paises?release=00000000', 410, 'release-gone'],
    ['/api/v2/releases/00000000', 410, 'release-gone'],
    ['/api/v2/releases/xyz', 404, 'not-found'],
  ])('%s is %i %s', async (target, status, kind) => {
    const response = await get(target)
    const { type } = (await response.json()) as { type: string }
    expect([response.status, type]).toEqual([status, `urn:nomenclator:problem:${kind}`])
  })

  test('a form that there is not is 406', async () => {
    expect((await get('/api/v2/paises', { Accept: 'image/png' })).status).toBe(406)
    expect((await get('/api/v2/paises', { Accept: 'text/html, */*;q=0.1' })).status).toBe(200)
  })

  test('other methods are 405, OPTIONS lists those allowed, and a slash at the end is redirected', async () => {
    expect((await get('/api/v2/paises', {}, 'POST')).status).toBe(405)
    const options = await get('/api/v2/paises/4', {}, 'OPTIONS')
    expect([options.status, options.headers.get('allow')]).toEqual([200, 'GET, HEAD, OPTIONS'])
    const slash = await fetch(`${server.url}/api/v2/paises/?page=2`, { redirect: 'manual' })
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '/api/v2/paises?page=2'])
  })
})

test('path and method are looked at before the host', async () => {
  const hosted = serverOf(() => release)
  const status = async (method: string, path: string) =>
    (await send(hosted.url, message(method, path, 'Host: a b'))).status
  expect([await status('OPTIONS', '/api/v2/paises'), await status('GET', '/api/v2/nada')]).toEqual([200, 404])
  expect(await status('GET', '/api/v2/paises')).toBe(400)
  await hosted.close()
})

test('the list of releases has no date: which one is current may change', async () => {
  const response = await get('/api/v2/releases')
  expect(response.headers.get('last-modified')).toBeNull()
  expect((await get('/api/v2/releases', { 'If-Modified-Since': release.lastModified })).status).toBe(200)
  expect((await get('/api/v2/paises', { 'If-Modified-Since': release.lastModified })).status).toBe(304)
})

describe('GET /api/v2', () => {
  test('names every collection, with its fields, filters and counts', async () => {
    const described = (await json('/api/v2')) as { release: { digest: string }; collections: Record<string, unknown>[] }
    expect(described.release.digest).toBe(release.manifest.digest)
    const entities = [...release.catalog.entities.values()]
    expect(described.collections.map(({ name, count }) => ({ name, count }))).toEqual(
      entities.map(({ name, plural }) => ({ name: plural, count: release.entity(name).count })),
    )
    expect(described.collections[0]).toMatchObject({ name: 'paises', count: 30 })
    expect(described.collections[1]).toMatchObject({
      url: `${URL_OF}/api/v2/estados`,
      record: `${URL_OF}/api/v2/estados/{idEstado}`,
      all: `${URL_OF}/api/v2/estados/all`,
      children: [`${URL_OF}/api/v2/estados/{idEstado}/municipios`, `${URL_OF}/api/v2/estados/{idEstado}/localidades`],
      key: ['idEstado'],
      code: ['cveEstado'],
    })
  })
})
