// The header lines of a page are those of pageHeaders, whatever pages were asked for before.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { collections } from '../catalog/collections.ts'
import { type Page, pagesOf } from '../page/page.ts'
import { pageHeaders } from '../page/page-headers.ts'
import type { PageNumber } from '../page/page-request.ts'
import { headerLines } from './exchange.ts'
import { pageHead } from './page-head.ts'

const hexadecimal = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 16, maxLength: 16 })

const pages = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 300_137 })).chain(
  (total): fc.Arbitrary<Page> =>
    fc.record({
      collection: fc.constantFrom(...collections),
      number: fc.integer({ min: 1, max: Math.max(1, pagesOf(total)) }).map((number) => number as PageNumber),
      total: fc.constant(total),
      totalPages: fc.constant(pagesOf(total)),
      etag: hexadecimal.map((digits) => `"${digits.join('')}"`),
      // Few of them, so that a collection is often asked for again with one of the two changed.
      lastModified: fc.constantFrom('Sun, 15 Nov 2026 12:00:00 GMT', 'Sun, 15 Nov 2026 12:00:01 GMT'),
      body: fc.constant(new Uint8Array()),
    }),
)
const bases = fc.constantFrom('http://a', 'https://catalogs.example.org/mirror', 'http://[2001:db8::1]:8080')

const sorted = (head: string) => head.split('\r\n').sort()

test('any page has the lines of its headers, each once and with its end', () => {
  fc.assert(
    fc.property(pages, bases, (page, base) => {
      const head = pageHead(page, base)
      expect(sorted(head)).toEqual(sorted(headerLines(pageHeaders(page, base))))
      expect(head).toEndWith('\r\n')
    }),
    { numRuns: 2_000 },
  )
})
