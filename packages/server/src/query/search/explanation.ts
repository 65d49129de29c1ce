// How a record was matched: in which ways, by which words and names of it, and which typed words it does not have.
import type { NamingField } from '../../catalog/languages/languages.ts'
import type { Alias } from '../../source/source.ts'
import type { MatchKind } from './word-match.ts'

/** In which ways typed words may match, the surest first. */
export const HOW = [
  'exact',
  'code',
  'alias',
  'abbreviation',
  'prefix',
  'by-ear',
  'typo',
  'glued',
  'dropped-words',
] as const satisfies readonly (MatchKind | 'glued' | 'dropped-words')[]
export type How = (typeof HOW)[number]

/** Some ways in their order; `exact` only where there is no other. */
export function howOf(ways: Iterable<How>): How[] {
  const all = new Set(ways)
  return HOW.filter((one) => all.has(one) && (one !== 'exact' || all.size === 1))
}

/** An alias by which a record was found, and the entity of its ancestor where the alias is that one's. */
export type AliasMatch = { readonly entity: string | undefined; readonly alias: Alias }

/** How a record was matched. */
export type Explanation = {
  /** All ways in which words matched; `exact` only where there is no other. */
  readonly how: readonly How[]
  /** The typed words that the record does not have. */
  readonly dropped: readonly string[]
  /** The words of its own name that were matched, folded. */
  readonly matched: readonly string[]
  /** Which of its names that is, where it has several that are matched apart. */
  readonly matchedName: NamingField | undefined
  readonly aliases: readonly AliasMatch[]
}

/** Of a record that was found by its code. */
export const BY_CODE: Explanation = { how: ['code'], dropped: [], matched: [], matchedName: undefined, aliases: [] }
