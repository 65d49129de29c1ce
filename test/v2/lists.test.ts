// Lists of any kind over API v2: keys of any text and of several fields, values of every type, references
// that may be missing, names in several languages and a tree; over a real socket.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Documented } from '../support/openapi.ts'
import { sourceOf, TestHome } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'
import { country, world, worldRows } from '../support/world.ts'

setDefaultTimeout(180_000)

const home = new TestHome()
await home.import(sourceOf(worldRows, {}, world), { acceptChanges: true })
const release = home.current()
const server = serverForAll(() => release, { baseUrl: 'https://lists.example' }, home.store)
afterAll(() => home[Symbol.dispose]())

type Json = Record<string, unknown>

const get = (target: string) => fetch(`${server.url}/api/v2${target}`, { headers: { 'Accept-Encoding': 'identity' } })
const text = async (target: string) => {
  const response = await get(target)
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${target}: ${response.status} ${body}`)
  return body
}
const json = async (target: string) => JSON.parse(await text(target))
const keys = async (target: string) => ((await json(target)) as Json[]).map((one) => one['ISO code'] ?? one.code)
const refusal = async (target: string) => {
  const response = await get(target)
  return [response.status, ((await response.json()) as { detail: string }).detail] as const
}
const encoded = encodeURIComponent

describe('a record', () => {
  test.each([
    ['a/b', 'a%2Fb'],
    ['ñ é,%2F', encoded('ñ é,%2F')],
    ['ñ é,%2F', '%C3%B1%20%C3%A9,%252F'],
    // The word alone means all records.
    ['all', '%61ll'],
  ])('with the key %p is at %s', async (key, segment) => {
    expect(await json(`/countries/${segment}?fields=ISO%20code`)).toEqual({ 'ISO code': key })
    expect(await json(`/countries/${segment}?by=code&fields=iso_code`)).toEqual({ 'ISO code': key })
  })

  test('with a key of several fields is at all of them, with commas between', async () => {
    expect(await json('/regions/MX,09?fields=name')).toEqual({ name: 'Ciudad de México' })
    expect(await json('/regions/MX,a%2Cb?fields=name')).toEqual({ name: 'Comma' })
    expect(await json('/regions/a%2Fb,09?embed=id')).toEqual({ country: 'a/b', code: '09', name: null })
    for (const wrong of ['MX', 'MX,09,x', 'MX,a,b', 'MX%2C09', 'MX,', ',09'])
      expect((await get(`/regions/${wrong}`)).status).toBe(404)
  })

  test('is at the address that others give for it', async () => {
    for (const { url } of (await json('/search?q=m&limit=50')) as { url: string }[])
      expect((await fetch(url.replace('https://lists.example', server.url))).status).toBe(200)
    const paths = ['/countries', '/regions', '/jobs'].map(async (list) => [list, await json(list)] as const)
    for (const [list, records] of await Promise.all(paths))
      for (const record of records as Json[]) {
        const key = [record.country, record['ISO code'] ?? record.code].flatMap((value) =>
          value === undefined ? [] : encoded(String((value as Json)['ISO code'] ?? value)),
        )
        const segment = key.join(',') === 'all' ? '%61ll' : key.join(',')
        expect(await json(`${list}/${segment}`)).toEqual(record)
      }
  })

  test('has null for each missing value, and every digit of its numbers', async () => {
    expect(await json('/countries/ZZ')).toEqual(
      Object.fromEntries(Object.keys(country.fields).map((name) => [name, name === 'ISO code' ? 'ZZ' : null])),
    )
    const slug = 'fields=poblacion_2020,temp,temp_min,tags'
    expect(await text(`/countries/MX?${slug}`)).toBe(
      '{"Población (2020)":126014024,"temp":21.50,"temp_min":-1.0,"tags":["north","big",1.50]}',
    )
    expect(await text('/regions?country=a%2Fb&format=ndjson&fields=country.temp,country.poblacion_2020')).toBe(
      '{"country":{"Población (2020)":99999999999999999999,"temp":1e30}}\n',
    )
    expect(await text('/regions?country=a%2Fb&format=ndjson&fields=country.temp')).toBe('{"country":{"temp":1e30}}\n')
    expect(await text('/countries?fields=temp&format=ndjson')).toBe(
      '{"temp":21.50}\n{"temp":1e30}\n{"temp":null}\n{"temp":-3}\n{"temp":null}\n',
    )
  })

  test('gives what it embeds in full, by its key, or null', async () => {
    const job = await json('/jobs/11')
    expect([job.region.name, job.region.country.name_es]).toEqual(['Ciudad de México', 'México'])
    expect(await json('/jobs/11?embed=id')).toMatchObject({ parent: '1', region: ['MX', '09'] })
    expect(await json('/jobs/1?embed=id')).toMatchObject({ parent: null, region: null })
    expect(await json('/jobs/1?fields=region.country.name_en')).toEqual({ region: null })
  })
})

describe('filters', () => {
  test.each([
    ['open=true', ['MX']],
    ['open=false', ['ñ é,%2F']],
    ['temp=21.5', ['MX']],
    ['temp.min=0', ['MX', 'a/b']],
    ['temp_max=0', ['all']],
    ['temp_min=-1', ['MX']],
    ['temp_min_max=0', ['MX']],
    ['format.is=x', ['MX']],
    ['year=1999&year=1821', ['MX', 'ñ é,%2F']],
    ['year_min=1900', ['ñ é,%2F']],
    ['since_min=1900', ['ñ é,%2F']],
    ['since_max=1821-09', ['MX']],
    ['since_max=1999', ['MX', 'ñ é,%2F']],
    ['since=1999-01', ['ñ é,%2F']],
    ['tags=big', ['MX', 'ñ é,%2F']],
    ['tags=1.50', ['MX']],
    ['tags=bi', []],
    ['a_b_prefix=one', ['MX']],
    [`${encoded('Población (2020)')}=126014024`, ['MX']],
    ['poblacion_2020_min=1', ['MX', 'a/b']],
    ['ISO+code_prefix=a', ['a/b', 'all']],
    ['name_es=M%C3%A9xico', ['MX']],
  ])('countries?%s are %p', async (query, expected) => {
    expect(await keys(`/countries?${query}`)).toEqual(expected)
    expect(await keys(`/countries/all?${query}`)).toEqual(expected)
  })

  test.each([
    ['region=MX,09', ['11']],
    ['region=MX,a%252Cb', ['1111']],
    ['region.country=MX', ['11', '1111']],
    ['region.country.open=true', ['11', '1111']],
    ['region.country.temp.min=100', ['21']],
    ['parent=1&parent=2', ['11', '21']],
    ['region=MX,10', []],
  ])('jobs?%s are %p', async (query, expected) => expect(await keys(`/jobs?${query}`)).toEqual(expected))

  test.each([
    ['/countries?open=yes', 'true, false'],
    ['/countries?temp=warm', 'a number'],
    ['/countries?year=1.5', 'a whole number'],
    ['/countries?since=yesterday', 'a date such as'],
    ['/countries?tags=', 'a value'],
    ['/jobs?region=MX', 'country.ISO code and code with a comma between them'],
    ['/jobs?within=99', 'the key or the official code of a record that is there'],
    ['/countries?within=MX', 'not known'],
    ['/regions?lang=de', 'en, es, fr, all'],
    ['/countries?lang=de', 'en, es, fr, all'],
  ])('%s is refused: %s', async (target, says) => {
    const [status, detail] = await refusal(target)
    expect([status, detail]).toEqual([400, expect.stringContaining(says)])
  })
})

describe('sorting', () => {
  test.each([
    ['/countries?sort=temp', ['all', 'MX', 'a/b', 'ñ é,%2F', 'ZZ']],
    ['/countries?sort=-temp', ['a/b', 'MX', 'all', 'ñ é,%2F', 'ZZ']],
    ['/countries?sort=name_es', ['ñ é,%2F', 'MX', 'a/b', 'all', 'ZZ']],
    ['/countries?sort=-name_es', ['MX', 'ñ é,%2F', 'a/b', 'all', 'ZZ']],
    ['/countries?sort=since', ['MX', 'ñ é,%2F', 'a/b', 'all', 'ZZ']],
    ['/countries?sort=-open', ['MX', 'ñ é,%2F', 'a/b', 'all', 'ZZ']],
    ['/countries?sort=-poblacion_2020', ['a/b', 'MX', 'ñ é,%2F', 'all', 'ZZ']],
    ['/jobs?sort=-region.country.name_en,-code', ['21', '1111', '11', 'y', 'x', 'self', '2', '111', '1']],
    ['/jobs?sort=region', ['11', '1111', '21', '1', '111', '2', 'self', 'x', 'y']],
    ['/jobs?sort=-parent', ['x', 'y', 'self', '21', '1111', '111', '11', '1', '2']],
  ])('%s is %p, what is missing last', async (target, expected) => expect(await keys(target)).toEqual(expected))

  test('pages in any order have every record once', async () => {
    for (const sort of ['temp', '-name_es', 'tags', '-since', 'a_b']) {
      const pages = await Promise.all([1, 2, 3].map((page) => keys(`/countries?sort=${sort}&per_page=2&page=${page}`)))
      expect(pages.flat()).toEqual(await keys(`/countries?sort=${sort}`))
    }
  })
})

describe('a tree', () => {
  test.each([
    ['/jobs/1/children', ['11']],
    ['/jobs/1/descendants', ['11', '111', '1111']],
    ['/jobs/1111/ancestors', ['111', '11', '1']],
    ['/jobs/1111/ancestors?sort=code', ['1', '11', '111']],
    ['/jobs/1111/ancestors?title=Managers', ['1']],
    ['/jobs/1111/ancestors?q=chief', ['11']],
    ['/jobs/1/ancestors', []],
    ['/jobs/1111/children', []],
    ['/jobs/1/descendants/all', ['11', '111', '1111']],
    ['/jobs/1/descendants?sort=-code', ['1111', '111', '11']],
    ['/jobs/1/descendants?region.country=MX', ['11', '1111']],
    ['/jobs?within=11', ['111', '1111']],
    ['/jobs/all?within=1&title=Senators', ['1111']],
    ['/jobs?root=true', ['1', '2', 'self']],
    ['/jobs?root=true&within=1', []],
    ['/jobs?q=senators&within=1', ['1111']],
    // A record that is its own ancestor comes once.
    ['/jobs/self/children', []],
    ['/jobs/self/descendants', []],
    ['/jobs/self/ancestors', []],
    ['/jobs/x/descendants', ['y']],
    ['/jobs/x/ancestors', ['y']],
  ])('%s is %p', async (target, expected) => expect(await keys(target)).toEqual(expected))

  test('is walked in pages', async () => {
    const first = await get('/jobs/1/descendants?per_page=2')
    expect(first.headers.get('x-total')).toBe('3')
    const next = /<https:\/\/lists\.example\/api\/v2([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1]
    expect(await keys(next as string)).toEqual(['1111'])
  })

  test('has no such paths where there is none, nor for a record that is not there', async () => {
    expect((await get('/countries/MX/children')).status).toBe(404)
    expect((await get('/jobs/99/descendants')).status).toBe(404)
    expect((await get('/jobs/1/descendants/x')).status).toBe(404)
  })

  test('is the breadcrumb of a suggestion, and what it is searched within', async () => {
    const [hit] = (await json('/search?q=senators')) as Json[]
    expect(hit).toMatchObject({
      key: { code: '1111' },
      breadcrumb: ['Legislators', 'Chief executives', 'Managers', 'Comma', 'Mexico'],
      parents: [
        { collection: 'jobs', key: { code: '111' } },
        { collection: 'jobs', key: { code: '11' } },
        { collection: 'jobs', key: { code: '1' } },
        { collection: 'regions', key: { country: 'MX', code: 'a,b' } },
        { collection: 'countries', key: { 'ISO code': 'MX' } },
      ],
    })
    const within = async (where: string) =>
      ((await json(`/search?q=legislators&within=${where}`)) as { key: Json }[]).map(({ key }) => key.code)
    expect([await within('jobs:1'), await within('jobs:2')]).toEqual([['111'], []])
  })

  test('of which a record is below another collection is found below it', async () => {
    expect(await keys('/countries/MX/jobs')).toEqual(['11', '1111'])
    expect(await keys('/regions/MX,09/jobs')).toEqual(['11'])
    const all = await get('/regions/MX,a%2Cb/jobs/all')
    expect(all.headers.get('content-disposition')).toMatch(/filename="regions-MX-a_b-jobs-[0-9a-f]{12}\.json"/)
  })
})

describe('names in a language', () => {
  const shown = async (target: string) => {
    const response = await get(target)
    return [response.headers.get('content-language'), await response.json()] as const
  }

  test('are alone, and where there is none the first that there is', async () => {
    const fields = 'fields=name_en,name_es,name_fr'
    expect(await shown(`/countries/MX?${fields}&lang=es`)).toEqual(['es', { name_es: 'México' }])
    expect(await shown(`/countries/a%2Fb?${fields}&lang=es`)).toEqual(['en', { name_en: 'Slash' }])
    expect(await shown(`/countries?${fields}&lang=es-MX`)).toEqual([
      'es, en, fr',
      [{ name_es: 'México' }, { name_en: 'Slash' }, { name_es: 'Eñe' }, { name_fr: 'Tout' }, {}],
    ])
    const [language, whole] = await shown('/countries/MX?lang=fr')
    expect([language, Object.keys(whole as Json)]).toEqual([
      'fr',
      Object.keys(country.fields).filter((name) => !/_e[ns]$/.test(name)),
    ])
  })

  test('are all there with lang=all, and without lang', async () => {
    expect(await shown('/countries/MX?lang=all')).toEqual([null, await json('/countries/MX')])
  })

  test('of embedded records too', async () => {
    const [, region] = await shown('/regions/MX,09?lang=fr')
    expect(Object.keys((region as { country: Json }).country)).not.toContain('name_en')
  })

  test('stand in one column of a table', async () => {
    expect(await text('/countries?lang=es&format=csv&fields=name_en,name_es,name_fr')).toBe(
      'name_es\r\nMéxico\r\nSlash\r\nEñe\r\nTout\r\n\r\n',
    )
  })

  test('are those of suggestions', async () => {
    const names = async (query: string) =>
      ((await json(`/search?${query}`)) as { name: string }[]).map(({ name }) => name)
    expect(await names('q=mexico&in=countries')).toEqual(['Mexico'])
    expect(await names('q=mexico&in=countries&lang=fr')).toEqual(['Mexique'])
    expect((await refusal('/search?q=mexico&lang=xx'))[1]).toContain('en, es, fr, all')
  })
})

describe('as CSV', () => {
  test('numbers have their digits, lists semicolons, and texts their lines', async () => {
    const csv = await text('/countries?format=csv&fields=iso_code,poblacion_2020,a_b,temp,temp_min,open,since,tags')
    expect(csv).toBe(
      [
        'ISO code,Población (2020),a.b,temp,temp_min,open,since,tags',
        'MX,126014024,"one\ntwo, ""three""",21.50,-1.0,true,1821-09-27,north;big;1.50',
        'a/b,99999999999999999999,,1e30,,,,"[""a;b""]"',
        '"ñ é,%2F",,,,,false,1999-01,big',
        'all,,,-3,,,,',
        'ZZ,,,,,,,',
        '',
      ].join('\r\n'),
    )
  })

  test('a record that is missing is empty, and one by its key is one column', async () => {
    expect(await text('/jobs?format=csv&embed=id&per_page=2')).toBe(
      'code,title,parent,region\r\n1,Managers,,\r\n11,Chief executives,1,MX;09\r\n',
    )
    const [head, first] = (await text('/jobs?format=csv&fields=code,region&per_page=1')).split('\r\n')
    expect((head as string).split(',').slice(0, 4)).toEqual([
      'code',
      'region.country.ISO code',
      'region.country.name_en',
      'region.country.name_es',
    ])
    expect((first as string).replaceAll(',', '')).toBe('1')
  })
})

describe('the description', () => {
  test('describes slugs, types, languages, trees and packages', async () => {
    const { collections, packages } = (await json('')) as { collections: Json[]; packages: unknown[] }
    expect(packages).toEqual([])
    const [countries, regions, jobs] = ['countries', 'regions', 'jobs'].map(
      (name) => collections.find((one) => one.name === name) as Json & { fields: Json[]; filters: string[] },
    ) as [Json & { fields: Json[]; filters: string[] }, Json, Json & { fields: Json[] }]
    expect(countries).toMatchObject({
      record: 'https://lists.example/api/v2/countries/{iso_code}',
      key: ['ISO code'],
      package: 'world',
      languages: ['en', 'es', 'fr'],
    })
    const field = (path: string) => countries.fields.find((one) => one.path === path)
    expect(field('Población (2020)')).toEqual({
      path: 'Población (2020)',
      type: 'integer',
      says: 'a integer',
      optional: true,
      slug: 'poblacion_2020',
    })
    expect(field('a_b')).toMatchObject({ type: 'string', steps: ['a.b'] })
    expect(field('name_es')).toMatchObject({ type: 'string', language: 'es' })
    expect(countries.filters).toEqual(expect.arrayContaining(['format.is', 'temp.min', 'temp_min', 'since_max']))
    expect(regions).toMatchObject({
      record: 'https://lists.example/api/v2/regions/{country},{code}',
      keyPaths: ['country.ISO code', 'code'],
    })
    expect(jobs.tree).toMatchObject({ descendants: 'https://lists.example/api/v2/jobs/{code}/descendants' })
    expect(jobs.fields.find(({ path }) => path === 'parent')).toMatchObject({ type: 'string', role: 'broader' })
  })

  test('in OpenAPI is what responses are like', async () => {
    const documented = new Documented((await (await fetch(`${server.url}/api/openapi.json`)).json()) as object)
    const paths: Readonly<Record<string, string>> = {
      listCountries: '/countries',
      getCountry: '/countries/MX?lang=fr',
      allCountries: '/countries/all',
      listRegions: '/regions?embed=full',
      getRegion: '/regions/MX,09',
      listJobs: '/jobs?within=1',
      getJob: '/jobs/11',
      listJobsChildren: '/jobs/1/children',
      listJobsAncestors: '/jobs/1111/ancestors',
      listJobsDescendants: '/jobs/1/descendants',
      allJobsDescendants: '/jobs/1/descendants/all',
      listJobsOfRegion: '/regions/MX,09/jobs',
      allJobsOfCountry: '/countries/MX/jobs/all',
      search: '/search?q=senators',
      resolve: '/resolve?q=senators',
      describeApi: '',
    }
    for (const [id, target] of Object.entries(paths)) {
      const operation = documented.operation(id)
      expect([id, await documented.breaches(operation, await get(target))]).toEqual([id, []])
    }
  })
})

describe('rows and cells of others', () => {
  const reconcile = async (fields: Readonly<Record<string, unknown>>) => {
    const body = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
    )
    const response = await fetch(`${server.url}/reconcile`, { method: 'POST', body })
    if (response.status !== 200) throw new Error(await response.text())
    return (await response.json()) as Record<string, { result: Json[] }> & { rows: Record<string, Json> }
  }

  test('mean records with keys of any kind', async () => {
    const [row] = (await json('/resolve?job=senators')) as Json[]
    expect(row).toMatchObject({
      verdict: 'exact',
      collection: 'jobs',
      key: { code: '1111' },
      url: 'https://lists.example/api/v2/jobs/1111',
      breadcrumb: ['Legislators', 'Chief executives', 'Managers', 'Comma', 'Mexico'],
    })
    const [comma] = (await json('/resolve?region=comma')) as Json[]
    expect(comma).toMatchObject({
      key: { country: 'MX', code: 'a,b' },
      url: 'https://lists.example/api/v2/regions/MX,a%2Cb',
    })
    expect(await text('/resolve?region=comma&format=csv')).toContain('regions,"MX/a,b",')
  })

  test('are reconciled to them, each list being a type', async () => {
    const { a, b } = await reconcile({
      queries: { a: { query: 'Senators', type: 'jobs' }, b: { query: 'regions/MX/a%2Cb' } },
    })
    expect(a?.result[0]).toMatchObject({
      id: 'jobs/1111',
      description: 'job · Legislators, Chief executives, Managers, Comma, Mexico',
      type: [{ id: 'jobs', name: 'Jobs' }],
    })
    expect(b?.result[0]).toMatchObject({ id: 'regions/MX/a%2Cb', match: true })
  })

  test('are extended with values of every type', async () => {
    const ids = ['countries/MX', 'countries/a%2Fb', 'countries/a/b', 'countries/ZZ', 'jobs/1111']
    const properties = ['open', 'since', 'tags', 'temp', 'year', 'parent', 'name_es'].map((id) => ({ id }))
    const { rows } = await reconcile({ extend: { ids, properties } })
    const lacking = { open: [], since: [], tags: [], temp: [], year: [], parent: [], name_es: [] }
    expect(rows).toEqual({
      'countries/MX': {
        ...lacking,
        open: [{ bool: true }],
        since: [{ date: '1821-09-27' }],
        tags: [{ str: 'north' }, { str: 'big' }, { str: '1.50' }],
        temp: [{ float: 21.5 }],
        year: [{ int: 1821 }],
        name_es: [{ str: 'México' }],
      },
      'countries/a%2Fb': { ...lacking, tags: [{ str: 'a;b' }], temp: [{ float: 1e30 }] },
      'countries/a/b': { ...lacking, tags: [{ str: 'a;b' }], temp: [{ float: 1e30 }] },
      'countries/ZZ': lacking,
      'jobs/1111': { ...lacking, parent: [{ id: 'jobs/111', name: 'Legislators' }] },
    })
  })

  test('are previewed', async () => {
    const preview = await (await fetch(`${server.url}/reconcile/preview?id=${encoded('countries/MX')}`)).text()
    expect(preview).toContain('<td>21.50</td>')
    expect((await fetch(`${server.url}/reconcile/preview?id=countries/ZZ`)).status).toBe(200)
  })
})
