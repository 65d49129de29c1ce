// Negotiation of formats, codings and ranges; cursors.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FORMATS } from '../../query/formats/formats.ts'
import { acceptedEncoding, acceptedFormat, readRange } from './negotiate.ts'
import { readCursor, writeCursor } from './request/query-string.ts'

test.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/*', 'json'],
  ['text/*', 'csv'],
  ['text/csv', 'csv'],
  ['TEXT/CSV', 'csv'],
  ['application/x-ndjson, application/json;q=0.9', 'ndjson'],
  ['application/json;q=0.1, text/csv;q=0.2', 'csv'],
  ['application/json;q=0, */*', 'ndjson'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
  ['image/png', undefined],
  ['application/json;q=0', undefined],
] as const)('Accept %p gives %p', (header, format) => expect(acceptedFormat(header, FORMATS)).toBe(format))

test.each([
  [undefined, undefined],
  ['gzip, br, zstd', 'zstd'],
  ['*', 'gzip'],
  ['*;q=0.5, br;q=0.1', 'gzip'],
  ['br, *', 'br'],
  ['gzip;q=0, *', 'br'],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0.5, identity;q=0.6', undefined],
  ['gzip;q=0.5, *', 'br'],
  ['*;q=0', undefined],
  ['identity, *;q=0.5', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['x-gzip', 'gzip'],
  ['deflate', undefined],
  ['', undefined],
] as const)('Accept-Encoding %p gives %p', (header, encoding) => expect(acceptedEncoding(header)).toBe(encoding))

test('no header whatever is read as more than it says', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (header) => {
      expect(['zstd', 'br', 'gzip', undefined]).toContain(acceptedEncoding(header))
      expect([...FORMATS, undefined]).toContain(acceptedFormat(header, FORMATS))
    }),
  )
})

test.each([
  [undefined, 10, undefined],
  ['bytes=0-3', 10, [0, 4]],
  ['bytes=3-', 10, [3, 10]],
  ['bytes=-3', 10, [7, 10]],
  ['bytes=-30', 10, [0, 10]],
  ['bytes=9-99', 10, [9, 10]],
  ['bytes=10-', 10, 'beyond'],
  ['bytes=-0', 10, 'beyond'],
  ['bytes=0-0', 0, 'beyond'],
  ['bytes=4-3', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['bytes = 0-3', 10, [0, 4]],
] as const)('Range %p of %i bytes is %p', (header, length, range) => {
  expect(readRange(header, length) as unknown).toEqual(range)
})

test('a cursor says where it was made, and nothing else is one', () => {
  const digest = 'ab'.repeat(32)
  fc.assert(
    fc.property(fc.nat(), (position) => {
      expect(readCursor(writeCursor(digest, position))).toEqual({ release: digest.slice(0, 16), position })
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => readCursor(text) === undefined))
})
