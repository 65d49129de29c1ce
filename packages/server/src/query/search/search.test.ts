// What a search finds and what comes first, in one entity and across several.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ancestorsIn, spaceOf } from '../../../../../test/support/named-words.ts'
import { bundledRelease } from '../../../../../test/support/releases.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'
import { type Scope, search, searchAcross } from './search.ts'

setDefaultTimeout(180_000)

/** The names found, best first. */
const found = (given: Parameters<typeof spaceOf>[0], typed: string): string[] =>
  Array.from(search(spaceOf(given), wordsOf(typed)).ranked(), (position) => given.names[position] as string)

describe('order', () => {
  const cases: [string, string, string[]][] = [
    [
      'the name itself, its words in another order, with an article before it, names that begin so',
      'san juan',
      [...['San Juan', 'Juan San', 'El San Juan', 'San Juan Viejo']],
    ],
    ['whole words before beginnings', 'tula', ['Tula', 'Tula Vieja', 'Villa Tula', 'Tulancingo', 'Villa Tulares']],
    ['fewer other words first', 'rio', ['El Río', 'Río Seco', 'Río de Oro', 'Río de la Villa']],
    ['no typing error before one, and one before two', 'veracruz', ['Veracruz', 'Veracrus', 'Veracuzz']],
    ['those as good as one another as they come', 'monte', ['Monte Alto', 'Monte Bajo']],
  ]
  test.each(cases)('%s', (_what, typed, expected) => {
    expect(found({ names: expected }, typed)).toEqual(expected)
    // Whatever the order of the records, if none is as good as another.
    if (!typed.startsWith('monte')) expect(found({ names: expected.toReversed() }, typed)).toEqual(expected)
  })
})

describe('what is found', () => {
  const names = ['León', 'Nuevo León', 'Leonardo', 'Tampico', 'Tampico Alto', 'Altamira']
  const codes = ['001', '002', '003', '004', '005', 'leon']
  test.each([
    ['a word anywhere', 'leon', ['León', 'Leonardo', 'Nuevo León']],
    ['all words, in any order', 'alto tampico', ['Tampico Alto']],
    ['beginnings of words', 'nu le', ['Nuevo León']],
    ['a word with a typing error', 'tmapico', ['Tampico', 'Tampico Alto']],
    ['nothing where one word is nowhere', 'leon xyz', []],
  ])('%s', (_what, typed, expected) => expect(found({ names }, typed)).toEqual(expected))

  test.each([
    ['a word that says little is not misspelt', 'rancho nuevo', []],
    ['any other may be', 'sancho nuevo', ['Pancho Nuevo']],
  ])('%s', (_what, typed, expected) => expect(found({ names: ['Pancho Nuevo'] }, typed)).toEqual(expected))
  test('a code as good as a name', () =>
    expect(found({ names, codes }, 'leon')).toEqual(['León', 'Altamira', 'Leonardo', 'Nuevo León']))
  test('no code with a typing error', () =>
    expect(found({ names: ['Uno', 'Dos'], codes: ['12345', '12346'] }, '12344')).toEqual([]))
  test('only records that count', () =>
    expect(found({ names, among: [1, 2, 3] }, 'leon')).toEqual(['Leonardo', 'Nuevo León']))
  test('only records that count, by an alias too', () => {
    const aliases = [
      ['Apodo', 0],
      ['Apodo', 3],
    ] as const
    expect(found({ names, aliases }, 'apodo')).toEqual(['León', 'Tampico'])
    expect(found({ names, aliases, among: [1, 2, 3] }, 'apodo')).toEqual(['Tampico'])
  })
  test('words with typing errors do not count where enough is found without', () => {
    const many = ['Lerma', 'Lerma Uno', 'Lerma Dos', 'Lerma Tres', 'Lerma Cuatro', 'Lermas Viejas', 'Lorma']
    expect(found({ names: many }, 'lerma')).not.toContain('Lorma')
    expect(found({ names: many.slice(2) }, 'lerma')).toContain('Lorma')
  })
})

describe('with words of ancestors', () => {
  const names = ['Tuxpan', 'Tuxpan', 'Veracruz', 'Tampico', 'Nayarit Tuxpan Viejo']
  const levels = [ancestorsIn([0, 1, 0, 0, 2], ['Veracruz', 'Nayarit', 'Jalisco'])]
  const positions = (typed: string) => Array.from(search(spaceOf({ names, levels }), wordsOf(typed)).ranked())

  test.each([
    ['a name and an ancestor', 'tuxpan nayarit', [1, 4]],
    ['in another order', 'veracruz tuxpan', [0]],
    ['a typing error in the ancestor', 'tuxpan naayrit', [1, 4]],
    ['not by ancestors alone', 'veracruz veracruz', [2]],
  ])('%s', (_what, typed, expected) => expect(positions(typed)).toEqual(expected))
})

describe('across entities', () => {
  let release: Release
  beforeAll(async () => {
    release = await bundledRelease()
  })

  /** The results as entity and name. */
  function results(typed: string, limit: number, scope?: Scope): [string, string][] {
    const all = [...release.catalog.entities.keys()].map((name) => [name, []] as const)
    return searchAcross(release, wordsOf(typed), scope ?? all, limit).map(({ name, position }) => {
      const record = JSON.parse(new TextDecoder().decode(release.entity(name).records.record(position)))
      return [name, record[Object.keys(record).find((field) => field.startsWith('desc')) as string]]
    })
  }

  test('of equal ones, what has fewer ancestors comes first', () =>
    expect(results('Puebla', 2)).toEqual([
      ['estado', 'Puebla'],
      ['municipio', 'Puebla'],
    ]))
  test('a field of knowledge comes before a municipality that begins alike', () =>
    expect(results('quim', 1)).toEqual([['campo', 'Química']]))
  test('a name with its state comes before a name that only begins so', () =>
    expect(results('Tuxpan Nayarit', 1)).toEqual([['municipio', 'Tuxpan']]))
  test('a typing error in the name comes before one in an ancestor', () =>
    expect(results('San Luis Potossi', 1)).toEqual([['estado', 'San Luis Potosí']]))

  test('only so many are given, and only within the scope', () => {
    expect(results('san', 7)).toHaveLength(7)
    const scope = [['localidad', [{ steps: ['idEstado', 'cveEstado'], match: 'equals', values: ['CDMX'] }]]] as const
    expect(results('Coyoacan', 5, scope)[0]).toEqual(['localidad', 'Coyoacán'])
  })

  test('what is found as it was typed is not mixed with what is only alike', () => {
    const names = results('tula', 50).map(([, name]) => name)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !wordsOf(name).some((word) => word.startsWith('tula')))).toEqual([])
  })
})
