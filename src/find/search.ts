// Searches the names and codes of one entity: every word typed must be in a record, in any order; the best come first.
import type { Words } from '../release/index/index-file.ts'
import { Candidates } from './candidates.ts'
import type { Hits, Search, WordAbove } from './hits.ts'
import type { TypedWord } from './score.ts'
import { matchWord, recordsOf } from './word-match.ts'

/** With fewer hits than this, more is forgiven. */
export const TOO_LITTLE = 5

const nothingAbove: WordAbove = () => []

/** Words as folded. Where few are found as they were typed, words with typing errors count too. */
export function search(where: Search, typed: readonly string[]): Hits {
  const plain = searchPlainly(where, typed)
  return plain.positions.length >= TOO_LITTLE ? plain : searchForgivingly(where, typed)
}

/** Where few have all the words themselves, some of the words may be those of a record above. */
export function searchPlainly(where: Search, typed: readonly string[]): Hits {
  const { words, above } = where
  const own = typed.map((word) => typedWord(words, word, nothingAbove, false))
  const hits = new Candidates(where, own).hits()
  if (hits.positions.length >= TOO_LITTLE || typed.length === 1) return hits
  const wider = own.map((word, at) => ({ ...word, above: above(typed[at] as string, false) }))
  return wider.some((word) => word.above.length > 0) ? new Candidates(where, wider).hits() : hits
}

const NOTHING: Hits = { positions: new Uint32Array(), scores: new Uint16Array(), inOrder: true }

/** With typing errors, in the words themselves and in those of records above. */
export function searchForgivingly(where: Search, typed: readonly string[]): Hits {
  const above = typed.length === 1 ? nothingAbove : where.above
  const forgiven = new Map<string, TypedWord>()
  // The longest are the rarest, and one that is nowhere spares looking for the others.
  for (const word of typed.toSorted((a, b) => b.length - a.length)) {
    const known = typedWord(where.words, word, above, true)
    if (known.matching.length === 0 && known.above.length === 0) return NOTHING
    forgiven.set(word, known)
  }
  return new Candidates(
    where,
    typed.map((word) => forgiven.get(word) as TypedWord),
  ).hits()
}

function typedWord(words: Words, typed: string, above: WordAbove, forgiving: boolean): TypedWord {
  const match = matchWord(words, typed, forgiving)
  return {
    ...match,
    text: typed,
    inNames: recordsOf(match, words.inNames),
    inCodes: recordsOf(match, words.inCodes),
    above: above(typed, forgiving),
  }
}
