// Checks that the relevance set speaks of records that are there, and that invented names leave it as it is.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { entityByPlural } from '../../src/catalog/collections.ts'
import { type EntityName, entities } from '../../src/catalog/entities.ts'
import { randomFor as diceFor, times } from '../../src/source/synthetic/random.ts'
import { ROOT } from '../machine/places.ts'
import { nameKey, nameMaker } from './grown-names.ts'
import { CATEGORIES, type Expectation, readRelevance } from './relevance.ts'

const LEAST = 320
const LEAST_OF_EACH = 40

const relevance = readRelevance()
const rowsOf = (name: EntityName): Record<string, string>[] =>
  parse(readFileSync(join(ROOT, 'data', `${name}.csv`), 'utf8'), { columns: true })
const tables = new Map(
  [...entityByPlural].map(([plural, name]) => [plural, { entity: entities[name], rows: rowsOf(name) }]),
)

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

  test('asks nothing twice', () => {
    const request = relevance.map(({ category, query, in: collections, within }) =>
      [category, query, collections, within].join('|'),
    )
    expect(request.filter((one, at) => request.indexOf(one) < at)).toEqual([])
  })

  test('is large enough in every category', () => {
    const counts = CATEGORIES.map((category) => relevance.filter((expected) => expected.category === category).length)
    expect(relevance.length).toBeGreaterThanOrEqual(LEAST)
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(LEAST_OF_EACH)
    expect(counts.reduce((sum, count) => sum + count)).toBe(relevance.length)
  })
})

test('invented names are none of those taken, in any order of their words', () => {
  const real = rowsOf('localidad').map(({ descLocalidad = '' }) => descLocalidad)
  const taken = new Set(real.map(nameKey))
  const nameOfNext = nameMaker(diceFor(1, 'test'), real, taken, 300_000)
  const made = times(2_000, () => nameOfNext())
  expect(made.filter((name) => taken.has(nameKey(name)))).toEqual([])
  expect(new Set(made).size).toBeGreaterThan(1_900)
})
