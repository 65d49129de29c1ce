// Suggestions for records of any list: the name that matched, and the name that is shown if others are missing.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { code, embeds, entity } from '../../../../../test/support/definitions.ts'
import { releaseOf, sourceOf } from '../../../../../test/support/releases.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/entity.ts'
import { wordsOf } from '../../catalog/words.ts'
import { searchSuggestions } from './suggestions.ts'

setDefaultTimeout(180_000)

const key = code('key', /^[\s\S]+$/, 'anything')
const name = (language: string): Field => ({ kind: 'name', language, description: 'name', optional: true })
const alias: Field = { kind: 'value', type: 'text', role: 'alias', description: 'also called', optional: true }
const common = { package: 'test', key: ['code'], code: ['code'], order: 'as given' } as const
const country = entity({
  ...common,
  name: 'country',
  plural: 'countries',
  fields: { code: key, en: name('en'), es: name('es'), alias },
})
const city = entity({
  ...common,
  name: 'city',
  plural: 'cities',
  fields: { code: key, name: name('en'), country: { ...embeds(country, 'country'), optional: true } },
})
const rows = {
  country: [
    { code: 'DE', en: 'Germany', es: 'Alemania', alias: 'Federal Republic' },
    { code: 'XA', es: 'Atlántida' },
    { code: 'XB' },
  ],
  city: [
    { code: '1', name: 'Bremen', country: 'DE' },
    { code: '2', name: 'Bremerhaven' },
    { code: '3', name: 'Bremville', country: 'XB' },
  ],
}
const release = await releaseOf(sourceOf(rows, {}, catalogOf([country, city])))
const suggested = (typed: string) =>
  searchSuggestions(
    release,
    {
      text: typed,
      words: wordsOf(typed),
      searched: [country, city],
      within: undefined,
      limit: 5,
      near: undefined,
      format: 'json' as const,
    },
    '',
  )

describe('the name that matched comes with its language', () => {
  test.each([
    ['alemania', { field: 'es', language: 'es' }, ['es']],
    ['federal', { field: 'alias', language: null }, ['alias']],
  ])('%s', (typed, matched, fields) => {
    const [first] = suggested(typed)
    expect(first).toMatchObject({ name: 'Germany', matched })
    expect(first?.matches.map(({ field }) => field)).toEqual(fields)
  })

  test('not where a record has one name, nor where a code matched', () => {
    expect(suggested('bremen')[0]).not.toHaveProperty('matched')
    expect(suggested('de')[0]).toMatchObject({ key: { code: 'DE' }, how: ['code'] })
    expect(suggested('de')[0]).not.toHaveProperty('matched')
  })
})

test('a record is called by the name that it has, or by its key', () => {
  expect(suggested('atlantida')[0]?.name).toBe('Atlántida')
  expect(suggested('xb')[0]?.name).toBe('XB')
})

test('a record whose parent is not known has no ancestors', () =>
  expect(suggested('brem').map(({ name, breadcrumb }) => [name, ...breadcrumb])).toEqual([
    ['Bremen', 'Germany'],
    ['Bremville', 'XB'],
    ['Bremerhaven'],
  ]))
