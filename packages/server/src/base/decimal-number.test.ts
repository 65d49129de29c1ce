// Which texts are decimal numbers, and that whatever JavaScript writes for a number is one.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseDecimal } from './decimal-number.ts'

test.each([
  ['0', 0],
  ['-0', 0],
  ['007', 7],
  ['-99.13', -99.13],
  ['1e-7', 1e-7],
  ['1.5e+3', 1_500],
] as const)('%s is a number', (text, number) => expect(parseDecimal(text)).toBe(number))

test.each([
  '',
  ' ',
  '1 ',
  '+1',
  '.5',
  '5.',
  '1,5',
  '0x1',
  '1e',
  '1e999',
  'NaN',
  'Infinity',
  '--1',
  '١',
  '1'.repeat(26),
])('%p is none', (text) => expect(parseDecimal(text)).toBeUndefined())

test('a number that was written is the same when it is read', () =>
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) =>
      expect(parseDecimal(String(number))).toBe(number + 0),
    ),
  ))
