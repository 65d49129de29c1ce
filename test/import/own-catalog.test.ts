// A catalog that only this test knows is imported, served and exported: nothing depends on what the built-in one defines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Catalogs, connect, connectV1, offline, sync } from '../../packages/client/src/index.ts'
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import { OPENAPI_PATH } from '../../packages/server/src/http/routes.ts'
import { v1Routes } from '../../packages/server/src/http/v1/v1.ts'
import { v2Paths } from '../../packages/server/src/http/v2/v2-routes.ts'
import { exportPackage } from '../../packages/server/src/release/export-package.ts'
import { code, embeds, entity, id, name } from '../support/definitions.ts'
import { Documented } from '../support/openapi.ts'
import { textOf } from '../support/pages.ts'
import { type Rows, sourceOf, TestDirectory, TestHome, variantOf } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'

const planet = entity({
  name: 'planet',
  plural: 'planets',
  title: 'Planets & dwarfs',
  v1: 2,
  fields: {
    sign: code('planet sign', /^[A-Z]{2}$/, 'two upper-case letters'),
    title: name('planet name'),
    planetId: id('planet number'),
  },
  key: ['planetId'],
  code: ['sign'],
})
const moon = entity({
  name: 'moon',
  plural: 'moons',
  title: 'Moons',
  v1: 1,
  fields: {
    moonId: id('moon number'),
    designation: code('moon designation', /^[A-Z]{2}[0-9]+$/, 'two upper-case letters and digits'),
    title: name('moon name'),
    planet: embeds(planet, 'planet of the moon'),
  },
  key: ['moonId'],
  code: ['designation'],
  expects: [
    {
      kind: 'moon-of-another-planet',
      description: 'a designation does not begin with the sign of its planet',
      left: 'designation',
      relation: 'begins with',
      right: 'planet.sign',
    },
  ],
})
const catalog = catalogOf([planet, moon])

const mars = { sign: 'MA', title: 'Mars', planetId: 4 }
const saturn = { sign: 'SA', title: 'Saturn', planetId: 6 }
const moonRows = ['Mimas', 'Enceladus', 'Tethys', 'Dione', 'Rhea', 'Titan', 'Hyperion', 'Iapetus', 'Phœbe'].map(
  (title, at) => ({ moonId: 61 + at, designation: `SA${at + 1}`, title, planet: 6 }),
)
const rows = {
  planet: [saturn, mars],
  moon: [
    { moonId: 41, designation: 'MA1', title: 'Phobos', planet: 4 },
    { moonId: 42, designation: 'SA99', title: 'Deimos', planet: 4 },
    ...moonRows,
  ],
} satisfies Rows
/** The release before: one moon had another name, and one was missing. */
const earlier: Rows = {
  ...rows,
  moon: rows.moon.slice(0, -1).map((row) => (row.moonId === 42 ? { ...row, title: 'Terror' } : row)),
}

/** The types that `nomenclator types` prints. */
type Planet = { readonly sign: string; readonly title: string; readonly planetId: number }
type Moon = { readonly moonId: number; readonly designation: string; readonly title: string; readonly planet: Planet }
type Known = { readonly facts: Record<never, never>; readonly v1: true }
type Collections = {
  readonly planets: Known & { record: Planet; key: { planetId: number }; codes: 'sign'; below: 'moons' }
  readonly moons: Known & { record: Moon; key: { moonId: number }; codes: 'designation' | 'planet.sign' }
}

/** A moon as it is published. */
const moonOf = (number: number) => {
  const { moonId, designation, title, planet } = rows.moon.find((row) => row.moonId === number) ?? {}
  return { moonId, designation, title, planet: planet === 4 ? mars : saturn } as Moon
}
const deimos = moonOf(42)

const home = new TestHome()
let server: TestServer
let first = ''
let documented: Documented

const get = (target: string): Promise<Response> =>
  fetch(server.url + target, { headers: { 'Accept-Encoding': 'identity' } })

beforeAll(async () => {
  first = (await home.import(sourceOf(earlier, {}, catalog))).digest
  await home.import(sourceOf(rows, {}, catalog))
  const release = variantOf(home.current(), { catalog })
  server = serverOf(() => release, {}, home.store)
  documented = new Documented((await (await get(OPENAPI_PATH)).json()) as object)
})
afterAll(async () => {
  await server.close()
  home[Symbol.dispose]()
  expect(server.logged).toEqual([])
})

test('an import counts, numbers and checks its records as defined', () => {
  const { manifest } = home.current()
  expect(Object.entries(manifest.entities).map(([name, { collection, count }]) => [name, collection, count])).toEqual([
    ['planet', 'planets', 2],
    ['moon', 'moons', 11],
  ])
  expect(manifest.findings).toMatchObject([{ entity: 'moon', kind: 'moon-of-another-planet', count: 1 }])
  expect(Object.keys(home.store.loadIdRegistry().save())).toEqual(['planet', 'moon'])
})

describe('API v1', () => {
  test('lists the collections in the order of their definitions', async () => {
    const listed = Object.values((await (await get('/api/v1')).json()) as Record<string, string>)
    expect(listed).toEqual([`${server.url}/api/v1/moons`, `${server.url}/api/v1/planets`])
  })

  test('has pages, with their headers and in the order of the identifiers', async () => {
    const response = await get('/api/v1/moons?page=2')
    expect(await response.json()).toEqual([moonOf(69)])
    const header = (name: string) => response.headers.get(name)
    expect([header('X-Page'), header('X-Total'), header('X-Total-Pages')]).toEqual(['2', '11', '2'])
    expect(header('Link')).toBe(`<${server.url}/api/v1/moons?format=api&page=1>; rel="prev"`)
    expect(await (await get('/api/v1/planets')).json()).toEqual([mars, saturn])
  })
})

describe('API v2 gives', () => {
  const cases: readonly [name: string, operation: string, target: string, expected: unknown][] = [
    ['a list', 'listPlanets', '/api/v2/planets', [mars, saturn]],
    ['a filtered list', 'listMoons', '/api/v2/moons?planet.sign=MA', [moonOf(41), deimos]],
    ['a list filtered by prefix', 'listMoons', '/api/v2/moons?designation_prefix=SA99', [deimos]],
    ['a sorted list', 'listMoons', '/api/v2/moons?sort=title&per_page=2', [deimos, moonOf(64)]],
    ['a sorted list, by parent', 'listMoons', '/api/v2/moons?sort=-planet.title,-moonId&per_page=1', [moonOf(69)]],
    ['a searched list', 'listMoons', '/api/v2/moons?q=ence', [moonOf(62)]],
    ['a searched list, by parent', 'listMoons', '/api/v2/moons?q=mars+deimos', [deimos]],
    ['a list of children', 'listMoonsOfPlanet', '/api/v2/planets/4/moons', [moonOf(41), deimos]],
    ['a record by identifier', 'getMoon', '/api/v2/moons/42', deimos],
    ['a record by code', 'getMoon', '/api/v2/moons/SA99?by=code', deimos],
    ['a whole collection', 'allMoons', '/api/v2/moons/all', rows.moon.map(({ moonId }) => moonOf(moonId))],
  ]
  test.each(cases)('%s', async (_, operation, target, expected) => {
    const response = await get(target)
    expect(await response.clone().json()).toEqual(expected)
    expect(await documented.breaches(documented.operation(operation), response)).toEqual([])
  })

  test('some fields, and embedded records by identifier, as CSV', async () => {
    const text = await (await get('/api/v2/moons?fields=title,planet&embed=id&format=csv&moonId=42')).text()
    expect(text).toBe('title,planet\r\nDeimos,4\r\n')
  })

  test('suggestions in all collections, and below a record', async () => {
    const found = async (query: string) => {
      const response = await get(`/api/v2/search?${query}`)
      expect(await documented.breaches(documented.operation('search'), response.clone() as Response)).toEqual([])
      return JSON.stringify(await response.json())
    }
    expect(await found('q=mars')).toContain('"collection":"planets"')
    expect(await found('q=ti&within=planets:6')).toContain('Titan')
    expect(await found('q=ti&within=planets:4')).not.toContain('Titan')
  })

  test('the changes since an earlier release', async () => {
    const response = await get(`/api/v2/changes?from=${first}`)
    expect(await documented.breaches(documented.operation('changes'), response.clone() as Response)).toEqual([])
    const { changes } = (await response.json()) as { changes: Record<string, unknown>[] }
    expect(changes.map(({ collection, key, change }) => [collection, key, change])).toEqual([
      ['moons', { moonId: 42 }, 'changed'],
      ['moons', { moonId: 69 }, 'added'],
    ])
  })

  test('a description of exactly these collections', async () => {
    const { collections } = (await (await get('/api/v2')).json()) as { collections: Record<string, unknown>[] }
    expect(collections).toMatchObject([
      { name: 'planets', count: 2, children: [`${server.url}/api/v2/planets/{planetId}/moons`], code: ['sign'] },
      { name: 'moons', count: 11, children: [], code: ['designation'] },
    ])
  })
})

describe('the client', () => {
  const copy = new Map()
  const clients: [string, () => Catalogs<Collections>][] = [
    ['of the server', () => connect<Collections>(server.url)],
    ['of a copy', () => offline<Collections>(copy)],
  ]
  beforeAll(() => sync(connect(server.url), copy))

  test.each(clients)('%s reads them all', async (_of, client) => {
    const catalogs = client()
    expect(await catalogs.moons.get(42)).toEqual(deimos)
    expect(await catalogs.moons.byCode('SA99')).toEqual(deimos)
    expect(await catalogs.planets.children({ code: 'MA' }).moons.all().toArray()).toHaveLength(2)
    const page = await catalogs.moons.page({ 'planet.sign': 'MA', title: 'Phobos', fields: ['title'] })
    expect<readonly unknown[]>(page).toEqual([{ title: 'Phobos' }])
  })

  test('searches and sorts them on the server', async () => {
    const catalogs = connect<Collections>(server.url)
    const page = await catalogs.moons.page({ 'planet.sign_prefix': 'M', sort: '-title', fields: ['title'] })
    expect<readonly unknown[]>(page).toEqual([{ title: 'Phobos' }, { title: 'Deimos' }])
    expect((await catalogs.search('phobos'))[0]).toMatchObject({ collection: 'moons', breadcrumb: ['Mars'] })
    expect((await connectV1<Collections>(server.url).planets.all().toArray()).total).toBe(2)
  })
})

test.each([
  ['/', '2 Planets & dwarfs'],
  ['/explore/moons', 'By planet Mars 2 Saturn 9'],
  ['/explore/moons/41', 'MA1'],
  ['/explore/planets/6', 'Titan'],
  ['/explore/tree?open=planets:6', 'Titan'],
  ['/releases', 'rows of a test'],
  ['/docs/list-moons', '/api/v2/planets/{planetId}/moons'],
])('the page %s is there and has %s', async (target, text) => {
  const response = await get(`${target}${target.includes('?') ? '&' : '?'}lang=en`)
  expect(textOf(await response.text())).toContain(text)
})

test('OpenAPI describes what is served, and nothing else', () => {
  const paths = documented.operations.map(({ path }) => path)
  expect(paths.sort()).toEqual([...v1Routes(catalog).keys(), ...v2Paths(catalog), OPENAPI_PATH].sort())
})

test('an export has a file for each of its entities, and no other', () => {
  using directory = new TestDirectory()
  const counts = exportPackage(home.current(), directory.path, { overwrite: false })
  expect(counts).toEqual({ 'planet.csv': 2, 'moon.csv': 11 })
  expect(readdirSync(directory.path).sort()).toEqual([
    'datapackage.json',
    'moon.csv',
    'nomenclator.schema.json',
    'planet.csv',
  ])
  expect(readFileSync(join(directory.path, 'planet.csv'), 'utf8')).toBe('sign,title,planetId\nMA,Mars,4\nSA,Saturn,6\n')
  expect(readFileSync(join(directory.path, 'moon.csv'), 'utf8')).toStartWith(
    'moonId,designation,title,planet\n41,MA1,Phobos,4\n42,SA99,Deimos,4\n',
  )
})
