// That the lower bounds of a score are lower bounds, and that both ways to compute a score agree.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { namedWords } from '../../test/support/named-words.ts'
import { type RandomSearch, randomSearch } from '../../test/support/random-names.ts'
import type { Words } from '../release/index/index-file.ts'
import type { AncestorMatch } from './ancestor-match.ts'
import {
  gradesAt,
  inexactLowerBound,
  NO_MATCH,
  ONE_EDIT,
  scoreLowerBound,
  scoreOf,
  scoreOfSingle,
  typedWord,
} from './score.ts'
import { EDITS, EXACT } from './word-match.ts'

const RUNS = { numRuns: 3_000, seed: 1_913 }

/** Ancestors with the same words: the parent of a record is the one before it. */
function ancestorsOf(words: Words, grades: Uint8Array): AncestorMatch[] {
  const count = words.nameStarts.length - 1
  const parents = Uint32Array.from({ length: count }, (_, position) => (position + count - 1) % count)
  const gradeOf = (_: unknown, parent: number) =>
    Math.max(...nameOf(words, parent).map((word) => grades[word] as number))
  const children = { starts: new Uint32Array(count + 1), positions: new Uint32Array() }
  return [{ parents, children, grades: Uint8Array.from({ length: count }, gradeOf) }]
}

const nameOf = ({ names, nameStarts }: Words, position: number): number[] =>
  Array.from(names.subarray(nameStarts[position], nameStarts[position + 1]))

/** Every record that matches, with its score. */
function scored({ names, typed }: RandomSearch, allowEdits: boolean, withAncestors: boolean) {
  const words = namedWords(names)
  const known = typed.map((text) => {
    const own = typedWord(words, text, allowEdits, [])
    return withAncestors ? { ...own, ancestors: ancestorsOf(words, own.grades) } : own
  })
  const records = names.map((_, position) => ({
    position,
    name: nameOf(words, position),
    score: scoreOf(words, known, position),
  }))
  return { words, known, records: records.filter(({ score }) => score !== NO_MATCH) }
}

const distinct = (search: RandomSearch): RandomSearch => ({ ...search, typed: [...new Set(search.typed)] })
const anySearch = randomSearch(12).map(distinct)

describe('a lower bound is never above the score', () => {
  test('by the first words and the length of a name', () => {
    const holds = fc.property(anySearch, fc.boolean(), fc.boolean(), (search, allowEdits, withAncestors) => {
      const { known, records } = scored(search, allowEdits, withAncestors)
      for (const { name, score } of records) {
        for (const place of name.keys()) {
          const grade = gradesAt(place, known)?.[name[place] as number]
          if (grade === undefined) continue
          expect(scoreLowerBound(grade, name.length, known.length)).toBeLessThanOrEqual(score)
        }
      }
    })
    fc.assert(holds, RUNS)
  })

  test('by how many typed words are not in the name themselves', () => {
    const holds = fc.property(anySearch, fc.boolean(), (search, allowEdits) => {
      const { known, records } = scored(search, allowEdits, false)
      for (const { name, score } of records) {
        const inexact = known.filter(({ grades }) => !name.some((word) => grades[word] === EXACT))
        expect(inexactLowerBound(inexact.length)).toBeLessThanOrEqual(score)
      }
    })
    fc.assert(holds, RUNS)
  })

  test('by an edit of a single typed word, and the name', () => {
    const single = randomSearch(12).map(({ names, typed }) => ({ names, typed: typed.slice(0, 1) }))
    const holds = fc.property(single, (search) => {
      const { known, records } = scored(search, true, false)
      const grades = known[0]?.grades as Uint8Array
      for (const { name, score } of records) {
        if (name.some((word) => grades[word] !== 0 && EDITS[grades[word] as number] === 0)) continue
        const bound = scoreLowerBound(grades[name[0] as number] as number, name.length, 1)
        expect(ONE_EDIT + bound).toBeLessThanOrEqual(score)
      }
    })
    fc.assert(holds, RUNS)
  })
})

test('a single word has the same score in both ways to compute it', () => {
  const holds = fc.property(randomSearch(12), fc.boolean(), ({ names, typed }, allowEdits) => {
    const words = namedWords(names)
    const known = typedWord(words, typed[0] as string, allowEdits, [])
    for (const position of names.keys())
      expect(scoreOfSingle(words, known.grades, position)).toBe(scoreOf(words, [known], position))
  })
  fc.assert(holds, RUNS)
})
