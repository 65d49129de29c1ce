// The search of a text whose last parts name ancestors to the letter, as "Palenque, Villaflores, Chiapas": these are certain, and the
// record is looked for below them. Where no comma tells the parts apart, the last words may name the parent, or two ancestors.
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { wordsOf } from '../../catalog/words.ts'
import { aliasesOf } from '../../release/aliases.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { Release } from '../../release/release.ts'
import type { Filter } from '../filter.ts'
import { positionsWhere } from '../filter.ts'
import type { Near } from '../near.ts'
import { type AncestorLevel, ancestorAt, ancestorLevels } from './ancestor-match.ts'
import { effortsFor, ONLY_AS_TYPED } from './efforts.ts'
import { type Explanation, howOf } from './explanation.ts'
import { beginningOf, isBegunBy, type NamedRecords, recordsBeginning, recordsNamed } from './named-records.ts'
import { type TypedPart, typedParts } from './parts.ts'
import { plainReadings } from './readings.ts'
import { type Scope, type SearchResult, searchAcross, searchAmong } from './search.ts'

/** A level of ancestors that a part names, and which of them it may mean. */
type Anchor = { readonly level: AncestorLevel; readonly at: number; readonly named: NamedRecords }

/** How many parts of a text are read as a record and what it is below. */
const MAX_PARTS = 5
/** Without commas, how many words a text may have of which the last are tried as the name of the parent. */
const MAX_LOOSE_WORDS = 8
/** The least quality of the first part's match; with less, the record is not there. */
const MIN_QUALITY = 0.6
/** The score that each generation takes which is left out between two that are named, and that the nearest takes. */
const SKIP_COST = 0.08
const FIRST_SKIP_COST = 0.01
/** The score that it takes to read several parts as names of the same, or as one name. */
const ONCE_COST = 0.16
/** What is left of the score where the first part is dropped. */
const DROPPED_SHARE = 0.7
/** The share of a missing score that is added where the beginning of a name was typed, letter by letter, and its whole parent. */
const BEGINNING_BONUS = 0.4
/** What of it the part of the name takes that was not typed. */
const UNTYPED_SHARE = 0.3
/** How many records below a parent may have such a name. */
const MAX_BEGINNINGS = 50

/** Searches for what a text means: as in a search for its words, and by its parts where these name ancestors. */
export function searchText(release: Release, text: string, scope: Scope, limit: number, near?: Near): SearchResult[] {
  // The nearest are found among all hits.
  if (near !== undefined) return searchAcross(release, wordsOf(text), scope, limit, near)
  const [parts, words] = [partsOf(release, text, scope), wordsOf(text)]
  const results = rankParts(release, parts, words, scope, limit)
  return parts.length < 2 ? results : merged(results, namedAsWhole(release, words, scope, limit), limit)
}

/** The records that all words together name: a comma may also stand within a name. */
function namedAsWhole(release: Release, words: readonly string[], scope: Scope, limit: number): SearchResult[] {
  const isNamed = (name: string) => recordsNamed(release, name, words).size > 0
  if (!scope.some(([name]) => isNamed(name))) return []
  return searchAcross(release, words, scope, limit)
    .filter(({ name, position }) => recordsNamed(release, name, words).has(position))
    .map((result) => ({ ...result, score: result.score - ONCE_COST }))
}

function rankParts(
  release: Release,
  parts: readonly TypedPart[],
  words: readonly string[],
  scope: Scope,
  limit: number,
): SearchResult[] {
  const general = () => searchAcross(release, words, scope, limit)
  if (parts.length > 1 && parts.length <= MAX_PARTS) {
    const found = searchParts(release, parts, scope, limit)
    const score = found?.[0]?.score ?? 0
    const once = score < 1 - ONCE_COST ? namedOnce(release, parts, scope) : undefined
    if (once === undefined && found !== undefined && !mayMeanDistant(release, parts, scope)) return found
    const others = once === undefined ? general() : rankParts(release, once, once.flatMap(wordsIn), scope, limit)
    const cost = once === undefined ? SKIP_COST : ONCE_COST
    return found === undefined || (others[0]?.score ?? 0) - cost > score ? others : found
  }
  if (parts.length > 1 || words.length < 2 || words.length > MAX_LOOSE_WORDS) return general()
  const instead = () => searchTails(release, words, scope, limit)
  const loose = merged(
    searchLoosely(release, words, scope),
    searchAcross(release, words, scope, limit, undefined, { instead }),
    limit,
  )
  const score = loose[0]?.score ?? 0
  const once = score < 1 - SKIP_COST ? saidOnce(release, words, scope) : undefined
  const others = once === undefined ? [] : searchAcross(release, once, scope, limit)
  return (others[0]?.score ?? 0) - SKIP_COST > score ? others : loose
}

/** How many records a list has at most whose names are said twice, and how many words the second name has. */
const MAX_SAID_TWICE = 300
const MAX_AGAIN = 2

/** The last words, where they are another name for what the words before them name, as "Ciudad de México DF". */
function saidOnce(release: Release, words: readonly string[], scope: Scope): readonly string[] | undefined {
  for (const [name] of scope) {
    if (release.entity(name).count > MAX_SAID_TWICE) continue
    for (let at = words.length - 1; at >= Math.max(1, words.length - MAX_AGAIN); at--) {
      const last = words.slice(at)
      const named = recordsNamed(release, name, last)
      if (named.size === 0) continue
      const before = recordsNamed(release, name, words.slice(0, at))
      if ([...before.keys()].some((position) => named.has(position))) return last
    }
  }
  return undefined
}

const wordsIn = ({ words }: TypedPart) => words

/** The parts without the first, where it is another name for what the second names, as "Mexico City, CDMX"; as one, where both are one alias. */
function namedOnce(
  release: Release,
  [first, second, ...rest]: readonly TypedPart[],
  scope: Scope,
): TypedPart[] | undefined {
  if (first === undefined || second === undefined) return undefined
  const isAlias = (by: unknown) => typeof by === 'object'
  const joined = (words: readonly string[]) => plainReadings(words).at(-1)?.words ?? words
  const both = joined([...first.words, ...second.words])
  for (const [name] of scope) {
    if (aliasesOf(release, name) === undefined) continue
    const named = recordsNamed(release, name, joined(second.words))
    for (const [position, by] of recordsNamed(release, name, first.words)) {
      const other = named.get(position)
      if (other !== undefined && (isAlias(by) || isAlias(other))) return [second, ...rest]
    }
    if ([...recordsNamed(release, name, both).values()].some(isAlias))
      return [{ words: both, entity: undefined }, ...rest]
  }
  return undefined
}

/**
 * The best records by the first words, where the others name two ancestors to the letter, one below the other. These are certain: no
 * typing error is in them, and none of them is dropped. The more words they have, the surer they are.
 */
function searchTails(
  release: Release,
  words: readonly string[],
  scope: Scope,
  limit: number,
): SearchResult[] | undefined {
  const part = (from: number, to?: number): TypedPart => ({ words: words.slice(from, to), entity: undefined })
  for (let nearest = 1; nearest < words.length - 1; nearest++)
    for (let next = nearest + 1; next < words.length; next++) {
      const above = [part(nearest, next), part(next)]
      const isNamed = scope.some(([name]) => anchorsOf(release, name, above, 'whole').length > 0)
      const found = isNamed ? searchParts(release, [part(0, nearest), ...above], scope, limit) : undefined
      if (found !== undefined) return found
    }
  return undefined
}

function partsOf({ catalog, entity }: Release, text: string, scope: Scope): TypedPart[] {
  const [first] = scope
  if (first === undefined) return []
  return typedParts(text, languageOfNames(entity(first[0]).definition), new Set(catalog.entities.keys()))
}

/** Whether the only part after the first names what nearly all records are below, as "Monterrey, México" does. */
function mayMeanDistant(release: Release, [_, last, ...more]: readonly TypedPart[], scope: Scope): boolean {
  if (last === undefined || more.length > 0) return false
  return scope.some(([name]) =>
    ancestorLevels(release, release.entity(name).definition).some(
      ({ entity, children }) => children === undefined && recordsNamed(release, entity, last.words).size > 0,
    ),
  )
}

/** The best records by the first part below what the others name; undefined where that does not fit. */
function searchParts(
  release: Release,
  parts: readonly TypedPart[],
  scope: Scope,
  limit: number,
): SearchResult[] | undefined {
  const [first, ...above] = parts as [TypedPart, ...TypedPart[]]
  const wanted = scope.some(([name]) => name === first.entity) ? scope.filter(([name]) => name === first.entity) : scope
  const results: SearchResult[] = []
  let isNamed = false
  for (const [name, filters] of wanted)
    for (const anchors of anchorsOf(release, name, above)) {
      const among = positionsBelow(release, name, anchors, filters)
      if (among.length === 0) continue
      isNamed = true
      for (const result of searchAmong(release, first.words, [[name, among]], limit, undefined, {
        efforts: { wider: effortsFor(first.words).wider },
      }))
        if (result.quality >= MIN_QUALITY)
          results.push(anchored({ ...result, score: result.score - skippedCost(anchors) }, anchors))
    }
  if (results.length > 0) return best(results, limit)
  // Two names to the letter, one below the other, are certain whatever stands before them.
  if (!isNamed || above.length < 2) return undefined
  return searchParts(release, above, scope, limit)?.map((result) => ({
    ...result,
    score: result.score * DROPPED_SHARE,
    quality: result.quality * DROPPED_SHARE,
    explain: () => withDropped(result.explain(), first.words),
  }))
}

const withDropped = ({ how, dropped, ...explanation }: Explanation, words: readonly string[]): Explanation => ({
  ...explanation,
  how: howOf([...how, 'dropped-words']),
  dropped: [...new Set([...words, ...dropped])],
})

/** Where no comma tells: a name that is begun and its whole parent, or a whole name and its parent that is begun. */
function searchLoosely(release: Release, words: readonly string[], scope: Scope): SearchResult[] {
  return [...beginningsBelow(release, words, scope), ...namesBelowBeginning(release, words, scope)]
}

/** The records with a whole name, whose parents have names that begin with the last word. */
function namesBelowBeginning(release: Release, words: readonly string[], scope: Scope): SearchResult[] {
  const name = words.slice(0, -1)
  return scope.flatMap(([entity, filters]) => {
    const [parent] = ancestorLevels(release, release.entity(entity).definition)
    const last = parent && beginningOf(parent.words, words.slice(-1))
    if (parent === undefined || last === undefined || filters.length > 0) return []
    const below = [...recordsNamed(release, entity, name).keys()].filter((at) => {
      const above = ancestorAt(parent, at)
      return above !== parent.none && isBegunBy(parent.words, above, last)
    })
    return asTypedAmong(release, entity, name, Uint32Array.from(below))
  })
}

/** The records whose names begin with the first words, below what the last words name as a whole. */
function beginningsBelow(release: Release, words: readonly string[], scope: Scope): SearchResult[] {
  return scope.flatMap(([name, filters]) => {
    const { definition, index } = release.entity(name)
    const [parent] = ancestorLevels(release, definition)
    if (parent === undefined) return []
    const { isLinking } = languageOfNames(definition)
    return words.slice(1).flatMap((_, split) => {
      const [begun, last] = [words.slice(0, split + 1), words.slice(split + 1)]
      const beginning = beginningOf(index.words, begun)
      if (beginning === undefined) return []
      const named = recordsNamed(release, parent.entity, last)
      if (named.size === 0) return []
      const whole = isLinking(last[0] as string) ? beginningOf(parent.words, last) : undefined
      if (
        isLinking(last[0] as string) &&
        !(whole && [...named.keys()].some((at) => isBegunBy(parent.words, at, whole)))
      )
        return []
      const anchors = [{ level: parent, at: 0, named }]
      const among = positionsBelow(release, name, anchors, filters)
      const results = asTypedAmong(
        release,
        name,
        begun,
        among.filter((at) => isBegunBy(index.words, at, beginning)),
      )
      return results.map((result) => {
        const bonus = (1 - result.score) * bonusOf(index.words, result.position, begun)
        return anchored({ ...result, score: result.score + bonus }, anchors)
      })
    })
  })
}

const asTypedAmong = (release: Release, name: string, words: readonly string[], among: Uint32Array): SearchResult[] =>
  among.length === 0
    ? []
    : searchAmong(release, words, [[name, among]], MAX_BEGINNINGS, undefined, { efforts: ONLY_AS_TYPED })

function bonusOf({ words, names, nameStarts }: WordIndex, position: number, typed: readonly string[]): number {
  let letters = 0
  for (let at = nameStarts[position] as number; at < (nameStarts[position + 1] as number); at++)
    letters += words.lengthOf(names[at] as number)
  return BEGINNING_BONUS * (1 - UNTYPED_SHARE * (1 - typed.join('').length / letters))
}

/** The ways in which parts can be levels of ancestors, from the nearest on: by their whole names, or else by how these begin. */
function anchorsOf(release: Release, name: string, parts: readonly TypedPart[], extent?: 'whole'): Anchor[][] {
  const levels = ancestorLevels(release, release.entity(name).definition)
  let ways: Anchor[][] = [[]]
  for (const { words, entity } of parts)
    ways = ways.flatMap((way) =>
      levels.flatMap((level, at) => {
        if (at <= (way.at(-1)?.at ?? -1) || (entity !== undefined && entity !== level.entity)) return []
        // Where only the most distant is named, all are below it.
        if (way.length === 0 && level.children === undefined) return []
        const whole = recordsNamed(release, level.entity, words)
        const named = whole.size > 0 || extent === 'whole' ? whole : recordsBeginning(release, level.entity, words)
        return named.size === 0 ? [] : [[...way, { level, at, named }]]
      }),
    )
  return ways
}

const skippedCost = (anchors: readonly Anchor[]): number =>
  anchors.reduce((cost, { at }, index) => {
    const before = anchors[index - 1]
    return cost + (before === undefined ? at * FIRST_SKIP_COST : (at - before.at - 1) * SKIP_COST)
  }, 0)

/** The records that are below some anchors and pass some filters, ascending. */
function positionsBelow(
  release: Release,
  name: string,
  anchors: readonly Anchor[],
  filters: readonly Filter[],
): Uint32Array {
  const [nearest, ...others] = anchors
  const children = nearest?.level.children
  if (nearest === undefined || children === undefined) return new Uint32Array()
  const among = positionsWhere(release, release.entity(name).definition, filters)
  const passes = among && new Set(among)
  const positions: number[] = []
  for (const ancestor of nearest.named.keys())
    for (let at = children.starts[ancestor] as number; at < (children.starts[ancestor + 1] as number); at++) {
      const position = children.positions[at] as number
      if (passes !== undefined && !passes.has(position)) continue
      if (others.every(({ level, named }) => named.has(ancestorAt(level, position)))) positions.push(position)
    }
  return Uint32Array.from(positions).sort()
}

/** A result with how its ancestors were named. */
const anchored = (result: SearchResult, anchors: readonly Anchor[]): SearchResult => ({
  ...result,
  explain: () => withAnchors(result.explain(), result.position, anchors),
})

function withAnchors(
  { how, aliases, ...explanation }: Explanation,
  position: number,
  anchors: readonly Anchor[],
): Explanation {
  const named = anchors.flatMap(({ level, named }) => {
    const by = named.get(ancestorAt(level, position))
    return by === undefined || by === 'exact' ? [] : [{ entity: level.entity, by }]
  })
  return {
    ...explanation,
    how: howOf([...how, ...named.map(({ by }) => (typeof by === 'string' ? by : 'alias'))]),
    aliases: [
      ...aliases,
      ...named.flatMap(({ entity, by }) => (typeof by === 'string' ? [] : [{ entity, alias: by }])),
    ],
  }
}

/** The best of some results, each record once. */
function best(results: readonly SearchResult[], limit: number): SearchResult[] {
  const known = new Set<string>()
  return results
    .toSorted((a, b) => b.score - a.score)
    .filter(({ name, position }) => {
      const key = `${name} ${position}`
      return !known.has(key) && known.add(key)
    })
    .slice(0, limit)
}

const merged = (some: readonly SearchResult[], others: readonly SearchResult[], limit: number): SearchResult[] =>
  some.length === 0 ? [...others] : best([...some, ...others], limit)
