// What it costs that a name is written otherwise: every way, and the cheapest of them where there are several.
import { describe, expect, test } from 'bun:test'
import { spanish } from '../../catalog/languages/spanish.ts'
import { wordsOf } from '../../catalog/words.ts'
import { type HeardLetters, matchName, mayHaveMore, mayMatch, WrittenName } from './name-match.ts'

const written = (text: string) => new WrittenName(wordsOf(text), spanish)
const match = (typed: string, name: string) => matchName(written(typed), written(name))

describe('what is written, and the name that is meant', () => {
  test.each([
    ['santa rosa', 'Santa Rosa', 0, 'exact'],
    ['sta. rosa', 'Santa Rosa', 0.1, 'abbreviation'],
    ['s. rosa', 'Santo Rosa', 0.1, 'abbreviation'],
    ['s. pte.', 'Santo Poniente', 0.1, 'abbreviation'],
    ['santarosa', 'Santa Rosa', 0.15, 'glued'],
    ['rosa santa', 'Santa Rosa', 0.5, 'exact'],
    ['esperanza', 'La Esperanza', 0.3, 'dropped-words'],
    ['la esperanza', 'Esperanza', 0.3, 'dropped-words'],
    ['rancho esperanza', 'Esperanza', 0.7, 'dropped-words'],
    ['esperanza', 'Rancho Esperanza', 0.8, 'dropped-words'],
    ['tenextepec', 'San Antonio Tenextepec', 0.6, 'dropped-words'],
    ['momoxpan', 'Santiago Momoxpan', 0.6, 'dropped-words'],
    ['tenextepec', 'Loma Antonio Tenextepec', 1.8 + 11 / 21, 'dropped-words'],
    ['antonio', 'San Antonio', 1.8 + 3 / 10, 'dropped-words'],
    ['allende', 'San Miguel de Allende', 1.8 + 11 / 18, 'dropped-words'],
    ['bayarta', 'Vallarta', 0.7, 'by-ear'],
    ['be', 'Ve', 0.7, 'by-ear'],
    ['anenin', 'Hanhenhinh', 0.7, 'by-ear'],
    ['ballrata', 'Vallarta', 1.5, 'typo'],
    ['guadaljara', 'Guadalajara', 1, 'typo'],
    ['guadljara', 'Guadalajara', 2, 'typo'],
    ['tua', 'Tula', 1, 'typo'],
    ['abc', 'Abd', 1, 'typo'],
    ['abcde', 'Abcfg', 2, 'typo'],
    ['la esperansa', 'Esperanza', 1.3, 'typo'],
    ['rancho lunas', 'Lunnas', 1.7, 'typo'],
    ['guad', 'Guadalajara', 1.3 + 7 / 11, 'prefix'],
    ['santa rosa', 'Santa Rosa de Lima', 1.3 + 6 / 15, 'prefix'],
    ['rosa lima', 'Santa Rosa de Lima', 1.8 + 7 / 15, 'dropped-words'],
    ['santa rosa de lima', 'Santa Rosa', 2.2 + 6 / 15, 'dropped-words'],
  ])('%s, %s: %d, %s', (typed, name, cost, how) => {
    const found = match(typed, name)
    expect(found?.cost).toBeCloseTo(cost, 9)
    expect(found?.how).toBe(how as 'exact')
  })
})

describe('too little is in common', () => {
  test.each([
    ['with three edits', 'gudljara', 'Guadalajara'],
    ['with an edit in two letters', 'ab', 'Ac'],
    ['with two edits in four letters', 'abcd', 'Abef'],
    ['with a beginning of three letters', 'gua', 'Guadalajara'],
    ['with another number', 'zapote 1', 'Zapote 2'],
    ['with words that say little', 'la de', 'Santa Rosa de la'],
    ['with an edit in what little is left without them', 'rancho luna', 'Lunna'],
    ['by ear with five letters more', 'aneninon', 'Hanhenhinhonh'],
    ['with other words that say little', 'la', 'De los'],
    ['with nothing', 'popocatepetl', 'Tula'],
  ])('%s', (_, typed, name) => expect(match(typed, name)).toBeUndefined())
})

test.each([
  ['the name itself', 'santa rosa', 'Santa Rosa', true, false],
  ['an abbreviation', 'sta rosa', 'Santa Rosa', true, false],
  ['words without a space', 'santarosa', 'Santa Rosa', true, false],
  ['another order', 'rosa santa', 'Santa Rosa', false, false],
  ['without an article', 'esperanza', 'La Esperanza', false, false],
  ['by ear', 'bayarta', 'Vallarta', false, false],
  ['a beginning', 'guadala', 'Guadalajara', false, true],
  ['a beginning that is an edit away', 'guadalajar', 'Guadalajara', false, true],
])('whether it is whole and whether it goes on: %s', (_, typed, name, isWhole, isPrefix) =>
  expect(match(typed, name)).toMatchObject({ isWhole, isPrefix }),
)

describe('whether two names are worth comparing, by the letters that are heard', () => {
  const heard = (text: string) => written(text).readings[0]?.heard as HeardLetters
  test.each([
    ['a name that goes on', 'lima', 'Limas Malas Limas Malas', true, false],
    ['one that is shorter by four letters', 'mamalima', 'Lima', true, true],
    ['one that is shorter by five', 'amamalima', 'Lima', false, true],
    ['one that is shorter by words that say little', 'lima de los del las', 'Lima', true, true],
    ['one with two other letters', 'lima', 'Rota', false, false],
    ['one that lacks two letters', 'lirto', 'Lio', true, true],
    ['one that lacks three', 'lirtod', 'Lio', false, true],
    ['one that says little', 'lima', 'De la', true, false],
  ])('%s: %s, %s', (_, typed, name, isAlike, hasMore) => {
    expect(mayMatch(heard(typed), heard(name))).toBe(isAlike)
    expect(mayHaveMore(heard(typed), heard(name))).toBe(hasMore)
  })
})
