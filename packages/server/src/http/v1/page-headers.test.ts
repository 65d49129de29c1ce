// Every header of a page, and no other: by name, and as lines on the wire.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { collections } from '../../../../../test/support/built-in.ts'
import { type PageNumber, pagesOf, type RecordPage } from '../../query/page.ts'
import { totalHeaders } from '../exchange.ts'
import { headerLines } from '../header-fields.ts'
import { pageHeaderLines, pageHeaders } from './page-headers.ts'

const BASE = 'https://catalogs.example.org/mirror'
const paises = collections.find(({ name }) => name === 'paises')
if (paises === undefined) throw new Error('the collection of countries is missing')

const pageOf = (number: number, total: number, totalPages: number): RecordPage => ({
  collection: paises,
  number: number as PageNumber,
  total,
  totalPages,
  etag: '"0123456789abcdef"',
  lastModified: 'Sun, 15 Nov 2026 12:00:00 GMT',
  body: new Uint8Array(),
})

const prev = (page: number) => `<${BASE}/api/v1/paises?format=api&page=${page}>; rel="prev"`
const next = (page: number) => `<${BASE}/api/v1/paises?format=api&page=${page}>; rel="next"`

test.each([
  ['the first of many pages', pageOf(1, 247, 25), { Link: next(2) }],
  ['a page in the middle', pageOf(13, 247, 25), { Link: `${prev(12)}, ${next(14)}` }],
  ['the last page but one', pageOf(24, 247, 25), { Link: `${prev(23)}, ${next(25)}` }],
  ['the last page', pageOf(25, 247, 25), { Link: prev(24) }],
  ['a single page', pageOf(1, 10, 1), {}],
  ['an empty catalog', pageOf(1, 0, 0), {}],
])('headers of %s', (_, page, link) => {
  expect(pageHeaders(page, BASE)).toEqual({
    'Content-Type': 'application/json',
    Allow: 'GET, HEAD, OPTIONS',
    Vary: 'Accept',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow',
    'X-Page': String(page.number),
    'X-Per-Page': '10',
    'X-Total': String(page.total),
    'X-Total-Pages': String(page.totalPages),
    ...link,
    ETag: '"0123456789abcdef"',
    'Last-Modified': 'Sun, 15 Nov 2026 12:00:00 GMT',
    'Cache-Control': 'public, no-cache',
  })
})

test.each(collections)('links of $name lead to its own path', (collection) => {
  const { Link } = pageHeaders({ ...pageOf(2, 30, 3), collection }, 'http://a')
  const to = `http://a/api/v1/${collection.name}?format=api&page=`
  expect(Link).toBe(`<${to}1>; rel="prev", <${to}3>; rel="next"`)
})

test('totals stand alone where there is no page', () => {
  expect(totalHeaders(300_137, 30_014)).toEqual({
    'X-Per-Page': '10',
    'X-Total': '300137',
    'X-Total-Pages': '30014',
  })
})

describe('on the wire', () => {
  test('the headers have this order and spelling', () => {
    expect(pageHeaderLines(pageOf(13, 247, 25), BASE)).toBe(
      'Content-Type: application/json\r\n' +
        'Allow: GET, HEAD, OPTIONS\r\n' +
        'Vary: Accept\r\n' +
        'Access-Control-Allow-Origin: *\r\n' +
        'Access-Control-Expose-Headers: X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow\r\n' +
        'X-Per-Page: 10\r\n' +
        'X-Total: 247\r\n' +
        'X-Total-Pages: 25\r\n' +
        'Last-Modified: Sun, 15 Nov 2026 12:00:00 GMT\r\n' +
        'Cache-Control: public, no-cache\r\n' +
        'X-Page: 13\r\n' +
        'ETag: "0123456789abcdef"\r\n' +
        `Link: ${prev(12)}, ${next(14)}\r\n`,
    )
  })

  const hexadecimal = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 16, maxLength: 16 })
  const pages = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 300_137 })).chain(
    (total): fc.Arbitrary<RecordPage> =>
      fc.record({
        collection: fc.constantFrom(...collections),
        number: fc.integer({ min: 1, max: Math.max(1, pagesOf(total)) }).map((number) => number as PageNumber),
        total: fc.constant(total),
        totalPages: fc.constant(pagesOf(total)),
        etag: hexadecimal.map((digits) => `"${digits.join('')}"`),
        // Few of them, so that a collection often comes again with only one of the two changed.
        lastModified: fc.constantFrom('Sun, 15 Nov 2026 12:00:00 GMT', 'Sun, 15 Nov 2026 12:00:01 GMT'),
        body: fc.constant(new Uint8Array()),
      }),
  )
  const bases = fc.constantFrom('http://a', BASE, 'http://[2001:db8::1]:8080')

  test('they are those that the page has by name, whatever pages were written before', () => {
    fc.assert(
      fc.property(pages, bases, (page, base) => {
        expect(pageHeaderLines(page, base)).toBe(headerLines(pageHeaders(page, base)))
      }),
      { numRuns: 2_000 },
    )
  })

  test('those of an imagined number of pages are not cached for real pages', () => {
    const page = pageOf(2, 247, 25)
    pageHeaders({ ...page, total: 248, totalPages: 1 }, BASE)
    expect(pageHeaderLines({ ...page, total: 248 }, BASE)).toContain('X-Total-Pages: 25\r\n')
  })
})
