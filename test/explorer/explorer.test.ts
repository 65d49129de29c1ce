// The explorer over HTTP, without a browser: what its pages have, in which language, and how they are sent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { languageOf } from '../../packages/server/src/explorer/language.ts'
import { routeLabelAt } from '../../packages/server/src/http/routes.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { type Explored, explored, HOSTILE_NAMES, PAGES } from '../support/explored.ts'
import { attributes, between, linkedFrom, outlineFaults, textOf, unescaped } from '../support/pages.ts'
import { sourceOf, TestHome, tiny } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'

let service: Explored
let url = ''

beforeAll(async () => {
  service = await explored()
  url = service.server.url
})
afterAll(async () => {
  await service.close()
  expect(service.server.logged).toEqual([])
})

type Sent = Readonly<Record<string, string>>
const get = (target: string, headers: Sent = {}) =>
  fetch(url + target, { redirect: 'manual', headers: { 'Accept-Encoding': 'identity', ...headers } })
const page = async (target: string, headers: Sent = {}) => (await get(target, headers)).text()

const everyPage = Object.entries(PAGES)
/** Headers are put together in one place for all pages. */
const somePages = everyPage.filter(([name]) => ['home', 'table, filtered and sorted', 'map', 'docs'].includes(name))
const plurals = [...builtInCatalog.collections.keys()]

describe('every page', () => {
  test.each(everyPage)('is sound, with nothing inline and nothing from elsewhere: %s', async (_, target) => {
    const response = await get(target)
    const html = await response.text()
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(outlineFaults(html)).toEqual([])
    expect(html).toContain('<main id="content"')
    expect(routeLabelAt(new URL(target, url).pathname)).not.toBe('other')
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(response.headers.get('Referrer-Policy')).toBe('same-origin')
    expect(html).not.toMatch(/<style|\sstyle="|<script(?![^>]*\ssrc="\/assets\/)/)
    expect(attributes(html, 'src').filter((source) => !source.startsWith('/assets/'))).toEqual([])
    expect(attributes(html, 'href').filter((link) => !/^[/#]/.test(link) || link.startsWith('//'))).toEqual([])
  })

  test.each(somePages)('is cached by its validator: %s', async (_, target) => {
    const first = await get(target)
    const etag = first.headers.get('ETag') ?? ''
    expect(first.headers.get('Cache-Control')).toBe('public, no-cache')
    expect(first.headers.get('Vary')).toBe('Accept, Accept-Encoding, Accept-Language, Cookie')
    const second = await get(target, { 'If-None-Match': etag })
    expect([second.status, await second.text()]).toEqual([304, ''])
    expect((await get(target, { 'If-None-Match': etag, 'Accept-Language': 'en' })).status).toBe(200)
  })

  test.each(somePages)('is compressed: %s', async (_, target) => {
    for (const encoding of ['gzip', 'br', 'zstd']) {
      const response = await get(target, { 'Accept-Encoding': encoding })
      expect(response.headers.get('Content-Encoding')).toBe(encoding)
      expect(await response.text()).toBe(await page(target))
    }
  })

  test('leads only to pages and responses that are there', async () => {
    const html = (target: string) => get(target, { Accept: 'text/html,*/*;q=0.8' })
    const { broken, visited } = await linkedFrom(Object.values(PAGES), html, 400)
    expect(broken).toEqual([])
    expect(visited.size).toBeGreaterThan(300)
  })
})

describe('other methods than GET', () => {
  const send = (method: string, target: string) =>
    fetch(url + target, { method, redirect: 'manual', headers: { 'Accept-Encoding': 'identity' } })

  test.each(somePages)('HEAD has the headers of %s', async (_, target) => {
    const [head, whole] = [await send('HEAD', target), await send('GET', target)]
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const name of ['ETag', 'Content-Type', 'Content-Length', 'Vary'])
      expect(`${name} ${head.headers.get(name)}`).toBe(`${name} ${whole.headers.get(name)}`)
  })

  test.each([
    ['POST', '/', 405],
    ['DELETE', '/explore/paises', 405],
    ['POST', '/explore/nothing', 404],
    ['OPTIONS', '/releases', 200],
    ['GET', '/explore/paises/?page=1', 308],
    ['GET', '/docs/', 308],
    ['GET', '/explore//paises', 404],
    ['GET', '/releases/nothing', 404],
  ])('%s %s is %i', async (method, target, status) => expect((await send(method, target)).status).toBe(status))
})

describe('the language', () => {
  const cases: readonly [name: string, target: string, headers: Sent, expected: string][] = [
    ['Spanish when nothing is said', '/', {}, 'es'],
    ['Spanish for a language that there is not', '/', { 'Accept-Language': 'nah, fr;q=0.5' }, 'es'],
    ['what the browser prefers', '/', { 'Accept-Language': 'es;q=0.3, en-GB;q=0.8' }, 'en'],
    ['what the cookie says, before the browser', '/', { Cookie: 'a=b; lang=en', 'Accept-Language': 'es' }, 'en'],
    ['what the address says, before the cookie', '/?lang=es', { Cookie: 'lang=en' }, 'es'],
    ['nothing that is no language', '/?lang=xx', { Cookie: 'lang=__proto__', 'Accept-Language': 'en' }, 'en'],
  ]
  test.each(cases)('%s', async (_, target, headers, expected) => {
    const response = await get(target, headers)
    expect(response.headers.get('Content-Language')).toBe(expected)
    expect(await response.text()).toContain(`<html lang="${expected}">`)
  })

  test('is kept by the links of the page and by a cookie', async () => {
    const response = await get('/explore/paises?lang=en')
    expect(response.headers.get('Set-Cookie')).toStartWith('lang=en; Path=/;')
    expect(response.headers.get('Cache-Control')).toBe('private, no-cache')
    const links = attributes(await response.text(), 'href')
    expect(links.filter((link) => link.startsWith('/explore/paises/'))[0]).toEndWith('?lang=en')
    expect((await get('/explore/paises')).headers.get('Set-Cookie')).toBeNull()
  })

  test('can be switched on every page without leaving it', async () => {
    const target = '/explore/localidades?idEstado=2&sort=-poblacion'
    const links = attributes(await page(target), 'href')
    expect(links).toContain(`${target}&lang=en`)
    expect(links).toContain(`${target}&lang=es`)
  })

  test('writes numbers and dates its own way', async () => {
    expect(textOf(await page('/explore/localidades/3-199'))).toContain('Población 7,363')
    expect(await page('/releases')).toMatch(/>\d{1,2} [a-z]{3} \d{4}, \d{1,2}:\d{2}/)
    expect(await page('/releases?lang=en')).toMatch(/>[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2}/)
  })
})

test('the three lines of the first page work as they stand', async () => {
  const lines = attributes(await page('/'), 'data-copy').filter((line) => line.startsWith('curl '))
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    const response = await fetch(quotedUrl(line))
    expect([response.status, (await response.text()).length > 2]).toEqual([200, true])
  }
  expect(lines[2]).toStartWith('curl -o localidades.csv ')
})

/** The address that a line for the shell requests. */
const quotedUrl = (line: string): string => /'(http[^']*)'$/.exec(line)?.[1] ?? ''

describe('a table', () => {
  const rowsOf = (html: string) => html.match(/<tr><th scope="row">.*/g) ?? []

  test('shows what the API lists, for the same query', async () => {
    for (const query of ['', '?q=rancho&per_page=25', '?idMunicipio=3&ambito=U&sort=-poblacion&per_page=25&page=2']) {
      const records = (await (await get(`/api/v2/localidades${query}`)).json()) as Record<string, string>[]
      const rows = rowsOf(await page(`/explore/localidades${query}`))
      expect(rows.map((row) => unescaped(row.match(/<bdi>(.*?)<\/bdi>/)?.[1] ?? ''))).toEqual(
        records.map(({ descLocalidad }) => descLocalidad as string),
      )
    }
  })

  test('offers filters with the number of records that each leaves', async () => {
    const html = await page('/explore/localidades?ambito=U')
    const offered = [
      ...html.matchAll(/<li><a href="([^"]*)"[^>]*><span><bdi>[^<]*<\/bdi><\/span> <span class="figure">([^<]*)</g),
    ]
    expect(offered.length).toBeGreaterThan(1)
    for (const [, link = '', count = ''] of offered) {
      const target = unescaped(link).replace('/explore/', '/api/v2/')
      const total = (await get(target)).headers.get('X-Total')
      // The value that is chosen leads back to the list without it, and another one to both.
      const isOne = target.match(/ambito=/g)?.length === 1
      if (isOne) expect(`${target} ${count}`).toBe(`${target} ${total}`)
    }
  })

  test('downloads all of what it shows', async () => {
    const html = await page('/explore/localidades?idEstado=2&sort=-poblacion&per_page=25&page=2')
    const links = attributes(html, 'href').filter((link) => link.startsWith('/api/') && link.includes('format='))
    expect(links.map((link) => new URLSearchParams(link.split('?')[1]).get('format'))).toEqual([
      ...['xlsx', 'csv', 'json', 'ndjson', 'geojson', 'xlsform'],
    ])
    const listed = await get('/api/v2/localidades?idEstado=2&sort=-poblacion&facts=true&per_page=1000')
    expect(textOf(html)).toContain(`Descargar (${listed.headers.get('X-Total')})`)
    expect(await (await get(unescaped(links[2] ?? ''))).json()).toEqual(await listed.json())
    expect(Buffer.from(await (await get(unescaped(links[1] ?? ''))).bytes()).toString()).toStartWith('\ufeffcve')
  })

  test('downloads all that was found, in its order, however much it is', async () => {
    const many = 1_200
    const rows = Array.from({ length: many }, (_, at) => ({
      cvePais: [676, 26, 1].map((place) => String.fromCharCode(65 + (Math.floor(at / place) % 26))).join(''),
      descPais: `País ${at}`,
      idPais: at + 1,
    }))
    using home = new TestHome()
    await home.import(sourceOf({ pais: rows }))
    const release = home.current()
    const server = serverOf(() => release, {}, home.store)
    const html = await (await fetch(`${server.url}/explore/paises?q=pais&sort=-idPais`)).text()
    const link = attributes(html, 'href').find((one) => one.includes('/all?') && one.endsWith('format=json'))
    const found = (await (await fetch(server.url + link)).json()) as { idPais: number }[]
    expect(found.map(({ idPais }) => idPais)).toEqual(Array.from({ length: many }, (_, at) => many - at))
    await server.close()
  })

  test('is the same as an API request, in every language that can be run here', async () => {
    const target = '/explore/localidades?q=rancho&ambito=U&per_page=25&sort=-poblacion'
    const request = target.replace('/explore/', '/api/v2/').replace('per_page=25', 'per_page=1000&facts=true')
    const expected = (await (await get(request)).json()) as unknown[]
    expect(expected.length).toBeGreaterThan(25)
    const snippets = attributes(await page(target), 'data-copy')
    const snippetIn = (beginning: string) => snippets.find((code) => code.startsWith(beginning)) ?? ''
    expect(await (await fetch(quotedUrl(snippetIn('curl ')))).json()).toEqual(expected)
    const script = `${snippetIn('const ')}\nconsole.log(JSON.stringify(data))`
    expect(JSON.parse(await Bun.$`${process.execPath} -e ${script}`.text())).toEqual(expected)
    const python = `${snippetIn('import json')}\nprint(json.dumps(data))`
    if (Bun.which('python3') !== null) expect(JSON.parse(await Bun.$`python3 -c ${python}`.text())).toEqual(expected)
    expect(await (await fetch(/"(.*)"/.exec(snippetIn('data <- '))?.[1] ?? '')).json()).toEqual(expected)
    const pandas = snippetIn('import pandas')
    const table = await (await fetch(/read_csv\("(.*?)"/.exec(pandas)?.[1] ?? '')).text()
    expect(table.split('\r\n')).toHaveLength(expected.length + 2)
    expect(pandas).toContain('codes = {"cvegeo": str, "cveLocalidad": str, ')
    // The alpha-2 code of Namibia is no missing value.
    expect(pandas).toContain('dtype=codes, keep_default_na=False, na_values=[""])')
    expect(pandas).toContain('"idMunicipio.cveMunicipio": str')
  })

  test('drops what a form left empty', async () => {
    const response = await get('/explore/localidades?q=&idEstado=2&sort=')
    expect([response.status, response.headers.get('Location')]).toEqual([303, '/explore/localidades?idEstado=2'])
  })

  test.each([
    ['fields=nothing', 400, 'Se admite descLocalidad, cvegeo, '],
    ['format=csv', 400, 'Se admiten page, per_page, q, '],
    ['nothing=1', 400, 'Se admiten page, per_page, '],
    ['ambit=U', 400, '¿Quiso decir ambito?'],
    ['page=999', 404, 'Se pidió la página 999; la última es la '],
    ['page=x', 400, 'Se admite un número entero de 1 a '],
    ['per_page=0', 400, 'Se admite un número entero de 1 a 1000.'],
    ['poblacion_min=muchos', 400, 'Se admite un número entero'],
    ['latitud_min=x', 400, 'Se admite un número'],
    ['sort=poblacio', 400, '; ¿quiso decir poblacion?'],
    ['near=1', 400, 'Se admite una latitud de -90 a 90, una coma y una longitud de -180 a 180, como 19.43,-99.13.'],
    ['near=1,2&within_km=0', 400, 'con punto antes de los decimales.'],
    ['within_km=3', 400, 'una distancia desde near, que también debe darse.'],
    ['q=-', 400, 'palabras con letras o cifras'],
    ['page=1&page=2', 400, 'Se admite un solo valor: no puede repetirse.'],
    ['release=x', 400, 'Se admite la huella de una versión'],
    ['release=00000000deadbeef', 410, 'La versión 00000000deadbeef no está aquí.'],
  ])('refuses ?%s as a page, and says why in Spanish', async (query, status, reason) => {
    const response = await get(`/explore/localidades?${query}`, { Accept: 'text/html' })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([status, 'text/html; charset=utf-8'])
    const html = await response.text()
    expect(textOf(html)).toContain(`Error ${status}`)
    expect(textOf(between(html, 'class="reason"', '</p>'))).toContain(reason)
    expect(html).not.toContain('<span lang="en">')
  })
})

describe('a record', () => {
  test('is at its official code, too', async () => {
    for (const [target, location] of [
      ['/explore/paises/MEX', '/explore/paises/484'],
      ['/explore/paises/MX', '/explore/paises/484'],
      ['/explore/municipios/BC-001', '/explore/municipios/3'],
      ['/explore/municipios/02001', '/explore/municipios/3'],
      ['/explore/municipios/02-001', '/explore/municipios/3'],
      ['/explore/localidades/020010001', '/explore/localidades/3-1'],
      ['/explore/localidades?q=020010001', '/explore/localidades/3-1'],
      ['/explore/municipios?q=%2002001&lang=en', '/explore/municipios/3?lang=en'],
      ['/map/localidades?q=020010900', '/map/localidades#map=10/31.0000/-108.5000'],
    ] as const)
      expect((await get(target)).headers.get('Location')).toBe(location)
  })

  test('has its codes to copy, its place, its neighbours, its namesakes and its JSON', async () => {
    const html = await page('/explore/localidades/3-900')
    expect(attributes(html, 'data-copy')).toEqual(
      expect.arrayContaining(['020010900', 'BC-001-0900', '0900', '900', '31, -108.5']),
    )
    const text = textOf(html)
    expect(text).toContain('México Baja California Ensenada')
    expect(text).toMatch(/Cerca de aquí .* 401\.9 km/)
    expect(text).toMatch(/Homónimos Aguascalientes Municipio de Aguascalientes , Aguascalientes 2 con el mismo nombre/)
    expect(text).toContain('"cveLocalidad": "0900"')
  })

  test.each([
    ['/explore/estados/2', '02'],
    ['/explore/municipios/3', '02001'],
    ['/explore/localidades/3-100', '020010100'],
  ])('has the whole code by which it is found: %s', async (target, code) => {
    expect(textOf(await page(target))).toContain('Clave del INEGI')
    expect(attributes(await page(target), 'data-copy')[0]).toBe(code)
    expect(attributes(await page(`/explore?q=${code}`), 'href')).toContain(target)
  })

  test('has no whole code where it would be its own one, or the codes of a level differ in length', async () => {
    for (const target of ['/explore/paises/484', '/explore/disciplinas-conocimiento/1101'])
      expect(await page(target)).not.toMatch(/Clave del INEGI|Clave completa/)
    using home = new TestHome()
    const [first, ...others] = tiny.localidad
    await home.import(sourceOf({ ...tiny, localidad: [{ ...first, cveLocalidad: '3982506' }, ...others] }))
    const release = home.current()
    const server = serverOf(() => release, {}, home.store)
    const of = async (target: string) => textOf(await (await fetch(server.url + target)).text())
    expect(await of('/explore/localidades/3-1')).not.toContain('Clave del INEGI')
    expect(await of('/explore/municipios/3')).toContain('Clave del INEGI (CVEGEO) 02 001')
    await server.close()
  })

  test('has its history', async () => {
    expect(textOf(await page('/explore/localidades/3-100'))).toContain('Nombre Rancho Uno Rancho 1')
    expect(textOf(await page('/explore/localidades/3-900'))).toMatch(/apareció.*no estaba/)
    expect(textOf(await page('/explore/localidades/3-101'))).toContain('Sin cambios')
    const [before] = service.digests
    const html = await page(`/explore/localidades/3-100?release=${before}`)
    expect(html).toContain('<bdi>Rancho Uno</bdi></h1>')
    expect(textOf(html)).toContain('que no es la vigente')
  })

  test.each([
    '/explore/localidades/3',
    '/explore/localidades/3-1-1',
    '/explore/localidades/3-all',
    '/explore/paises/all',
    '/explore/paises/0',
    '/explore/paises/%2e%2e%2f',
    '/explore/x/1',
  ])('that is not there is a page: %s', async (target) => {
    const response = await get(target, { Accept: 'text/html' })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
  })
})

test('the tree opens one level after the other', async () => {
  expect(textOf(await page('/explore/tree'))).not.toContain('Baja California')
  const open = await page('/explore/tree?open=paises:484')
  expect(textOf(open)).toContain('Baja California')
  expect(textOf(open)).not.toContain('Rancho')
  const [toggle = ''] = attributes(open, 'href').filter((link) => link.includes('open=estados%3A2'))
  expect(textOf(await page(toggle.replace(/#.*/, '')))).toContain('Ensenada')
  expect((await get('/explore/tree?open=nothing')).status).toBe(400)
})

test('the first page counts the records that came, changed and went, in each list', async () => {
  const text = textOf(await page('/'))
  expect(text).toContain('Catálogo Agregados Cambiados Retirados Localidades 1 1 0 Ver los cambios')
})

test('the releases are compared', async () => {
  const [before, current] = service.digests
  const text = textOf(await page(`/releases?from=${before}&to=${current}`))
  expect(text).toContain('Localidades 1 1 0')
  expect(text).toContain('Rancho 1 020010100 Nombre Rancho Uno Rancho 1')
  const chosen = textOf(await page(`/releases?from=${before}&to=${current}&in=localidades&change=added`))
  expect(chosen).toContain('Localidades: agregados (1) Nombre CVEGEO Aguascalientes 020010900')
  for (const wrong of ['in=nada&change=added', 'in=localidades&change=nada', 'in=localidades&change=added&page=2'])
    expect((await get(`/releases?from=${before}&to=${current}&${wrong}`)).status).toBe(400)
  expect(textOf(await page(`/releases?from=${current}&to=${current}`))).toContain('tienen los mismos registros')
})

describe('the reference', () => {
  /** The page of each resource by its id, as the page of all of them names it. */
  const resources = async () => {
    const html = await page('/docs')
    const ids = [...html.matchAll(/<details class="operation" id="([^"]+)"/g)].map(([, id = '']) => id)
    const pages = attributes(html, 'data-part').map((address) => page(address))
    return new Map((await Promise.all(pages)).map((one, at) => [ids[at] as string, one]))
  }
  const everyResource = async () => [...(await resources()).values()].join('\n')

  test('has a form for every operation of the OpenAPI document', async () => {
    const { paths } = (await (await get('/api/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const html = await everyResource()
    const [methods, forms] = [attributes(html, 'data-method'), attributes(html, 'data-path')]
    const operations = Object.entries(paths).flatMap(([path, ofPath]) =>
      Object.entries(ofPath).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
    )
    // In a form, a variable has the name of its list before its own.
    const inForms = forms.map((path, at) => `${methods[at]} ${path.replaceAll(/\{[^.}]+\./g, '{')}`)
    const reconciling = inForms.filter((one) => one.startsWith('GET /reconcile'))
    expect(reconciling).toContain('GET /reconcile')
    expect(inForms.filter((one) => !reconciling.includes(one)).sort()).toEqual(
      operations.map(({ path, method }) => `${method} ${path}`).sort(),
    )
    for (const { operationId } of operations) expect(html).toContain(`<tr id="${operationId}">`)
  })

  test('has one entry for each list and each other part, with the fields of its responses', async () => {
    const entries = await resources()
    expect([...entries.keys()].slice(0, plurals.length)).toEqual(plurals.map((plural) => `list-${plural}`))
    const fieldsOf = (id: string) => {
      const [, table = ''] = /class="response-fields">(.*?)<\/table>/s.exec(entries.get(id) ?? '') ?? []
      return [...table.matchAll(/<th scope="row"><code>([^<]+)/g)].map(([, name]) => name)
    }
    const [record] = (await (await get('/api/v2/municipios?facts=true')).json()) as object[]
    expect(fieldsOf('list-municipios').sort()).toEqual(Object.keys(record as object).sort())
    const [suggestion] = (await (await get('/api/v2/search?q=ensenada')).json()) as object[]
    expect(fieldsOf('api-v2-search')).toEqual(expect.arrayContaining(Object.keys(suggestion as object)))
  })

  test('has a word for every problem', async () => {
    const html = await page('/docs')
    for (const [kind, { title, advice }] of Object.entries(languageOf('es').words.problems))
      expect(textOf(html)).toContain(`${kind} ${title}. ${advice}`)
    for (const [, status] of (await everyResource()).matchAll(/href="\/docs#status-([0-9]+)"/g))
      expect(html).toContain(`id="status-${status}"`)
  })

  test('has examples that people would look for, each of which works', async () => {
    const html = await everyResource()
    const targets = [...html.matchAll(/<form action="\/docs\/run".*?<\/form>/gs)].flatMap(([form]) => {
      const given = [...form.matchAll(/<input name="([^"]+)" value="([^"]+)"/g)]
      const query = given.map(
        ([, name = '', value = '']) => `&${encodeURIComponent(name)}=${encodeURIComponent(unescaped(value))}`,
      )
      return attributes(form, 'data-method').flatMap((method, at) =>
        method === 'GET' ? [`/docs/run?operation=${attributes(form, 'value')[at]}${query.join('')}`] : [],
      )
    })
    expect(targets.length).toBeGreaterThan(plurals.length * 3)
    for (const target of targets) {
      const response = await fetch(url + target)
      // Nothing is signed here.
      expect([target, response.status]).toEqual([target, target.includes('Signature') ? 404 : 200])
    }
    // The most populous locality is an example, with all that it belongs to.
    expect(html).toContain('name="q" value="Aguascalientes"')
    expect(html).toContain('placeholder="municipios:3"')
  })

  test('says in Spanish what every operation and every parameter is', async () => {
    expect((await everyResource()).match(/<span lang="en">[^<]*/g)).toBeNull()
  })

  test('has no page of a resource that is not there, and takes no parameters', async () => {
    for (const target of ['/docs/list-nothing', '/docs/nothing']) expect((await get(target)).status).toBe(404)
    expect((await get('/docs/list-paises?q=a')).status).toBe(400)
  })

  test('runs an operation without a script', async () => {
    const target = '/docs/run?operation=listMunicipiosOfEstado&%7Bestados.idEstado%7D=2&per_page=1&q=&within=no'
    expect((await get(target)).headers.get('Location')).toBe('/api/v2/estados/2/municipios?per_page=1')
    expect((await get('/docs/run?operation=nothing')).status).toBe(400)
    const elsewhere = '/docs/run?operation=getPais&%7Bpaises.idPais%7D=%2F%2Fevil.example'
    expect((await get(elsewhere)).headers.get('Location')).toBe('/api/v2/paises/%2F%2Fevil.example')
  })
})

describe('what is sent', () => {
  const assetsOf = (html: string) =>
    [...new Set(['src', 'href', 'data-script'].flatMap((name) => attributes(html, name)))].filter((link) =>
      link.startsWith('/assets/'),
    )

  test('never changes under its name, and is there in every encoding', async () => {
    for (const target of assetsOf(await page('/'))) {
      const plain = await get(target)
      const content = await plain.text()
      expect(plain.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      expect(plain.headers.get('Access-Control-Allow-Origin')).toBeNull()
      for (const encoding of ['gzip', 'br', 'zstd']) {
        const response = await get(target, { 'Accept-Encoding': encoding })
        expect([response.headers.get('Content-Encoding'), await response.text()]).toEqual([encoding, content])
      }
      expect((await get(target, { 'If-None-Match': plain.headers.get('ETag') ?? '' })).status).toBe(304)
    }
    expect((await get('/assets/explorer.js')).status).toBe(404)
  })

  test('is for these pages alone, but for what the picker is made of', async () => {
    const sharing = async (target: string) => {
      const { headers } = await get(target)
      return [headers.get('Access-Control-Allow-Origin'), headers.get('Cross-Origin-Resource-Policy')]
    }
    for (const target of assetsOf(await page('/'))) expect(await sharing(target)).toEqual([null, 'same-origin'])
    expect(await sharing('/picker/nomenclator-picker.js')).toEqual(['*', 'cross-origin'])
    expect((await sharing('/picker/levels.json'))[0]).toBe('*')
    expect((await get('/picker/levels.json?release=1')).status).toBe(400)
  })

  test('is small: 60 KB of script for any page', async () => {
    for (const [, target] of everyPage) {
      const html = await page(target)
      const sizes = await Promise.all(
        assetsOf(html)
          .filter((asset) => asset.endsWith('.js'))
          .map(async (asset) => gzipSync(await page(asset)).length),
      )
      expect(sizes.length).toBeGreaterThan(0)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
    }
  })
})

describe('names that attack', () => {
  test('are text on every page', async () => {
    const targets = [
      ...Object.values(PAGES),
      '/explore/localidades?per_page=250',
      '/explore/localidades?q=script',
      '/explore?q=script',
    ]
    const records = HOSTILE_NAMES.map((_, at) => `/explore/localidades/3-${400 + at}`)
    let shown = 0
    for (const target of [...targets, ...records]) {
      const html = await page(target)
      expect(html).not.toMatch(/<script>|<img|onfocus='/)
      expect(html).not.toMatch(/<script(?![^>]* src="\/assets\/)/)
      for (const name of HOSTILE_NAMES) if (unescaped(html).includes(name)) shown++
    }
    expect(shown).toBeGreaterThan(30)
  })

  test('are text when they are in the address', async () => {
    for (const name of HOSTILE_NAMES.slice(0, 5)) {
      const given = encodeURIComponent(name)
      const targets = [
        `/explore?q=${given}`,
        `/explore/localidades?q=${given}`,
        `/explore/localidades?${given}=1`,
        `/explore/localidades?descLocalidad=${given}`,
        `/explore/localidades/${given}`,
        `/${given}`,
        `/releases?from=${given}`,
        `/?lang=${given}`,
      ]
      for (const target of targets) {
        const html = await page(target, { Accept: 'text/html' })
        expect(html).not.toMatch(/<script>|<img|onfocus='/)
      }
    }
  })
})
