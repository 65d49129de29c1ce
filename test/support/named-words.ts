// The words of made-up names and codes, laid out in memory as an index has them, in the plainest way.
import { wordsOf } from '../../src/catalog/words.ts'
import type { MatchAncestors } from '../../src/find/ancestor-match.ts'
import { matchWord } from '../../src/find/word-match.ts'
import type { Words } from '../../src/release/index/index-file.ts'
import { letterMask } from '../../src/release/index/letters.ts'
import type { Postings } from '../../src/release/index/postings.ts'
import { SortedTexts } from '../../src/release/index/sorted-texts.ts'

/** One record for each name, in this order; the codes are those of the names at the same places. */
export function namedWords(names: readonly string[], codes: readonly string[] = []): Words {
  const nameWords = names.map(wordsOf)
  const codeWords = names.map((_, at) => wordsOf(codes[at] ?? ''))
  const sorted = [...new Set([...nameWords, ...codeWords].flat())].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )
  const numbers = new Map(sorted.map((word, number) => [word, number]))
  const numbered = (records: readonly string[][]) =>
    records.map((words) => words.map((word) => numbers.get(word) as number))
  const [inNames, inCodes] = [numbered(nameWords), numbered(codeWords)]
  return {
    words: new SortedTexts(
      Buffer.from(sorted.join('')),
      startsOf(sorted.map((word) => Buffer.from(word))),
      (word) => word,
    ),
    masks: Uint32Array.from(sorted, letterMask),
    names: Uint32Array.from(inNames.flat()),
    nameStarts: startsOf(inNames),
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

function postingsOf(records: readonly number[][], words: number): Postings {
  const lists: number[][] = Array.from({ length: words }, () => [])
  for (const [position, numbers] of records.entries()) {
    for (const number of new Set(numbers)) lists[number]?.push(position)
  }
  return { starts: startsOf(lists), positions: Uint32Array.from(lists.flat()) }
}

/** Ancestors of one generation: the parent of each record, and the names of the parents. */
export function ancestorsIn(parents: readonly number[], names: readonly string[]): MatchAncestors {
  const words = namedWords(names)
  const lists = names.map((_, parent) => parents.flatMap((one, position) => (one === parent ? position : [])))
  const starts = Uint32Array.from([0, ...lists.keys()].map((_, at) => lists.slice(0, at).flat().length))
  const children = { starts, positions: Uint32Array.from(lists.flat()) }
  return (typed, allowEdits) => {
    const { grades } = matchWord(words, typed, allowEdits)
    const gradeOf = (_: string, parent: number) => {
      const own = words.names.subarray(words.nameStarts[parent], words.nameStarts[parent + 1])
      return Math.min(...Array.from(own, (word) => grades[word] as number).filter((grade) => grade > 0))
    }
    const best = Uint8Array.from(names.map(gradeOf), (grade) => (Number.isFinite(grade) ? grade : 0))
    return best.some((grade) => grade > 0) ? [{ parents: Uint32Array.from(parents), children, grades: best }] : []
  }
}
