// The laws of a score: it is from 0 to 1, what was typed exactly is the best, and its upper bounds are upper bounds.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ancestorsIn, spaceOf } from '../../../../../test/support/named-words.ts'
import { randomSearch } from '../../../../../test/support/random-names.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { SearchSpace } from './candidates.ts'
import { type Drop, NO_MATCH, Scorer, scoreOfRank, typedWord } from './score.ts'

const RUNS = { numRuns: 3_000, seed: 1_913 }

const scorerOf = (
  { words, levels, importance, weightOf, weights }: SearchSpace,
  typed: readonly string[],
  drop: Drop = 'none',
) => {
  const known = typed.map((text) => typedWord(words, text, 1, levels, weightOf))
  return { known, scorer: new Scorer({ words, weights, records: undefined, levels, importance }, known, drop, 0) }
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
