// Only digits are a whole number, and only within the bounds.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseDigits, parseWholeNumber } from './whole-number.ts'

const LARGEST = 999_999_999_999_999

test('a whole number, written and parsed, is the same', () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LARGEST }), (number) =>
      expect(parseWholeNumber(String(number))).toBe(number),
    ),
  ))

describe('is no whole number', () => {
  test.each([
    ['nothing', ''],
    ['a sign', '+1'],
    ['a negative number', '-1'],
    ['a fraction', '1.0'],
    ['an exponent', '1e3'],
    ['a blank before', ' 1'],
    ['a blank after', '1 '],
    ['a line feed after', '1\n'],
    ['hexadecimal', '0x1'],
    ['a leading zero', '01'],
    ['two zeros', '00'],
    ['16 digits', '1234567890123456'],
    ['a letter', 'x'],
    ['digits of another script', '４'],
    ['the character before 0', '1/'],
    ['the character after 9', '1:'],
  ])('%s', (_, text) => expect(parseWholeNumber(text)).toBeUndefined())
})

describe('within bounds', () => {
  test.each<[text: string, options: Parameters<typeof parseWholeNumber>[1], number: number | undefined]>([
    ['0', { min: 1 }, undefined],
    ['1', { min: 1 }, 1],
    ['10', { max: 10 }, 10],
    ['11', { max: 10 }, undefined],
    ['007', { leadingZeros: true }, 7],
    ['000', { leadingZeros: true, min: 1 }, undefined],
  ])('%j with %j', (text, options, number) => expect(parseWholeNumber(text, options)).toBe(number))
})

describe('the digits of a part of a text', () => {
  test.each<[start: number, end: number, number: number | undefined]>([
    [1, 4, 12],
    [2, 4, 12],
    [3, 3, undefined],
    [0, 4, undefined],
    [1, 5, undefined],
    [2, 9, undefined],
  ])('from %i to %i', (start, end, number) => expect(parseDigits('a012b', start, end)).toBe(number))
})
