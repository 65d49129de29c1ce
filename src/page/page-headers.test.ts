// Every header of a page, and no other.
import { expect, test } from 'bun:test'
import { collections } from '../catalog/collections.ts'
import type { Page } from './page.ts'
import { pageHeaders, totalHeaders } from './page-headers.ts'
import type { PageNumber } from './page-request.ts'

const BASE = 'https://catalogs.example.org/mirror'
const paises = collections.find(({ name }) => name === 'paises')
if (paises === undefined) throw new Error('the collection of countries is missing')

const pageOf = (number: number, total: number, totalPages: number): Page => ({
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
