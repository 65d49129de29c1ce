// Which indexed words match a typed one, and how well.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { namedWords } from '../../../../../test/support/named-words.ts'
import { wordsOf } from '../../catalog/words.ts'
import { distanceOf, maxEditsOf, maxLimitOf } from './edit-distance.ts'
import { kindOf, matchWord, type Tolerance } from './word-match.ts'

/** The matching words, each with how it matches. */
function matches(names: readonly string[], typed: string, tolerance: Tolerance) {
  const index = namedWords(names)
  const { grades, matching } = matchWord(index, typed, tolerance)
  expect(Array.from(grades).filter((grade) => grade !== 0)).toHaveLength(matching.length)
  return Object.fromEntries(Array.from(matching, (word) => [index.words.text(word), kindOf(grades[word] as number)]))
}

const NAMES = ['Tula', 'Tulancingo', 'Tuxpan', 'Tulum', 'Toluca', 'Tultepec']

describe('as typed', () => {
  test('a word and those that go on from it', () =>
    expect(matches(NAMES, 'tul', 0)).toEqual({
      tula: 'prefix',
      tulancingo: 'prefix',
      tultepec: 'prefix',
      tulum: 'prefix',
    }))
  test('the word itself before others', () =>
    expect(matches(NAMES, 'tula', 0)).toEqual({ tula: 'exact', tulancingo: 'prefix' }))
  test('nothing that is only alike', () => expect(matches(NAMES, 'tulla', 0)).toEqual({}))
  test.each([
    ['typed short', 'Santa María', 'ma', { maria: 'abbreviation' }],
    ['typed long', 'Sta. Ma.', 'santa', { sta: 'abbreviation' }],
    ['one for another', 'Rch. Viejo', 'rcho', { rch: 'abbreviation' }],
  ])('abbreviations, %s', (_what, name, typed, expected) => expect(matches([name], typed, 0)).toMatchObject(expected))
})

describe('with errors', () => {
  test('words with typing errors too', () =>
    expect(matches(NAMES, 'tulla', 1)).toEqual({ tula: 'typo', tulancingo: 'typo' }))
  test('two errors in a long word', () => expect(matches(NAMES, 'tulamcngo', 1)).toEqual({ tulancingo: 'typo' }))
  test('none in a short one', () => expect(matches(['Tula', 'Sur'], 'sus', 1)).toEqual({}))
  test('the letters of the word that was meant count', () => {
    expect(matches(['León'], 'leo', 1)).toEqual({ leon: 'prefix' })
    expect(matches(['León'], 'lon', 1)).toEqual({ leon: 'typo' })
    expect(matches(['Ahuacate'], 'aucat', 1)).toEqual({})
    expect(matches(['Ahuacate'], 'aucate', 1)).toEqual({ ahuacate: 'typo' })
    expect(matches(['Toluca'], 'tlcua', 1)).toEqual({})
    expect(matches(['Toluca'], 'tlcua', 2)).toEqual({ toluca: 'typo' })
  })
  test.each([
    ['b and v', 'Vallarta', 'ballarta'],
    ['ll and y', 'Vallarta', 'vayarta'],
    ['s, z and c', 'Zacatecas', 'sacatecaz'],
    ['h', 'Hidalgo', 'idalgo'],
    ['g and j', 'Jiménez', 'gimenes'],
    ['qu and k', 'Quiroga', 'kiroga'],
    ['x', 'Xochitepec', 'sochitepec'],
  ])('spelled by ear: %s', (_what, name, typed) => expect(Object.values(matches([name], typed, 1))).toEqual(['by-ear']))
})

test('a word matches exactly when it is near enough', () => {
  const letter = fc.constantFrom('a', 'b', 'c', 'é', '1', 'ж', '𐐨')
  const any = (maxLength: number) => fc.string({ unit: letter, minLength: 1, maxLength })
  const short = any(10)
  const long = (maxLength: number) => any(maxLength).map((end) => `${'ab'.repeat(30)}${end}`)
  // Of a word in the index more letters may stand than are compared.
  const words = fc.uniqueArray(fc.oneof(short, short, long(8)), { minLength: 1 })
  const holds = fc.property(words, fc.oneof(short, short, long(2)), (given, typed) => {
    const index = namedWords(given)
    const [plain = ''] = wordsOf(typed)
    const limit = maxLimitOf(plain, 1)
    const { grades } = matchWord(index, plain, 1)
    for (let at = 0; at < index.words.size; at++) {
      const word = index.words.text(at)
      const { toWord, toPrefix } = distanceOf(plain, word, limit)
      const grade = grades[at] as number
      if (grade !== 0 && kindOf(grade) === 'by-ear') continue
      const isNear = toWord <= maxEditsOf(word.length, 1) || toPrefix <= maxEditsOf(plain.length, 1)
      expect(grade !== 0).toBe(isNear)
    }
  })
  fc.assert(holds, { numRuns: 200 })
})
