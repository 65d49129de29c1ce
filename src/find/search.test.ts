// What a search finds, what comes first, and that looking only for the best finds the same best.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { namedWords } from '../../test/support/named-words.ts'
import { wordsOf } from '../catalog/words.ts'
import type { Search } from './hits.ts'
import { bestFirst } from './ranking.ts'
import { search } from './search.ts'
import { matchWord } from './word-match.ts'

type Given = {
  readonly names: readonly string[]
  readonly codes?: readonly string[]
  readonly among?: readonly number[]
}

const whereOf = ({ names, codes, among }: Given): Search => ({
  words: namedWords(names, codes),
  among: among === undefined ? undefined : Uint32Array.from(among),
  above: () => [],
})

/** The names found, best first. */
function found(given: Given, typed: string, where = whereOf(given)): string[] {
  return Array.from(bestFirst(search(where, wordsOf(typed))), (position) => given.names[position] as string)
}

describe('order', () => {
  const cases: [string, string, string[]][] = [
    [
      'the name itself, its words in another order, names that begin so, others with the words',
      'san juan',
      [...['San Juan', 'Juan San', 'San Juan Viejo', 'El San Juan']],
    ],
    ['whole words before beginnings', 'tula', ['Tula', 'Tula Vieja', 'Tulancingo', 'Villa Tula', 'Villa Tulares']],
    ['fewer other words first', 'rio', ['Río Seco', 'Río de Oro', 'Río de la Villa', 'El Río']],
    ['no typing error before one, and one before two', 'veracruz', ['Veracruz', 'Veracrus', 'Veracuzz']],
    ['those as good as one another as they come', 'monte', ['Monte Alto', 'Monte Bajo']],
  ]
  test.each(cases)('%s', (_what, typed, expected) => {
    expect(found({ names: expected }, typed)).toEqual(expected)
    // Whatever the order of the records, if none is as good as another.
    if (!typed.startsWith('monte')) expect(found({ names: expected.toReversed() }, typed)).toEqual(expected)
  })
})

describe('what is found', () => {
  const names = ['León', 'Nuevo León', 'Leonardo', 'Tampico', 'Tampico Alto', 'Altamira']
  const codes = ['001', '002', '003', '004', '005', 'leon']
  test.each([
    ['a word anywhere', 'leon', ['León', 'Leonardo', 'Nuevo León']],
    ['all words, in any order', 'alto tampico', ['Tampico Alto']],
    ['beginnings of words', 'nu le', ['Nuevo León']],
    ['a word with a typing error', 'tmapico', ['Tampico', 'Tampico Alto']],
    ['nothing where one word is nowhere', 'leon xyz', []],
  ])('%s', (_what, typed, expected) => expect(found({ names }, typed)).toEqual(expected))

  test('a code as good as a name', () =>
    expect(found({ names, codes }, 'leon')).toEqual(['León', 'Altamira', 'Leonardo', 'Nuevo León']))
  test('no code with a typing error', () =>
    expect(found({ names: ['Uno', 'Dos'], codes: ['12345', '12346'] }, '12344')).toEqual([]))
  test('only records that count', () =>
    expect(found({ names, among: [1, 2, 3] }, 'leon')).toEqual(['Leonardo', 'Nuevo León']))
  test('typing errors are not forgiven where enough is found without', () => {
    const many = ['Lerma', 'Lerma Uno', 'Lerma Dos', 'Lerma Tres', 'Lerma Cuatro', 'Lermas Viejas', 'Lorma']
    expect(found({ names: many }, 'lerma')).not.toContain('Lorma')
    expect(found({ names: many.slice(2) }, 'lerma')).toContain('Lorma')
  })
})

describe('with words of records above', () => {
  const names = ['Tuxpan', 'Tuxpan', 'Veracruz', 'Tampico', 'Nayarit Tuxpan Viejo']
  // The first two are in Veracruz and Nayarit, and so on.
  const states = ['Veracruz', 'Nayarit', 'Veracruz', 'Veracruz', 'Jalisco']
  const above = namedWords(states)
  const where: Search = {
    ...whereOf({ names }),
    above: (typed, forgiving) => {
      const { grades } = matchWord(above, typed, forgiving)
      const values = Uint32Array.from(states, (_, at) => at)
      const best = Uint8Array.from(states, (_, at) => grades[above.names[at] as number] as number)
      return [{ values, positions: values, starts: Uint32Array.from([...values, values.length]), grades: best }]
    },
  }
  const positions = (typed: string) => Array.from(bestFirst(search(where, wordsOf(typed))))

  test.each([
    ['a name and what is above it', 'tuxpan nayarit', [1, 4]],
    ['in another order', 'veracruz tuxpan', [0]],
    ['a typing error above', 'tuxpan naayrit', [1, 4]],
    ['not only what is above', 'veracruz veracruz', [2]],
  ])('%s', (_what, typed, expected) => expect(positions(typed)).toEqual(expected))
})

test('the best so many are those of all', () => {
  const word = fc.constantFrom('san', 'santa', 'juan', 'de', 'la', 'lagos', 'lagas', 'sur', 's')
  const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
  const plain = fc.array(fc.constantFrom('s', 'san', 'sa', 'la', 'l', 'juan', 'de', 'd'), {
    minLength: 1,
    maxLength: 3,
  })
  const mistyped = fc.constantFrom(['juna'], ['lagps'], ['snata'], ['juana'], ['la', 'juna'], ['lagps', 'de'])
  // Both words of many names, and the beginnings of others that are as good as one another.
  const both = fc.constantFrom(['san', 'la'], ['la', 'san'])
  const typed = fc.oneof(plain, both, mistyped)
  // Enough records that most are passed over.
  const names = fc.array(name, { minLength: 2_500, maxLength: 3_000 })
  const holds = fc.property(
    names,
    typed,
    fc.integer({ min: 1, max: 80 }),
    fc.boolean(),
    (given, words, enough, some) => {
      const among = some ? Uint32Array.from(given.keys()).filter((position) => position % 3 !== 0) : undefined
      const where = { ...whereOf({ names: given }), among }
      const all = bestFirst(search(where, words)).slice(0, enough)
      const best = bestFirst(search({ ...where, enough: Math.max(enough, 5) }, words), enough)
      expect(Array.from(best)).toEqual(Array.from(all))
    },
  )
  fc.assert(holds, { numRuns: 60, endOnFailure: true })
})
