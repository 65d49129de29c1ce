// The records that a part is compared with: those that are called exactly so, or nearly so, or by some of its words.
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { localitiesOf, smallSource } from '../../../../../test/support/small-source.ts'
import { letterMask } from '../../release/index/word-keys.ts'
import type { Release } from '../../release/release.ts'
import { type AncestorLevel, ancestorLevels } from '../search/ancestor-match.ts'
import { entityNames } from './entity-names.ts'
import { matchesBelowParent, matchesNearly, mayName } from './part-matches.ts'
import { writtenPart } from './written-part.ts'

setDefaultTimeout(180_000)

const NAMES = ['Tanque Nuevo', 'Tanque Nuevos', 'Pozo Hondo', 'Otra']
let release: Release
beforeAll(async () => {
  release = await releaseOf(smallSource(localitiesOf(NAMES)))
})

test.each([
  ['exactly so, and then no other', 'tanque nuevo', [0]],
  ['nearly so', 'tanque nuev', [0, 1]],
  ['by its code', '0003', [2]],
  ['by its code without zeros', '3', [2]],
  ['by some of the words, where nothing is called nearly so', 'pozo hondo y casas blancas del sur', [2]],
  ['otherwise', 'popocatepetl', []],
])('records that are called %s: %s', (_, text, expected) => {
  const { definition } = release.entity('localidad')
  const [level] = ancestorLevels(release, definition) as [AncestorLevel]
  const matches = matchesBelowParent(release, writtenPart(release, definition, text), level, 0)
  expect(matches.map(({ position }) => position).sort()).toEqual(expected)
})

test.each([
  ['all its words, and then no others', 'tanque nuevo y otro', undefined, [0]],
  ['a word of it, where one is misspelt', 'tanqe nuevos', undefined, [0, 1]],
  ['a word that is misspelt so', 'pozzo hondoo', undefined, [2]],
  ['a word of it, at some positions', 'tanqe nuevo', [1, 2], [1]],
  ['none of its words', 'popocatepetl', undefined, []],
])('records that are called nearly so have %s: %s', (_, text, among, expected) => {
  const { definition } = release.entity('localidad')
  const positions = among === undefined ? undefined : Uint32Array.from(among)
  const matches = matchesNearly(release, writtenPart(release, definition, text), positions)
  expect(matches.map(({ position }) => position)).toEqual(expected)
})

test('the letters of a record are those of its name', () => {
  const names = entityNames(release, release.entity('localidad').definition)
  const letters = names.positions.map((position) => names.lettersAt(position))
  expect(letters).toEqual(names.positions.map((position) => letterMask(names.wordsAt(position).join(''))))
})

test.each([
  ['all words of which are in names', 'Tanque Hondo', true],
  ['that is one without spaces', 'TANQUENUEVO', true],
  ['with words that say little', 'Localidad de Tanque Nuevo', true],
  ['with a word that is in none', 'Tanque Popocatépetl', false],
  ['with a number beside that', 'Tanque Popocatépetl 2', true],
])('a text may be a name %s: %s', (_, text, expected) => {
  expect(mayName(release, release.entity('localidad').definition, text)).toBe(expected)
})
