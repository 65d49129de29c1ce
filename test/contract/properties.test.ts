// Laws that hold for any catalog, any page, any query string, any header and any record.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { v1PathOf } from '../../packages/server/src/base/api-v1.ts'
import { type CatalogCollection, v1Collections } from '../../packages/server/src/catalog/collections.ts'
import { pageHeaders } from '../../packages/server/src/http/v1/page-headers.ts'
import { type PageNumber, pagesOf, readPage } from '../../packages/server/src/query/page.ts'
import { RecordFile } from '../../packages/server/src/release/files/record-file.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { lists } from '../support/expected.ts'
import { writeRecordFile } from '../support/records.ts'
import { releaseOf, TestDirectory } from '../support/releases.ts'
import { countries, smallSource } from '../support/small-source.ts'

const BASE = 'https://catalogs.test:8443/mirror'
const TIMEOUT_MILLISECONDS = 180_000
const number = (page: number) => page as PageNumber
const collectionAt = (path: string): CatalogCollection => {
  const found = v1Collections(builtInCatalog).find((collection) => v1PathOf(collection) === path)
  if (found === undefined) throw new Error(`no collection at ${path}`)
  return found
}

/** The links of a page, each with the page that it names, in their order. */
function linksOf(link: string | undefined, path: string): [relation: string, page: number][] {
  if (link === undefined) return []
  return link.split(', ').map((entry) => {
    const [, address, page, relation] = entry.match(/^<(.*\?format=api&page=)([1-9][0-9]*)>; rel="(prev|next)"$/) ?? []
    expect([entry, address]).toEqual([entry, `${BASE}${path}?format=api&page=`])
    return [String(relation), Number(page)]
  })
}

describe('headers of a page', () => {
  const totals = fc.integer({ min: 0, max: 1_000 })
  const anyPage = totals.chain((total) =>
    fc.record({
      total: fc.constant(total),
      page: fc.integer({ min: 1, max: Math.max(1, Math.ceil(total / 10)) }),
      path: fc.constantFrom(...lists.map(({ path }) => path)),
    }),
  )
  const headersOf = ({ total, page, path }: { total: number; page: number; path: string }) =>
    pageHeaders(
      {
        collection: collectionAt(path),
        number: number(page),
        total,
        totalPages: pagesOf(total),
        etag: '"tag"',
        lastModified: 'a date',
        body: new Uint8Array(),
      },
      BASE,
    )

  test('the pages are just enough for the records, for every total up to 1,000', () => {
    for (let total = 0; total <= 1_000; total++) {
      const pages = pagesOf(total)
      expect([total, pages * 10 >= total, (pages - 1) * 10 < total]).toEqual([total, true, true])
    }
  })

  test('say where the page is and how many there are', () => {
    fc.assert(
      fc.property(anyPage, (request) => {
        expect(headersOf(request)).toMatchObject({
          'X-Page': String(request.page),
          'X-Per-Page': '10',
          'X-Total': String(request.total),
          'X-Total-Pages': String(Math.ceil(request.total / 10)),
        })
      }),
    )
  })

  test('link to the page before if there is one, then to the page after if there is one, and to no other', () => {
    fc.assert(
      fc.property(anyPage, (request) => {
        const before = request.page > 1 ? [['prev', request.page - 1]] : []
        const after = request.page * 10 < request.total ? [['next', request.page + 1]] : []
        const { Link } = headersOf(request)
        expect<unknown>(linksOf(Link, request.path)).toEqual([...before, ...after])
        expect(Link).not.toBe('')
      }),
      { numRuns: 1_000 },
    )
  })
})

const directory = new TestDirectory()
afterAll(() => directory[Symbol.dispose]())

let written = 0
function recordFileOf(records: readonly string[]): RecordFile {
  const place = join(directory.path, String(written++))
  mkdirSync(place)
  writeRecordFile(place, records)
  return new RecordFile(place, records.length)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

describe('pages of a release', () => {
  const paises = collectionAt('/api/v1/paises')

  test.each([0, 1, 9, 10, 11, 99, 100, 101, 1_000])('of %i records put together are the catalog', async (total) => {
    const release = await releaseOf(smallSource({ pais: countries(total) }))
    const pages = Array.from({ length: Math.max(1, pagesOf(total)) }, (_, at) =>
      readPage(release, paises, number(at + 1)),
    )
    const records = pages.flatMap((page) => {
      if ('kind' in page) throw new Error(`page ${page.page} is missing`)
      return JSON.parse(decoder.decode(page.body))
    })
    expect(records).toEqual(countries(total))
    fc.assert(
      fc.property(fc.integer({ min: pages.length + 1, max: 999_999_999_999_999 }), (page) => {
        const beyond = { kind: 'page-beyond-last', page, total, totalPages: pagesOf(total) } as const
        expect(readPage(release, paises, number(page))).toEqual(beyond)
      }),
    )
  })
})

describe('a record file', () => {
  const short = fc.jsonValue().map((value) => JSON.stringify(value))
  const multibyte = fc.string({ unit: 'grapheme', maxLength: 50 }).map((text) => JSON.stringify({ text }))
  const long = fc
    .tuple(fc.constantFrom('x', 'ñ', '中', '🜨', '"'), fc.integer({ min: 100_000, max: 1_200_000 }))
    .map(([character, length]) => JSON.stringify(character.repeat(length)))

  const givesBack = async (records: readonly string[]) => {
    const file = recordFileOf(records)
    const pages = Array.from({ length: Math.ceil(records.length / 10) }, (_, at) =>
      records.slice(at * 10, at * 10 + 10),
    )
    const wanted = records.length === 0 ? ['[]'] : pages.map((page) => `[${page.join(',')}]`)
    expect([file.count, file.pages]).toEqual([records.length, pages.length])
    // Positions, as the records themselves may be megabytes.
    expect(records.flatMap((json, at) => (decoder.decode(file.record(at)) === json ? [] : [at]))).toEqual([])
    expect(wanted.flatMap((json, at) => (decoder.decode(file.page(at)) === json ? [] : [at]))).toEqual([])
    const tags = wanted.map((_, at) => file.etag(at))
    for (const tag of tags) expect(tag).toMatch(/^"[0-9a-f]{16}"$/)
    expect(new Set(tags).size).toBe(new Set(wanted).size)
  }

  test(
    'gives back any records, alone and as pages',
    () => fc.assert(fc.asyncProperty(fc.array(fc.oneof(short, multibyte), { maxLength: 45, size: 'max' }), givesBack)),
    TIMEOUT_MILLISECONDS,
  )

  test(
    'gives back records of any length, also longer than what is written at once',
    async () => {
      const lists = fc.array(fc.oneof({ arbitrary: short, weight: 3 }, { arbitrary: long, weight: 1 }), {
        maxLength: 25,
        size: 'max',
      })
      await fc.assert(fc.asyncProperty(lists, givesBack), { numRuns: 12 })
    },
    TIMEOUT_MILLISECONDS,
  )

  test('gives back one record of 3 MiB between short ones', async () => {
    await givesBack(['1', JSON.stringify('中'.repeat(1 << 20)), '"three"', '[]'])
  })
})
