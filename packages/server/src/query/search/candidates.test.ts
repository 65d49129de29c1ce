// That pruning changes nothing: the wanted best are the first of all hits, whatever the names and the typed words.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ancestorsIn, spaceOf } from '../../../../../test/support/named-words.ts'
import { randomSearch } from '../../../../../test/support/random-names.ts'
import { scanNames } from './candidates.ts'
import type { Drop } from './efforts.ts'
import { emptyHits } from './hits.ts'
import { Scorer } from './score.ts'
import type { SearchSpace } from './search-space.ts'
import { typedWord } from './typed-words.ts'

/** Both searches use one index, and candidates are pruned in the one and not in the other. */
function expectSameBest(
  space: SearchSpace,
  typed: readonly string[],
  wanted: number,
  drop: Drop,
  edits: boolean,
): void {
  const { words, levels, among } = space
  const found = (only?: number) => {
    const hits = emptyHits(words, only)
    const known = typed.map((text) => typedWord(words, text, edits ? 1 : 0, levels, space.weightOf))
    scanNames(new Scorer(space, known, drop, 0), among, hits, { left: Number.POSITIVE_INFINITY })
    return hits.best(wanted)
  }
  const all = found()
  expect(found(wanted)).toEqual(all)
}

const anyWanted = fc.integer({ min: 1, max: 12 })
const anyDrop = fc.constantFrom<Drop>('none', 'light', 'any')
const RUNS = { numRuns: 400, seed: 1_913 }

/** Half of the records are important, in no order. */
const importanceOf = (names: readonly string[], turn: number) =>
  names.map((_, position) => ((position * 37 + turn) * 53) % 256)

test('among names that are alike, of which some may be filtered out', () => {
  const anyStep = fc.option(fc.integer({ min: 2, max: 5 }), { nil: undefined })
  const holds = fc.property(
    randomSearch(60),
    anyWanted,
    anyStep,
    anyDrop,
    fc.boolean(),
    fc.nat(),
    ({ names, typed }, wanted, step, drop, edits, turn) => {
      const among = step === undefined ? undefined : [...names.keys()].filter((position) => position % step !== 0)
      expectSameBest(spaceOf({ names, among, importance: importanceOf(names, turn) }), typed, wanted, drop, edits)
    },
  )
  fc.assert(holds, RUNS)
})

test('with words of ancestors', () => {
  const holds = fc.property(
    randomSearch(40),
    fc.nat(),
    anyWanted,
    anyDrop,
    fc.boolean(),
    (given, turn, wanted, drop, edits) => {
      const { names, typed } = given
      // Some of the names are those of the parents, too.
      const parentNames = names.filter((_, position) => (position + turn) % 3 === 0)
      if (parentNames.length === 0) return
      const parents = names.map((_, position) => (position * 7 + turn) % parentNames.length)
      const levels = [ancestorsIn(parents, parentNames)]
      expectSameBest(spaceOf({ names, levels, importance: importanceOf(names, turn) }), typed, wanted, drop, edits)
    },
  )
  fc.assert(holds, RUNS)
})

test('with codes', () => {
  const holds = fc.property(randomSearch(30), fc.nat(), anyWanted, anyDrop, (given, turn, wanted, drop) => {
    const { names, typed } = given
    // The code of a record is a word of another.
    const codes = names.map((_, position) => names[(position + turn) % names.length]?.split(' ').at(-1) as string)
    expectSameBest(spaceOf({ names, codes, importance: importanceOf(names, turn) }), typed, wanted, drop, false)
  })
  fc.assert(holds, RUNS)
})

test('among few names of many', () => {
  const rare = ['jose cruz', 'cruz de jose', 'cruz', 'la cruz del monte', 'jose de la cruz']
  const names = Array.from({ length: 640 }, (_, at) => rare[at / 100] ?? `jose ${at}`)
  const space = spaceOf({ names, importance: importanceOf(names, 1) })
  for (const typed of [['cruz'], ['jose', 'cruz'], ['la', 'cruz'], ['cruz', 'monte', '7']])
    for (const drop of ['none', 'light', 'any'] as const) expectSameBest(space, typed, 2, drop, false)
})

test('a name that was typed as a whole is found behind any number of longer ones', () => {
  const names = [...Array.from({ length: 16_000 }, () => 'el rancho de arriba'), 'rancho']
  const space = spaceOf({ names, importance: names.map(() => 0) })
  const { words, levels, weightOf } = space
  const hits = emptyHits(words, 1)
  const typed = [typedWord(words, 'rancho', 0, levels, weightOf)]
  scanNames(new Scorer(space, typed, 'none', 0), undefined, hits, { left: Number.POSITIVE_INFINITY })
  expect(hits.best(1)).toEqual([16_000])
})
