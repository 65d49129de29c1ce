// The words of a reading, with how far each may be from those of names, and where it is found.
import type { Words } from '../../release/index/index-file.ts'
import type { Effort } from './efforts.ts'
import type { Reading } from './readings.ts'
import {
  type Drop,
  isSomewhere,
  mayBeDropped,
  ownMatch,
  type ScoredNames,
  type TypedWord,
  typedWord,
  type WeightOf,
} from './score.ts'
import { isLight, type Tolerance } from './word-match.ts'

/** How many words may have edits: each costs a look at all words of the index. */
const MAX_FUZZY_WORDS = 10

/** How far each word of a reading may be from those of the names. */
export function tolerancesOf(
  { words, levels }: ScoredNames,
  { words: texts, asRead }: Reading,
  effort: Effort,
): Tolerance[] {
  const { tolerance, isKnownRight } = effort
  if (tolerance === 0) return texts.map(() => 0)
  const misspelt = new Set<string>()
  return texts.map((text, at) => {
    // Words that say little are not misspelt, but other words.
    const isRight = asRead.has(at) || isLight(words.language, text) || (isKnownRight && isKnown(words, levels, text))
    if (isRight || misspelt.size >= MAX_FUZZY_WORDS) return 0
    misspelt.add(text)
    return tolerance
  })
}

/** The words of a reading and where they are; undefined where one is nowhere that may not be missing, or all are in ancestors alone. */
export function typedWords(
  { words, levels }: ScoredNames,
  reading: Reading,
  tolerances: readonly Tolerance[],
  drop: Drop,
  weightOf: WeightOf,
): TypedWord[] | undefined {
  if (reading.words.every((text, at) => ownMatch(words, text, tolerances[at] as Tolerance).matching.length === 0))
    return undefined
  const used = reading.words.length === 1 ? [] : levels
  const list: TypedWord[] = []
  for (const [at, text] of reading.words.entries()) {
    const word = typedWord(words, text, tolerances[at] as Tolerance, used, weightOf)
    if (!mayBeDropped(word, drop) && !isSomewhere(word)) return undefined
    list.push(word)
  }
  return list
}

const isKnown = ({ words }: Words, levels: ScoredNames['levels'], text: string): boolean =>
  words.indexOf(text) !== undefined || levels.some((level) => level.words.words.indexOf(text) !== undefined)
