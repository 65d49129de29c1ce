// Whatever a package holds, it is read or refused in words: no other error, and rows that a release takes.
import { expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { PackageDirectory } from '../../../../../test/support/package-directory.ts'
import { OperationalError } from '../../base/operational-error.ts'

setDefaultTimeout(180_000)

const NAMES = [
  'code',
  'name',
  'parent',
  'size',
  'lat',
  '__proto__',
  'constructor',
  'toString',
  '',
  'a b',
  'ñ',
  'x\ny',
  '0',
]
const TYPES = [
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'year',
  'list',
  'array',
  'geopoint',
  'no such',
  7,
  null,
]
const name = fc.constantFrom(...NAMES)
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...NAMES), fc.constant(undefined))

const field = fc.oneof(
  fc.record({ name, type: fc.constantFrom(...TYPES), constraints: odd, missingValues: odd, format: odd }),
  odd,
)
const schema = fc.oneof(
  fc.record({
    fields: fc.array(field, { maxLength: 6 }),
    primaryKey: fc.oneof(fc.constantFrom('code', undefined), name, odd),
    foreignKeys: fc.oneof(
      odd,
      fc.tuple(
        fc.record({
          fields: name,
          reference: fc.record({ resource: fc.constantFrom('', 'one', 'two'), fields: name }),
        }),
      ),
    ),
    missingValues: odd,
  }),
  odd,
)
const resource = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      name: fc.constantFrom('one', 'two', '__proto__'),
      path: fc.constantFrom(...Array<string>(5).fill('1.csv'), ...Array<string>(5).fill('2.csv'), '3.csv', '../x'),
      schema,
      dialect: odd,
      encoding: fc.constantFrom(undefined, undefined, 'latin1', 'klingon'),
    }),
  },
  { weight: 1, arbitrary: odd },
)
const descriptor = fc.record({
  name: fc.oneof(name, odd),
  licenses: odd,
  contributors: odd,
  resources: fc.array(resource, { minLength: 1, maxLength: 4 }),
})

const cell = fc.oneof(
  fc.constantFrom(
    '',
    'A',
    'B',
    '1',
    '01',
    '1.5',
    'NA',
    '2001-02-03',
    'true',
    '19.4, -99.1',
    '"',
    ',',
    '\r',
    '\n',
    '\0',

    '\ud800',
  ),
  fc.string({ maxLength: 5 }),
)
const csv = fc
  .tuple(
    fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 8 }),
    fc.array(name, { minLength: 1, maxLength: 5 }),
    fc.constantFrom(',', ';', '\t'),
    fc.boolean(),
  )
  .map(([rows, header, separator, isQuoted]) =>
    [['code', ...header], ...rows.map((row, index) => [`C${index}`, ...row])]
      .map((row) => row.map((value) => (isQuoted ? `"${value.replaceAll('"', '""')}"` : value)).join(separator))
      .join('\n'),
  )
const bytes = fc.oneof(
  csv.map((text) => Buffer.from(text)),
  csv.map((text) => Buffer.from(text, 'utf16le')),
  fc.uint8Array({ maxLength: 60 }),
)

test('a package is read, or refused in words', async () => {
  let read = 0
  await fc.assert(
    fc.asyncProperty(descriptor, bytes, bytes, async (value, one, two) => {
      using directory = new PackageDirectory()
        .put('datapackage.json', JSON.stringify(value))
        .put('1.csv', one)
        .put('2.csv', two)
      try {
        await directory.read()
        read++
      } catch (error) {
        expect(error).toBeInstanceOf(OperationalError)
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 60) },
  )
  expect(read).toBeGreaterThan(0)
})
