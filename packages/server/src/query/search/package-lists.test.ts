// The search of lists that came in packages: in English, in several languages and in none, with other names, codes and trees.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { code, embeds, entity } from '../../../../../test/support/definitions.ts'
import { releaseOf, sourceOf } from '../../../../../test/support/releases.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import type { Field, Values } from '../../catalog/entity.ts'
import { wordsOf } from '../../catalog/words.ts'
import { resolveRow } from '../resolve/resolve.ts'
import { searchAcross } from './search.ts'

setDefaultTimeout(180_000)

const key = code('key', /^[\s\S]+$/, 'anything')
const name = (language?: string): Field => ({
  kind: 'name',
  description: 'name',
  optional: true,
  ...(language === undefined ? {} : { language }),
})
const alias: Field = { kind: 'value', type: 'text', role: 'alias', description: 'also called', optional: true }
const list = (given: { readonly name: string; readonly fields: Record<string, Field> }) =>
  entity({ plural: `${given.name}s`, package: 'test', key: ['code'], code: ['code'], order: 'as given', ...given })

const office = list({ name: 'office', fields: { code: key, title: name('en') } })
const country = list({
  name: 'country',
  fields: { code: key, numeric: { ...key, optional: true }, en: name('en'), es: name('es-MX'), fr: name('fr'), alias },
})
const city = list({
  name: 'city',
  fields: { code: key, name: name(), of: { ...embeds(country, 'x'), optional: true } },
})
const town = list({
  name: 'town',
  fields: { code: key, of: { ...embeds(country, 'x'), optional: true }, en: name('en'), es: name('es') },
})
const subject = list({
  name: 'subject',
  fields: { code: key, name: name(), above: { kind: 'broader', description: 'above', optional: true } },
})

const named = (field: string, rows: readonly (readonly [code: string, name?: string, more?: Values])[]): Values[] =>
  rows.map(([code, name, more]) => ({ code, ...(name === undefined ? {} : { [field]: name }), ...more }))

const rows = {
  office: named('title', [
    ['O1', 'Department of Labour'],
    ['O2', "Saint John's Field Office"],
    ['O3', 'University of the Arts'],
    ['O4', 'Mount Hope Library'],
    ['O5', 'Philharmonic Centre'],
    ['O6', 'The Office for Fair Trade and Industry'],
  ]),
  country: [
    { code: 'DE', numeric: '276', en: 'Germany', es: 'Alemania', fr: 'Allemagne', alias: 'Federal Republic' },
    { code: 'NE', numeric: '562', en: 'Niger', es: 'Níger', fr: 'Niger' },
    { code: 'NG', numeric: '566', en: 'Nigeria', es: 'Nigeria', fr: 'Nigéria' },
    { code: 'ES', numeric: '724', en: 'Spain', es: 'España', fr: 'Espagne' },
    { code: 'US', numeric: '840', en: 'United States', es: 'Estados Unidos', alias: 'USA America' },
    { code: 'LS', numeric: 'Q1013', en: 'Lesotho', es: 'Lesoto' },
    { code: 'GN', en: 'Guinea', es: 'Guinea', fr: 'Guinée' },
    { code: 'GQ', en: 'Equatorial Guinea', es: 'Guinea Ecuatorial', fr: 'Guinée équatoriale' },
    { code: 'XX' },
  ],
  city: named('name', [
    ['1', 'Springfield', { of: 'US' }],
    ['2', 'Springfield'],
    ['3', 'Göteborg'],
    ['4', 'De la Vega'],
    ['BSD-3-Clause', 'Odd'],
    ['5', 'bsd'],
    ['6', 'Santa Rosa'],
  ]),
  town: [
    { code: '1', of: 'DE', en: 'Cologne on the Rhine', es: 'Colonia' },
    { code: '2', of: 'DE', en: 'Munich' },
  ],
  subject: named('name', [
    ['1', 'Physics'],
    ['1.1', 'Optics', { above: '1' }],
    ['1.1.1', 'Lasers', { above: '1.1' }],
    ['2', 'Engineering'],
    ['2.1', 'Optics', { above: '2' }],
    ['2.1.1', 'Fibres', { above: '2.1' }],
    ['3', 'Opticskills'],
    ['4'],
    ['5', 'Laserson'],
  ]),
}
const release = await releaseOf(sourceOf(rows, {}, catalogOf([office, country, city, town, subject])))

const hits = (of: string, typed: string) => searchAcross(release, wordsOf(typed), [[of, []]], 5)
const codeAt = (of: string, position: number) => (rows as Record<string, readonly Values[]>)[of]?.[position]?.code
const codes = (of: string, typed: string) => hits(of, typed).map(({ position }) => codeAt(of, position))
const best = (of: string, typed: string) => {
  const [first] = hits(of, typed)
  return first === undefined ? undefined : { code: codeAt(of, first.position), ...first.explain() }
}

describe('in English', () => {
  test.each([
    ['an abbreviation', 'dept of labor', 'O1', ['abbreviation']],
    ['what is abbreviated in two ways', 'st johns', 'O2', undefined],
    ['an abbreviation of a word that is long', 'univ arts', 'O3', ['abbreviation']],
    ['another', 'mt hope', 'O4', ['abbreviation']],
    ['spelling by ear', 'filharmonic', 'O5', ['by-ear']],
    ['two spellings of a word', 'philharmonic center', 'O5', ['abbreviation']],
    ['words that say little and are not there', 'the library of mount hope', 'O4', ['dropped-words']],
  ])('%s: %s', (_, typed, code, how) => {
    const found = best('office', typed)
    expect(found?.code).toBe(code)
    if (how !== undefined) expect(found?.how).toEqual(how as never)
  })

  test('a single word that says little finds what has it', () => expect(codes('office', 'the')).toEqual(['O6', 'O3']))
})

describe('in no language', () => {
  test.each([
    ['accents do not count', 'goteborg', '3'],
    ['nor do typing errors', 'goteborj', '3'],
  ])('%s', (_, typed, code) => expect(best('city', typed)?.code).toBe(code))

  test('no word says little', () => {
    const [withoutWord] = hits('city', 'municipio de la vega')
    expect(withoutWord?.explain().dropped).toEqual(['municipio'])
    expect(withoutWord?.quality).toBeLessThan(0.85)
  })
  test('nothing is abbreviated', () => expect(best('city', 'sta rosa')?.how).not.toContain('abbreviation'))
  test('nothing sounds alike', () => expect(release.entity('city').index.words.sounds).toHaveLength(0))
})

describe('names in several languages', () => {
  test.each([
    ['germany', 'DE', 'en', 'en'],
    ['alemania', 'DE', 'es', 'es-MX'],
    ['allemagne', 'DE', 'fr', 'fr'],
    ['espania', 'ES', 'es', 'es-MX'],
    ['federal republic', 'DE', 'alias', undefined],
    ['edos unidos', 'US', 'es', 'es-MX'],
  ])('%s', (typed, code, field, language) => {
    const found = best('country', typed)
    expect([found?.code, found?.matchedName?.field, found?.matchedName?.language]).toEqual([code, field, language])
  })

  test('the first of names that are alike is told', () =>
    expect(best('country', 'niger')?.matchedName?.field).toBe('en'))
  test('another name is told as one', () => expect(best('country', 'america')?.how).toEqual(['alias']))
  test('a name is as good as it is alone', () => {
    expect(codes('country', 'guinea')).toEqual(['GN', 'GQ'])
    expect(codes('country', 'niger').slice(0, 2)).toEqual(['NE', 'NG'])
    expect(hits('country', 'alemania')[0]?.quality).toBeCloseTo(1, 3)
  })
  test('words of two languages mean one record', () => expect(codes('country', 'germany alemania')).toEqual(['DE']))
  test('lists with one name tell nothing', () => expect(best('office', 'library')?.matchedName).toBeUndefined())
})

describe('codes', () => {
  test.each([
    ['of letters, before names that begin so', 'country', 'ng', 'NG'],
    ['that are not the key', 'country', '276', 'DE'],
    ['with signs, however they are typed', 'city', 'bsd-3 clause', 'BSD-3-Clause'],
    ['of a record without a name', 'country', 'xx', 'XX'],
    ['of one deep in a tree', 'subject', '1.1.1', '1.1.1'],
  ])('%s', (_, of, typed, code) => expect(best(of, typed)).toMatchObject({ code, how: ['code'] }))

  test('the beginning of one is no whole one', () => expect(codes('city', 'bsd')).toEqual(['5', 'BSD-3-Clause']))
})

describe('trees', () => {
  test('a record is found by the one above it', () => {
    expect(codes('subject', 'optics engineering')[0]).toBe('2.1')
    expect(codes('subject', 'lasers physics')).toEqual(['1.1.1'])
  })
  test('the name itself comes before a longer one that is higher up', () => {
    expect(codes('subject', 'optics')).toEqual(['1.1', '2.1', '3'])
    expect(codes('subject', 'lasers')).toEqual(['1.1.1', '5'])
  })
})

describe('parents that are not known', () => {
  test('a record with the parent comes first, and one without any is no hit', () => {
    expect(codes('city', 'springfield usa')[0]).toBe('1')
    expect(codes('city', 'springfield estados unidos')).toEqual(['1'])
  })
})

describe('rows', () => {
  const resolved = (row: Parameters<typeof resolveRow>[1], names?: readonly string[]) => {
    const { verdict, record } = resolveRow(release, row, names === undefined ? {} : { names })
    return [verdict, record && codeAt(record.name, record.position)]
  }
  test.each([
    ['in English', 'office', 'Dept. of Labour', 'sure', 'O1'],
    ['by another code', 'country', 'Q1013', 'exact', 'LS'],
    ['in another language', 'country', 'Alemania', 'exact', 'DE'],
    ['by what it is also called', 'country', 'Federal Republic', 'exact', 'DE'],
    ['by a code of letters', 'country', 'us', 'exact', 'US'],
    ['by a code with signs', 'city', 'bsd-3-clause', 'exact', 'BSD-3-Clause'],
  ])('%s', (_, of, text, verdict, code) => expect(resolved({ parts: new Map([[of, text]]) })).toEqual([verdict, code]))

  test('below a parent in any language', () =>
    expect(resolved({ parts: new Map(Object.entries({ country: 'Estados Unidos', city: 'Springfield' })) })).toEqual([
      'exact',
      '1',
    ]))
  test('below a parent, misspelt in one of several languages', () =>
    expect(resolved({ parts: new Map(Object.entries({ country: 'Alemania', town: 'Colonda' })) })).toEqual([
      'sure',
      '1',
    ]))
  test('free text with what is above in a tree', () =>
    expect(resolved({ text: 'Optics Engineering' }, ['subject'])[1]).toBe('2.1'))
})
