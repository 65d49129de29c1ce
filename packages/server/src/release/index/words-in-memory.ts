// The words of a few names and codes, laid out in memory as an index has them on disk.
import type { Language } from '../../catalog/languages/language.ts'
import type { WordIndex } from './index-file.ts'
import { postingsOfRecords } from './postings.ts'
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
  const [nameWords, codeWords] = [inNames, inCodes].map((records) => Uint32Array.from(records.flat())) as Pair
  const [nameStarts, codeStarts] = [inNames, inCodes].map(startsOf) as Pair
  let heard: ReturnType<typeof soundsOfWords> | undefined
  // Rows are mostly resolved without sounds.
  const sounded = () => (heard ??= soundsOfWords(sorted.length, (word) => sorted[word] as string, language))
  return {
    language,
    words: new SortedTexts(Buffer.concat(bytes), startsOf(bytes), (word) => word),
    masks: Uint32Array.from(sorted, letterMask),
    get sounds() {
      return sounded().sounds
    },
    get soundWords() {
      return sounded().soundWords
    },
    names: nameWords,
    nameStarts,
    nameEnds: undefined,
    codes: codeWords,
    codeStarts,
    inNames: postingsOfRecords(nameWords, nameStarts, sorted.length),
    inCodes: postingsOfRecords(codeWords, codeStarts, sorted.length),
  }
}

type Pair = [Uint32Array, Uint32Array]

function startsOf(lists: readonly { readonly length: number }[]): Uint32Array {
  const starts = [0]
  for (const { length } of lists) starts.push((starts.at(-1) as number) + length)
  return Uint32Array.from(starts)
}
