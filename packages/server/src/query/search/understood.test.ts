// That what people write finds what they mean: a small catalog, and a query of every kind.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'
import { searchAcross } from './search.ts'

setDefaultTimeout(180_000)

const states = [
  ['JAL', 'JC', 'Jalisco', 14],
  ['NL', 'NL', 'Nuevo León', 19],
  ['QROO', 'QR', 'Quintana Roo', 23],
  ['ZAC', 'ZS', 'Zacatecas', 32],
  ['MEX', 'MC', 'México', 15],
] as const
const municipalities = [
  ['039', 'Guadalajara', 14],
  ['067', 'Puerto Vallarta', 14],
  ['039', 'Monterrey', 19],
  ['005', 'Benito Juárez', 23],
  ['008', 'Solidaridad', 23],
  ['056', 'Zacatecas', 32],
  ['106', 'Toluca', 15],
] as const
/** Name, municipality by its place above, population. */
const localities = [
  ['0001', 'Guadalajara', 1, 1_385_629],
  ['0002', 'Santa María del Oro', 1],
  ['0003', 'Rcho. Los Pinos', 1],
  ['0001', 'Puerto Vallarta', 2, 224_166],
  ['0001', 'Monterrey', 3, 1_142_952],
  ['0002', 'Acapulco', 3],
  ['0001', 'Cancún', 4, 888_797],
  ['0001', 'Playa del Carmen', 5, 304_942],
  ['0002', 'Sanjosé Iturbide', 5],
  ['0003', 'Acapulco de Benito', 5, 658_609],
  ['0001', 'Zacatecas', 6, 138_444],
  ['0001', 'Toluca de Lerdo', 7, 223_876],
  ['0002', 'San Pedro', 7, 12_000],
  ['0003', 'San Pedro', 1, 400],
  ['0009', 'Dialéctica', 1, 31_623],
  ['0010', 'Acapulca', 1],
] as const

let release: Release
beforeAll(async () => {
  const places = placesOf({ states, municipalities, localities })
  const netherlands = { cvePais: 'NLD', descPais: 'Países Bajos', idPais: 528 }
  release = await releaseOf(
    smallSource({
      ...places,
      pais: [...(places.pais ?? []), netherlands],
      area: [{ cveArea: '1', descripcion: 'Ciencias', idArea: 1 }],
      campo: [{ cveCampo: '11', descripcion: 'Lógica', idCampo: 11, idArea: 1 }],
      disciplina: [{ cveDisciplina: '1101', descripcion: 'Dialéctica', idDisciplina: 1101, campoCono: 11 }],
    }),
  )
})

const scope = () => [...release.catalog.entities.keys()].map((name) => [name, []] as const)

function nameOf(name: string, position: number): string {
  const record = JSON.parse(new TextDecoder().decode(release.entity(name).records.record(position)))
  return `${name} ${record[Object.keys(record).find((field) => field.startsWith('desc')) as string]}`
}

/** The first result: entity, name, how it matched, and what was dropped. */
function first(typed: string) {
  const [best] = searchAcross(release, wordsOf(typed), scope(), 5)
  return best && [nameOf(best.name, best.position), best.explain().how.join(' '), best.explain().dropped.join(' ')]
}

describe('what is typed finds what is meant', () => {
  test.each([
    ['an abbreviation', 'STA. MA. DEL ORO', 'localidad Santa María del Oro', 'abbreviation', ''],
    ['without blanks', 'Sta.Ma. del Oro', 'localidad Santa María del Oro', 'abbreviation', ''],
    ['a long form that is stored short', 'rancho los pinos', 'localidad Rcho. Los Pinos', 'abbreviation', ''],
    ['a code of the state', 'monterrey nl', 'municipio Monterrey', 'code', ''],
    ['with points', 'Monterrey, N.L.', 'municipio Monterrey', 'code', ''],
    ['an alias of the state', 'toluca edo. de mex', 'municipio Toluca', 'code alias', ''],
    ['an alias in one word', 'toluca edomex', 'municipio Toluca', 'alias', ''],
    ['an alias of a country', 'holanda', 'pais Países Bajos', 'alias', ''],
    ['an alias of two words', 'q. roo', 'estado Quintana Roo', 'alias', ''],
    ['the code of a municipality', '14039', 'municipio Guadalajara', 'code', ''],
    ['with its label', 'CVEGEO 14039', 'municipio Guadalajara', 'code', ''],
    ['with a word for codes', 'clave 140390001', 'localidad Guadalajara', 'code', ''],
    ['of letters', 'código NLD', 'pais Países Bajos', 'code', ''],
    ['with a hyphen', '14-039', 'municipio Guadalajara', 'code', ''],
    ['the code of a locality', '14 039 0001', 'localidad Guadalajara', 'code', ''],
    ['the number of a state', '32', 'estado Zacatecas', 'code', ''],
    ['a large city before a hamlet that fits better', 'acapulco', 'localidad Acapulco de Benito', 'exact', ''],
    ['the larger of two of the same name', 'san pedro', 'localidad San Pedro', 'exact', ''],
    ['a state before its municipality', 'zacatecas', 'estado Zacatecas', 'exact', ''],
    ['a word typed twice', 'zacatecas zacatecas', 'municipio Zacatecas', 'exact', ''],
    ['a word typed three times', 'zacatecas zacatecas zacatecas', 'localidad Zacatecas', 'exact', ''],
    ['words that say little', 'cancun municipio de benito juarez', 'localidad Cancún', 'dropped-words', 'municipio de'],
    ['words that fit nowhere', 'cancun xyzzy', 'localidad Cancún', 'dropped-words', 'xyzzy'],
    ['glued words', 'playadelcarmen', 'localidad Playa del Carmen', 'glued', ''],
    ['a split word', 'san jose iturbide', 'localidad Sanjosé Iturbide', 'glued', ''],
    ['spelling by ear', 'puerto bayarta', 'municipio Puerto Vallarta', 'by-ear', ''],
    ['a typing error', 'guadaljara', 'municipio Guadalajara', 'typo', ''],
    ['two errors in a short word', 'tolcau edomex', 'municipio Toluca', 'alias typo', ''],
  ])('%s: %s', (_what, typed, name, how, dropped) => expect(first(typed)).toEqual([name, how, dropped]))

  test('the larger comes first, and scores never ascend', () => {
    const results = searchAcross(release, wordsOf('san pedro'), scope(), 5)
    expect(results.map(({ position }) => position).slice(0, 2)).toEqual([12, 13])
    const scores = results.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(Math.max(...scores)).toBeLessThanOrEqual(1)
  })

  test('of two that are as good, the one with fewer ancestors comes first', () => {
    const results = searchAcross(release, wordsOf('dialectica'), scope(), 5)
    expect(results.map(({ name, score }) => [name, score])).toEqual([
      ['disciplina', results[0]?.score as number],
      ['localidad', results[0]?.score as number],
    ])
  })

  test.each([
    [19, ['municipio Monterrey']],
    [14, []],
  ])('a whole code is found in the state %i alone, if it is one of its own', (state, expected) => {
    const filters = [{ steps: ['idEstado'], match: 'equals', values: [state] }] as const
    const results = searchAcross(release, wordsOf('19039'), [['municipio', filters]], 5)
    expect(results.map(({ name, position }) => nameOf(name, position))).toEqual(expected)
  })

  test('words are not dropped where a record has them all', () =>
    expect(
      searchAcross(release, wordsOf('san pedro toluca'), scope(), 5).map(({ explain }) => explain().dropped),
    ).toEqual([[]]))

  test('where little is found as it was typed, what is only alike comes after it', () => {
    const results = (limit: number) =>
      searchAcross(release, wordsOf('acapulco'), scope(), limit).map(({ name, position }) => nameOf(name, position))
    expect(results(5)).toEqual(['localidad Acapulco de Benito', 'localidad Acapulco', 'localidad Acapulca'])
    expect(results(2)).toEqual(['localidad Acapulco de Benito', 'localidad Acapulco'])
  })

  test('several words of an alias name it once', () => {
    const [best] = searchAcross(release, wordsOf('toluca estado de mexico'), scope(), 5)
    const aliases = best?.explain().aliases.map(({ entity, alias }) => [entity, alias.alias]) ?? []
    expect(new Set(aliases.map(String)).size).toBe(aliases.length)
  })

  test.each([
    ['as long as a name with its ancestors', 7, 'localidad Playa del Carmen'],
    ['longer, which has too many ways to be read', 8, undefined],
  ])('glued words are taken apart in a line that is %s', (_, others, expected) => {
    const line = ['playadelcarmen', ...Array.from({ length: others }, (_, at) => `x${'yzwvutsrq'[at]}kk`)]
    expect(first(line.join(' '))?.[0]).toBe(expected as string)
  })

  test('a full address line is searched', () => {
    const line =
      'calle cinco de mayo numero 123 interior 4 entre hidalgo y morelos colonia centro cp 50000 toluca de lerdo estado de mexico'
    expect(first(line)?.[0]).toBe('localidad Toluca de Lerdo')
  })
})

test('what a free text may mean is ranked in the entities that are named', () => {
  const [best] = searchAcross(release, wordsOf('san pedro, toluca'), [['localidad', []]], 3)
  expect(best).toMatchObject({ name: 'localidad', position: 12 })
})
