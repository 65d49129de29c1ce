// The laws of a score: it is from 0 to 1, what was typed exactly is the best, and its upper bounds are upper bounds.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ancestorsIn, spaceOf } from '../../../../../test/support/named-words.ts'
import { randomSearch } from '../../../../../test/support/random-names.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Drop } from './efforts.ts'
import { NO_MATCH, Scorer, scoreOfRank } from './score.ts'
import type { SearchSpace } from './search-space.ts'
import { typedWord } from './typed-words.ts'
import type { Tolerance } from './word-match.ts'

const RUNS = { numRuns: 1_000, seed: 1_913 }

const scorerOf = (space: SearchSpace, typed: readonly string[], drop: Drop = 'none', tolerance: Tolerance = 1) => {
  const known = typed.map((text) => typedWord(space.words, text, tolerance, space.levels, space.weightOf))
  return {
    known,
    scorer: new Scorer(space, known, drop, 0),
  }
}

/** The score of the only name there is. */
function score(name: string, typed: string, drop: Drop = 'none'): number {
  const { scorer } = scorerOf(spaceOf({ names: [name, ...OTHERS] }), wordsOf(typed), drop)
  const rank = scorer.rank(0)
  return rank === NO_MATCH ? 0 : scoreOfRank(rank)
}
/** Words that are frequent weigh less. */
const OTHERS = ['Santa Rosa de Lima', 'Santa Cruz de la Sierra', 'San Juan de la Cruz', 'La Cruz', 'El Rosario']

test('any score is from 0 to 1, and no higher than its upper bound', () => {
  const anyDrop = fc.constantFrom<Drop>('none', 'light', 'any')
  const holds = fc.property(randomSearch(12), anyDrop, fc.boolean(), ({ names, typed }, drop, hasParents) => {
    const parents = names.map((_, position) => (position + 1) % names.length)
    const space = spaceOf({ names, levels: hasParents ? [ancestorsIn(parents, names)] : [] })
    const { scorer } = scorerOf(space, typed, drop)
    for (const position of names.keys()) {
      const rank = scorer.rank(position)
      if (rank === NO_MATCH) continue
      expect(scoreOfRank(rank)).toBeGreaterThanOrEqual(0)
      expect(scoreOfRank(rank)).toBeLessThanOrEqual(scorer.maxQuality() * 0.86 + 0.0001)
    }
  })
  fc.assert(holds, RUNS)
})

describe('the better match has the higher score', () => {
  test.each([
    ['the name itself, and an abbreviation of it', ['Santa Rosa', 'santa rosa'], ['Santa Rosa', 'sta rosa']],
    ['an abbreviation, and the beginning of a word', ['Santa Rosa', 'sta rosa'], ['Santa Rosa', 'santa ros']],
    ['a long beginning, and a short one', ['Guadalajara', 'guadalaj'], ['Guadalajara', 'gua']],
    ['a beginning, and spelling by ear', ['Vallarta', 'vallar'], ['Vallarta', 'bayarta']],
    ['by ear, and a typing error', ['Vallarta', 'bayarta'], ['Vallarta', 'vallrata']],
    ['one error, and two', ['Guadalajara', 'guadaljara'], ['Guadalajara', 'guadljara']],
    ['all of the name, and a part of it', ['Santa Rosa', 'santa rosa'], ['Santa Rosa Vieja', 'santa rosa']],
    ['in order, and not', ['Santa Rosa', 'santa rosa'], ['Santa Rosa', 'rosa santa']],
    ['the first word, and another', ['Rosa Vieja', 'rosa'], ['Vieja Rosa', 'rosa']],
  ] as const)('%s', (_what, [name, typed], [other, otherTyped]) =>
    expect(score(name, typed)).toBeGreaterThan(score(other, otherTyped)),
  )

  test('a word that says little costs less to drop than another', () => {
    expect(score('Santa Rosa', 'municipio santa rosa')).toBe(0)
    expect(score('Santa Rosa', 'municipio santa rosa', 'light')).toBeGreaterThan(0.8)
    expect(score('Santa Rosa', 'zapata santa rosa', 'light')).toBe(0)
    expect(score('Santa Rosa', 'zapata santa rosa', 'any')).toBeLessThan(
      score('Santa Rosa', 'municipio santa rosa', 'any'),
    )
  })

  test('importance counts, but never for more than a seventh', () => {
    const rankOf = (importance: readonly number[], names: readonly string[]) => {
      const { scorer } = scorerOf(spaceOf({ names, importance }), ['leon'])
      return names.map((_, position) => scoreOfRank(scorer.rank(position)))
    }
    const [hamlet = 0, city = 0] = rankOf([0, 255], ['Leon', 'Leon de los Aldama'])
    expect(city).toBeGreaterThan(hamlet)
    const [same = 0, larger = 0] = rankOf([0, 255], ['Leon', 'Leon'])
    expect(larger - same).toBeCloseTo(0.14, 3)
  })
})

describe('what the quality of a match loses', () => {
  type Typed = { readonly typed: string; readonly drop?: Drop; readonly tolerance?: Tolerance }
  /** The loss of the first record, of which nothing is important; undefined where it does not match. */
  const loss = (given: Parameters<typeof spaceOf>[0], { typed, drop, tolerance }: Typed): number | undefined => {
    const rank = scorerOf(spaceOf(given), wordsOf(typed), drop, tolerance).scorer.rank(0)
    return rank === NO_MATCH ? undefined : 1 - scoreOfRank(rank) / 0.86
  }

  test.each([
    ['nothing by the name itself', 'Tulancingo', 'tulancingo', 0],
    ['by an abbreviation', 'Santa', 'sta', 0.015],
    ['by more than seven tenths of a word', 'Tulancingo', 'tulancin', 0.04],
    ['by seven tenths', 'Tulancingo', 'tulanci', 0.07],
    ['by more than four tenths', 'Tulancingo', 'tulan', 0.07],
    ['by four tenths', 'Tulancingo', 'tula', 0.1],
    ['by ear', 'Vallarta', 'bayarta', 0.12],
    ['by an edit in a word of seven letters', 'Tampico', 'tmapico', 0.16],
    ['by an edit in a word of six', 'Toluca', 'tlouca', 0.22],
    ['by an edit in the beginning', 'Guadalajara', 'guadaljar', 0.3],
    ['by two edits', 'Guadalajara', 'guadljara', 0.34],
    ['by two edits in the beginning', 'Guadalajara', 'guadljar', 0.45],
  ])('%s', (_, name, typed, expected) => expect(loss({ names: [name] }, { typed })).toBeCloseTo(expected, 3))

  test('by more edits than are usual', () => {
    expect(loss({ names: ['Toluca'] }, { typed: 'tlcua' })).toBeUndefined()
    expect(loss({ names: ['Toluca'] }, { typed: 'tlcua', tolerance: 2 })).toBeCloseTo(0.5, 3)
  })

  const names = ['Alfa Beta', 'Gama', 'Delta', 'Omega']
  const coded = { names: ['Alfa', 'Gama'], codes: ['12345', '54321'] }
  const below = {
    names: ['Alfa', 'Gama'],
    levels: [ancestorsIn([0, 1], ['Delta Norte', 'Otra']), ancestorsIn([0, 1], ['Omega Sur', 'Otra'])],
  }
  const ofLight = { names: ['Alfa', 'Gama'], levels: [ancestorsIn([0, 1], ['La Delta', 'Otra'])] }
  const saints = { names: Array.from({ length: 10 }, (_, at) => `San W${at}`) }
  const long = { names: [Array.from({ length: 33 }, (_, at) => `w${at}`).join(' ')] }
  test.each([
    ['the other half of the name', { names }, { typed: 'alfa' }, 0.05],
    ['the first half of it', { names }, { typed: 'beta' }, 0.069],
    ['the other order', { names }, { typed: 'beta alfa' }, 0.015],
    ['at most three other orders', { names: ['A B C D E F'] }, { typed: 'f e d c b a' }, 0.045],
    ['a word that is not there', { names }, { typed: 'alfa beta zeta', drop: 'any' }, 0.2907],
    ['a word that says little', { names }, { typed: 'municipio alfa beta', drop: 'light' }, 0.044],
    ['two words for one', { names: ['San Alfa', 'Gama'] }, { typed: 's san alfa' }, 0.0944],
    ['a word before one that is there twice', { names: ['Alfa Beta Alfa'] }, { typed: 'beta alfa' }, 0.0527],
    ['the word that tells, and not the one that all have', saints, { typed: 'san' }, 0.0857],
    ['nothing by an article that is typed twice', ofLight, { typed: 'la delta la alfa' }, 0],
    ['a code', coded, { typed: '12345' }, 0.01],
    ['the beginning of a code', coded, { typed: '1234' }, 0.088],
    ['a name beside a code', coded, { typed: 'alfa 12345' }, 0.0563],
    ['nothing by all words of its parent', below, { typed: 'alfa delta norte' }, 0],
    ['the other half of its parent', below, { typed: 'alfa delta' }, 0.04],
    ['a generation between', below, { typed: 'alfa omega sur' }, 0.02],
    ['no generation between where both are named', below, { typed: 'alfa delta norte omega sur' }, 0],
    ['what is before the last word that is compared', long, { typed: 'w30' }, 0.115],
  ] as const)('%s', (_, given, typed, expected) => expect(loss(given, typed)).toBeCloseTo(expected, 3))

  test.each([
    ['a word after the last that is compared', long, 'w31'],
    ['a word that is typed twice and is there once', { names: ['San'] }, 'san san'],
    ['the words of its ancestors alone', below, 'delta norte'],
    ['a name with a code that is mistyped', coded, 'alfa 12344'],
  ])('all by %s', (_, given, typed) => expect(loss(given, { typed })).toBeUndefined())
})
