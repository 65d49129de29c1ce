// Lists of packages under a running service: one that comes is served at once in all of it, without a restart, and one that goes is gone.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, sync } from '../../packages/client/src/index.ts'
import type { Entity } from '../../packages/server/src/catalog/entity.ts'
import { homeForPackages } from '../../packages/server/src/release/package-references.ts'
import { removalOf } from '../../packages/server/src/release/packages.ts'
import { openPackage } from '../../packages/server/src/source/package/open-package.ts'
import type { Source } from '../../packages/server/src/source/source.ts'
import { runHere } from '../support/command.ts'
import { code, embeds, entity, name } from '../support/definitions.ts'
import { nothing, packageOf } from '../support/packages.ts'
import { textOf } from '../support/pages.ts'
import { TestDirectory, TestHome } from '../support/releases.ts'
import { eventually, Service } from '../support/service.ts'

setDefaultTimeout(180_000)

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

/** A list like no other: files alone, with a tree, names in two languages, a day, and a unit of another package. */
const tariff = {
  name: 'tariff',
  resources: [
    {
      name: 'goods',
      path: 'goods.csv',
      'nomenclator:broader': 'part of',
      'nomenclator:title': { es: 'Mercancías', en: 'Goods' },
      'nomenclator:group': { title: { es: 'Comercio', en: 'Trade' }, description: { en: 'What is bought and sold.' } },
      schema: {
        primaryKey: 'code',
        fields: [
          { name: 'code', type: 'string' },
          { name: 'name_en', type: 'string' },
          { name: 'name_es', type: 'string' },
          { name: 'part of', type: 'string' },
          { name: 'duty, 1.5 t', type: 'number' },
          { name: 'since', type: 'date' },
          { name: 'unit', type: 'string' },
        ],
        foreignKeys: [
          { fields: 'part of', reference: { fields: 'code' } },
          { fields: 'unit', reference: { package: 'weights', resource: 'units', fields: 'code' } },
        ],
      },
    },
  ],
}
const goods = (duty: string) => `code,name_en,name_es,part of,"duty, 1.5 t",since,unit
01,Live animals,Animales vivos,,,,
01/01,Horses,Caballos,01,${duty},2020-01-31,kg
01/02,Asses,,01,7,,g
`

const home = new TestHome()
let service: Service

const bring = (source: Source) => home.import(source, { fallback: nothing, acceptChanges: true })
const get = (target: string, accept = '*/*') => fetch(service.url + target, { headers: { Accept: accept } })
const json = async (target: string) => JSON.stringify(await (await get(target)).json())
const tariffWith = (directory: TestDirectory, duty: string) => {
  writeFileSync(join(directory.path, 'datapackage.json'), JSON.stringify(tariff))
  writeFileSync(join(directory.path, 'goods.csv'), goods(duty))
  return openPackage(directory.path, { outside: homeForPackages(home.store) })
}
/** True if page workers and compute workers have the release; each opens it for itself. */
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

test('a list of a kind that was not there, from files alone, is in all that is offered', async () => {
  using directory = new TestDirectory()
  const source = await tariffWith(directory, '10.50')
  const { digest } = await bring(source)
  source.close()
  await eventually('the new release is served', () => serves(digest))
  // A record of another package is embedded, and what refers to it is found by it.
  expect(await json('/api/v2/goods/01%2F01')).toBe(
    '{"code":"01/01","name_en":"Horses","name_es":"Caballos","part of":"01","duty, 1.5 t":10.5,"since":"2020-01-31","unit":{"code":"kg","label":"Kilogram"}}',
  )
  expect(await json('/api/v2/goods?unit=g&fields=code')).toBe('[{"code":"01/02"}]')
  expect(await json('/api/v2/goods?within=01&lang=es&fields=name_es,name_en')).toBe(
    '[{"name_es":"Caballos"},{"name_en":"Asses"}]',
  )
  expect(await json('/api/v2/goods/01/children?fields=code')).toBe('[{"code":"01/01"},{"code":"01/02"}]')
  expect(await json('/api/v2/search?q=caballos')).toContain('"goods"')
  expect(await json('/reconcile')).toContain('"goods"')
  const { paths } = JSON.parse(await json('/api/openapi.json'))
  for (const path of ['goods', 'goods/{code}', 'goods/{code}/descendants', 'units/{code}/goods'])
    expect(Object.keys(paths)).toContain(`/api/v2/${path}`)
  expect(await json('/api/v2/units/g/goods?fields=code')).toBe('[{"code":"01/02"}]')
  const explored = await (await get('/explore?lang=es', 'text/html')).text()
  expect(textOf(explored)).toMatch(/tariff .*Comercio What is bought and sold\. \d+ Mercancías/)
  expect(await (await get('/explore/units/kg', 'text/html')).text()).toContain('Caballos')
  expect(await (await get('/explore/tree', 'text/html')).text()).toContain('Animales vivos')
  const { levels } = JSON.parse(await json('/picker/levels.json'))
  const { list, key, name, ancestors } = levels.goods
  expect([list, key, name, Object.keys(ancestors)]).toEqual(['/api/v2/goods', ['code'], 'name_en', ['units']])
  expect(await json(`${list}?q=horses&per_page=50&fields=${[...key, name].join()}`)).toContain('"name_en":"Horses"')
  const types = await runHere('types', '--home', home.path)
  expect(types.out).toContain("readonly 'duty, 1.5 t'")
})

test('changes between two releases include lists of packages, whatever the names of their fields', async () => {
  using directory = new TestDirectory()
  const before = home.current().digest
  const source = await tariffWith(directory, '10.75')
  const { digest } = await bring(source)
  source.close()
  const diff = async (...flags: string[]) => (await runHere('diff', before, digest, '--home', home.path, ...flags)).out
  expect(await diff()).toMatch(/^goods +0 added, 1 changed, 0 removed\n +duty, 1\.5 t: 1$/m)
  expect(await diff('--collection', 'goods')).toBe('~ 01/01 Horses\n    duty, 1.5 t: old 10.50 → new 10.75\n')
  const [line = '', ...more] = (await diff('--json')).split('\n')
  expect(more).toEqual([''])
  expect(JSON.parse(line)).toMatchObject({ collection: 'goods', key: { code: '01/01' }, fields: ['duty, 1.5 t'] })
  await eventually('the new release is served', () => serves(digest))
  const page = await (await get(`/releases?from=${before}&to=${digest}`, 'text/html')).text()
  for (const value of ['<del><bdi>10.50</bdi></del>', '<ins><bdi>10.75</bdi></ins>']) expect(page).toContain(value)
})

test('another Nomenclator mirrors it under the same digest, with what its packages say of themselves', async () => {
  using mirror = new TestHome()
  const { digest, manifest } = home.current()
  await runHere('import', 'mirror', service.url, '--home', mirror.path)
  expect(mirror.current().digest).toBe(digest)
  expect(mirror.current().manifest.packages).toEqual(manifest.packages as [])
  expect(await mirror.verify(digest)).toEqual([])
})

test('a client has a copy that it has verified by the digest', async () => {
  const copy = new Map()
  const { release } = await sync(connect(service.url), copy)
  expect(release).toBe(home.current().digest)
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
