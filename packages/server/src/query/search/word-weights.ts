// How much words tell, from 0 to 1: those of an index, and those that were typed.
import { memoized } from '../../base/memoized.ts'
import type { Language } from '../../catalog/languages/language.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { SortedTexts } from '../../release/index/sorted-texts.ts'
import { isLight } from './word-match.ts'

const MIN_WEIGHT = 0.12
/** The weight of words that join others or say what a place is, wherever they are; and of those that no name has. */
const LIGHT_WEIGHT = 0.15
const UNKNOWN_WEIGHT = 0.7

/** How much each word of an index tells, from 0 to 1: the fewer records have it, the more. */
export const wordWeights = memoized(({ words, inNames, nameStarts, language }: WordIndex): Float32Array => {
  const most = Math.log(nameStarts.length + 1)
  const weights = new Float32Array(words.size)
  for (let word = 0; word < weights.length; word++) {
    const records = (inNames.starts[word + 1] as number) - (inNames.starts[word] as number)
    weights[word] = Math.max(1 - Math.log(records + 1) / most, MIN_WEIGHT)
  }
  lighten(weights, words, language)
  return weights
})

/** What the most frequent words of a language weigh is known without counting them. */
function lighten(weights: Float32Array, words: SortedTexts, { frequent }: Language): void {
  for (const one of frequent) {
    const word = words.indexOf(one)
    if (word !== undefined) weights[word] = MIN_WEIGHT
  }
}

/** The weight of a typed word, the same in all entities, so that their scores can be compared. */
export type WeightOf = (typed: string) => number

/** Weighs words by how many records of an index have them; those that say little in a language, always the same. */
export const weigher =
  (index: WordIndex, language: Language): WeightOf =>
  (typed) => {
    if (isLight(language, typed)) return LIGHT_WEIGHT
    const word = index.words.indexOf(typed)
    return word === undefined ? UNKNOWN_WEIGHT : (wordWeights(index)[word] as number)
  }

/** The weight of each word of an index as it is in another, or its own where that one does not have it. */
export function weightsBy(index: WordIndex, other: WordIndex): Float32Array {
  const otherWeights = wordWeights(other)
  const { starts } = index.inNames
  const weights = wordWeights(index).map((weight, word) => {
    // Codes may be many, and what their words weigh is never asked.
    if (starts[word] === starts[word + 1]) return weight
    const otherWord = other.words.indexOf(index.words.text(word))
    return otherWord === undefined ? weight : (otherWeights[otherWord] as number)
  })
  lighten(weights, index.words, index.language)
  return weights
}
