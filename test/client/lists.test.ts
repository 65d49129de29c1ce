// The client over lists that are not built in: with the types that are printed for them, with a server and with a copy.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import {
  type Catalogs,
  connect,
  type Filters,
  type MapCopy,
  NotFound,
  offline,
  sync,
} from '../../packages/client/src/index.ts'
import { typescriptOf } from '../../packages/server/src/catalog/typescript.ts'
import { sourceOf, TestHome } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'
import { world, worldRows } from '../support/world.ts'
import type { Collections } from '../support/world-types.ts'

setDefaultTimeout(180_000)

const home = new TestHome()
const copy: MapCopy = new Map()
let server: TestServer
let first = ''
const clients: { online?: Catalogs<Collections>; offline?: Catalogs<Collections> } = {}

beforeAll(async () => {
  const earlier = { ...worldRows, country: worldRows.country.slice(1), region: [], job: [] }
  first = (await home.import(sourceOf(earlier, {}, world))).digest
  await home.import(sourceOf(worldRows, {}, world), { acceptChanges: true })
  server = serverOf(() => home.current(), {}, home.store)
  clients.online = connect<Collections>(server.url)
  await sync(connect<Collections>(server.url, { release: first }), copy)
  await sync(clients.online, copy)
  clients.offline = offline<Collections>(copy)
})
afterAll(async () => {
  expect(server.logged).toEqual([])
  await server.close()
  home[Symbol.dispose]()
})

/** However it is laid out. */
const words = (text: string) => text.replaceAll(/[\s|]+/g, ' ').replaceAll(': ', ':')

test('the types are those that are printed', async () => {
  const written = await Bun.file(join(import.meta.dir, '..', 'support', 'world-types.ts')).text()
  expect(words(written)).toBe(words(typescriptOf(world)))
})

describe.each(['online', 'offline'] as const)('%s', (where) => {
  const catalogs = () => clients[where] as Catalogs<Collections>

  test('records are read by keys of any kind', async () => {
    for (const key of ['MX', 'a/b', 'ñ é,%2F', 'all']) {
      const record = await catalogs().countries.get(key)
      expect(record['ISO code']).toBe(key)
      expect(await catalogs().countries.get(record)).toEqual(record)
    }
    const region = await catalogs().regions.get({ country: 'MX', code: 'a,b' })
    expect(region.name).toBe('Comma')
    expect(await catalogs().regions.get(region)).toEqual(region)
    expect(await catalogs().jobs.byCode('11')).toEqual(await catalogs().jobs.get('11'))
    await expect(catalogs().regions.get({ country: 'MX', code: 'b' })).rejects.toBeInstanceOf(NotFound)
    // @ts-expect-error the key has two fields
    await expect(catalogs().regions.get('MX')).rejects.toBeInstanceOf(NotFound)
  })

  test('references are texts, lists of texts, or null', async () => {
    const jobs = await catalogs()
      .jobs.all({ embed: 'id', fields: ['region'] })
      .toArray()
    const regions: readonly (readonly [string, string] | null)[] = jobs.map(({ region }) => region)
    expect(regions.slice(0, 4)).toEqual([null, ['MX', '09'], null, ['MX', 'a,b']])
    const names = await catalogs()
      .jobs.all({ fields: ['region.country.name_en'] })
      .toArray()
    expect(names.map(({ region }) => region?.country.name_en).slice(0, 2)).toEqual([undefined, 'Mexico'])
  })

  test('values filter a list', async () => {
    const codes = async (query: Filters<Collections['countries']>) =>
      (await catalogs().countries.page(query)).map((one) => (one as { 'ISO code': string })['ISO code'])
    expect(await codes({ open: true })).toEqual(['MX'])
    expect(await codes({ tags: 'big' })).toEqual(['MX', 'ñ é,%2F'])
    expect(await codes({ year: [1821, 1999] })).toEqual(['MX', 'ñ é,%2F'])
    const jobs = await catalogs().jobs.page({ 'region.country': 'a/b' })
    expect(jobs.map(({ code }) => code)).toEqual(['21'])
  })

  test('a tree is walked from any record', async () => {
    const around = catalogs().jobs.tree('11')
    const codes = async (axis: 'children' | 'ancestors' | 'descendants') =>
      (await around[axis].all().toArray()).map(({ code }) => code)
    expect([await codes('children'), await codes('ancestors'), await codes('descendants')]).toEqual([
      ['111'],
      ['1'],
      ['111', '1111'],
    ])
    expect((await catalogs().jobs.page({ within: '1' })).total).toBe(3)
    expect((await catalogs().jobs.page({ root: true })).map(({ code }) => code)).toEqual(['1', '2', 'self'])
    expect((await catalogs().jobs.tree('x').descendants.page()).map(({ code }) => code)).toEqual(['y'])
    // @ts-expect-error countries are no tree
    catalogs().countries.tree('MX')
  })

  test('descendants of a record are lists', async () => {
    expect((await catalogs().countries.children('MX').jobs.page()).map(({ code }) => code)).toEqual(['11', '1111'])
    const ofRegion = catalogs().regions.children({ country: 'MX', code: '09' })
    expect((await ofRegion.jobs.page()).map(({ code }) => code)).toEqual(['11'])
  })
})

test('names are in the language of the request', async () => {
  const { online } = clients as { online: Catalogs<Collections> }
  const record = await online.countries.get('MX', { lang: 'fr' })
  expect([record.name_fr, 'name_en' in record]).toEqual(['Mexique', false])
  const [hit] = await online.search('mexico', { in: 'countries', lang: 'es' })
  expect([hit?.name, hit?.key]).toEqual(['México', { 'ISO code': 'MX' }])
})

test('changes have the keys of any kind', async () => {
  const { online } = clients as { online: Catalogs<Collections> }
  const changes = await online.changes(first, { embed: 'id' })
  const keys = changes.filter(({ change }) => change === 'added').map(({ key }) => key)
  expect(keys).toContainEqual({ 'ISO code': 'MX' })
  expect(keys).toContainEqual({ country: 'MX', code: 'a,b' })
  const added = changes.flatMap((one) => (one.collection === 'jobs' && one.change === 'added' ? [one.new] : []))
  expect(added.slice(0, 2)).toEqual([
    { code: '1', title: 'Managers', parent: null, region: null },
    { code: '11', title: 'Chief executives', parent: '1', region: ['MX', '09'] },
  ])
})
