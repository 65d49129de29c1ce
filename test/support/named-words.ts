// The words of made-up names and codes, laid out in memory as an index has them, and spaces to search in made of them.
import type { Language } from '../../packages/server/src/catalog/languages/language.ts'
import { spanish } from '../../packages/server/src/catalog/languages/spanish.ts'
import { wordsOf } from '../../packages/server/src/catalog/words.ts'
import type { AncestorLevel } from '../../packages/server/src/query/search/ancestor-match.ts'
import type { SearchSpace } from '../../packages/server/src/query/search/search-space.ts'
import { matchWord } from '../../packages/server/src/query/search/word-match.ts'
import { weigher, wordWeights } from '../../packages/server/src/query/search/word-weights.ts'
import { aliasWords } from '../../packages/server/src/release/aliases.ts'
import type { WordIndex } from '../../packages/server/src/release/index/index-file.ts'
import { postingsOf } from '../../packages/server/src/release/index/postings.ts'
import { wordsInMemory } from '../../packages/server/src/release/index/words-in-memory.ts'

/** One record for each name, in this order; the codes are those of the names at the same places. */
export const namedWords = (
  names: readonly string[],
  codes: readonly string[] = [],
  language: Language = spanish,
): WordIndex =>
  wordsInMemory(
    language,
    names.map(wordsOf),
    names.map((_, at) => wordsOf(codes[at] ?? '')),
  )

/** Ancestors of one generation: the parent of each record, and the names of the parents. */
export function ancestorsIn(parents: readonly number[], names: readonly string[]): AncestorLevel {
  const words = namedWords(names)
  const values = Uint32Array.from(parents)
  return {
    entity: 'parent',
    chain: [values],
    none: names.length,
    children: postingsOf(values, names.length),
    words,
    aliasesOf: () => [],
    match: (typed, tolerance) => {
      const own = matchWord(words, typed, tolerance)
      const gradeOf = (_: string, parent: number) => {
        const numbers = words.names.subarray(words.nameStarts[parent], words.nameStarts[parent + 1])
        return Math.min(...Array.from(numbers, (word) => own.grades[word] as number).filter((grade) => grade > 0))
      }
      const grades = Uint8Array.from(names.map(gradeOf), (grade) => (Number.isFinite(grade) ? grade : 0))
      const best = Math.min(...grades.filter((grade) => grade > 0))
      return Number.isFinite(best) ? { grades, words: own.grades, best } : undefined
    },
  }
}

type Given = {
  readonly names: readonly string[]
  readonly codes?: readonly string[]
  readonly among?: readonly number[] | undefined
  readonly levels?: readonly AncestorLevel[]
  readonly importance?: readonly number[]
  readonly language?: Language
  /** Aliases, each with the position of its record. */
  readonly aliases?: readonly (readonly [alias: string, position: number])[]
}

export const spaceOf = ({
  names,
  codes,
  among,
  levels,
  importance,
  aliases,
  language = spanish,
}: Given): SearchSpace => {
  const words = namedWords(names, codes, language)
  return {
    words,
    records: undefined,
    weightOf: weigher(words, language),
    weights: wordWeights(words),
    among: among === undefined ? undefined : Uint32Array.from(among),
    levels: levels ?? [],
    naming: [],
    importance: Uint8Array.from(importance ?? names.map(() => 0)),
    aliases:
      aliases === undefined
        ? undefined
        : {
            words: wordsInMemory(
              language,
              aliases.map(([alias]) => aliasWords(alias)),
            ),
            positions: Uint32Array.from(aliases, ([, position]) => position),
            aliases: aliases.map(([alias]) => ({ entity: '', code: '', alias, reason: 'so called' })),
          },
  }
}
