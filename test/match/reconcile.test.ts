// The reconciliation service over a real socket: the rules of the protocol, what OpenRefine sends, and what is hostile.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import type { PublishedRecord } from '../../packages/server/src/catalog/flatten.ts'
import { ancestorsOf } from '../../packages/server/src/catalog/lineage.ts'
import { naiveCodes } from '../support/found.ts'
import { breaches, type SchemaName } from '../support/reconcile-schemas.ts'
import { bundledRelease, TestHome } from '../support/releases.ts'
import { serverForAll, serverOf } from '../support/server.ts'
import { country, smallSource } from '../support/small-source.ts'
import { message, send, sendAll, sendUntilClosed } from '../support/wire.ts'

setDefaultTimeout(180_000)

const release = await bundledRelease()
const server = serverForAll(() => release)

const FORM = 'application/x-www-form-urlencoded'
const get = (target: string, init: RequestInit = {}) => fetch(`${server.url}/reconcile${target}`, init)
const post = (fields: Readonly<Record<string, string>>, target = '') =>
  get(target, { method: 'POST', body: new URLSearchParams(fields) })

type Json = Readonly<Record<string, never>>

/** The JSON of a response that must be as the specification says. */
async function valid<T = Json>(name: SchemaName, response: Response | Promise<Response>): Promise<T> {
  const { status, headers } = await response
  const value = await (await response).json()
  expect([status, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([
    200,
    'application/json',
    '*',
  ])
  expect(breaches(name, value)).toEqual([])
  return value as T
}

type Candidate = {
  readonly id: string
  readonly name: string
  readonly score: number
  readonly match: boolean
  readonly type: readonly { readonly id: string }[]
  readonly features?: readonly { readonly id: string; readonly value: boolean }[]
}
type Results = Readonly<Record<string, { readonly result: readonly Candidate[] }>>

const reconcile = (queries: unknown) => valid<Results>('results', post({ queries: JSON.stringify(queries) }))
async function candidates(query: unknown): Promise<readonly Candidate[]> {
  const { q0 } = await reconcile({ q0: query })
  return q0?.result ?? []
}

type Manifest = {
  readonly identifierSpace: string
  readonly defaultTypes: readonly { readonly id: string }[]
  readonly view: { readonly url: string }
  readonly preview: { readonly url: string }
  readonly suggest: Readonly<
    Record<
      string,
      { service_url: string; service_path: string; flyout_service_url: string; flyout_service_path: string }
    >
  >
  readonly extend: { readonly propose_properties: { readonly service_url: string; readonly service_path: string } }
  readonly batchSize: number
}
const manifest = () => valid<Manifest>('manifest', get(''))

/** The identifier of the first record of a collection. */
async function firstId(collection: string): Promise<string> {
  const { result } = await valid<{ result: { id: string }[] }>(
    'entities',
    get(`/suggest/entity?type=${collection}&prefix=${await anyName(collection)}`),
  )
  return result[0]?.id ?? ''
}

async function anyName(collection: string): Promise<string> {
  const [record = {}] = (await (await fetch(`${server.url}/api/v2/${collection}?per_page=1`)).json()) as Json[]
  const entity = release.catalog.collections.get(collection)
  const field = Object.keys(entity?.fields ?? {}).find((name) => entity?.fields[name]?.kind === 'name') ?? ''
  return encodeURIComponent(String((record as Json)[field]))
}

describe('the manifest', () => {
  test('is that of version 0.2, with every collection as a type', async () => {
    const { defaultTypes } = await manifest()
    expect(defaultTypes.map(({ id }) => id)).toEqual([...release.catalog.collections.keys()])
  })

  test('is the same with a slash, and without a body for HEAD', async () => {
    expect(await (await get('/')).text()).toBe(await (await get('')).text())
    const head = await get('', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('leads to services that are there', async () => {
    const { view, preview, suggest, extend, defaultTypes } = await manifest()
    for (const { id: type } of defaultTypes) {
      const id = encodeURIComponent(await firstId(type))
      const seen = await fetch(view.url.replace('{{id}}', id))
      expect([seen.status, seen.headers.get('content-type')]).toEqual([200, 'application/json'])
      const page = await fetch(preview.url.replace('{{id}}', id))
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const { service_url, service_path } = extend.propose_properties
      await valid('proposals', fetch(`${service_url}${service_path}?type=${type}`))
    }
    const examples = { entity: await firstId('paises'), property: 'estado', type: 'municipios' }
    for (const [what, id] of Object.entries(examples)) {
      const { service_url, service_path, flyout_service_url, flyout_service_path } = suggest[what] ?? never()
      const names: Readonly<Record<string, SchemaName>> = { entity: 'entities', property: 'properties', type: 'types' }
      const { result } = await valid<{ result: { id: string }[] }>(
        names[what] ?? never(),
        fetch(`${service_url}${service_path}?prefix=${encodeURIComponent(id)}`),
      )
      expect(result[0]?.id).toBe(id)
      const path = flyout_service_path.replace(/\$\{id\}/, encodeURIComponent(id))
      const flyout = await valid<{ id: string }>('flyout', fetch(`${flyout_service_url}${path}`))
      expect(flyout.id).toBe(id)
    }
  })
})

const never = (): never => {
  throw new Error('not in the manifest')
}

describe('queries', () => {
  test('as OpenRefine 3.8 sends them', async () => {
    const queries = {
      q0: {
        query: 'Guadalajara',
        type: 'municipios',
        type_strict: 'should',
        properties: [{ pid: 'estado', v: 'Jalisco' }],
      },
      q1: { query: 'Monterrey', type: 'municipios', type_strict: 'should' },
    }
    const body = `queries=${encodeURIComponent(JSON.stringify(queries)).replaceAll('%20', '+')}`
    const fields = [`Host: ${server.host}`, `Content-Type: ${FORM}; charset=UTF-8`, `Content-Length: ${body.length}`]
    const responses = await sendAll(
      server.url,
      message('POST', '/reconcile', ...fields) + body,
      message('POST', '/reconcile', ...fields) + body,
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    const results = JSON.parse(responses[0]?.body ?? '') as Results
    expect(breaches('results', results)).toEqual([])
    expect(Object.keys(results)).toEqual(['q0', 'q1'])
    expect(results.q0?.result[0]).toMatchObject({
      name: 'Guadalajara',
      description: 'municipio · Jalisco, México',
      type: [{ id: 'municipios', name: 'Municipalities' }],
      match: true,
    })
    expect(results.q1?.result[0]).toMatchObject({ name: 'Monterrey', match: true })
  })

  test('are the same with GET, and as a script where a function is named', async () => {
    const queries = JSON.stringify({ a: { query: 'Jalisco', type: ['estados'] } })
    const text = await (await post({ queries })).text()
    const target = `?${new URLSearchParams({ queries })}`
    expect(await (await get(target)).text()).toBe(text)
    const script = await get(`${target}&callback=jQuery_1.done$`)
    expect(script.headers.get('content-type')).toBe('application/javascript; charset=utf-8')
    expect(script.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await script.text()).toBe(`/**/jQuery_1.done$(${text});`)
  })

  test('keep their keys, whatever they are called', async () => {
    const keys = ['', '__proto__', 'constructor', '0', 'ñ"\\', 'a b']
    const queries = `{${keys.map((key) => `${JSON.stringify(key)}:{"query":"Jalisco"}`).join(',')}}`
    const text = await (await post({ queries })).text()
    const given = JSON.parse(text) as Results
    expect(Object.keys(given).sort()).toEqual(keys.toSorted())
    for (const key of keys)
      expect(Object.entries(given).find(([name]) => name === key)?.[1].result[0]?.name).toBe('Jalisco')
  })

  test('give candidates of the types alone, the best first, and no more than wanted', async () => {
    for (const type of release.catalog.collections.keys()) {
      const found = await candidates({ query: decodeURIComponent(await anyName(type)), type, limit: 4 })
      expect(found.length).toBeWithin(1, 5)
      expect(new Set(found.map((one) => one.type[0]?.id))).toEqual(new Set([type]))
      expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a))
      expect(found.slice(1).every(({ match }) => !match)).toBe(true)
    }
    const both = await candidates({ query: 'Guadalajara', type: [{ id: 'municipios' }, 'localidades'], limit: 1_000 })
    expect(new Set(both.map((one) => one.type[0]?.id))).toEqual(new Set(['municipios', 'localidades']))
  })

  test('that are an identifier give its record', async () => {
    const id = await firstId('localidades')
    expect(await candidates({ query: id })).toMatchObject([{ id, score: 100, match: true }])
    expect(await candidates({ query: id, type: 'paises' })).toEqual([])
  })

  const inJalisco = { query: 'Guadalupe', type: 'municipios', limit: 1 }
  test.each([
    ['a text', 'Zacatecas'],
    ['an abbreviation', 'zac'],
    ['an alias that is a number', 32],
    ['an entity', { id: 'estados/32', name: 'Zacatecas' }],
    ['an entity without a name', { id: 'estados/32' }],
    ['several values', [{ id: 'estados/9999' }, 'Zacatecas']],
    ['several values, of which the second is right', ['Sonora', 'Zacatecas']],
  ])('are told apart by a property that is %s', async (_name, v) => {
    const [first] = await candidates({ ...inJalisco, properties: [{ pid: 'estado', v }] })
    expect(first).toMatchObject({ name: 'Guadalupe', description: 'municipio · Zacatecas, México' })
  })

  test('without a text are of the deepest part', async () => {
    const properties = [
      { pid: 'estado', v: 'Jalisco' },
      { pid: 'municipio', v: 'Guadalajara' },
    ]
    expect((await candidates({ type: 'municipios', properties }))[0]).toMatchObject({
      name: 'Guadalajara',
      match: true,
    })
  })

  test('are checked by their other properties, which tell what agrees', async () => {
    const query = { query: 'Guadalajara', type: 'municipios' }
    const withCode = (v: unknown) => candidates({ ...query, properties: [{ pid: 'cveMunicipio', v }] })
    const [right] = await withCode(39)
    const [wrong] = await withCode('040')
    expect(right).toMatchObject({ match: true, features: [{ id: 'cveMunicipio', value: true }] })
    expect(wrong).toMatchObject({ match: false, features: [{ id: 'cveMunicipio', value: false }] })
    expect(right?.score).toBeGreaterThan(wrong?.score ?? 0)
  })

  test('lose some of their score with each property that contradicts, and are no match any more', async () => {
    const query = { query: 'Guadalajara', type: 'municipios' }
    const first = async (...properties: unknown[]) => (await candidates({ ...query, properties }))[0]
    const [code, stateCode] = [
      { pid: 'cveMunicipio', v: '040' },
      { pid: 'estado.cveEstado', v: '99' },
    ]
    const [none, one, both] = [await first(), await first(code), await first(code, stateCode)]
    expect([none?.match, one?.match, both?.match]).toEqual([true, false, false])
    expect(one?.score).toBeCloseTo((none?.score ?? 0) * 0.8, 1)
    expect(both?.score).toBeCloseTo((none?.score ?? 0) * 0.64, 1)
  })

  test('are matched whatever a fact is: it changes from year to year', async () => {
    const properties = [{ pid: 'poblacion', v: 1 }]
    const [first] = await candidates({ query: 'Guadalajara', type: 'municipios', properties })
    expect(first).toMatchObject({ match: true, features: [{ id: 'poblacion', value: false }] })
  })

  test('that name the record itself by an id are no match for another of its name', async () => {
    const withId = async (id: string) => {
      const properties = [{ pid: 'municipio', v: { id, name: 'Guadalajara' } }]
      return (await candidates({ query: 'Guadalajara', type: 'municipios', properties }))[0]
    }
    const right = (await candidates({ query: 'Guadalajara', type: 'municipios' }))[0]?.id ?? ''
    expect(await withId(right)).toMatchObject({ match: true, features: [{ id: 'municipio', value: true }] })
    expect(await withId('municipios/1')).toMatchObject({ match: false, features: [{ id: 'municipio', value: false }] })
  })

  test('have scores of two decimals, and low ones for what only the search finds', async () => {
    const near = await candidates({ query: 'San Jaun', type: 'localidades' })
    expect(near.filter(({ score }) => Math.round(score * 100) / 100 !== score)).toEqual([])
    const far = await candidates({ query: 'xqzwk san', type: 'localidades' })
    expect([far.length, Math.max(...far.map(({ score }) => score))]).toEqual([10, 30])
  })

  test('give ten candidates where no number is wanted, and each once though its type is named twice', async () => {
    const type = 'localidades'
    const plain = await candidates({ query: 'San Juan', type })
    expect(plain.length).toBe(10)
    const strict = { type_strict: 'all', properties: [{ pid: 'poblacion', v: true }] }
    expect((await candidates({ query: 'San Juan', type: [type, type], ...strict })).map(({ id }) => id)).toEqual(
      plain.map(({ id }) => id),
    )
  })

  test('of a name that is given twice are the first, and those of the address come before those of the body', async () => {
    const queries = (query: string) => JSON.stringify({ a: { query, type: 'estados' } })
    const twice = new URLSearchParams([
      ['queries', queries('Jalisco')],
      ['queries', queries('Sonora')],
    ])
    const nameIn = async (response: Promise<Response>) =>
      ((await (await response).json()) as Results).a?.result[0]?.name
    expect(await nameIn(get(`?${twice}`))).toBe('Jalisco')
    expect(
      await nameIn(post({ queries: queries('Sonora') }, `?queries=${encodeURIComponent(queries('Jalisco'))}`)),
    ).toBe('Jalisco')
  })

  test('as a script have no line ends that only JSON allows', async () => {
    const queries = JSON.stringify({ '\u2028\u2029': { query: 'x', type: 'estados' } })
    const script = await (await get(`?${new URLSearchParams({ queries, callback: 'f' })}`)).text()
    expect(script).toStartWith('/**/f({"\\u2028\\u2029":')
  })

  test('that are posted are not for caches, and are compressed where that is worth it', async () => {
    const posted = async (query: string) => {
      const body = `queries=${encodeURIComponent(JSON.stringify({ a: { query, type: 'localidades' } }))}`
      const fields = [`Content-Type: ${FORM}`, `Content-Length: ${body.length}`, 'Accept-Encoding: gzip']
      return (await send(server.url, message('POST', '/reconcile', `Host: ${server.host}`, ...fields) + body)).headers
    }
    const [large, small] = [await posted('San Juan'), await posted('')]
    for (const headers of [large, small])
      expect([headers['Cache-Control'], headers['X-Release'], headers.ETag]).toEqual([
        'no-store',
        release.digest,
        undefined,
      ])
    expect([large['Content-Encoding'], small['Content-Encoding']]).toEqual(['gzip', undefined])
  })

  test.each([
    ['no words', '—'],
    ['nothing', ''],
    ['a whole page', 'palabra '.repeat(2_000)],
    ['a word without an end', 'a'.repeat(20_000)],
    ['control characters', '\u0000\u2028'],
  ])('of %s do not spoil their batch', async (_name, query) => {
    const { bad, good } = await reconcile({ bad: { query }, good: { query: 'Jalisco', type: 'estados' } })
    expect(bad?.result.every(({ match }) => !match)).toBe(true)
    expect(good?.result[0]).toMatchObject({ name: 'Jalisco', match: true })
  })

  test('are matched only where it is sure', async () => {
    expect((await candidates({ query: 'San Juan', type: 'localidades' })).some(({ match }) => match)).toBe(false)
    expect((await candidates({ query: 'xqzwk', type: 'localidades' })).some(({ match }) => match)).toBe(false)
  })

  test('are not matched where records of two collections are equally sure', async () => {
    const properties = [{ pid: 'estado', v: 'Jalisco' }]
    const both = await candidates({ query: 'Guadalajara', properties })
    expect(new Set(both.slice(0, 2).map((one) => one.type[0]?.id))).toEqual(new Set(['municipios', 'localidades']))
    expect(both.some(({ match }) => match)).toBe(false)
    expect((await candidates({ query: 'Guadalajara', properties, type: 'localidades' }))[0]?.match).toBe(true)
  })

  test('below a record that was reconciled before are only of what is below it', async () => {
    for (const query of ['Guadalupe', 'Tacoaleche', 'Monterrey', 'san', 'xqzwk de']) {
      const properties = [{ pid: 'municipio', v: { id: 'municipios/2430', name: 'Guadalupe' } }]
      const found = await candidates({ query, type: 'localidades', properties })
      expect(found.filter(({ id }) => !id.startsWith('localidades/2430/'))).toEqual([])
    }
  })

  test('have no higher score where only the search finds them than those that resolving finds', async () => {
    const found = await candidates({ query: 'Sna Jaun', type: 'localidades', limit: 25 })
    expect(Math.max(...found.map(({ score }) => score))).toBe(30)
  })

  test.each([
    ['four', ['Sonora', 'Sinaloa', 'Colima', 'Jalisco'], true],
    ['five, of which the last does not count', ['Sonora', 'Sinaloa', 'Colima', 'Nayarit', 'Jalisco'], false],
  ])('are looked for below every value of a part: %s', async (_name, v, match) => {
    const [first] = await candidates({ query: 'Guadalajara', type: 'municipios', properties: [{ pid: 'estado', v }] })
    expect(first).toMatchObject({ name: 'Guadalajara', match })
  })

  test('give no more than 25 candidates', async () => {
    expect((await candidates({ query: 'San Juan', type: 'localidades', limit: 1_000 })).length).toBe(25)
  })

  test('that name an entity of another type by its id are told apart by its name, if it has one', async () => {
    const withState = (v: unknown) => candidates({ ...inJalisco, properties: [{ pid: 'estado', v }] })
    const [named] = await withState({ id: 'municipios/580', name: 'Zacatecas' })
    expect(named).toMatchObject({ name: 'Guadalupe', description: 'municipio · Zacatecas, México' })
    expect(await withState({ id: 'municipios/580' })).toEqual(await candidates(inJalisco))
    expect(await withState({ id: 'municipios/580', name: '—' })).toEqual(await candidates(inJalisco))
  })

  test.each<[string, unknown]>([
    ['an empty text', ''],
    ['null', null],
    ['no value', []],
    ['empty values', ['', null]],
  ])('empty cells of a property say nothing: %s', async (_name, v) => {
    const plain = await candidates({ query: 'Guadalajara', type: 'municipios' })
    const properties = ['estado', 'pais', 'poblacion', 'cveMunicipio'].map((pid) => ({ pid, v }))
    expect(await candidates({ query: 'Guadalajara', type: 'municipios', properties })).toEqual(plain)
  })

  test('of the values of a property the first five count, and empty ones are none of them', async () => {
    const agrees = async (v: unknown) => {
      const properties = [{ pid: 'cveMunicipio', v }]
      const [first] = await candidates({ query: 'Guadalajara', type: 'municipios', properties })
      return first?.features
    }
    const feature = (value: boolean) => [{ id: 'cveMunicipio', value }]
    expect(await agrees(['', null, 1, 2, '', 3, 4, 39])).toEqual(feature(true))
    expect(await agrees([1, 2, 3, 4, 5, 39])).toEqual(feature(false))
  })
})

describe('extension', () => {
  type Extension = {
    readonly meta: readonly { readonly id: string; readonly type?: { readonly id: string } }[]
    readonly rows: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>
  }
  const extend = (query: unknown) => valid<Extension>('extension', post({ extend: JSON.stringify(query) }))

  test('takes an official code for an identifier', async () => {
    const { rows } = await extend({
      ids: ['municipios/14039', 'paises/MX'],
      properties: [{ id: 'cvegeo' }, { id: 'alpha2' }],
    })
    expect(rows).toMatchObject({
      'municipios/14039': { cvegeo: [{ str: '14039' }] },
      'paises/MX': { alpha2: [{ str: 'MX' }] },
    })
  })

  test('gives every property that is proposed, for each type', async () => {
    for (const [type, entity] of release.catalog.collections) {
      const { properties } = await valid<{ properties: { id: string }[] }>('proposals', get(`/properties?type=${type}`))
      const id = await firstId(type)
      const { meta, rows } = await extend({ ids: [id], properties })
      expect(meta.map((one) => one.id)).toEqual(properties.map((one) => one.id))
      const row = rows[id] ?? {}
      const record = (await (await fetch((await get(`/view?id=${id}`)).url)).json()) as Json
      for (const [field, { kind }] of Object.entries(entity.fields)) {
        if (kind === 'embed') continue
        const [value] = Object.values((row[field]?.[0] ?? {}) as object)
        expect([field, value ?? null]).toEqual([field, record[field] ?? null])
      }
      for (const [code, value] of Object.entries(naiveCodes(entity, record as PublishedRecord)))
        expect([code, row[code] ?? []]).toEqual([code, value === null ? [] : [{ str: value }]])
      expect(row[entity.name]).toMatchObject([{ id }])
      for (const step of ancestorsOf(entity))
        expect(row[step.entity.name]).toMatchObject([
          { id: expect.stringMatching(new RegExp(`^${step.entity.plural}/`)) },
        ])
    }
  })

  test('knows the facts of ancestors', async () => {
    const { rows } = await extend({
      ids: ['localidades/580/1', 'municipios/580'],
      properties: [{ id: 'cabecera' }, { id: 'municipio.cabecera' }],
    })
    const seat = rows['municipios/580']?.cabecera
    expect(seat).toEqual([{ str: expect.any(String) as never }])
    expect(rows).toEqual({
      'localidades/580/1': { cabecera: [], 'municipio.cabecera': seat as never },
      'municipios/580': { cabecera: seat as never, 'municipio.cabecera': [] },
    })
  })

  test('says of which type values are that are records', async () => {
    const { meta } = await extend({ ids: [], properties: [{ id: 'estado', settings: {} }, { id: 'poblacion' }] })
    expect(meta).toEqual([
      { id: 'estado', name: 'estado', type: { id: 'estados', name: 'States' } },
      { id: 'poblacion', name: 'poblacion' },
    ] as never)
  })

  test('has an id that is given twice once', async () => {
    const query = { ids: ['municipios/580', 'municipios/580'], properties: [{ id: 'estado' }] }
    const text = await (await post({ extend: JSON.stringify(query) })).text()
    expect(text.split('"municipios/580"').length).toBe(2)
  })

  test('has no values for what is not there', async () => {
    expect((await get(`/view?id=paises/${2 ** 32 + 484}`)).status).toBe(404)
    const ids = [
      'municipios/0',
      'municipios',
      'nothing/1',
      '',
      'localidades/1',
      '__proto__',
      'municipios/1/2',
      'paises/x',
    ]
    const { rows } = await extend({ ids, properties: [{ id: 'estado' }, { id: 'cabecera' }] })
    expect(Object.keys(rows).sort()).toEqual(ids.toSorted())
    for (const row of Object.values(rows)) expect(row).toEqual({ estado: [], cabecera: [] })
  })

  test('proposes as many properties as wanted', async () => {
    const { properties } = await valid<{ properties: unknown[] }>('proposals', get('/properties?type=estados&limit=3'))
    expect(properties.length).toBe(3)
    const limitOf = async (target: string) =>
      ((await (await get(`/properties?type=estados${target}`)).json()) as Json).limit
    expect([await limitOf('&limit=3'), await limitOf('')]).toEqual([3, undefined] as never)
  })
})

describe('suggestions', () => {
  type Suggestions = { readonly result: readonly { readonly id: string; readonly name: string }[] }
  const suggest = (target: string) => valid<Suggestions>('entities', get(`/suggest/entity?${target}`))

  test('of records skip as many as wanted, and end', async () => {
    const all = await suggest('prefix=san')
    const next = await suggest('prefix=san&cursor=10')
    expect([all.result.length, next.result.length]).toEqual([10, 10])
    expect(new Set([...all.result, ...next.result].map(({ id }) => id)).size).toBe(20)
    expect((await suggest('prefix=san&cursor=1000000')).result).toEqual([])
    expect((await suggest('prefix=san&cursor=95')).result.length).toBe(5)
    const properties = async (target: string) =>
      (await valid<Suggestions>('properties', get(`/suggest/property?prefix=${target}`))).result.map(({ id }) => id)
    const [some, more] = [await properties(''), await properties('&cursor=10')]
    expect(some.length).toBe(10)
    expect(some.filter((id) => more.includes(id))).toEqual([])
  })

  test('of nothing are none, and what else clients send is ignored', async () => {
    expect((await suggest('prefix=&spell=always&_=1')).result).toEqual([])
    expect((await suggest('')).result).toEqual([])
    expect((await suggest('prefix=jalis&type=estados&limit=5&html_escape=false')).result[0]?.name).toBe('Jalisco')
  })

  test('of properties and types are found by the beginning of a word of theirs', async () => {
    const { result } = await valid<Suggestions>('properties', get('/suggest/property?prefix=pobla'))
    expect(result[0]?.id).toBe('poblacion')
    const types = await valid<Suggestions>('types', get('/suggest/type?prefix=Muni'))
    expect(types.result.map(({ id }) => id)).toEqual(['municipios'])
  })
})

describe('a preview', () => {
  test('is a page that loads nothing, and may be framed', async () => {
    const page = await get(`/preview?id=${encodeURIComponent(await firstId('municipios'))}`)
    const policy = page.headers.get('content-security-policy') ?? ''
    const html = await page.text()
    const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? ''
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors http: https:`,
    )
    expect([page.headers.get('x-frame-options'), page.headers.get('x-content-type-options')]).toEqual([null, 'nosniff'])
    expect(html).not.toMatch(/<script|\son\w+=|<img|<link/)
  })

  test('has the fields of a record, and no copies of others', async () => {
    for (const [type, { fields }] of release.catalog.collections) {
      const html = await (await get(`/preview?id=${encodeURIComponent(await firstId(type))}`)).text()
      const shown = Object.keys(fields).filter((name) => html.includes(`<th scope="row">${name}</th>`))
      expect(shown).not.toBeEmpty()
      expect(shown.filter((name) => ['copy', 'embed'].includes(fields[name]?.kind ?? ''))).toEqual([])
    }
  })

  test.each(['/preview', '/preview?id=municipios/0', '/flyout/entity?id=x', '/flyout/property?id=x', '/view?id=1'])(
    'of nothing is a problem: %s',
    async (target) => {
      const response = await get(target)
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    },
  )
})

describe('is refused with a problem', () => {
  const problemOf = async (response: Response) => {
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    return { status: response.status, detail: ((await response.json()) as { detail: string }).detail }
  }
  const good = { query: 'a' }

  test.each([
    ['not JSON', 'queries', '{', 'queries was "{"; allowed is JSON.'],
    ['a list', 'queries', '[]', 'queries was "[…]"; allowed is an object.'],
    ['a query that is none', 'queries', '{"a":{"query":"x"},"b":7}', 'queries.b was "7"; allowed is an object.'],
    [
      'an empty query',
      'queries',
      '{"b":{}}',
      'queries.b was "{…}"; allowed is an object with query, properties or both.',
    ],
    [
      'a limit of 0',
      'queries',
      '{"b":{"query":"x","limit":0}}',
      'queries.b.limit was "0"; allowed is a whole number from 1.',
    ],
    [
      'an unknown type',
      'queries',
      '{"b":{"query":"x","type":"estado"}}',
      /^queries\.b\.type was "estado"; .* did you mean estados\?/,
    ],
    [
      'an unknown property',
      'queries',
      '{"b":{"query":"x","properties":[{"pid":"estdo","v":1}]}}',
      /^queries\.b\.properties\[0\]\.pid was "estdo"; .* did you mean estado\?/,
    ],
    [
      'a property without a value',
      'queries',
      '{"b":{"query":"x","properties":[{"pid":"estado"}]}}',
      /^queries\.b\.properties\[0\]\.v was "undefined"/,
    ],
    [
      'a value that is none',
      'queries',
      '{"b":{"query":"x","properties":[{"pid":"estado","v":{}}]}}',
      /^queries\.b\.properties\[0\]\.v was "{…}"/,
    ],
    ['another strictness', 'queries', '{"b":{"query":"x","type_strict":"no"}}', /^queries\.b\.type_strict was "no"/],
    ['an extension without ids', 'extend', '{"properties":[]}', 'extend.ids was "undefined"; allowed is a list.'],
    [
      'an unknown property of an extension',
      'extend',
      '{"ids":[],"properties":[{"id":"x"}]}',
      /^extend\.properties\[0\]\.id was "x"/,
    ],
    ['a query under a long name', 'queries', `{"${'k'.repeat(300)}":7}`, /^queries\.k{192} was "7"/],
    ['deeply nested JSON', 'queries', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, /^queries/],
  ])('%s', async (_name, field, text, detail) => {
    const problem = await problemOf(await post({ [field]: text }))
    expect(problem).toEqual({
      status: 400,
      detail: expect.stringMatching(typeof detail === 'string' ? literal(detail) : detail) as never,
    })
  })

  const literal = (text: string) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)

  test('a batch that is too large', async () => {
    const { batchSize } = await manifest()
    const batch = (size: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, at) => [at, good])))
    expect((await post({ queries: batch(batchSize) })).status).toBe(200)
    const problem = await problemOf(await post({ queries: batch(batchSize + 1) }))
    expect(problem).toEqual({ status: 413, detail: `At most ${batchSize} queries are read.` })
  })

  test('a form, or a list, that is too long by one', async () => {
    const fields = (count: number) => post(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, ''])))
    expect((await problemOf(await fields(101))).detail).toContain('the form has more than 100 fields')
    expect((await problemOf(await fields(100))).detail).toStartWith('queries was ""')
    const extend = async (ids: number, properties: number) =>
      (
        await post({
          extend: JSON.stringify({
            ids: Array(ids).fill('x'),
            properties: Array.from({ length: properties }, () => ({ id: 'estado' })),
          }),
        })
      ).status
    expect([await extend(1_000, 100), await extend(1_001, 100), await extend(1_000, 101)]).toEqual([200, 400, 400])
  })

  test.each(['', '1a', 'a-b', 'alert(1)', 'a..b', 'a;b', '<script>', 'a'.repeat(200), 'a\u2028b'])(
    'a callback that is no name: %j',
    async (callback) => {
      expect((await problemOf(await get(`?callback=${encodeURIComponent(callback)}`))).status).toBe(400)
    },
  )

  test('another method, with those that are allowed', async () => {
    const response = await get('', { method: 'PUT', body: 'x' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
    expect((await post({ queries: '{}' }, '/suggest/entity')).status).toBe(405)
    expect((await fetch(`${server.url}/api/v2/paises`, { method: 'POST', body: 'x' })).status).toBe(405)
  })

  test('a body that is no form', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const response = await get('', { method: 'POST', headers, body: '{"queries":{}}' })
    expect(await problemOf(response)).toEqual({
      status: 415,
      detail: `Content-Type was "application/json"; allowed are ${FORM}.`,
    })
  })

  test('another path, with those that there are', async () => {
    const { status, detail } = await problemOf(await get('/nothing'))
    expect([status, detail]).toEqual([404, expect.stringContaining('/reconcile/suggest/entity') as never])
    expect((await fetch(`${server.url}/reconciled`)).status).toBe(404)
  })
})

test('a preflight allows POST from any page', async () => {
  const response = await get('', { method: 'OPTIONS', headers: { Origin: 'http://127.0.0.1:3333' } })
  expect([
    response.headers.get('access-control-allow-origin'),
    response.headers.get('access-control-allow-methods'),
    response.headers.get('access-control-allow-headers'),
    response.headers.get('access-control-max-age'),
  ]).toEqual(['*', 'GET, HEAD, OPTIONS, POST', '*', '86400'])
})

describe('hostile bodies', () => {
  const head = (...fields: readonly string[]) => message('POST', '/reconcile', 'Host: catalogs.example', ...fields)
  const sized = (body: string) => head(`Content-Type: ${FORM}`, `Content-Length: ${body.length}`) + body

  test.each([
    ['no form', '{"queries":{}}'],
    ['nothing', ''],
    ['not UTF-8', 'queries=\xff\xfe'],
    ['percent signs that encode nothing', 'queries=%zz'],
    ['percent-encoded bytes that are not UTF-8', 'queries=%ff'],
    ['thousands of fields', '&'.repeat(900_000)],
    ['brackets without an end', `queries=${'['.repeat(900_000)}`],
    ['thousands of queries', `queries={${Array.from({ length: 40_000 }, (_, at) => `"q${at}":{}`).join(',')}}`],
  ])('%s: a problem, and the connection goes on', async (_name, body) => {
    const [bad, next] = await sendAll(server.url, sized(body), message('GET', '/reconcile', `Host: ${server.host}`))
    expect(bad?.status).toBeWithin(400, 414)
    expect(bad?.headers['Content-Type']).toBe('application/problem+json')
    expect(next?.status).toBe(200)
  })

  test.each([
    ['too large', head('Content-Length: 1000001'), 413],
    ['too large in chunks', `${head('Transfer-Encoding: chunked')}fffff0\r\n`, 413],
    ['chunks that are none', `${head('Transfer-Encoding: chunked')}x\r\n`, 400],
  ])('%s: a problem, and the connection is closed', async (_name, request, status) => {
    const responses = await sendUntilClosed(server.url, request)
    expect(responses.map((one) => [one.status, one.headers.Connection])).toEqual([[status, 'close']])
  })

  test('random ones never make it fail', async () => {
    const values = fc.json({ maxDepth: 4 })
    const queries = fc.dictionary(
      fc.string({ maxLength: 5 }),
      fc.record(
        {
          query: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('San', 'guadalajara, jal')),
          type: fc.oneof(fc.constantFrom('municipios', 'estados', ['localidades']), fc.jsonValue()),
          limit: fc.oneof(fc.integer({ min: -1, max: 40 }), fc.jsonValue()),
          properties: fc.oneof(
            fc.jsonValue(),
            fc.array(fc.record({ pid: fc.constantFrom('estado', 'poblacion', 'x'), v: fc.jsonValue() }), {
              maxLength: 3,
            }),
          ),
        },
        { requiredKeys: [] },
      ),
      { maxKeys: 3 },
    )
    const bodies = fc.oneof(
      values.map((queries) => ({ queries })),
      values.map((extend) => ({ extend })),
      queries.map((batch) => ({ queries: JSON.stringify(batch) })),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async (fields) => {
        const response = await post(fields as Record<string, string>)
        expect([200, 400]).toContain(response.status)
        const value = await response.json()
        if (response.status === 200) expect(breaches('queries' in fields ? 'results' : 'extension', value)).toEqual([])
      }),
      { numRuns: 80 },
    )
  })
})

test('names are text where they are shown, whatever is in them', async () => {
  const name = `<img src=x onerror="a()">&'`
  using strange = new TestHome()
  await strange.import(smallSource({ pais: [{ ...country(1), descPais: name }, country(2)] }))
  const other = serverOf(() => strange.current())
  const id = 'paises/1'
  const html = await (await fetch(`${other.url}/reconcile/preview?id=${id}`)).text()
  const flyout = (await (await fetch(`${other.url}/reconcile/flyout/entity?id=${id}`)).json()) as { html: string }
  const script = await (await fetch(`${other.url}/reconcile/suggest/entity?prefix=${id}&callback=f`)).text()
  const { defaultTypes } = (await (await fetch(`${other.url}/reconcile`)).json()) as Manifest
  expect(defaultTypes.map((type) => type.id)).toEqual(['paises'])
  await other.close()
  for (const text of [html, flyout.html]) {
    expect(text).toContain('&lt;img src=x onerror=&quot;a()&quot;&gt;&amp;&#39;')
    expect(text).not.toContain('<img')
  }
  expect(JSON.parse(script.slice('/**/f('.length, -');'.length)).result[0].name).toBe(name)
})

test('docs/resolve.md has every path, and the contract the size of a batch', async () => {
  const page = (name: string) => Bun.file(`${import.meta.dir}/../../docs/${name}`).text()
  const text = await page('resolve.md')
  const { detail } = (await (await get('/nothing')).json()) as { detail: string }
  const paths = detail.slice('Known paths are '.length, -1).split(', ')
  expect(paths.slice(1).filter((word) => !text.includes(`\`${word}\``))).toEqual([])
  const { batchSize } = await manifest()
  expect(await page('http-contract.md')).toContain(`\`batchSize\` in the manifest | ${batchSize} |`)
})
