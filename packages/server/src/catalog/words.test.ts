// How names are folded and taken apart into words.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { folded, placedWords, wordsOf } from './words.ts'

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

test('words of Latin letters stand where they are written, one after the other', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'aAáñ1ªß´ -('), maxLength: 40 }), (text) => {
      const placed = placedWords(text)
      expect(placed.map(({ word }) => word)).toEqual(wordsOf(text))
      let last = 0
      for (const { word, start, end } of placed) {
        expect(wordsOf(text.slice(start, end))).toContain(word)
        expect(end).toBeGreaterThanOrEqual(last)
        last = end
      }
      expect(new Set(placed.map(({ word, start }) => `${start} ${word}`)).size).toBe(placed.length)
    }),
  )
})
