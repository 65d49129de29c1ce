// Which names a filter lets through: all that can match, and few that cannot.
import { expect, test } from 'bun:test'
import { spanish } from '../../catalog/languages/spanish.ts'
import { wordsOf } from '../../catalog/words.ts'
import { wordsInMemory } from '../../release/index/words-in-memory.ts'
import { NameFilter } from './name-filter.ts'
import { matchName, WrittenName } from './name-match.ts'

const NAMES = [
  'Tesistán',
  'San Juan Bautista',
  'San Antonio Tenextepec',
  'Guadalupe Victoria',
  'La Guadalupe',
  'Cinco de Mayo',
  'Sta. Cruz',
  'Ojo de Agua',
  'Xochimilco',
  'Ejido Hidalgo',
  'Zona Número Uno San Mateo',
  'El Corralito 5 Hermanos',
]

const index = wordsInMemory(
  spanish,
  NAMES.map((name) => wordsOf(name)),
)
const written = (text: string) => new WrittenName(wordsOf(text), spanish)
const filterOf = (text: string) => new NameFilter(index, written(text).readings, written(text).typedJoined)
const passing = (text: string) => {
  const filter = filterOf(text)
  return NAMES.filter((_, position) => filter.mayMatch(position))
}

test.each([
  'Tesitsan',
  'Teocintlan',
  'San Juan B',
  'SanJuan Bau',
  'Tenextepec',
  'Juan San Bautista',
  'Guadalupe',
  'Guadalupe Vitcoria',
  '5 de Mayo',
  'Santa Cruz',
  'Santa Crus',
  'Ojodeagua',
  'Sochimilko',
  'Col. Hidalgo',
  'Ejido Miguel Hidalgo',
  'Hidalgo Ejido Nuevo',
  'ZonaNúmero Uno San Mateo',
  'El Corralito 5Hermanos',
])('lets through whatever “%s” matches', (text) => {
  const matching = NAMES.filter((name) => matchName(written(text), written(name)) !== undefined)
  expect(passing(text)).toEqual(expect.arrayContaining(matching))
})

test('keeps back what has other letters and words', () => {
  expect(passing('San Jaun Bautista')).toEqual(['San Juan Bautista'])
  expect(passing('Tesitsan')).toEqual(['Tesistán'])
  expect(passing('5 de Mayo')).toEqual(['Cinco de Mayo'])
  expect(passing('6 de Mayo')).toEqual([])
})

test.each([
  ['Cinco de Mayyo', 'Cinco de Mayo'],
  ['5 de Mallo', 'Cinco de Mayo'],
])('“%s” is near to “%s”, however its number is written', (text, name) => {
  expect(filterOf(text).nearness(NAMES.indexOf(name))).toBe('near')
})
