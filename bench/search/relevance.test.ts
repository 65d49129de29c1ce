// Checks that the relevance set speaks of records that are there, and that invented names leave it as it is.
import { describe, expect, test } from 'bun:test'
import { entityIn } from '../../packages/server/src/catalog/catalog.ts'
import { builtInCatalog } from '../../packages/server/src/catalog/entities.ts'
import { bundledSource } from '../../packages/server/src/source/bundled.ts'
import { randomFrom, times } from '../random.ts'
import { nameKey, nameMaker, rowsOf } from './localities.ts'
import { CATEGORIES, type Expectation, readRelevance } from './relevance.ts'

const MIN_QUERIES = 1_000
const MIN_OF_EACH = 40

const relevance = readRelevance()
const bundled = bundledSource().provides.map((name) => entityIn(builtInCatalog, name))
const tables = new Map(bundled.map((entity) => [entity.plural, { entity, rows: rowsOf(`${entity.name}.csv`) }]))

/** The name of the record that is expected, as the data has it. */
function nameOf({ collection, key }: Expectation): string | undefined {
  const { entity, rows } = tables.get(collection) ?? {}
  const row = rows?.find((one) => entity?.key.map((field) => one[field]).join('/') === key)
  const field = Object.entries(entity?.fields ?? {}).find(([, { kind }]) => kind === 'name')?.[0] as string
  return row?.[field]
}

describe('the relevance set', () => {
  test('expects records of the bundled data, by the names that they have', () => {
    expect(relevance.filter((expected) => nameOf(expected) !== expected.name)).toEqual([])
  })

  test('has no query twice', () => {
    const keys = relevance.map(({ category, query, in: collections, within }) =>
      [category, query, collections, within].join('|'),
    )
    expect(keys.filter((key, at) => keys.indexOf(key) < at)).toEqual([])
  })

  test('is large enough in every category', () => {
    const counts = CATEGORIES.map((category) => relevance.filter((expected) => expected.category === category).length)
    expect(relevance.length).toBeGreaterThanOrEqual(MIN_QUERIES)
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(MIN_OF_EACH)
    expect(counts.reduce((sum, count) => sum + count)).toBe(relevance.length)
  })
})

test('invented names are none of those taken, in any order of their words', () => {
  const real = rowsOf('localidad.csv').map(({ descLocalidad = '' }) => descLocalidad)
  const taken = new Set(real.map(nameKey))
  const made = times(2_000, nameMaker(randomFrom(1), real, taken, 300_000))
  expect(made.filter((name) => taken.has(nameKey(name)))).toEqual([])
  expect(new Set(made).size).toBeGreaterThan(1_900)
})
