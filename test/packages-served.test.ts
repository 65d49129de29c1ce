// Lists of packages under a running service: one that comes is served at once in all of it, without a restart, and one that goes is gone.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect, sync } from '../packages/client/src/index.ts'
import type { Entity } from '../packages/server/src/catalog/entity.ts'
import { removalOf } from '../packages/server/src/release/packages.ts'
import type { Source } from '../packages/server/src/source/source.ts'
import { code, embeds, entity, name } from './support/definitions.ts'
import { nothing, packageOf } from './support/packages.ts'
import { nomenclator, TestDirectory, TestHome } from './support/releases.ts'
import { eventually, Service } from './support/service.ts'

setDefaultTimeout(120_000)

const ANY = /^.+$/
const listOf = (packageName: string, listName: string): Entity =>
  entity({
    name: listName,
    plural: listName,
    title: listName,
    package: packageName,
    fields: { code: code('the code', ANY, 'a code'), label: { ...name('the name'), language: 'en' } },
    key: ['code'],
    code: ['code'],
    order: 'as given',
  })

const units = listOf('weights', 'units')
const factor = {
  ...listOf('weights', 'factors'),
  fields: {
    from: embeds(units, 'the unit'),
    to: { ...embeds(units, 'the other unit'), optional: true as const },
    label: code('the name', ANY, 'a name'),
    times: { kind: 'value', type: 'number', description: 'how many', optional: true } as const,
  },
  key: ['from', 'label'],
  code: ['label'],
} as unknown as Entity
// Its key has two values, one of them that of a record.
const note = {
  ...factor,
  name: 'notes',
  plural: 'notes',
  fields: { code: code('the code', ANY, 'a code'), of: embeds(factor, 'the factor') },
  key: ['code'],
  code: ['code'],
} as unknown as Entity
const weights = packageOf('weights', [units, factor, note], {
  units: [
    { code: 'kg', label: 'Kilogram' },
    { code: 'g', label: 'Gram' },
  ],
  factors: [
    { from: 'kg', to: 'g', label: 'a, b', times: '1000.50' },
    { from: 'g', label: 'x' },
  ],
  notes: [{ code: 'n', of: 'kg\0a, b' }],
})
const money = packageOf('money', [listOf('money', 'currencies')], {
  currencies: [
    { code: 'MXN', label: 'Mexican peso' },
    { code: 'EUR', label: 'Euro' },
  ],
})

const home = new TestHome()
let service: Service

const bring = (source: Source) => home.import(source, { fallback: nothing, acceptChanges: true })
const get = (target: string, accept = '*/*') => fetch(service.url + target, { headers: { Accept: accept } })
const json = async (target: string) => JSON.stringify(await (await get(target)).json())
/** Whether the processes that serve and those that think have it; both look for themselves. */
const serves = async (digest: string) =>
  (await json('/api/v2')).includes(digest) && (await (await get('/', 'text/html')).text()).includes(digest.slice(0, 8))

beforeAll(async () => {
  await bring(weights)
  service = await Service.over(home, { flags: ['--workers', '1'] })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

test('a home without any built-in list is served, and has none of them', async () => {
  expect(await json('/api/v2/units')).toContain('Kilogram')
  expect(await json('/api/v1')).toBe('{}')
  expect((await get('/api/v1/paises')).status).toBe(404)
  expect((await get('/', 'text/html')).status).toBe(200)
  expect(await (await get('/explore/units', 'text/html')).text()).toContain('Kilogram')
})

test('a list that comes is in API, OpenAPI, search, reconcile and pages, without a restart', async () => {
  expect((await get('/api/v2/currencies')).status).toBe(404)
  const { digest } = await bring(money)
  await eventually('the new release is served', () => serves(digest))
  expect(await json('/api/v2/currencies')).toContain('Mexican peso')
  expect(await json('/api/v2/currencies/EUR?by=code')).toContain('"label":"Euro"')
  expect(await json('/api/openapi.json')).toContain('/api/v2/currencies')
  expect(await json('/api/v2/search?q=peso')).toContain('currencies')
  expect(await json('/reconcile')).toContain('currencies')
  expect(await (await get('/', 'text/html')).text()).toContain('/currencies')
  expect(await (await get('/explore/currencies', 'text/html')).text()).toContain('Mexican peso')
  expect(await json('/api/v2/units')).toContain('Kilogram')
})

test('another Nomenclator mirrors it under the same digest, with what its packages say of themselves', async () => {
  using mirror = new TestHome()
  const { digest, manifest } = home.current()
  await nomenclator('import', 'mirror', service.url, '--home', mirror.path)
  expect(mirror.current().digest).toBe(digest)
  expect(mirror.current().manifest.packages).toEqual(manifest.packages as [])
  expect(await mirror.verify(digest)).toEqual([])
})

test('a client has a copy that it has verified by the digest', async () => {
  const copy = new Map()
  const { release } = await sync(connect(service.url), copy)
  expect(release).toBe(home.current().digest)
})

test('a site of files needs lists with pages of API v1, and says so', async () => {
  using directory = new TestDirectory()
  const { code, err } = await nomenclator('export', 'site', join(directory.path, 'site'), '--home', home.path)
  expect([code, err]).toEqual([1, expect.stringContaining('no list of the release has pages of API v1')])
  expect(readdirSync(directory.path)).toEqual([])
})

test('a list that goes is gone everywhere, and the changes tell all of it', async () => {
  const before = home.current().digest
  const { digest } = await bring(removalOf(home.current(), 'money'))
  await eventually('the release without it is served', () => serves(digest))
  expect((await get('/api/v2/currencies')).status).toBe(404)
  expect((await get('/explore/currencies', 'text/html')).status).toBe(404)
  expect(await json('/api/openapi.json')).not.toContain('/api/v2/currencies')
  const { changes } = JSON.parse(await json(`/api/v2/changes?from=${before}`))
  expect(changes.map((one: Record<string, unknown>) => [one.collection, one.change, one.key])).toEqual([
    ['currencies', 'removed', { code: 'MXN' }],
    ['currencies', 'removed', { code: 'EUR' }],
  ])
})
