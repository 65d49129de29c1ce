// The knowledge of one language, of several and of none, and the languages of an entity.
import { describe, expect, test } from 'bun:test'
import { audiencia, localidad } from '../../../../../test/support/built-in.ts'
import { code, entity } from '../../../../../test/support/definitions.ts'
import type { Field } from '../entity.ts'
import { english } from './english.ts'
import { noLanguage, unionOf } from './language.ts'
import { hasNamesApart, languageOf, languageOfNames, languagesOf, namingFields, orderOf } from './languages.ts'
import { plainOrder } from './order.ts'
import { spanish } from './spanish.ts'

const named = (fields: Readonly<Record<string, Field>>, of: string | undefined = 'test') =>
  entity({
    name: 'list',
    plural: 'lists',
    ...(of === undefined ? {} : { package: of }),
    fields: { code: code('', /./, ''), ...fields },
    key: ['code'],
    code: ['code'],
  })
const name = (language?: string): Field =>
  language === undefined ? { kind: 'name', description: '' } : { kind: 'name', description: '', language }
const alias: Field = { kind: 'value', type: 'text', role: 'alias', description: '', optional: true }

describe('the language of a tag', () => {
  test.each([
    ['es', spanish],
    ['es-MX', spanish],
    ['EN_us', english],
    ['fr', noLanguage],
    ['', noLanguage],
    [undefined, noLanguage],
    ['__proto__', noLanguage],
    ['esp', noLanguage],
  ])('%s', (tag, language) => expect(languageOf(tag)).toBe(language))
})

describe('an ending makes another word', () => {
  test.each([
    ['mesita', 'mesa', true],
    ['guaymitas', 'guaymas', true],
    ['lagunillita', 'lagunilla', true],
    ['pilarito', 'pilar', true],
    ['herradurena', 'herradura', true],
    ['jaltlan', 'jalpan', true],
    ['tianguistongo', 'tianguistepec', true],
    // Letters are missing, or others.
    ['mesa', 'mesita', false],
    ['guerro', 'guerrero', false],
    ['cardas', 'cardenas', false],
    ['cuautitla', 'cuautitlan', false],
    ['concepcio', 'concepcion', false],
    ['guadalajra', 'guadalajara', false],
    ['general', 'generla', false],
    ['mesa', 'mesa', false],
    ['mesita', 'mesita', false],
    ['cardanas', 'cardenas', false],
    // A stem of two letters tells nothing.
    ['casita', 'casa', true],
    ['osita', 'osa', false],
  ])('%s, %s: %p', (word, other, expected) => {
    expect(spanish.isOtherEnding(word, other)).toBe(expected)
    expect(unionOf([english, spanish]).isOtherEnding(word, other)).toBe(expected)
    expect(noLanguage.isOtherEnding(word, other) || english.isOtherEnding(word, other)).toBe(false)
  })
})

test('no word has a meaning that JavaScript gives it', () => {
  const word = 'constructor'
  expect([spanish.isHamlet(word), spanish.monthOf(word), spanish.longFormsOf(word), spanish.otherForms(word)]).toEqual([
    false,
    undefined,
    [],
    [],
  ])
  expect(spanish.withDigits([word])).toEqual([word])
})

describe('an entity is', () => {
  test.each([
    ['in Spanish where it came before packages', localidad, spanish],
    ['in the language of its name', named({ name: name('en') }), english],
    ['in none where that is not known', named({ name: name() }), noLanguage],
    ['in none where nothing is known of it', named({ name: name('fr') }), noLanguage],
    ['in what is known of its languages', named({ a: name('fr'), b: name('en-GB') }), english],
    ['in none without names', named({}), noLanguage],
  ])('%s', (_, of, language) => expect(languageOfNames(of)).toBe(language))

  test('in several languages, the same wherever they are the same', () => {
    const [one, other] = [named({ a: name('es'), b: name('en') }), named({ x: name('en'), y: name('es') })]
    expect(languageOfNames(one)).toBe(languageOfNames(other))
    expect(['municipio', 'county'].map(languageOfNames(one).isNoise)).toEqual([true, true])
  })
})

describe('names are matched apart', () => {
  test.each([
    ['in several languages', named({ a: name('es'), b: name('en') }), true],
    ['with other names', named({ a: name('es'), alias }), true],
    ['where there are several in one language', named({ a: name('en'), b: name('en') }), true],
    ['not where there is one', named({ a: name('es') }), false],
    ['not in what came before packages', audiencia, false],
  ])('%s', (_, of, expected) => expect(hasNamesApart(of)).toBe(expected))

  test('in the order of their fields', () =>
    expect(namingFields(named({ a: name('es'), alias, b: name() }))).toEqual([
      { field: 'a', language: 'es', isAlias: false },
      { field: 'alias', language: undefined, isAlias: true },
      { field: 'b', language: undefined, isAlias: false },
    ]))
})

describe('a fact in a language', () => {
  const fact: Field = { kind: 'fact', type: 'text', description: '', pattern: /./, shape: '', language: 'en' }
  const { language: _, ...unnamed } = fact
  const of = named({ a: name('es'), fact, unnamed }, undefined)
  const below = named({ of: { kind: 'embed', entity: of, description: '' }, c: name('fr'), d: name('es-MX') })

  test('is a name', () => expect(namingFields(of).map(({ field }) => field)).toEqual(['a', 'fact']))
  test('is matched apart', () => expect(hasNamesApart(of)).toBe(true))
  test('is one of the languages of its entity, and of those that embed it', () =>
    expect([of, below, audiencia].map(languagesOf)).toEqual([['es', 'en'], ['es', 'en', 'fr', 'es-MX'], []]))
})

describe('texts are in the order', () => {
  const both = named({ a: name('es'), b: name('en') })
  test.each([
    ['of their language', both, 'a', spanish.order],
    ['of another language', both, 'b', english.order],
    ['of none where their entity is in several', both, 'code', plainOrder],
    ['of the only language of their entity', named({ a: name('es') }), 'code', spanish.order],
    ['of none', named({ a: name() }), 'a', plainOrder],
    ['of Spanish in what came before packages', localidad, 'cveLocalidad', spanish.order],
  ])('%s', (_, of, field, order) => expect(orderOf(of, field)).toBe(order))
})

describe('English', () => {
  test.each([
    ['st', ['saint', 'street', 'ste']],
    ['mount', ['mt']],
    ['department', ['dept']],
    ['centre', ['ctr', 'center']],
    ['library', ['lib']],
    ['dollar', []],
  ])('%s is also written %j', (word, forms) => expect(english.otherForms(word)).toEqual(forms))

  test.each([
    ['filharmonic', 'philharmonic'],
    ['organise', 'organize'],
    ['night', 'nite'],
    ['nob', 'knob'],
    ['colour', 'color'],
    ['recieve', 'receive'],
    ['tailand', 'thailand'],
  ])('%s sounds like %s', (one, other) => expect(english.soundsOf(one)).toEqual(english.soundsOf(other)))

  test.each([
    ['cat', 'chat'],
    ['state', 'stare'],
    ['thin', 'tan'],
  ])('%s does not sound like %s', (one, other) => expect(english.soundsOf(one)).not.toEqual(english.soundsOf(other)))

  test('knows words that say little', () => {
    expect(['the', 'of', 'and', 'for'].every(english.isLinking)).toBe(true)
    expect(['de', 'municipio', 'university'].some((word) => english.isLinking(word) || english.isNoise(word))).toBe(
      false,
    )
  })
})

describe('several languages know', () => {
  const both = unionOf([spanish, english])
  test('the abbreviations of each', () => expect(both.longFormsOf('sr')).toEqual(['senor', 'senior']))
  test('the sounds of each', () => {
    expect(both.soundsOf('vallarta')).toContain(spanish.soundsOf('bayarta')[0] as string)
    expect(both.soundsOf('philharmonic')).toContain(english.soundsOf('filharmonic')[0] as string)
  })
  test('letters as alike that are so in any', () => {
    const groupOf = (letter: string) => both.alike.find((group) => group.includes(letter)) ?? ''
    expect(both.alike.join('').length).toBe(new Set(both.alike.join('')).size)
    expect([...'lye'].every((letter) => groupOf('i').includes(letter))).toBe(true)
  })
})

test('of no language nothing is known', () => {
  expect(noLanguage.soundsOf('word')).toEqual([])
  expect(noLanguage.otherForms('st')).toEqual([])
  expect(unionOf([])).toBe(noLanguage)
})

test('a number sounds as it does after a letter', () => {
  for (const language of [spanish, english])
    for (const number of ['0', '7', '0011', '140390001', '99999', '1002003', '445566778'])
      expect(language.soundsOf(`b${number}`)).toEqual(language.soundsOf(number).map((sound) => `b${sound}`))
  expect(spanish.soundsOf('0011')).toEqual(['01'])
})
