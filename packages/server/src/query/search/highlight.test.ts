// Which part of a text is marked as what was typed.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { wordsOf } from '../../catalog/words.ts'
import { highlights } from './highlight.ts'

/** The marked parts of a text. */
const marked = (text: string, typed: string, matched: readonly string[] = []) =>
  highlights(text, wordsOf(typed), matched).map(([start, end]) => text.slice(start, end))

test.each([
  ['a whole word', 'León', 'leon', ['León']],
  ['the beginning of a word', 'Guadalajara', 'guada', ['Guada']],
  ['words in another order', 'San Luis Potosí', 'potosi san', ['San', 'Potosí']],
  ['the same word wherever it stands', 'San Juan San Luis', 'san', ['San', 'San']],
  ['the longest of what was typed', 'Guadalajara', 'gua guadal', ['Guadal']],
  ['all of a word that folding lengthens', 'Straße', 'stras', ['Straße']],
  ['nothing for short words that are only alike', 'Sur', 'sus', []],
  ['nothing inside a word', 'Guadalajara', 'lajara', []],
  ['words in brackets', 'El Sauz [Ranchería]', 'rancheria', ['Ranchería']],
] as const)('%s', (_what, text, typed, parts) => expect(marked(text, typed)).toEqual([...parts]))

test('all of a word that matches in another way', () =>
  expect(marked('Santa María', 'sta mari', ['santa', 'maria'])).toEqual(['Santa', 'Marí']))

test('ranges ascend and stay in the text', () => {
  const holds = fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string({ maxLength: 5 })), (text, typed) => {
    let last = 0
    for (const [start, end] of highlights(text, typed.flatMap(wordsOf))) {
      expect(start).toBeGreaterThanOrEqual(last)
      expect(end).toBeGreaterThan(start)
      expect(end).toBeLessThanOrEqual(text.length)
      last = end
    }
  })
  fc.assert(holds)
})
