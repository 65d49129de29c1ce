// Which indexed words match a typed one, and how well.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { namedWords } from '../../test/support/named-words.ts'
import { wordsOf } from '../catalog/words.ts'
import { distanceOf, maxEditsOf } from './edit-distance.ts'
import { EDITS, EXACT, matchWord, PARTIAL } from './word-match.ts'

/** The matching words, each with how many edits it takes and whether it goes on. */
function matches(names: readonly string[], typed: string, allowEdits: boolean) {
  const index = namedWords(names)
  const { grades, matching } = matchWord(index, typed, allowEdits)
  expect(Array.from(grades).filter((grade) => grade !== 0)).toHaveLength(matching.length)
  return Object.fromEntries(
    Array.from(matching, (word) => {
      const grade = grades[word] as number
      const how = `${EDITS[grade]}${PARTIAL[grade] === 1 ? '+' : ''}`
      return [index.words.text(word), grade === EXACT ? 'exact' : how]
    }),
  )
}

const NAMES = ['Tula', 'Tulancingo', 'Tuxpan', 'Tulum', 'Toluca', 'Tultepec']

describe('without edits', () => {
  test('a word and those that go on from it', () =>
    expect(matches(NAMES, 'tul', false)).toEqual({ tula: '0+', tulancingo: '0+', tultepec: '0+', tulum: '0+' }))
  test('the word itself before others', () =>
    expect(matches(NAMES, 'tula', false)).toEqual({ tula: 'exact', tulancingo: '0+' }))
  test('nothing that is only alike', () => expect(matches(NAMES, 'tulla', false)).toEqual({}))
})

describe('with edits', () => {
  test('words with typing errors too', () =>
    expect(matches(NAMES, 'tulla', true)).toEqual({ tula: '1', tulancingo: '1+' }))
  test('two errors in a long word', () => expect(matches(NAMES, 'tulamcngo', true)).toEqual({ tulancingo: '2' }))
  test('none in a short one', () => expect(matches(NAMES, 'tla', true)).toEqual({}))
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
    const limit = maxEditsOf(plain)
    const { grades } = matchWord(index, plain, true)
    for (let at = 0; at < index.words.size; at++) {
      const { toWord, toPrefix } = distanceOf(plain, index.words.text(at), limit)
      const grade = grades[at] as number
      expect(grade !== 0).toBe(toPrefix <= limit)
      if (grade !== 0 && toPrefix > 0)
        expect([EDITS[grade], PARTIAL[grade]]).toEqual([toPrefix, toPrefix < toWord ? 1 : 0])
    }
  })
  fc.assert(holds, { numRuns: 200 })
})
