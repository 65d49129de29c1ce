// The records that are called exactly what was typed: by their whole name, an alias or a code, or by the beginning of their name.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import { aliasesOf } from '../../release/aliases.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import { nameEnd, nameStart, namesPerRecord } from '../../release/index/name-ranges.ts'
import { positionsWithCode } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'
import type { Alias } from '../../source/source.ts'
import { typedCodeOf } from './codes.ts'

/** By what each record is named: its name, also with abbreviations, its code, or an alias. */
export type NamedRecords = ReadonlyMap<number, NamedBy>
type NamedBy = 'exact' | 'abbreviation' | 'code' | Alias

/** More records with the same words are not looked at. */
const MAX_POSTINGS = 20_000

const MAX_CACHED = 256
const caches = memoized(
  (_: Release) =>
    new LruCache<NamedRecords>({ maxEntries: MAX_CACHED, maxWeight: MAX_POSTINGS, weightOf: ({ size }) => size }),
)

/** The records that some words name as a whole. Words that join others may be left out, and words may be abbreviated. */
export const recordsNamed = (release: Release, name: string, typed: readonly string[]): NamedRecords =>
  caches(release).get(`${name} ${typed.join(' ')}`, () => findNamed(release, name, typed))

function findNamed(release: Release, name: string, typed: readonly string[]): NamedRecords {
  const { definition, index } = release.entity(name)
  const named = new Map<number, NamedBy>()
  const { words } = index.words
  const by = typed.every((word) => words.indexOf(word) !== undefined) ? 'exact' : 'abbreviation'
  for (const position of namesThat(index.words, typed, 'whole')) named.set(position, by)
  const aliases = aliasesOf(release, name)
  if (aliases !== undefined)
    for (const at of namesThat(aliases.words, typed, 'whole')) {
      const position = aliases.positions[at] as number
      if (!named.has(position)) named.set(position, aliases.aliases[at] as Alias)
    }
  const code = typedCodeOf(definition, typed)
  if (code !== undefined)
    for (const position of positionsWithCode(release, definition, code))
      if (!named.has(position)) named.set(position, 'code')
  return named
}

/** The records whose names begin with some words, of which the last may be the beginning of one. */
export function recordsBeginning(release: Release, name: string, typed: readonly string[]): NamedRecords {
  const { words } = release.entity(name).index
  return new Map(namesThat(words, typed, 'beginning').map((position) => [position, 'exact' as const]))
}

/** How names begin: with whole words of an index, and then with one of a range. */
type Beginning = { readonly whole: readonly number[]; readonly from: number; readonly to: number }

/** How names begin that begin with some words, of which the last may be the beginning of one; undefined where none does. */
export function beginningOf({ words }: WordIndex, typed: readonly string[]): Beginning | undefined {
  const whole: number[] = []
  for (let at = 0; at < typed.length - 1; at++) {
    const word = words.indexOf(typed[at] as string)
    if (word === undefined) return undefined
    whole.push(word)
  }
  const [from, to] = words.plainRange(typed[typed.length - 1] as string)
  return from === to ? undefined : { whole, from, to }
}

export function isBegunBy({ names, nameStarts }: WordIndex, position: number, { whole, from, to }: Beginning): boolean {
  const start = nameStarts[position] as number
  if ((nameStarts[position + 1] as number) - start <= whole.length) return false
  for (let at = 0; at < whole.length; at++) if (names[start + at] !== whole[at]) return false
  const last = names[start + whole.length] as number
  return from <= last && last < to
}

/** Whether a name that begins with what was typed may have more words. */
type Extent = 'whole' | 'beginning'

/** The names that are made of what was typed, by their positions, ascending. */
function namesThat(index: WordIndex, typed: readonly string[], extent: Extent): number[] {
  const { inNames, language } = index
  const rest = typed.filter((word) => !language.isLinking(word))
  const said = rest.length === 0 ? typed : rest
  const forms = said.map((word, at) => formsOf(index, word, extent === 'beginning' && at === said.length - 1))
  const sizes = forms.map((list) => list.reduce((sum, word) => sum + postingsOf(index, word), 0))
  const size = Math.min(...sizes)
  if (size === 0 || size > MAX_POSTINGS) return []
  const count = namesPerRecord(index)
  const isLinking = linkingWords(index)
  const found = new Set<number>()
  for (const word of forms[sizes.indexOf(size)] as readonly number[])
    for (let at = inNames.starts[word] as number; at < (inNames.starts[word + 1] as number); at++) {
      const position = inNames.positions[at] as number
      for (let name = 0; name < count && !found.has(position); name++) {
        const [from, to] = [nameStart(index, position, name, count), nameEnd(index, position, name, count)]
        if (isMadeOf(index, from, to, forms, extent, rest.length === 0 ? undefined : isLinking)) found.add(position)
      }
    }
  return [...found].sort((a, b) => a - b)
}

/** Whether the words at some places are those that were typed, by the words of the index that each of these may be. */
function isMadeOf(
  { names }: WordIndex,
  from: number,
  to: number,
  forms: readonly (readonly number[])[],
  extent: Extent,
  isLinking: Uint8Array | undefined,
): boolean {
  let next = 0
  for (let place = from; place < to; place++) {
    const word = names[place] as number
    if (isLinking?.[word] === 1) continue
    const form = forms[next]
    if (form === undefined) return extent === 'beginning'
    if (!form.includes(word)) return false
    next++
  }
  return next === forms.length
}

/** A flag for each word of an index that joins others. */
const linkingWords = memoized(({ words, language }: WordIndex) =>
  Uint8Array.from({ length: words.size }, (_, word) => (language.isLinking(words.text(word)) ? 1 : 0)),
)

/** The words of the index that a typed word may be: itself, what it abbreviates, and, if it is being typed, those that begin so. */
function formsOf({ words, language }: WordIndex, typed: string, isBeingTyped: boolean): readonly number[] {
  if (isBeingTyped) {
    const [from, to] = words.plainRange(typed)
    return Array.from({ length: to - from }, (_, at) => from + at)
  }
  return [typed, ...language.otherForms(typed)].flatMap((form) => words.indexOf(form) ?? [])
}

const postingsOf = ({ inNames: { starts } }: WordIndex, word: number): number =>
  (starts[word + 1] as number) - (starts[word] as number)
