// Searches the names and codes of one entity: every word typed must be in a record, in any order; the best come first.
import type { Words } from '../release/index/index-file.ts'
import { EDITS, EXACT, matchWord, PARTIAL, recordsOf, type WordMatch } from './word-match.ts'

/** What was found, not yet in order. */
export type Hits = {
  readonly positions: Uint32Array
  /** For each position of the entity; the lower, the better. */
  readonly scores: Uint16Array
}

/** With fewer hits than this, more is forgiven. */
const TOO_LITTLE = 5

/** Which values of a column stand for a record, above the one that has it, in which the word is. */
export type Above = { readonly values: Uint32Array; readonly flags: Uint8Array }
export type WordAbove = (typed: string, forgiving: boolean) => readonly Above[]

type Typed = WordMatch & { readonly above: readonly Above[]; readonly records: number }

/**
 * Words as folded; only records that are wanted count. Where few have all the words themselves, some of the words may be
 * those of a record above; where there are few even so, words with typing errors count too.
 */
export function search(
  words: Words,
  typed: readonly string[],
  isWanted: (position: number) => boolean,
  above: WordAbove,
): Hits {
  const own = searchOnce(words, typed, isWanted, () => [], false)
  if (own.positions.length >= TOO_LITTLE) return own
  const wider = typed.length === 1 ? own : searchOnce(words, typed, isWanted, above, false)
  if (wider.positions.length >= TOO_LITTLE) return wider
  return searchOnce(words, typed, isWanted, typed.length === 1 ? () => [] : above, true)
}

function searchOnce(
  words: Words,
  typed: readonly string[],
  isWanted: (position: number) => boolean,
  above: WordAbove,
  forgiving: boolean,
): Hits {
  const lists = [words.inNames, words.inCodes]
  const matches = typed.map((word): Typed => {
    const match = matchWord(words, word, forgiving)
    return { ...match, above: above(word, forgiving), records: recordsOf(match, lists) }
  })
  const scores = new Uint16Array(words.nameStarts.length - 1).fill(NOT_SEEN)
  const naming = namingOf(matches, scores.length)
  const positions = new Uint32Array(naming.reduce((sum, { records }) => sum + records, 0))
  let found = 0
  for (const { starts, positions: owners } of lists) {
    for (const { matching } of naming) {
      for (const word of matching) {
        const end = starts[word + 1] as number
        for (let at = starts[word] as number; at < end; at++) {
          const position = owners[at] as number
          if (scores[position] !== NOT_SEEN) continue
          const score = isWanted(position) ? scoreOf(words, matches, position) : NO_MATCH
          scores[position] = score
          if (score !== NO_MATCH) positions[found++] = position
        }
      }
    }
  }
  return { positions: positions.subarray(0, found), scores }
}

/** A word that so many of the records have names no candidates if any other word can. */
const COMMON = 1 / 8

/**
 * The words that name the candidates: the rarest of those that a record must have itself; or, if each of them may be
 * that of a record above, all that are not common.
 */
function namingOf(matches: readonly Typed[], count: number): readonly Typed[] {
  const byRarity = matches.toSorted((a, b) => a.records - b.records)
  const needed = byRarity.find(({ above }) => above.length === 0)
  if (needed !== undefined) return [needed]
  const rare = byRarity.filter(({ records }) => records < count * COMMON)
  return rare.length === 0 ? byRarity.slice(0, 1) : rare
}

export const SCORES = 1 << 15
const NO_MATCH = 0xfffe
const NOT_SEEN = 0xffff

/** How the words of a record stand to those typed, best first. */
const WHOLE = 0
const BEGINS = 1
const ALL_EXACT = 2
const OTHERWISE = 3

/**
 * From the most to the least weighty: how many edits, how the record's words stand to those typed, how many words were
 * typed in part, whether the first word of the name is among them, and how many words the name has besides.
 */
function scoreOf({ names, nameStarts, codes, codeStarts }: Words, matches: readonly Typed[], position: number) {
  const from = nameStarts[position] as number
  const to = nameStarts[position + 1] as number
  const codesTo = codeStarts[position + 1] as number
  let edits = 0
  let partial = 0
  let inOrder = true
  let first = 1
  let isCode = false
  for (let at = 0; at < matches.length; at++) {
    const { grades, above } = matches[at] as Typed
    let best = 0
    for (let place = from; place < to; place++) {
      const grade = grades[names[place] as number] as number
      if (grade === 0 || (best !== 0 && grade >= best)) continue
      best = grade
      if (place === from) first = 0
      if (grade === EXACT) break
    }
    if (best !== EXACT) {
      for (let place = codeStarts[position] as number; place < codesTo; place++) {
        const grade = grades[codes[place] as number] as number
        // A mistyped code is another code.
        if (grade === 0 || EDITS[grade] !== 0 || (best !== 0 && grade >= best)) continue
        best = grade
        if (grade === EXACT) isCode = true
      }
    }
    if (best === 0) {
      if (!isAbove(above, position)) return NO_MATCH
      partial++
      inOrder = false
      continue
    }
    edits += EDITS[best] as number
    partial += PARTIAL[best] as number
    if (inOrder && grades[names[from + at] as number] !== best) inOrder = false
    if (from + at >= to) inOrder = false
  }
  const besides = Math.max(to - from - matches.length, 0)
  const isWhole = (inOrder && partial === 0 && besides === 0) || (isCode && matches.length === 1)
  const stands = isWhole ? WHOLE : inOrder ? BEGINS : partial === 0 ? ALL_EXACT : OTHERWISE
  return (
    (Math.min(edits, 7) << 12) | (stands << 10) | (Math.min(partial, 7) << 7) | (first << 6) | Math.min(besides, 63)
  )
}

function isAbove(above: readonly Above[], position: number): boolean {
  for (const { values, flags } of above) if (flags[values[position] as number] === 1) return true
  return false
}
