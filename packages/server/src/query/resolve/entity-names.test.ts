// The records that a part is compared with: those that are called exactly so, or nearly so, or by some of its words.
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import type { Release } from '../../release/release.ts'
import { entityNames } from './entity-names.ts'
import { writtenPart } from './written-part.ts'

setDefaultTimeout(60_000)

const NAMES = ['Tanque Nuevo', 'Tanque Nuevos', 'Pozo Hondo', 'Otra']
let release: Release
beforeAll(async () => {
  const places = {
    states: [['NL', 'NL', 'Nuevo León', 19]],
    municipalities: [['001', 'Galeana', 19]],
    localities: NAMES.map((name, at) => [`000${at + 1}`, name, 1] as const),
  } as const
  release = await releaseOf(smallSource(placesOf(places)))
})

const ALL = [0, 1, 2, 3]
test.each([
  ['exactly so, and then no other', 'tanque nuevo', ALL, [0]],
  ['exactly so, among some', 'tanque nuevo', [1, 2, 3], [1]],
  ['nearly so', 'tanque nuev', ALL, [0, 1]],
  ['by its code', '0003', ALL, [2]],
  ['by its code without zeros', '3', ALL, [2]],
  ['by some of the words, where nothing is called nearly so', 'pozo hondo y casas blancas del sur', ALL, [2]],
  ['otherwise', 'popocatepetl', ALL, []],
])('records that are called %s: %s', (_, text, positions, expected) => {
  const { definition } = release.entity('localidad')
  const matches = entityNames(release, definition).match(
    Uint32Array.from(positions),
    writtenPart(release, definition, text),
  )
  expect(matches.map(({ position }) => position)).toEqual(expected)
})
