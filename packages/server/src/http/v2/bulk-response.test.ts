// All records of a query in one body: which bodies are the same, what they are made from, and which are too small to keep.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TestHome, variantOf } from '../../../../../test/support/releases.ts'
import { countries, smallSource } from '../../../../../test/support/small-source.ts'
import { recordFormats } from '../../query/formats/formats.ts'
import type { Release } from '../../release/release.ts'
import { builtInCatalog } from '../../source/built-in.ts'
import { ProblemError } from '../problem.ts'
import type { NewBody } from './body-file.ts'
import { bulkResponse } from './bulk-response.ts'
import { parseQuery } from './request/query-string.ts'
import { parseBulkRequest } from './request/records-request.ts'
import type { ResponseCache } from './response-cache.ts'
import { catalogRouteAt } from './v2-routes.ts'

setDefaultTimeout(180_000)

/** So many records that a filter, too, leaves more than a page. */
const COUNT = 3_000
const home = new TestHome()
let release: Release
beforeAll(async () => {
  await home.import(smallSource({ pais: countries(COUNT) }))
  release = home.current()
})
afterAll(() => home[Symbol.dispose]())

/** The name of the body that a query makes, and what it is made from; undefined where it is rendered for each request. */
function made(
  query: string,
  from = release,
): { readonly name: string; readonly madeFrom: readonly string[] } | undefined {
  let body: ReturnType<typeof made>
  const cache = {
    find: () => undefined,
    make: (name: string, { madeFrom }: NewBody) => {
      body = { name, madeFrom }
      return new Promise(() => {})
    },
  } as unknown as ResponseCache
  const route = catalogRouteAt(builtInCatalog, '/api/v2/paises/all')
  if (route.kind !== 'bulk') throw new Error('not the path of all records')
  const headers = new Map<string, string>()
  const request = { method: 'GET', path: '/api/v2/paises/all', query, headers }
  void bulkResponse(
    { cache },
    request,
    { release: from, isNamed: false },
    parseBulkRequest(route, parseQuery(query), headers),
  )
  return body
}

function problemOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof ProblemError ? error.problem : error
  }
}

/** The codes of 676 records begin with each letter. */
const FIRST = 'cvePais_prefix=A&cvePais_prefix=B'

describe('a workbook', () => {
  test('is another one in another release with the same records, since it names the release', () => {
    const other = variantOf(release, { digest: '0'.repeat(64) })
    expect(made('format=xlsx', other)?.name).not.toBe(made('format=xlsx')?.name as string)
    expect(made('format=csv', other)?.name).toBe(made('format=csv')?.name as string)
  })

  test('is refused where it cannot hold all records', () => {
    const format = recordFormats.xlsx as { maxRecords: number }
    const { maxRecords } = format
    try {
      format.maxRecords = COUNT
      expect(made('format=xlsx')).toBeDefined()
      format.maxRecords = COUNT - 1
      const words = `xlsx holds ${COUNT - 1} records, and these are ${COUNT}`
      expect(problemOf(() => made('format=xlsx'))).toMatchObject({ allowed: expect.stringContaining(words) })
      expect(made('format=csv')).toBeDefined()
    } finally {
      format.maxRecords = maxRecords
    }
  })
})

test('CSV with and without a byte-order mark are two bodies', () =>
  expect(made('format=csv&excel=true')?.name).not.toBe(made('format=csv')?.name as string))

describe('a body is made from', () => {
  test.each([
    ['its entity', ''],
    ['its entity, sorted', 'sort=-idPais'],
    ['its entity, filtered', FIRST],
  ])('%s', (_, query) => expect(made(query)?.madeFrom).toEqual([release.entity('pais').stored?.digest as string]))

  test('its release, where words are looked for: others of the release decide how they are ranked', () =>
    expect(made('q=pais')?.madeFrom).toEqual([release.digest]))
})

test.each([
  ['fields in another order', 'fields=cvePais,idPais', 'fields=idPais,cvePais', true],
  ['columns in another order', 'format=csv&fields=cvePais,idPais', 'format=csv&fields=idPais,cvePais', false],
  ['other fields', 'fields=cvePais', 'fields=idPais', false],
  ['the default', '', 'embed=full', true],
  ['parents by their identifiers', '', 'embed=id', false],
  ['facts', '', 'facts=true', false],
  ['another format', 'format=json', 'format=ndjson', false],
  ['another order', 'sort=descPais,idPais', 'sort=idPais,descPais', false],
  ['other words', 'q=pais', 'q=pais&sort=idPais', false],
  ['a value twice', FIRST, `${FIRST}&cvePais_prefix=A`, true],
  ['values in another order', FIRST, 'cvePais_prefix=B&cvePais_prefix=A', true],
  ['other values', FIRST, 'cvePais_prefix=B&cvePais_prefix=C', false],
])('whether bodies are the same: %s', (_, one, other, isSame) => {
  const [first, second] = [made(one)?.name, made(other)?.name]
  expect([first === undefined, second === undefined]).toEqual([false, false])
  expect(first === second).toBe(isSame)
})

test('what finds no more than a page has is rendered for each request', () => {
  expect(made('idPais=1')).toBeUndefined()
  expect(made('q=pais+1999')).toBeUndefined()
})
