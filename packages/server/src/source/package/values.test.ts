// Values of Table Schema become the texts that rows have, with all their digits.
import { describe, expect, test } from 'bun:test'
import type { ValueType } from '../../catalog/entity.ts'
import type { ValueFormat } from './descriptor.ts'
import { partOfPair, valueReader } from './values.ts'

type Case = readonly [type: ValueType, text: string, expected: string | undefined, format?: Partial<ValueFormat>]

const CASES: readonly Case[] = [
  ['integer', '12', '12'],
  ['integer', '007', '7'],
  ['integer', '+5', '5'],
  ['integer', '-0', '0'],
  ['integer', '12.0', '12'],
  ['integer', '12.5', undefined],
  ['integer', '1,234', '1234', { groupChar: ',' }],
  ['integer', '€95', '95', { bareNumber: false }],
  ['integer', '9'.repeat(101), undefined],
  ['number', '1.50', '1.50'],
  ['number', '.5', '0.5'],
  ['number', '5.', '5'],
  ['number', '−3,5', '-3.5', { decimalChar: ',' }],
  ['number', '1.234,5', '1234.5', { decimalChar: ',', groupChar: '.' }],
  ['number', '12.5%', '12.5', { bareNumber: false }],
  ['number', '1E5', '1e5'],
  ['number', '1e999', undefined],
  ['number', 'NaN', undefined],
  ['number', '.', undefined],
  ['boolean', 'TRUE', 'true'],
  ['boolean', '0', 'false'],
  ['boolean', 'sí', 'true', { trueValues: ['sí'], falseValues: ['no'] }],
  ['boolean', 'yes', undefined],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '2023-02-29', undefined],
  ['date', '2024-02', '2024-02'],
  ['date', '2024-02-03 10:11:12', '2024-02-03T10:11:12'],
  ['date', '2024-02-03T25:00', undefined],
  ['date', '03/02/2024', '2024-02-03', { format: '%d/%m/%Y' }],
  ['date', '3-Feb-98', '1998-02-03', { format: '%d-%b-%y' }],
  ['date', '2024-02-03', undefined, { format: '%d/%m/%Y' }],
  ['date', 'January 2001', undefined],
  ['year', '0800', '800'],
  ['year', '1999', '1999'],
  ['year', '99-1', undefined],
  ['list', 'a, b,,c', '["a","b","c"]'],
  ['list', 'a|b', '["a","b"]', { delimiter: '|' }],
  ['list', '["a", 1]', '["a",1]'],
  ['list', '[1.50, 99999999999999999999]', '[1.50,99999999999999999999]'],
  ['list', 'a', undefined, { type: 'array' }],
]

describe('a value', () => {
  test.each(CASES)('%s %s is %s', (type, text, expected, format = {}) => {
    expect(valueReader(type, { type, missingValues: [], ...format })(text)).toBe(expected as string)
  })
})

test.each([
  ['19.43, -99.13', 0, '19.43'],
  ['19.43, -99.13', 1, '-99.13'],
  ['[-99.13, 19.43]', 1, '19.43'],
  ['{"lon": -99.13, "lat": 19.43}', 0, '-99.13'],
  ['{"lon": -99.13, "lat": 19.43}', 1, '19.43'],
  ['19.43', 0, undefined],
] as const)('of %s, part %d is %s', (text, part, expected) => {
  expect(partOfPair(text, part, undefined)).toBe(expected as string)
})
