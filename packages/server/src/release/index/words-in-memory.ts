// The words of a few names and codes, laid out in memory as an index has them on disk.
import type { Language } from '../../catalog/languages/language.ts'
import type { WordIndex } from './index-file.ts'
import type { Postings } from './postings.ts'
import { SortedTexts } from './sorted-texts.ts'
import { letterMask, soundsOfWords } from './word-keys.ts'

/** The folded words of the name of each record, and those of its codes. */
export function wordsInMemory(
  language: Language,
  names: readonly (readonly string[])[],
  codes: readonly (readonly string[])[] = [],
): WordIndex {
  const codesOfEach = names.map((_, at) => codes[at] ?? [])
  const distinct = new Set([...names, ...codesOfEach].flat())
  const bytes = Array.from(distinct, (word) => Buffer.from(word)).sort(Buffer.compare)
  const sorted = bytes.map(String)
  const numbers = new Map(sorted.map((word, number) => [word, number]))
  const numbered = (records: readonly (readonly string[])[]) =>
    records.map((words) => words.map((word) => numbers.get(word) as number))
  const [inNames, inCodes] = [numbered(names), numbered(codesOfEach)]
  let sounds: ReturnType<typeof soundsOfWords> | undefined
  // Rows are mostly resolved without them.
  const heard = () => {
    sounds ??= soundsOfWords(sorted.length, (word) => sorted[word] as string, language)
    return sounds
  }
  return {
    language,
    words: new SortedTexts(Buffer.concat(bytes), startsOf(bytes), (word) => word),
    masks: Uint32Array.from(sorted, letterMask),
    get sounds() {
      return heard().sounds
    },
    get soundWords() {
      return heard().soundWords
    },
    names: Uint32Array.from(inNames.flat()),
    nameStarts: startsOf(inNames),
    nameEnds: undefined,
    codes: Uint32Array.from(inCodes.flat()),
    codeStarts: startsOf(inCodes),
    inNames: postingsOf(inNames, sorted.length),
    inCodes: postingsOf(inCodes, sorted.length),
  }
}

function startsOf(lists: readonly { readonly length: number }[]): Uint32Array {
  const starts = [0]
  for (const { length } of lists) starts.push((starts.at(-1) as number) + length)
  return Uint32Array.from(starts)
}

function postingsOf(records: readonly (readonly number[])[], words: number): Postings {
  const lists: number[][] = Array.from({ length: words }, () => [])
  for (const [position, numbers] of records.entries()) {
    for (const number of new Set(numbers)) lists[number]?.push(position)
  }
  return { starts: startsOf(lists), positions: Uint32Array.from(lists.flat()) }
}
