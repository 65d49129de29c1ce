// The order of names, in Spanish and in no language.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LATIN_KEY_GROWS, plainOrder, type SortOrder, sortOrder } from './order.ts'
import { spanish } from './spanish.ts'

const { sortKey } = spanish.order
const inOrder = (names: readonly string[], order: SortOrder) =>
  names.toSorted((a, b) => Buffer.compare(Buffer.from(order.sortKey(a)), Buffer.from(order.sortKey(b))))

test('Spanish order: accents and case do not count, and ñ comes after n and all that follows it', () => {
  const names = [
    'Nzinga',
    'nube',
    'Ñandú',
    'Ñ',
    'Oaxaca',
    'ÁLAMO',
    'alamos',
    'Zapote',
    'n',
    'n🌵',
    'Canon',
    'Cañón',
    'Canz',
  ]
  expect(inOrder(names, spanish.order)).toEqual([
    ...['ÁLAMO', 'alamos', 'Canon', 'Canz', 'Cañón', 'n', 'nube', 'Nzinga', 'n🌵', 'Ñ', 'Ñandú', 'Oaxaca', 'Zapote'],
  ])
  expect(sortKey('Cañón')).toBe(sortKey('CAN\u0303ON'))
  expect(sortKey('Canon')).not.toBe(sortKey('Cañon'))
})

test('the order of no language: accents and case do not count', () => {
  const names = ['Nzinga', 'Ñandú', 'nube', 'Oaxaca', 'ÁLAMO', 'Łódź', 'alamos']
  expect(inOrder(names, plainOrder)).toEqual(['ÁLAMO', 'alamos', 'Łódź', 'Ñandú', 'nube', 'Nzinga', 'Oaxaca'])
  expect(plainOrder.sortKey('Cañón')).toBe(plainOrder.sortKey('canon'))
})

test('letters of their own need not be Latin', () => {
  const order = sortOrder({ ł: 'l', å: 'z' })
  expect(inOrder(['Łódź', 'Lz', 'Ma', 'Åre', 'Zz'], order)).toEqual(['Lz', 'Łódź', 'Ma', 'Zz', 'Åre'])
})

describe.each([
  ['Spanish', spanish.order],
  ['no language', plainOrder],
])('the key of a text in bytes, in %s', (_, { sortKey, latinSortKey }) => {
  const latin = fc.string({ unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)) })
  const keyOf = (text: string) => {
    const bytes = Buffer.from(text)
    const key = Buffer.alloc(3 + Math.ceil(bytes.length * LATIN_KEY_GROWS), '.')
    const end = latinSortKey(Buffer.concat([Buffer.from('ñ'), bytes, bytes]), 2, 2 + bytes.length, key, 3)
    return end === undefined ? undefined : key.toString('utf8', 0, end)
  }

  test.each(['San José', 'ÑUÑOA', 'Pingüino', '', 'ñ', "D'Ávila (1.º)"])('%s has one', (text) =>
    expect(keyOf(text)).toBe(`...${sortKey(text)}`),
  )

  test.each(['Ω', 'Łódź', 'Me\u0301xico', '½', '\u0000', 'Straße'])('%s has none', (text) =>
    expect(keyOf(text)).toBeUndefined(),
  )

  test('is the same as the one of letters, wherever there is one', () => {
    fc.assert(
      fc.property(fc.oneof(latin, fc.string({ unit: 'grapheme' })), (text) =>
        expect(keyOf(text) ?? `...${sortKey(text)}`).toBe(`...${sortKey(text)}`),
      ),
      { numRuns: 1_000 },
    )
  })
})
