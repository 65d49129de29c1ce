// The ways to read what was typed: letters put together, words taken apart and words put together, and when not.
import { describe, expect, test } from 'bun:test'
import { namedWords } from '../../../../../test/support/named-words.ts'
import { gluedReadings, plainReadings } from './readings.ts'

const words = (typed: string, names: readonly string[], isLastResort = false) =>
  gluedReadings(typed.split(' '), [namedWords(names)], isLastResort).map((reading) => reading.words.join(' '))

describe('letters that stand alone', () => {
  test.each([
    ['monterrey', ['monterrey']],
    ['n l', ['n l', 'nl']],
    ['a monterrey n l', ['a monterrey n l', 'a monterrey nl']],
    ['a monterrey b', ['a monterrey b']],
  ])('%s', (typed, expected) =>
    expect(plainReadings(typed.split(' ')).map((reading) => reading.words.join(' '))).toEqual(expected),
  )

  test('are known by where they were typed', () =>
    expect(plainReadings(['a', 'monterrey', 'n', 'l'])[1]?.typed).toEqual([
      [0, 0],
      [1, 1],
      [2, 3],
    ]))
})

describe('a word is taken apart', () => {
  test.each([
    ['into words that there are', 'playadelcarmen', ['Playa del Carmen'], ['playa del carmen']],
    ['the last of which may be a beginning', 'playadelcar', ['Playa del Carmen'], ['playa del car']],
    ['of three letters or more', 'playadelca', ['Playa del Carmen'], []],
    ['not into a beginning of two letters', 'playala', ['Playa Lago'], []],
    ['into short words that join others', 'playadecarmen', ['Playa de Carmen'], ['playa de carmen']],
    ['into few rather than many', 'playadelcarmen', ['Playa del Carmen', 'Playadel'], ['playadel carmen']],
    ['not into short words that join nothing', 'playaabcarmen', ['Playa Ab Carmen'], []],
    ['not where a part is no word', 'playaxcarmen', ['Playa Carmen'], []],
    ['not where it is short', 'abcd', ['Abc D', 'D'], []],
    ['not where it is a word itself', 'santarosa', ['Santa Rosa', 'Santarosa'], []],
    ['nor the beginning of one', 'santaro', ['Santa Roma', 'Santarosa'], []],
  ])('%s', (_, typed, names, expected) => expect(words(typed, names)).toEqual(expected))

  test('though it is a word itself, where nothing is found otherwise', () =>
    expect(words('santarosa', ['Santa Rosa', 'Santarosa'], true)).toEqual(['santa rosa']))

  test('and taken as it is read, at the place where it was typed', () => {
    const [reading] = gluedReadings(['la', 'playadelcarmen'], [namedWords(['Playa del Carmen'])], false)
    expect(reading).toEqual({
      words: ['la', 'playa', 'del', 'carmen'],
      typed: [
        [0, 0],
        [1, 1],
        [1, 1],
        [1, 1],
      ],
      isGlued: true,
      asRead: new Set([1, 2, 3]),
    })
  })
})

describe('two words are put together', () => {
  test.each([
    ['to one that there is', 'san jose', ['Sanjosé'], ['sanjose']],
    ['of five letters', 'abc de', ['Abcde'], ['abcde']],
    ['and not of four', 'ab cd', ['Abcd'], []],
    ['and not to a beginning', 'san jo', ['Sanjosé'], []],
    [
      'three pairs at most',
      'aaa aaa aaa aaa aaa',
      ['Aaaaaa'],
      ['aaaaaa aaa aaa aaa', 'aaa aaaaaa aaa aaa', 'aaa aaa aaaaaa aaa'],
    ],
  ])('%s', (_, typed, names, expected) => expect(words(typed, names)).toEqual(expected))

  test('and taken as they are read, at the places where they were typed', () => {
    const [reading] = gluedReadings(['la', 'san', 'jose', 'alta'], [namedWords(['Sanjosé'])], false)
    expect(reading).toEqual({
      words: ['la', 'sanjose', 'alta'],
      typed: [
        [0, 0],
        [1, 2],
        [3, 3],
      ],
      isGlued: true,
      asRead: new Set([1]),
    })
  })
})
