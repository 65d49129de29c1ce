// That parts of a text are taken for what they are: a small catalog of namesakes, and texts whose last parts name what is above.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import { spanish } from '../../catalog/languages/spanish.ts'
import type { Release } from '../../release/release.ts'
import { searchText } from './anchored.ts'
import { typedParts } from './parts.ts'
import type { SearchResult } from './search.ts'

setDefaultTimeout(180_000)

const states = [
  ['MEX', 'MC', 'México', 15],
  ['PUE', 'PL', 'Puebla', 21],
  ['VER', 'VZ', 'Veracruz de Ignacio de la Llave', 30],
  ['SON', 'SR', 'Sonora', 26],
  ['CHIS', 'CS', 'Chiapas', 7],
  ['NL', 'NL', 'Nuevo León', 19],
  ['CDMX', 'DF', 'Distrito Federal', 9],
] as const
const municipalities = [
  ['081', 'Tecámac', 15],
  ['154', 'Tecamachalco', 21],
  ['045', 'Jilotepec', 15],
  ['093', 'Jilotepec', 30],
  ['070', 'La Paz', 15],
  ['003', 'La Paz', 26],
  ['047', 'Pitiquito', 26],
  ['017', 'Caborca', 26],
  ['065', 'Palenque', 7],
  ['108', 'Villaflores', 7],
  ['039', 'Monterrey', 19],
  ['065', 'San Felipe', 7],
  ['009', 'Milpa Alta', 9],
] as const
/** Name, municipality by its place above, population. */
const localities = [
  ['0001', 'Tecámac de Felipe Villanueva', 1, 5_000],
  ['0001', 'Tecamachalco', 2, 70_000],
  ['0001', 'Jilotepec de Molina Enríquez', 3, 12_000],
  ['0001', 'Jilotepec', 4, 14_000],
  ['0001', 'Los Reyes Acaquilpan', 5, 85_000],
  ['0001', 'La Paz', 6, 215_000],
  ['0001', 'Pitiquito', 7, 5_000],
  ['0002', 'La Mesa', 7],
  ['0001', 'Caborca', 8, 60_000],
  ['0001', 'Palenque', 9, 43_000],
  ['0002', 'Villaflores', 9, 400],
  ['0001', 'Villaflores', 10, 38_000],
  ['0002', 'Palenque', 10],
  ['0003', 'La Hacienda', 10],
  ['0004', 'La Hacienda Vieja', 10],
  ['0001', 'Monterrey', 11, 1_140_000],
  ['0002', 'Monterrey', 1],
  ['0002', 'San José Palenque', 12, 900],
  ['0003', 'San José', 9, 20],
  ['0216', 'Prolongación Avenida México Norte', 13, 300],
] as const

let release: Release
beforeAll(async () => {
  release = await releaseOf(smallSource(placesOf({ states, municipalities, localities })))
})

const LEVELS = ['estado', 'municipio', 'localidad']

const search = (typed: string, names = LEVELS) =>
  searchText(
    release,
    typed,
    names.map((name) => [name, []] as const),
    5,
  )

/** A result as its name and those of its ancestors, with what was dropped. */
function shown({ name, position, explain }: SearchResult): string {
  const record = JSON.parse(new TextDecoder().decode(release.entity(name).records.record(position)))
  const { descLocalidad, descMunicipio, idMunicipio, descEstado, idEstado } = record
  const places = [descLocalidad, descMunicipio ?? idMunicipio?.descMunicipio, descEstado ?? idEstado?.descEstado]
  return [name, places.filter((one) => one !== undefined).join(' < '), ...explain().dropped].join(' | ')
}

const first = (typed: string, names = LEVELS) => search(typed, names).map(shown)[0]

describe('a text in parts finds what is meant', () => {
  test.each([
    [
      'a word before its beginnings',
      'TECAMAC, Tecamac, MEXICO',
      'localidad | Tecámac de Felipe Villanueva < Tecámac < México',
    ],
    [
      'a name that is a state and a country',
      'JILOTEPEC, Jilotepec, MEXICO',
      'localidad | Jilotepec de Molina Enríquez < Jilotepec < México',
    ],
    ['the same alone', 'Jilotepec, México', 'municipio | Jilotepec < México'],
    ['a city of the country', 'Monterrey, México', 'municipio | Monterrey < Nuevo León'],
    [
      'a name that has that of its parent',
      'LOS REYES LA PAZ, La Paz, MEXICO',
      'localidad | Los Reyes Acaquilpan < La Paz < México',
    ],
    [
      'a name that is not there, with its parents',
      'CABORCA, Pitiquito, SONORA',
      'municipio | Pitiquito < Sonora | caborca',
    ],
    [
      'two names either of which is above the other',
      'Palenque, Villaflores, Chiapas',
      'localidad | Palenque < Villaflores < Chiapas',
    ],
    ['the same the other way round', 'Villaflores, Palenque, Chiapas', 'localidad | Villaflores < Palenque < Chiapas'],
    ['a word that says what follows', 'San José, municipio de Palenque', 'localidad | San José < Palenque < Chiapas'],
    ['the same without a comma', 'san jose mpio de palenque', 'localidad | San José < Palenque < Chiapas'],
    [
      'a typing error in the first part alone',
      'Tecamca, Tecamac, Mex.',
      'localidad | Tecámac de Felipe Villanueva < Tecámac < México',
    ],
    ['a state by its letters', 'Palenque, Villaflores, CHIS', 'localidad | Palenque < Villaflores < Chiapas'],
    [
      'a name that is begun, and its municipality',
      'la haci villaflores',
      'localidad | La Hacienda < Villaflores < Chiapas',
    ],
    ['a name, and its municipality that is begun', 'san jose p', 'localidad | San José < Palenque < Chiapas'],
    [
      'a name that is not there, below one of two namesakes',
      'CONGREGACIÓN LA CAÑADA, Jilotepec, VERACRUZ',
      'municipio | Jilotepec < Veracruz de Ignacio de la Llave | congregacion | la | canada',
    ],
    ['the same without commas', 'caborca pitiquito sonora', 'municipio | Pitiquito < Sonora | caborca'],
    ['two names for the same', 'Mexico City, Distrito Federal, Mexico', 'estado | Distrito Federal'],
    ['an alias and a short form', 'Ciudad de México, D.F.', 'estado | Distrito Federal'],
    ['the same without a comma', 'Ciudad de Mexico DF', 'estado | Distrito Federal'],
    ['parts that mean nothing together', 'Palenque, Sonora', 'estado | Sonora | palenque'],
  ])('%s', (_what, typed, expected) => {
    expect(first(typed)).toBe(expected)
  })

  test('a record that is called what all parts are together is found, after the one that the parts name', () => {
    expect(search('San José, Palenque').map(shown)).toEqual([
      'localidad | San José < Palenque < Chiapas',
      'localidad | San José Palenque < San Felipe < Chiapas',
    ])
  })

  test('among localities alone, its seat stands for a municipality in which there is no such place', () => {
    expect(first('CABORCA, Pitiquito, SONORA', ['localidad'])).toBe(
      'localidad | Pitiquito < Pitiquito < Sonora | caborca',
    )
  })

  test('no score is above 1, and none of a worse result is higher', () => {
    for (const typed of ['monterrey monterrey', 'tecamac tecamac', 'la paz, la paz, mexico', 'la haci villaflores']) {
      const scores = search(typed).map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect(scores[0]).toBeLessThanOrEqual(1)
    }
  })
})

test.each([
  ['San José, Tizimín', [['san jose'], ['tizimin']]],
  ['San José, municipio de Tizimín', [['san jose'], ['tizimin', 'municipio']]],
  [
    'localidad San José mpio. de Tizimín, Estado de México',
    [
      ['san jose', 'localidad'],
      ['tizimin', 'municipio'],
      ['mexico', 'estado'],
    ],
  ],
  ['municipio libre', [['libre', 'municipio']]],
  ['colonia centro, , municipio', [['colonia centro'], ['municipio']]],
  ['San Pedro', [['san pedro']]],
  [', ;', []],
])('%s has its parts', (text, expected) => {
  const parts = typedParts(text, spanish, new Set(['estado', 'municipio', 'localidad']))
  expect(parts.map(({ words, entity }) => [words.join(' '), ...(entity === undefined ? [] : [entity])])).toEqual(
    expected,
  )
})
