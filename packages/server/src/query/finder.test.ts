// All records as they are published: any slice of them, the place of each, and their order by a code.
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf, sourceOf, tiny } from '../../../../test/support/releases.ts'
import { countries, smallSource } from '../../../../test/support/small-source.ts'
import type { Release } from '../release/release.ts'
import { find } from './finder.ts'

setDefaultTimeout(180_000)

let release: Release
beforeAll(async () => {
  release = await releaseOf(smallSource({ pais: countries(5) }))
})

const all = () => find(release, 'pais', { filters: [], words: [], sorts: [] })

test.each([
  ['the first', 0, 2, [0, 1]],
  ['the last, though more are wanted', 3, 9, [3, 4]],
  ['none after the last', 5, 9, []],
  ['none far after it', 7, 9, []],
])('a slice has %s', (_, from, to, expected) => expect(Array.from(all().slice(from, to))).toEqual(expected))

test('each has its own place, and what is not there has none', () => {
  const { total, placeOf } = all()
  expect([total, placeOf(0), placeOf(4), placeOf(5)]).toEqual([5, 0, 4, -1])
})

test('a filter that no record passes finds none', () => {
  const filters = [{ steps: ['idPais'], match: 'equals', values: [9] }] as const
  const { total, slice, placeOf } = find(release, 'pais', { filters, words: [], sorts: [] })
  expect([total, Array.from(slice(0, 9)), placeOf(0)]).toEqual([0, [], -1])
})

test.each([
  ['as they are stored, and what has none', ['0001', '3982506', '0002', '0003'], [0, 2, 3, 1], [3, 2, 0, 1]],
  ['of which two are the same', ['0001', '0003', '0003', '0004'], [0, 1, 2, 3], [3, 1, 2, 0]],
  ['in another order', ['0003', '3982506', '0001', '0002'], [2, 3, 0, 1], [0, 3, 2, 1]],
])('codes %s', async (_, codes, ascending, descending) => {
  const [, , first] = tiny.localidad
  const localidad = codes.map((cveLocalidad, at) => ({ ...first, cveLocalidad, idLocalidad: at + 1 }))
  const coded = await releaseOf(sourceOf({ ...tiny, localidad }))
  const sorted = (descending: boolean) =>
    find(coded, 'localidad', { filters: [], words: [], sorts: [{ steps: ['cvegeo'], descending }] }).slice(0, 9)
  expect([Array.from(sorted(false)), Array.from(sorted(true))]).toEqual([ascending, descending])
})
