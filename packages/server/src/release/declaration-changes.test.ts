// A list, field or language that vanishes, and a key or type that changes, is told by name; what is added or said in other words is not.
import { describe, expect, test } from 'bun:test'
import { code, embeds, entity, id, name, numberFact } from '../../../../test/support/definitions.ts'
import { sourceOf, TestHome } from '../../../../test/support/releases.ts'
import { catalogOf } from '../catalog/catalog.ts'
import type { Entity, ValueType } from '../catalog/entity.ts'
import { declarationChanges } from './declaration-changes.ts'
import type { Release } from './release.ts'

const ANY = /^.+$/
const value = (type: ValueType) => ({ kind: 'value', type, optional: true, description: 'a value' }) as const
const named = (language: string) => ({ ...name('a name'), language })

const region = entity({
  name: 'region',
  plural: 'regions',
  fields: { code: code('a code', ANY, 'a code'), title: name('a name') },
  key: ['code'],
  code: ['code'],
})
const fields: Entity['fields'] = {
  code: code('a code', ANY, 'a code'),
  number: id('a number'),
  name_en: named('en'),
  name_fr: named('fr'),
  size: value('number'),
  since: value('date'),
  region: embeds(region, 'where it is'),
  people: numberFact('how many', { min: 0, max: 10 }),
}
const office = entity({ name: 'office', plural: 'offices', package: 'state', fields, key: ['code'], code: ['code'] })

const releaseWith = (...entities: readonly Entity[]): Release =>
  ({
    catalog: catalogOf(entities),
    manifest: { entities: Object.fromEntries(entities.map((one) => [one.name, { count: 7 }])) },
  }) as unknown as Release

const changed = (more: Partial<Entity>) =>
  declarationChanges(releaseWith(region, office), releaseWith(region, { ...office, ...more }), 'office')

const without = (...names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !names.includes(field)))

describe('a breaking change is', () => {
  const cases: readonly [string, Partial<Entity>, readonly string[]][] = [
    ['another collection', { plural: 'bureaus' }, ['the list would be at bureaus']],
    ['another key', { key: ['number'] }, ['its key would be number and not code']],
    ['a key of more fields', { key: ['code', 'number'] }, ['its key would be code, number and not code']],
    ['a field that is gone', { fields: without('since') }, ['the field "since" would be gone']],
    ['a fact that is gone', { fields: without('people') }, ['the field "people" would be gone']],
    [
      'a language that is gone',
      { fields: without('name_fr') },
      ['the field "name_fr" would be gone', 'its names in the language fr would be gone'],
    ],
    [
      'a field in another language',
      { fields: { ...fields, name_fr: named('en') } },
      ['its names in the language fr would be gone'],
    ],
    [
      'another type',
      { fields: { ...fields, size: value('text') } },
      ['the field "size" would be a text and not a number'],
    ],
    [
      'a record that becomes a text',
      { fields: { ...fields, region: value('text') } },
      ['the field "region" would be a text and not a record of regions'],
    ],
    [
      'a fact that becomes a value',
      { fields: { ...fields, people: value('number') } },
      ['the field "people" would be a number and not a fact, a number'],
    ],
  ]
  test.each(cases)('%s', (_, more, told) => {
    expect(changed(more)).toEqual(told.map((one) => `offices: ${one}`))
  })

  test('a list that is gone, with its package and how much it had', () => {
    expect(declarationChanges(releaseWith(region, office), releaseWith(region), 'office')).toEqual([
      'offices of package state: the list would be gone, with its 7 records',
    ])
  })
})

describe('no breaking change is', () => {
  const cases: readonly [string, Partial<Entity>][] = [
    ['another title', { title: 'Offices' }],
    ['another order', { order: 'as given' }],
    ['another description of a field', { fields: { ...fields, size: { ...value('number'), description: 'm²' } } }],
    ['a field more', { fields: { ...fields, name_es: named('es') } }],
    ['a code that becomes a name', { fields: { ...fields, name_en: code('a code', ANY, 'a code'), x: named('en') } }],
    ['a whole number that is no identifier any more', { fields: { ...fields, number: value('integer') } }],
  ]
  test.each(cases)('%s', (_, more) => expect(changed(more)).toEqual([]))

  test('a new list', () => {
    expect(declarationChanges(releaseWith(region), releaseWith(region, office), 'office')).toEqual([])
  })
})

test('an import that changes a key is refused by its name, and once accepted all its records are new', async () => {
  using home = new TestHome()
  const list = (key: string) =>
    entity({
      name: 'town',
      plural: 'towns',
      package: 'places',
      fields: { code: code('a code', ANY, 'a code'), number: code('a number', ANY, 'a number'), title: name('a name') },
      key: [key],
      code: ['code'],
    })
  const rows = { town: [{ code: 'a', number: '1', title: 'A' }] }
  const first = sourceOf(rows, {}, catalogOf([list('code')]))
  const second = sourceOf({ town: [{ code: 'a', number: '1', title: 'B' }] }, {}, catalogOf([list('number')]))
  await home.import(first)
  expect(home.import(second)).rejects.toThrow('towns: its key would be number and not code')
  const { changes, breakingChanges } = await home.import(second, { acceptChanges: true })
  expect(breakingChanges).toEqual(['towns: its key would be number and not code'])
  expect(changes?.town).toMatchObject({ added: 1, removed: 1, changed: 0, isRenumbered: true })
})
