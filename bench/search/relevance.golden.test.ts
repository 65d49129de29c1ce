// Checks that the relevance set speaks of records that are there, that a sample of it is found as it was when it was recorded,
// and that invented names leave it as it is.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { entityIn } from '../../packages/server/src/catalog/catalog.ts'
import { builtInCatalog, builtInTables } from '../../packages/server/src/source/built-in.ts'
import { bundledSource } from '../../packages/server/src/source/bundled.ts'
import { randomFrom, times } from '../../packages/server/src/source/synthetic/random.ts'
import { expectGolden } from '../../test/support/golden.ts'
import { bundledHome } from '../../test/support/releases.ts'
import { nameKey, nameMaker, rowsOf } from './localities.ts'
import { CATEGORIES, type Expectation, keyOf, placeOf, readRelevance, sampleOf, suggestionsFor } from './relevance.ts'
import { openService } from './service.ts'

setDefaultTimeout(180_000)

const MIN_QUERIES = 1_000
const MIN_OF_EACH = 40
/** Queries of the sample that may find their record in second place or later. */
const MAX_LATER = 2

const relevance = readRelevance()
const bundled = bundledSource().provides.map((name) => entityIn(builtInCatalog, name))
const fileOf = new Map(builtInTables)
/** The names of the records of the data, by collection and key. */
const names = new Map(
  bundled.flatMap((entity) => {
    const field = Object.entries(entity.fields).find(([, { kind }]) => kind === 'name')?.[0] as string
    return rowsOf(fileOf.get(entity.name) as string).map(
      (row) => [`${entity.plural} ${entity.key.map((one) => row[one]).join('/')}`, row[field]] as const,
    )
  }),
)
const nameOf = ({ collection, key }: Expectation): string | undefined => names.get(`${collection} ${key}`)

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

describe('a sample of it', () => {
  /** Every twelfth query, in the collections that the set speaks of: what others are called does not matter. */
  const sample = sampleOf(relevance, 12)
  const collections = [...new Set(relevance.map(({ collection }) => collection))].join()
  let results: ReturnType<typeof suggestionsFor>[]
  beforeAll(async () => {
    using home = await bundledHome()
    const service = await openService(home.path)
    results = sample.map((expected) => suggestionsFor(service, expected, collections))
  })

  test('comes first, but for two', () => {
    const later = sample.filter((expected, at) => placeOf(expected, results[at] ?? []) !== 0)
    expect(later.map(({ query }) => query).slice(MAX_LATER)).toEqual([])
  })

  test('is among the first five', () =>
    expect(sample.filter((expected, at) => placeOf(expected, results[at] ?? []) === -1)).toEqual([]))

  test('has the scores that are on record', () => {
    const lines = sample.map(({ query }, at) => {
      const found = (results[at] ?? [])
        .slice(0, 3)
        .map((one) => `${one.collection} ${keyOf(one)} ${one.score} ${one.how}`)
      return `${query}: ${found.join('; ')}\n`
    })
    return expectGolden(join(import.meta.dir, 'sample.txt'), lines.join(''))
  })
})

test('invented names are none of those taken, in any order of their words', () => {
  const real = rowsOf('localidad.csv.gz').map(({ descLocalidad = '' }) => descLocalidad)
  const taken = new Set(real.map(nameKey))
  const made = times(500, nameMaker(randomFrom(1), real, taken, 300_000))
  expect(made.filter((name) => taken.has(nameKey(name)))).toEqual([])
  expect(new Set(made).size).toBeGreaterThan(475)
})
