// The three files of an entity, byte for byte, and the pages that are cut out of them.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { writeRecordFile } from '../../../../../test/support/records.ts'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { sha256OfFile } from './durable-file.ts'
import { RecordFile } from './record-file.ts'

setDefaultTimeout(180_000)

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const upTo = (count: number) => Array.from({ length: count }, (_, at) => JSON.stringify({ n: at + 1 }))

const golden = [
  { name: 'no record', records: [], content: '', offsets: [], etags: '' },
  {
    name: 'one record',
    records: ['{"descPais":"México"}'],
    content: '[{"descPais":"México"}]\n',
    // The é takes two bytes; after the last record come its bracket, a newline and the bracket of a next page.
    offsets: [1, 26],
    etags: '"8d84747a0922cabe"\n',
  },
  {
    name: 'one record more than a page',
    records: upTo(11),
    content:
      '[{"n":1},{"n":2},{"n":3},{"n":4},{"n":5},{"n":6},{"n":7},{"n":8},{"n":9},{"n":10}]\n' + //
      '[{"n":11}]\n',
    offsets: [1, 9, 17, 25, 33, 41, 49, 57, 65, 73, 84, 95],
    etags: '"17b4d7a58d6514f8"\n"ef16fae2ed26fa6c"\n',
  },
]

describe.each(golden)('$name', ({ records, content, offsets, etags }) => {
  test('makes just these bytes, and says their sizes and digests', () => {
    using directory = new TestDirectory()
    const summaries = writeRecordFile(directory.path, records)
    const read = (file: string) => readFileSync(join(directory.path, file))
    expect(read('records').toString()).toBe(content)
    expect([...new BigUint64Array(new Uint8Array(read('offsets')).buffer)].map(Number)).toEqual(offsets)
    expect(read('etags').toString()).toBe(etags)
    for (const [file, { size, sha256 }] of Object.entries(summaries)) {
      expect(size).toBe(read(file).length)
      expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(read(file)).digest('hex'))
    }
  })
})

test('offsets are little-endian', () => {
  using directory = new TestDirectory()
  writeRecordFile(directory.path, ['{}'])
  expect(readFileSync(join(directory.path, 'offsets')).toString('hex')).toBe('01000000000000000600000000000000')
})

test.each<[string, number, bigint]>([
  ['beyond its end', 11, 2n ** 40n],
  ['before its beginning', 10, 0n],
  ['before the page begins', 11, 1n],
])('offsets that lead %s lead to no page', (_, position, offset) => {
  using directory = new TestDirectory()
  writeRecordFile(directory.path, upTo(11))
  const path = join(directory.path, 'offsets')
  const offsets = readFileSync(path)
  offsets.writeBigUInt64LE(offset, position * 8)
  writeFileSync(path, offsets)
  const file = new RecordFile(directory.path, 11)
  expect(file.pageLength(1)).toBe(Number.POSITIVE_INFINITY)
  expect(() => file.page(1)).toThrow('the offsets of a page lead out of its file')
})

test('an empty file has one page, with nothing on it', () => {
  using directory = new TestDirectory()
  writeRecordFile(directory.path, [])
  const file = new RecordFile(directory.path, 0)
  expect([text(file.page(0)), file.etag(0), file.pages]).toEqual(['[]', '"ccab0b28617f1f56"', 0])
})

describe('what is written is what is read', () => {
  const check = (records: readonly string[]) => {
    using directory = new TestDirectory()
    writeRecordFile(directory.path, records)
    const file = new RecordFile(directory.path, records.length)
    expect(file.pages).toBe(Math.ceil(records.length / 10))
    const bodies = Array.from(
      { length: file.pages },
      (_, page) => `[${records.slice(page * 10, page * 10 + 10).join(',')}]`,
    )
    const tags = bodies.map((body) => `"${Bun.hash.xxHash64(body).toString(16).padStart(16, '0')}"`)
    expect(bodies.map((_, page) => text(file.page(page)))).toEqual(bodies)
    expect(bodies.map((_, page) => file.etag(page))).toEqual(tags)
    expect(records.map((_, position) => text(file.record(position)))).toEqual([...records])
  }

  test('for any records', () => {
    const record = fc
      .string({ unit: 'binary', maxLength: 40 })
      .map((name) => JSON.stringify({ name: name.toWellFormed() }))
    fc.assert(fc.property(fc.array(record, { minLength: 1, maxLength: 45, size: 'max' }), check), {
      numRuns: 10,
    })
  })

  // A megabyte is gathered at a time: these fill it many times over, or not even hold one page or one record.
  const long = (length: number) => JSON.stringify({ name: 'ñ'.repeat(length) })
  test.each([
    [
      'megabytes of short records',
      Array.from({ length: 12_000 }, (_, at) => JSON.stringify({ at, name: 'ñ中🜨'.repeat(9) })),
    ],
    ['pages longer than what is gathered', Array.from({ length: 23 }, (_, at) => long(90_000 + at))],
    ['records longer than what is gathered', [long(10), long(900_000), long(20), long(1_200_000), long(30)]],
    ['empty objects', Array.from({ length: 100 }, () => '{}')],
  ])('for %s', (_, records) => check(records))
})

test('a file too large to be digested where it is written has the digest of its bytes', async () => {
  using directory = new TestDirectory()
  const { records } = writeRecordFile(
    directory.path,
    Array.from({ length: 90_000 }, (_, at) => JSON.stringify({ at, name: 'a name of some length, again and again' })),
  )
  expect(records.size).toBeGreaterThan(4 << 20)
  expect(records.sha256).toBe(await sha256OfFile(join(directory.path, 'records')))
})
