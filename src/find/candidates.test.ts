// That pruning changes nothing: the wanted best are the first of all hits, whatever the names and the typed words.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ancestorsIn, namedWords } from '../../test/support/named-words.ts'
import { randomSearch } from '../../test/support/random-names.ts'
import { findHits, type SearchSpace } from './candidates.ts'
import { typedWord } from './score.ts'

/** Both searches use one index, and candidates are pruned in the one and not in the other. */
function expectSameBest(space: SearchSpace, typed: readonly string[], wanted: number, allowEdits: boolean): void {
  const words = typed.map((text) => typedWord(space.words, text, allowEdits, space.matchAncestors(text, allowEdits)))
  const all = findHits(space, words).ranked().slice(0, wanted)
  const best = findHits({ ...space, wanted }, words)
    .ranked()
    .slice(0, wanted)
  expect(Array.from(best)).toEqual(Array.from(all))
}

const anyWanted = fc.integer({ min: 1, max: 12 })
const noAncestors = () => []
const RUNS = { numRuns: 6_000, seed: 1_913 }

test('among names that are alike, of which some may be filtered out', () => {
  const anyStep = fc.option(fc.integer({ min: 2, max: 5 }), { nil: undefined })
  const holds = fc.property(randomSearch(60), anyWanted, anyStep, fc.boolean(), (given, wanted, step, allowEdits) => {
    const positions = Uint32Array.from(given.names.keys())
    const among = step === undefined ? undefined : positions.filter((position) => position % step !== 0)
    const space = { words: namedWords(given.names), among, matchAncestors: noAncestors }
    expectSameBest(space, given.typed, wanted, allowEdits)
  })
  fc.assert(holds, RUNS)
})

test('with ties between records that are found by different words', () => {
  // For "san la", San Lagos is as good as Santa La, and is found by another word.
  const name = fc.constantFrom('San Lagos', 'Santa La', 'San Lagos Sur', 'Santa La Sur', 'La Sur San', 'Santa Lagos')
  const anyNames = fc.array(name, { minLength: 1, maxLength: 30, size: 'max' })
  const holds = fc.property(anyNames, anyWanted, (names, wanted) => {
    const space = { words: namedWords(names), among: undefined, matchAncestors: noAncestors }
    expectSameBest(space, ['san', 'la'], wanted, false)
    expectSameBest(space, ['la', 'san'], wanted, false)
  })
  fc.assert(holds, RUNS)
})

test('with words of ancestors', () => {
  const holds = fc.property(randomSearch(40), fc.nat(), anyWanted, fc.boolean(), (given, turn, wanted, allowEdits) => {
    const { names, typed } = given
    // Some of the names are those of the parents, too.
    const parentNames = names.filter((_, position) => (position + turn) % 3 === 0)
    if (parentNames.length === 0) return
    const parents = names.map((_, position) => (position * 7 + turn) % parentNames.length)
    const matchAncestors = ancestorsIn(parents, parentNames)
    expectSameBest({ words: namedWords(names), among: undefined, matchAncestors }, typed, wanted, allowEdits)
  })
  fc.assert(holds, RUNS)
})

test('with codes', () => {
  const holds = fc.property(randomSearch(30), fc.nat(), anyWanted, (given, turn, wanted) => {
    const { names, typed } = given
    // The code of a record is a word of another.
    const codes = names.map((_, position) => names[(position + turn) % names.length]?.split(' ').at(-1) as string)
    const space = { words: namedWords(names, codes), among: undefined, matchAncestors: noAncestors }
    expectSameBest(space, typed, wanted, false)
  })
  fc.assert(holds, RUNS)
})
