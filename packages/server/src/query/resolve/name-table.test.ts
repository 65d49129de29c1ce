// The records that are called as it is written, looked up by the keys of their names.
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { localitiesOf, smallSource } from '../../../../../test/support/small-source.ts'
import type { Release } from '../../release/release.ts'
import { type DistinctNames, entityNames } from './entity-names.ts'
import { NameKeys } from './name-keys.ts'
import { positionsCalled } from './name-table.ts'
import { writtenPart } from './written-part.ts'

setDefaultTimeout(180_000)

const NAMES = [
  'Villa Grande',
  'Pozo Hondo (El Alto) [Granja]',
  'Las Palmas del Sur',
  'Pozo Hondo',
  'Kilómetro Veinte',
  'Ejido Veinte y Uno (La Curva)',
  '(Los Tres) Hermanos (Uno',
  "Rancho D'Lucas (Ñandú)",
  'Pozo Hondo',
]
let release: Release
beforeAll(async () => {
  release = await releaseOf(smallSource(localitiesOf(NAMES)))
})

test.each([
  ['by the whole name', 'pozo hondo el alto granja', [1]],
  ['by what is outside of brackets', 'pozo hondo', [1, 3, 8]],
  ['by what is in brackets', 'el alto', [1]],
  ['by what is in other brackets', 'granja', [1]],
  ['by what is in two brackets, which is no name', 'el alto granja', []],
  ['by part of its words, which is no name', 'pozo', []],
  ['without words that say little', 'palmas sur', [2]],
  ['without spaces', 'laspalmasdelsur', [2]],
  ['with a number in digits', 'kilometro 20', [4]],
  ['with a number of several words', 'ejido 21', [5]],
  ['by what is in brackets beside a number', 'la curva', [5]],
  ['by what stands after brackets', 'hermanos', [6]],
  ['by what is in brackets before it', 'los 3', [6]],
  ['by what is in brackets that are not closed', '1', [6]],
  ['by words that a sign parts', 'rancho d lucas', [7]],
  ['by letters beyond ASCII in brackets', 'ñandu', [7]],
  ['as the seat by the name of its parent', 'galeana', [0]],
  ['as the seat by both names', 'galeana villa grande', [0]],
])('records are called %s: %s', (_, text, expected) => {
  const part = writtenPart(release, release.entity('localidad').definition, text)
  expect(positionsCalled(part, release, {}).toSorted()).toEqual(expected)
})

test('the keys of some records are those that they have among all', () => {
  const { definition, index } = release.entity('localidad')
  const names = entityNames(release, definition)
  const { starts, positions } = names.distinctNames as DistinctNames
  const keysOf = (add: (keys: NameKeys) => void): Set<string> => {
    const keys = new NameKeys(names, index.words)
    add(keys)
    const numbers = [...keys.numbers.subarray(0, keys.count)]
    return new Set(
      numbers.flatMap((number, at) => {
        const isName = number < names.distinctCount
        const of = isName ? positions.subarray(starts[number], starts[number + 1]) : [number - names.distinctCount]
        return Array.from(of, (position) => `${position} ${keys.hashes[at]}`)
      }),
    )
  }
  const inTwo = [...keysOf((keys) => keys.add(0, 4)), ...keysOf((keys) => keys.add(4, NAMES.length))]
  expect(inTwo.toSorted()).toEqual([...keysOf((keys) => keys.add(0, NAMES.length))].toSorted())
})
