// The typed words: how far each may be from those of names, where it is found, and what it weighs.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { Postings } from '../../release/index/postings.ts'
import type { AncestorLevel, LevelMatch } from './ancestor-match.ts'
import type { Drop, Effort } from './efforts.ts'
import type { Reading } from './readings.ts'
import { isLight, isMatchedAsTyped, matchWord, type Tolerance, type WordMatch } from './word-match.ts'
import type { WeightOf } from './word-weights.ts'

/** A typed word, and where it is found. */
export type TypedWord = WordMatch & {
  readonly text: string
  /** How many entries the posting lists of the matching words have. */
  readonly inNames: number
  readonly inCodes: number
  /** How it matches each level of ancestors. */
  readonly levels: readonly (LevelMatch | undefined)[]
  readonly weight: number
  readonly isLight: boolean
  /** The matching words by grade, the best first. */
  readonly byGrade: readonly GradedWords[]
}

type GradedWords = { readonly grade: number; readonly words: readonly number[] }

export const typedWord = (
  words: WordIndex,
  text: string,
  tolerance: Tolerance,
  levels: readonly AncestorLevel[],
  weightOf: WeightOf,
): TypedWord => ({
  ...ownMatch(words, text, tolerance),
  text,
  isLight: isLight(words.language, text),
  levels: levels.map((level) => level.match(text, tolerance)),
  weight: weightOf(text),
})

/** Where a typed word is found in the names and codes of an index. */
type OwnMatch = WordMatch & Pick<TypedWord, 'inNames' | 'inCodes' | 'byGrade'>

const MAX_CACHED = 128
const matchCaches = memoized((_: WordIndex) => new LruCache<OwnMatch>({ maxEntries: MAX_CACHED }))

/** The words before the one that is being typed come again with its every letter. */
function ownMatch(words: WordIndex, text: string, tolerance: Tolerance): OwnMatch {
  // Most indexes do not have a typed word, which is sooner known than cached.
  if (tolerance === 0 && !isMatchedAsTyped(words, text)) return unmatchedIn(words)
  return matchCaches(words).get(`${tolerance} ${text}`, () => {
    const match = matchWord(words, text, tolerance)
    return {
      ...match,
      inNames: entriesOf(match.matching, words.inNames),
      inCodes: entriesOf(match.matching, words.inCodes),
      byGrade: byGrade(match),
    }
  })
}

const unmatchedIn = memoized(({ words }: WordIndex): OwnMatch => {
  const grades = new Uint8Array(words.size)
  return { grades, matching: [], exact: undefined, inNames: 0, inCodes: 0, byGrade: [] }
})

function byGrade({ grades, matching }: WordMatch): GradedWords[] {
  const lists: { readonly grade: number; readonly words: number[] }[] = []
  for (let at = 0; at < matching.length; at++) {
    const word = matching[at] as number
    const grade = grades[word] as number
    const list = lists.find((one) => one.grade === grade)
    if (list === undefined) lists.push({ grade, words: [word] })
    else list.words.push(word)
  }
  return lists.sort((a, b) => a.grade - b.grade)
}

function entriesOf(words: readonly number[], { starts }: Postings): number {
  let entries = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number
    entries += (starts[word + 1] as number) - (starts[word] as number)
  }
  return entries
}

/** Whether a typed word is found anywhere. */
const isSomewhere = ({ matching, levels }: TypedWord): boolean =>
  matching.length > 0 || levels.some((level) => level !== undefined)

/** Whether a record may lack a typed word. */
export const mayBeDropped = ({ isLight }: TypedWord, drop: Drop): boolean =>
  drop === 'any' || (drop === 'light' && isLight)

/** Where typed words are looked for: in the names of an index, and in those of ancestors. */
type SearchedNames = { readonly words: WordIndex; readonly levels: readonly AncestorLevel[] }

/** How many words may have edits: each costs a look at all words of the index. */
const MAX_FUZZY_WORDS = 10

/** How far each word of a reading may be from those of the names. */
export function tolerancesOf(
  { words, levels }: SearchedNames,
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
  { words, levels }: SearchedNames,
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

const isKnown = ({ words }: WordIndex, levels: SearchedNames['levels'], text: string): boolean =>
  words.indexOf(text) !== undefined || levels.some((level) => level.words.words.indexOf(text) !== undefined)
