// In which ancestors of the records of an entity a typed word is: a locality may be searched for by its name and state.

import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import { broaderOf, type Entity, embeddedAt } from '../../catalog/entity.ts'
import { pathTo } from '../../catalog/lineage.ts'
import { pathsOf } from '../../catalog/paths.ts'
import { aliasesOf, aliasWords } from '../../release/aliases.ts'
import type { IndexColumn, WordIndex } from '../../release/index/index-file.ts'
import type { Postings } from '../../release/index/postings.ts'
import type { Release } from '../../release/release.ts'
import type { Alias } from '../../source/source.ts'
import { ALIAS, ALIAS_WORD, CODE, matchWord, type Tolerance } from './word-match.ts'
import { wordWeights } from './word-weights.ts'

/** One generation of ancestors: the municipalities, the states or the countries of localities. */
export type AncestorLevel = {
  readonly entity: string
  /** From the position of a record to that of its parent, from there to that of its parent, and so on. */
  readonly chain: readonly Uint32Array[]
  /** What stands for an ancestor that a record does not have: the position after the last. */
  readonly none: number
  /** The records of each ancestor, where it is their parent. */
  readonly children: Postings | undefined
  readonly words: WordIndex
  /** How well a typed word matches each ancestor; undefined where it matches none. */
  readonly match: (typed: string, tolerance: Tolerance) => LevelMatch | undefined
  /** The aliases of an ancestor that have a typed word. */
  readonly aliasesOf: (ancestor: number, typed: string) => readonly Alias[]
}

export type LevelMatch = {
  /** The grade of each ancestor, by its name, codes and aliases; and at the end 0, for none. */
  readonly grades: Uint8Array
  /** The grade of each word of their names. */
  readonly words: Uint8Array
  /** The best grade of any. */
  readonly best: number
}

const levelsIn = memoized((release: Release) => memoized((entity: Entity) => readLevels(release, entity)))

/** The generations of ancestors of an entity, the nearest first. */
export const ancestorLevels = (release: Release, entity: Entity): readonly AncestorLevel[] => levelsIn(release)(entity)

function readLevels(release: Release, entity: Entity): AncestorLevel[] {
  const ancestors = new Set(
    [...pathsOf(entity).values()].flatMap(({ field }) => (field.kind === 'embed' ? field.entity : [])),
  )
  const levels = [...ancestors].map((ancestor): AncestorLevel & { readonly depth: number } => {
    const steps = pathTo(entity, ancestor)?.steps ?? []
    const depth = pathsOf(ancestor).size
    let owner = entity
    const columns = steps.map((step) => {
      const column = release.entity(owner.name).index.column(step)
      owner = embeddedAt(owner, step)
      return column
    })
    return { depth, ...levelOf(release, ancestor, columns) }
  })
  // What has more ancestors of its own is nearer.
  return [...treeLevels(release, entity), ...levels.sort((a, b) => b.depth - a.depth)]
}

/** The records of an entity to which some columns lead, each from those of the one before. */
function levelOf(release: Release, ancestor: Entity, columns: readonly IndexColumn[]): AncestorLevel {
  const { index, count } = release.entity(ancestor.name)
  return {
    entity: ancestor.name,
    chain: columns.map(({ values }) => values),
    none: count,
    children: columns.length === 1 ? columns[0] : undefined,
    words: index.words,
    match: (typed, tolerance) => cachedMatch(release, ancestor.name, typed, tolerance),
    aliasesOf: (position, typed) => aliasesWith(release, ancestor.name, position, typed),
  }
}

/** Whoever names a record and one above it rarely goes further up. */
const MAX_TREE_LEVELS = 3

/** The records above those of a tree, the nearest first. */
function treeLevels(release: Release, entity: Entity): AncestorLevel[] {
  const broader = broaderOf(entity)
  if (broader === undefined) return []
  const column = release.entity(entity.name).index.column(broader)
  return Array.from({ length: MAX_TREE_LEVELS }, (_, at) =>
    levelOf(
      release,
      entity,
      Array.from({ length: at + 1 }, () => column),
    ),
  )
}

/** The position of the ancestor of a record at a level, or what stands for none. */
export function ancestorAt({ chain, none }: AncestorLevel, record: number): number {
  let position = record
  for (let at = 0; at < chain.length; at++) {
    const above = (chain[at] as Uint32Array)[position]
    // Beyond the last stands what is not there, and nothing is above it.
    if (above === undefined) return none
    position = above
  }
  return position
}

const MAX_CACHED = 512
const matchCaches = memoized((_: Release) => new LruCache<LevelMatch | undefined>({ maxEntries: MAX_CACHED }))

/** The same words come again with every letter that is typed after them, and many entities have the same ancestors. */
const cachedMatch = (release: Release, name: string, typed: string, tolerance: Tolerance): LevelMatch | undefined =>
  matchCaches(release).get(`${name} ${tolerance} ${typed}`, () => matchLevel(release, name, typed, tolerance))

const HAS_LETTER = /\p{L}/u
/** How many letters of an ancestor's name must be typed, unless too little is found so. */
const MIN_PREFIX = 3

function matchLevel(release: Release, name: string, typed: string, tolerance: Tolerance): LevelMatch | undefined {
  const { count, index } = release.entity(name)
  const grades = new Uint8Array(count + 1)
  const { words } = index
  const ownMatch = matchWord(words, typed, tolerance)
  // The first letters of a word are rather those of the name itself, and nearly all records have an ancestor with them.
  const matching =
    tolerance > 0 || typed.length >= MIN_PREFIX
      ? ownMatch.matching
      : ownMatch.exact === undefined
        ? []
        : [ownMatch.exact]
  let any = improveAll(grades, words.inNames, matching, (word) => ownMatch.grades[word] as number)
  // A number is rather one in the name of the record itself.
  if (ownMatch.exact !== undefined && HAS_LETTER.test(typed))
    any = improveAll(grades, words.inCodes, [ownMatch.exact], () => CODE) || any
  const aliases = aliasesOf(release, name)
  if (aliases !== undefined) {
    const { exact } = matchWord(aliases.words, typed, 0)
    const { starts, positions } = aliases.words.inNames
    if (exact !== undefined)
      for (let at = starts[exact] as number; at < (starts[exact + 1] as number); at++) {
        const alias = positions[at] as number
        improve(grades, aliases.positions[alias] as number, isSingle(aliases.words, alias) ? ALIAS : ALIAS_WORD)
        any = true
      }
  }
  return any ? { grades, words: ownMatch.grades, best: bestGrade(grades) } : undefined
}

const isSingle = ({ nameStarts }: WordIndex, alias: number): boolean =>
  (nameStarts[alias + 1] as number) - (nameStarts[alias] as number) === 1

function bestGrade(grades: Uint8Array): number {
  let best = 0
  for (let at = 0; at < grades.length; at++) {
    const grade = grades[at] as number
    if (grade !== 0 && (best === 0 || grade < best)) best = grade
  }
  return best
}

function improveAll(
  best: Uint8Array,
  { starts, positions }: Postings,
  words: readonly number[],
  gradeOf: (word: number) => number,
): boolean {
  let any = false
  for (const word of words) {
    const end = starts[word + 1] as number
    for (let at = starts[word] as number; at < end; at++) {
      improve(best, positions[at] as number, gradeOf(word))
      any = true
    }
  }
  return any
}

function improve(best: Uint8Array, position: number, grade: number): void {
  const known = best[position] as number
  if (known === 0 || grade < known) best[position] = grade
}

/** The share of an ancestor's name that typed words match; a code or an alias stands for all of it. */
export function levelCoverage(level: AncestorLevel, matches: readonly LevelMatch[], ancestor: number): number {
  const { names, nameStarts } = level.words
  for (const { grades } of matches) if (grades[ancestor] === ALIAS || grades[ancestor] === CODE) return 1
  const weights = wordWeights(level.words)
  let [covered, all] = [0, 0]
  for (let place = nameStarts[ancestor] as number; place < (nameStarts[ancestor + 1] as number); place++) {
    const word = names[place] as number
    const weight = weights[word] as number
    all += weight
    if (matches.some(({ words }) => words[word] !== 0)) covered += weight
  }
  return all === 0 ? 0 : covered / all
}

function aliasesWith(release: Release, name: string, position: number, typed: string): readonly Alias[] {
  const index = aliasesOf(release, name)
  return (index?.aliases ?? []).filter(
    ({ alias }, at) => index?.positions[at] === position && aliasWords(alias).includes(typed),
  )
}
