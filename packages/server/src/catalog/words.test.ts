// How names are folded, put in order and taken apart into words.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { folded, LATIN_KEY_GROWS, latinSortKey, placedWords, sortKey, wordsOf } from './words.ts'

describe('folded', () => {
  test.each([
    ['México', 'mexico'],
    ['MÉXICO', 'mexico'],
    ['Me\u0301xico', 'mexico'],
    ['Ñuñoa', 'nunoa'],
    ['Straße', 'strasse'],
    ['Łódź', 'lodz'],
    ['Ærø', 'aero'],
    ['1.º', '1.o'],
    ['½', '1⁄2'],
    ['中央', '中央'],
    ['Ω', 'ω'],
    ['Pingüino', 'pinguino'],
    ['', ''],
  ])('%s is %s', (text, wanted) => expect(folded(text)).toBe(wanted))

  test('what is folded stays as it is, however long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000 }), (text) => folded(folded(text)) === folded(text)),
    )
  })

  test('a text of Latin letters is folded like each of its letters', () => {
    const latin = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code))
    fc.assert(
      fc.property(fc.array(latin, { maxLength: 40 }), (letters) => {
        expect(folded(letters.join(''))).toBe(letters.map((letter) => folded(`${letter}中`).slice(0, -1)).join(''))
      }),
    )
  })
})

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
  const inOrder = names.toSorted((a, b) => Buffer.compare(Buffer.from(sortKey(a)), Buffer.from(sortKey(b))))
  expect(inOrder).toEqual([
    ...['ÁLAMO', 'alamos', 'Canon', 'Canz', 'Cañón', 'n', 'nube', 'Nzinga', 'n🌵', 'Ñ', 'Ñandú', 'Oaxaca', 'Zapote'],
  ])
  expect(sortKey('Cañón')).toBe(sortKey('CAN\u0303ON'))
  expect(sortKey('Canon')).not.toBe(sortKey('Cañon'))
})

describe('the key of a text in bytes', () => {
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

test('words are letters and digits, whatever stands between them', () => {
  expect(wordsOf('El "Sauzal" [Ejido] (2.ª Sección), D\'Ávila')).toEqual([
    'el',
    'sauzal',
    'ejido',
    '2',
    'a',
    'seccion',
    'd',
    'avila',
  ])
  expect(wordsOf(' -- ')).toEqual([])
})

test('the words of a text are those of its pieces between blanks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      expect(text.split(' ').flatMap(wordsOf)).toEqual(wordsOf(text))
    }),
  )
})

test('words stand where they are said to', () => {
  const text = 'San José (Me\u0301xico)'
  expect(placedWords(text).map(({ word, start, end }) => [word, text.slice(start, end)])).toEqual([
    ['san', 'San'],
    ['jose', 'José'],
    ['mexico', 'Me\u0301xico'],
  ])
})
