// The verdict on matches that are written down: every threshold, from both sides.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import type { RowMatch } from './row-matches.ts'
import { verdictOn } from './verdict.ts'

setDefaultTimeout(180_000)

const release = await releaseOf(
  smallSource(
    placesOf({
      states: [['JAL', 'JC', 'Jalisco', 14]],
      municipalities: [
        ['001', 'Tula', 14],
        ['002', 'Tula', 14],
      ],
      localities: [
        ['0001', 'Tula', 1],
        ['0001', 'Tula', 2],
      ],
    }),
  ),
)

type Given = Partial<RowMatch>
/** A match of a long name; what it costs is the cost of its own name, unless told otherwise. */
const match = ({ cost = 0, ...given }: Given, position: number): RowMatch => ({
  name: 'municipio',
  position,
  cost,
  ownCost: cost,
  letters: 12,
  how: ['exact'],
  skipped: 0,
  isPrefix: false,
  isWhole: true,
  isDoubtful: false,
  ...given,
})
const resolution = (matches: readonly Given[], isSingle = false) =>
  verdictOn(
    release,
    matches.map((given, at) => match(given, at)),
    isSingle,
  )
const verdict = (...matches: readonly Given[]) => resolution(matches).verdict

test('nothing fits where there is no match', () =>
  expect(resolution([])).toMatchObject({ verdict: 'none', record: undefined, alternatives: [] }))

describe('alone', () => {
  test.each([
    ['as it is written', { cost: 0 }, 'exact'],
    ['with next to nothing assumed', { cost: 0.05 }, 'exact'],
    ['with something assumed', { cost: 0.06 }, 'sure'],
    ['three letters, almost', { cost: 0.3, letters: 3 }, 'sure'],
    ['three letters', { cost: 0.31, letters: 3 }, 'likely'],
    ['four letters, an edit', { cost: 1.2, letters: 4 }, 'sure'],
    ['four letters, more', { cost: 1.21, letters: 4 }, 'likely'],
    ['five letters, an edit and more', { cost: 1.7, letters: 5 }, 'sure'],
    ['five letters, too much', { cost: 1.71, letters: 5 }, 'likely'],
    ['six letters, two edits', { cost: 2, letters: 6 }, 'sure'],
    ['eight letters, two edits', { cost: 2, letters: 8 }, 'sure'],
    ['eight letters, too much', { cost: 2.01, letters: 8 }, 'likely'],
    ['nine letters, more', { cost: 2.6, letters: 9 }, 'sure'],
    ['nine letters, too much', { cost: 2.61, letters: 9 }, 'likely'],
    ['what may be another name, as it is written', { cost: 0, isDoubtful: true }, 'likely'],
    ['ancestors that are misspelt', { cost: 2.3, ownCost: 0 }, 'sure'],
    ['ancestors that are others', { cost: 2.31, ownCost: 0 }, 'likely'],
    ['as much as can be', { cost: 3.4 }, 'likely'],
    ['too much', { cost: 3.41 }, 'none'],
    ['ancestors that are not named, which do not count', { cost: 3.6, ownCost: 0, skipped: 0.3 }, 'likely'],
    ['nor are they assumed', { cost: 0.3, ownCost: 0, skipped: 0.3 }, 'exact'],
  ] as const)('%s', (_, given, expected) => expect(verdict(given)).toBe(expected))
})

describe('beside another', () => {
  test.each([
    ['an exact one, and one that is a little behind', { cost: 0 }, { cost: 0.05 }, 'exact'],
    ['an exact one, and one as good', { cost: 0 }, { cost: 0.04 }, 'ambiguous'],
    ['little assumed, and one behind', { cost: 0.6 }, { cost: 0.75 }, 'sure'],
    ['little assumed, and one nearly as good', { cost: 0.6 }, { cost: 0.74 }, 'ambiguous'],
    ['from the margin on, something is assumed', { cost: 0.05 }, { cost: 0.19 }, 'ambiguous'],
    ['more assumed, and one behind', { cost: 0.61 }, { cost: 0.81 }, 'sure'],
    ['more assumed, and one nearly as good', { cost: 0.61 }, { cost: 0.8 }, 'ambiguous'],
    ['a short name with an edit, and one an edit behind', { cost: 1, letters: 6 }, { cost: 2.05 }, 'sure'],
    ['a short name with an edit, and one nearly so far', { cost: 1, letters: 6 }, { cost: 2.04 }, 'ambiguous'],
    ['a short name without an edit', { cost: 0.99, letters: 6 }, { cost: 1.19 }, 'sure'],
    ['a longer name with an edit', { cost: 1, letters: 7 }, { cost: 1.2 }, 'sure'],
    ['the same ancestors do not count', { cost: 1.2, ownCost: 0 }, { cost: 1.25, ownCost: 0.05 }, 'sure'],
    ['other ancestors do', { cost: 1.2, ownCost: 0 }, { cost: 1.25, ownCost: 0.1 }, 'ambiguous'],
    [
      'nor do they where they are others by a rounding',
      { cost: 1.2 + 1e-12, ownCost: 0 },
      { cost: 1.25, ownCost: 0.05 },
      'sure',
    ],
    ['what is cut off, and a longer name', { cost: 1, isWhole: false }, { cost: 2.5, isPrefix: true }, 'ambiguous'],
    ['what is whole, and a longer name', { cost: 1 }, { cost: 2.5, isPrefix: true }, 'sure'],
    [
      'what is whole below an ancestor that is not named, and a longer name',
      { cost: 0.3, ownCost: 0, skipped: 0.3 },
      { cost: 1.5, isPrefix: true },
      'ambiguous',
    ],
    [
      'what is cut off, and a longer name below other ancestors',
      { cost: 1, isWhole: false },
      { cost: 2.5, ownCost: 1.6, isPrefix: true },
      'sure',
    ],
    [
      'what is cut off, and a longer name that costs too little less',
      { cost: 1, isWhole: false },
      { cost: 2.5, ownCost: 1.61, isPrefix: true },
      'ambiguous',
    ],
  ] as const)('%s', (_, first, other, expected) => expect(verdict(first, other)).toBe(expected))

  test('however many others are far behind', () =>
    expect(verdict({ cost: 0 }, { cost: 2 }, { cost: 0.01 })).toBe('ambiguous'))

  test.each([
    ['must be farther behind', 0.49, 'ambiguous'],
    ['is far enough behind', 0.5, 'exact'],
  ] as const)('of a single name %s', (_, cost, expected) =>
    expect(resolution([{ cost: 0 }, { cost }], true).verdict).toBe(expected),
  )
})

describe('a namesake', () => {
  const record = (position: number) => ({ name: 'municipio', position })
  test.each([
    ['below the record is no rival', { name: 'localidad', position: 0 }, 'exact'],
    ['below another record is one', { name: 'localidad', position: 1 }, 'ambiguous'],
    [
      'below the record is one where it is written otherwise',
      { name: 'localidad', position: 0, ownCost: 0.01 },
      'ambiguous',
    ],
    ['beside the record is one', record(1), 'ambiguous'],
  ] as const)('%s', (_, other, expected) => expect(verdict(record(0), other)).toBe(expected))

  test('above the record is a rival', () =>
    expect(verdict({ name: 'localidad', position: 0 }, record(0))).toBe('ambiguous'))
})

describe('a candidate', () => {
  test.each([
    ['is best without a cost', { cost: 0 }, 1],
    ['loses a fifth of what may be lost for each edit', { cost: 1 }, 0.94],
    ['loses nothing for ancestors that are not named', { cost: 1.3, skipped: 0.3 }, 0.94],
  ])('%s', (_, given, score) => expect(resolution([given]).record?.score).toBeCloseTo(score, 9))

  test.each([
    ['sure', [{ cost: 2.6 }], 0.7, 1],
    ['likely', [{ cost: 0, isDoubtful: true }], 0, 0.7],
    ['ambiguous', [{ cost: 0 }, { cost: 0 }], 0, 0.5],
  ] as const)('that is %s has a score in its own range', (verdict, matches, from, to) => {
    const { record, ...decision } = resolution(matches)
    expect(decision.verdict).toBe(verdict)
    expect(record?.score).toBeWithin(from, to + Number.EPSILON)
  })

  test('is never worth less than nothing', () =>
    expect(resolution([{ cost: 0 }, { cost: 6 }]).alternatives[0]?.score).toBe(0))

  test.each([
    [['exact'], ['exact']],
    [['exact', 'typo'], ['typo']],
    [
      ['code', 'typo'],
      ['code', 'typo'],
    ],
  ] as const)('matches by %p: %p', (how, expected) => expect(resolution([{ how }]).record?.how).toEqual([...expected]))

  test('has five alternatives at most, in their order', () => {
    const { alternatives } = resolution([0, 1, 1.1, 1.2, 1.3, 1.4, 1.5].map((cost) => ({ cost })))
    expect(alternatives.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5])
  })
})

test('the scores of alternatives do not rise', () => {
  const matches = [match({}, 0), match({ cost: 2 }, 1), match({ cost: 3, skipped: 2 }, 0), match({ cost: 4 }, 1)]
  const scores = verdictOn(release, matches).alternatives.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})
