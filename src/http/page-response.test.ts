// The headers that are laid out once for many pages are those that each page would have by itself.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { collections } from '../catalog/collections.ts'
import { type Page, pagesOf } from '../page/page.ts'
import { pageHeaders } from '../page/page-headers.ts'
import type { PageNumber } from '../page/page-request.ts'
import { headersFor, pageResponse } from './page-response.ts'

type Asked = { readonly page: Page; readonly base: string }

const asked: fc.Arbitrary<Asked> = fc
  .record({
    at: fc.nat(),
    collection: fc.constantFrom(...collections.slice(0, 2)),
    total: fc.constantFrom(0, 1, 10, 11, 20, 21, 30),
    tag: fc.constantFrom('"a"', '"b"'),
    lastModified: fc.constantFrom('Sun, 15 Nov 2026 12:00:00 GMT', 'Mon, 16 Nov 2026 12:00:00 GMT'),
    base: fc.constantFrom('http://a.test', 'https://b.test'),
  })
  .map(({ at, collection, total, tag, lastModified, base }) => {
    const totalPages = pagesOf(total)
    const number = (1 + (at % Math.max(1, totalPages))) as PageNumber
    return {
      page: { collection, number, total, totalPages, etag: tag, lastModified, body: new Uint8Array([91, 93]) },
      base,
    }
  })

const entries = (headers: Headers) => [...headers].sort()

test('whatever was asked for before', () => {
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 20 }), (sequence) => {
      for (const { page, base } of sequence)
        expect(entries(headersFor(page, base))).toEqual(entries(new Headers(pageHeaders(page, base))))
    }),
    { numRuns: 300 },
  )
})

test('what is added to one answer is not in the next', () => {
  fc.assert(
    fc.property(asked, asked, (one, other) => {
      for (const { page, base } of [one, one, other, one]) {
        const response = pageResponse(page, base, new Headers())
        expect(entries(response.headers)).toEqual(entries(new Headers(pageHeaders(page, base))))
        for (const name of ['Date', 'Connection', 'X-Page']) response.headers.set(name, 'added')
      }
    }),
  )
})

test('an answer that waits to be sent keeps its headers while others are made', () => {
  fc.assert(
    fc.property(fc.array(asked, { minLength: 2, maxLength: 10 }), (sequence) => {
      const responses = sequence.map(({ page, base }) => pageResponse(page, base, new Headers()))
      const wanted = sequence.map(({ page, base }) => entries(new Headers(pageHeaders(page, base))))
      expect(responses.map(({ headers }) => entries(headers))).toEqual(wanted)
    }),
  )
})

test.each([
  ['If-None-Match', '"a"', 304],
  ['If-None-Match', '"b"', 200],
])('%s: %s gives %i, with the same headers', async (name, value, status) => {
  const [collection] = collections
  if (collection === undefined) throw new Error('there is no collection')
  const page: Page = {
    collection,
    number: 2 as PageNumber,
    total: 30,
    totalPages: 3,
    etag: '"a"',
    lastModified: 'Sun, 15 Nov 2026 12:00:00 GMT',
    body: new TextEncoder().encode('[1]'),
  }
  const response = pageResponse(page, 'http://a.test', new Headers({ [name]: value }))
  expect([response.status, await response.text()]).toEqual([status, status === 200 ? '[1]' : ''])
  expect(entries(response.headers)).toEqual(entries(new Headers(pageHeaders(page, 'http://a.test'))))
})
