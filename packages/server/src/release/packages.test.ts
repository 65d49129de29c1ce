// Several packages in one home: each replaces its own lists only, goes with its own lists only, and is part of the digest.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { code, embeds, entity, name } from '../../../../test/support/definitions.ts'
import { packageOf as madePackage, nothing } from '../../../../test/support/packages.ts'
import { type Rows, TestHome } from '../../../../test/support/releases.ts'
import { mismatchesText, parse } from '../base/schema.ts'
import { catalogOf, entityData } from '../catalog/catalog.ts'
import type { Entity } from '../catalog/entity.ts'
import { type PackageInfo, packageInfos, packageListsFault } from '../source/package/package-info.ts'
import type { Alias, Source } from '../source/source.ts'
import { replaceDurably } from './files/durable-file.ts'
import { upgradeHome } from './home/upgrade.ts'
import { MANIFEST_FILE } from './manifest.ts'
import { removalOf, takenIn } from './packages.ts'
import { generateKeys, parseSecretKey } from './signing/minisign.ts'
import { proofOf, signableRelease, signRelease, trustIn } from './signing/release-signature.ts'

const ANY = /^.+$/

const list = (of: string, listName: string, more: Partial<Entity> = {}) =>
  entity({
    name: listName,
    plural: `${listName}s`,
    title: listName,
    package: of,
    fields: { code: code('the code', ANY, 'a code'), label: name('the name') },
    key: ['code'],
    code: ['code'],
    order: 'as given',
    ...more,
  })

const currency = list('money', 'currency')
const coin = list('money', 'coin', {
  fields: {
    code: code('the code', ANY, 'a code'),
    label: name('the name'),
    currency: { ...embeds(currency, 'what it is a part of'), optional: true },
  },
})
const shop = list('trade', 'shop', {
  fields: { code: code('the code', ANY, 'a code'), label: name('the name'), takes: embeds(currency, 'its currency') },
})

const told = { licenses: [{ name: 'PDDL-1.0' }], sources: [{ title: 'The Mint' }] }

const packageOf = (packageName: string, entities: readonly Entity[], rows: Rows, more: Partial<PackageInfo> = {}) =>
  madePackage(packageName, entities, rows, { ...told, ...more })

const currencies = [
  { code: 'MXN', label: 'Peso' },
  { code: 'EUR', label: 'Euro' },
]
const coins = [
  { code: 'cent', label: 'Cent', currency: 'EUR' },
  { code: 'button', label: 'Button' },
]
const money = packageOf('money', [currency, coin], { currency: currencies, coin: coins })
const trade = packageOf('trade', [currency, shop], { shop: [{ code: 's', label: 'Shop', takes: 'EUR' }] })

let home: TestHome
beforeEach(() => {
  home = new TestHome()
})
afterEach(() => home[Symbol.dispose]())

const bring = (source: Source, options: { acceptChanges?: boolean } = {}) =>
  home.import(source, { fallback: nothing, ...options })
const recordsOf = (listName: string) => {
  const { records, count } = home.current().entity(listName)
  return Array.from({ length: count }, (_, at) => JSON.parse(new TextDecoder().decode(records.record(at))))
}

test('a package alone is a release with its lists and no other, and says of itself what it is', async () => {
  await bring(money)
  const { manifest, catalog } = home.current()
  expect([...catalog.entities.keys()]).toEqual(['currency', 'coin'])
  expect(manifest.packages).toMatchObject([{ name: 'money', lists: ['currency', 'coin'] }])
  expect(manifest.source.credits).toEqual([{ to: 'money; from The Mint; under PDDL-1.0', of: ['currency', 'coin'] }])
  expect(recordsOf('coin')).toMatchObject([{ currency: { code: 'EUR', label: 'Euro' } }, { currency: null }])
})

test('a list of one package refers to that of another, and follows its changes', async () => {
  await bring(money)
  await bring(trade)
  expect(recordsOf('shop')).toMatchObject([{ takes: { label: 'Euro' } }])
  const renamed = currencies.map((row) => (row.code === 'EUR' ? { ...row, label: 'Euro (€)' } : row))
  await bring(packageOf('money', [currency, coin], { currency: renamed, coin: coins }, { version: '2' }))
  const { manifest } = home.current()
  expect(recordsOf('shop')).toMatchObject([{ takes: { label: 'Euro (€)' } }])
  expect(manifest.packages?.map(({ name: of, version }) => [of, version])).toEqual([
    ['money', '2'],
    ['trade', undefined],
  ])
  expect(manifest.source.credits).toHaveLength(2)
})

test('the order in which packages come is no part of a release', async () => {
  const other = packageOf('weights', [list('weights', 'unit')], { unit: [{ code: 'kg', label: 'Kilogram' }] })
  await bring(money)
  await bring(trade)
  const { digest } = await bring(other)
  using elsewhere = new TestHome()
  for (const source of [other, money, trade]) await elsewhere.import(source, { fallback: nothing })
  expect(elsewhere.current().digest).toBe(digest)
  expect(home.current().manifest.packages?.map(({ name: of }) => of)).toEqual(['money', 'trade', 'weights'])
})

test('the same package again is nothing to do; with another word about itself it is another release', async () => {
  const { digest } = await bring(money)
  expect(await bring(money)).toMatchObject({ outcome: 'nothing to do', digest })
  const titled = packageOf('money', [currency, coin], { currency: currencies, coin: coins }, { title: 'Money' })
  expect(await bring(titled)).toMatchObject({ outcome: 'activated' })
  expect(home.current().digest).not.toBe(digest)
})

test('the same records declared otherwise are another release', async () => {
  const { digest } = await bring(money)
  const titled = { ...currency, title: 'Currencies of the world' }
  await bring(packageOf('money', [titled, coin], { currency: currencies, coin: coins }))
  expect(home.current().digest).not.toBe(digest)
  expect(home.current().entity('currency').definition.title).toBe('Currencies of the world')
})

describe('a list that a package no longer has', () => {
  const without = packageOf('money', [currency], { currency: currencies })

  test('goes with it, once that is accepted', async () => {
    await bring(money)
    expect(bring(without)).rejects.toThrow('coins of package money: the list would be gone, with its 2 records')
    expect(home.current().catalog.entities.has('coin')).toBe(true)
    await bring(without, { acceptChanges: true })
    expect(home.current().catalog.entities.has('coin')).toBe(false)
    expect(await home.verify(home.current().digest)).toEqual([])
  })

  test('stays as long as a list of another package refers to it', async () => {
    await bring(money)
    await bring(trade)
    const withoutCurrencies = packageOf('money', [list('money', 'coin')], { coin: [{ code: 'cent', label: 'Cent' }] })
    expect(bring(withoutCurrencies, { acceptChanges: true })).rejects.toThrow(
      'shops of package trade refers to currencys',
    )
  })
})

describe('a package that is taken out', () => {
  test('takes its lists with it, once that is accepted, and nothing else', async () => {
    const unit = packageOf('weights', [list('weights', 'unit')], { unit: [{ code: 'kg', label: 'Kilogram' }] })
    const { digest } = await bring(unit)
    await bring(money)
    expect(bring(removalOf(home.current(), 'money'))).rejects.toThrow(
      'currencys of package money: the list would be gone',
    )
    await bring(removalOf(home.current(), 'money'), { acceptChanges: true })
    const { manifest, catalog } = home.current()
    expect([...catalog.entities.keys()]).toEqual(['unit'])
    expect(manifest.source.credits).toEqual([{ to: 'weights; from The Mint; under PDDL-1.0', of: ['unit'] }])
    expect(manifest.digest).toBe(digest)
  })

  test('stays as long as lists of others refer to its lists', async () => {
    await bring(money)
    await bring(trade)
    const refusal = bring(removalOf(home.current(), 'money'), { acceptChanges: true })
    expect(refusal).rejects.toThrow('Take out trade first with nomenclator remove trade')
    await bring(removalOf(home.current(), 'trade'), { acceptChanges: true })
    expect([...home.current().catalog.entities.keys()]).toEqual(['currency', 'coin'])
  })

  test('is not the last thing in the home', async () => {
    await bring(money)
    expect(() => removalOf(home.current(), 'money')).toThrow('nothing would be left')
  })
})

test('aliases of a package stand for those of its lists, and leave those of others', async () => {
  const aliased = (source: Source, ...aliases: Alias[]): Source => ({ ...source, aliases: () => aliases })
  const buck = { entity: 'currency', code: 'MXN', alias: 'varo', reason: 'slang' }
  const store = { entity: 'shop', code: 's', alias: 'store', reason: 'English' }
  await bring(aliased(money, buck))
  await bring(aliased(trade, store))
  expect(home.current().manifest.aliases).toEqual([buck, store])
  await bring(aliased(money, { ...buck, alias: 'lana' }))
  expect(home.current().manifest.aliases).toEqual([{ ...buck, alias: 'lana' }, store])
  await bring(money)
  expect(home.current().manifest.aliases).toEqual([store])
})

test('releases of an earlier format are brought up, each with its own declarations', async () => {
  await bring(money)
  const titled = { ...currency, title: 'Currencies of the world' }
  await bring(packageOf('money', [titled, coin], { currency: currencies, coin: coins }))
  const { store } = home
  const before = store.history().map((digest) => store.read(digest).manifest)
  for (const { digest, ...manifest } of before) {
    const entities = Object.entries(manifest.entities).map(([name, one]) => [name, { ...one, format: one.format - 1 }])
    const earlier = { ...manifest, digest, entities: Object.fromEntries(entities) }
    replaceDurably(join(store.releaseDirectory(digest), MANIFEST_FILE), JSON.stringify(earlier))
  }
  expect(() => home.current()).toThrow('in an earlier format')
  expect((await upgradeHome(store)).map(({ failure }) => failure)).toEqual([undefined, undefined])
  expect(store.history().map((digest) => store.read(digest).manifest.entities)).toEqual(
    before.map((one) => one.entities),
  )
  expect(store.history().map((digest) => store.read(digest).manifest.packages)).toEqual(
    before.map((one) => one.packages),
  )
})

test('a signature covers what a package says of itself', async () => {
  await bring(money)
  const secret = parseSecretKey(generateKeys().secretFile, undefined)
  const release = home.current()
  const { manifest } = release
  const signature = signRelease(secret, release)
  const proof = (packages: typeof manifest.packages) =>
    proofOf(
      { ...signableRelease(release), checksums: { ...manifest, packages } },
      signature,
      trustIn([secret.publicKey]),
    )
  expect(proof(manifest.packages)).toMatchObject({ covers: expect.arrayContaining(['definitions', 'files']) })
  expect(proof(manifest.packages?.map((one) => ({ ...one, licenses: [] })))).toHaveProperty('wrong')
})

test('two lists are never one collection', async () => {
  await bring(money)
  const same = list('other', 'other-currency', { plural: 'currencys' })
  const refusal = bring(packageOf('other', [same], { 'other-currency': [{ code: 'a', label: 'A' }] }))
  expect(refusal).rejects.toThrow('two lists would be the collection currencys')
})

test('names that others have are taken, and one with the name of its package before it stays', () => {
  const prefixed = list('my money', 'x', { name: 'my-money-coins', plural: 'my-money-coins' })
  const catalog = catalogOf([currency, prefixed])
  const taken = takenIn(catalog, 'my money')
  expect(['currency', 'currencys', 'coins', 'my-money-coins', 'shops'].map(taken)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
  expect(takenIn(catalog, 'money')('currencys')).toBe(false)
  const both = catalogOf([list('my money', 'coins', { plural: 'coins' }), prefixed])
  expect(['coins', 'my-money-coins'].map(takenIn(both, 'my money'))).toEqual([false, false])
})

describe('packages from elsewhere', () => {
  const definitions = new Map([currency, coin].map((one) => [one.name, entityData(one)]))
  const sound = async () => {
    await bring(money)
    return structuredClone(home.current().manifest.packages?.[0]) as unknown as Record<string, unknown>
  }

  const faultOf = (packages: unknown) => {
    const parsed = parse(packageInfos, packages)
    return 'value' in parsed ? packageListsFault(parsed.value, definitions) : mismatchesText(parsed)
  }

  test('are sound as they were written', async () => {
    expect(faultOf([await sound()])).toBeUndefined()
  })

  test.each<[string, object, string]>([
    ['a name of several words', { name: 'a b' }, 'one word'],
    ['a name that every object has', { name: 'constructor' }, 'one word'],
    ['a title that is no text', { title: 1 }, 'title is 1'],
    ['licences that are no list', { licenses: {} }, 'licenses is an object'],
    ['a source with a number', { sources: [{ title: 1 }] }, 'title is 1'],
    ['a list of another', { lists: ['currency', 'shop'] }, 'other lists than its own'],
  ])('are refused with %s', async (_, change, wrong) => {
    expect(faultOf([{ ...(await sound()), ...change }])).toContain(wrong)
  })

  test('are refused twice', async () => {
    expect(faultOf([await sound(), await sound()])).toContain('two packages')
  })
})
