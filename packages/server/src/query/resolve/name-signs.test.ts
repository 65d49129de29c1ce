// Which names are told by their signs: all that can match, and few that cannot.
import { expect, test } from 'bun:test'
import { spanish } from '../../catalog/languages/spanish.ts'
import { wordsOf } from '../../catalog/words.ts'
import { matchName, WrittenName } from './name-match.ts'
import { NameSigns, signsOf } from './name-signs.ts'

/** The names of each of some records. */
const NAMES = [
  ['Países Bajos', 'Netherlands', 'Holanda'],
  ['Alemania', 'Germany'],
  ['Estados Unidos de América', 'EE. UU.'],
  ['Teoría de números', 'Theory of numbers'],
  ['Física del estado líquido', 'Liquid state physics'],
  ['Santo Tomé y Príncipe', 'Sao Tome and Principe'],
]
const written = (text: string) => new WrittenName(wordsOf(text), spanish)
const signs = new NameSigns(spanish, NAMES.length, (position) =>
  (NAMES[position] as string[]).flatMap((name) => written(name).readings),
)
const passing = (text: string) => {
  const typed = signsOf(written(text).readings, spanish)
  return NAMES.flatMap(([name = ''], position) => (signs.mayMatch(position, typed) ? [name] : []))
}

test.each([
  'Paises Bajos',
  'Nederlands',
  'Los Países Bajos de Europa',
  'Jermany',
  'Germ',
  'Estados Unidos',
  'EEUU',
  'Números, teoría de',
  'Estado',
  'Sto. Tome y Principe',
  'Fisica',
  'de la',
])('“%s” lets all names through that it matches', (text) => {
  const isMatch = (name: string) => matchName(written(text), written(name)) !== undefined
  const matching = NAMES.flatMap(([first = '', ...others]) => ([first, ...others].some(isMatch) ? [first] : []))
  expect(passing(text)).toEqual(expect.arrayContaining(matching))
})

test.each([
  ['Netherland', ['Países Bajos']],
  ['Tepexpan', []],
  ['Ciudad Obregón', []],
])('“%s” keeps back what has other letters and words', (text, names) => {
  expect(passing(text)).toEqual(names)
})
