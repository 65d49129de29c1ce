// The records that one part of a row may mean by itself, wherever they are.
import { indexInAscending, lowerBound } from '../../base/binary-search.ts'
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { wordsOf } from '../../catalog/words.ts'
import { aliasesOf, recordsCoded } from '../../release/aliases.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { Release } from '../../release/release.ts'
import { type AncestorLevel, ancestorAt, ancestorLevels } from '../search/ancestor-match.ts'
import { positionsWithKeyCode, typedCodeOf } from '../search/codes.ts'
import { isLight, matchWord } from '../search/word-match.ts'
import { type EntityNames, entityNames } from './entity-names.ts'
import { isSlight, MAX_EDITS } from './name-match.ts'
import { hasName, positionsCalled, type Wanted } from './name-table.ts'
import { besideCode, matchByCode, matchRecord, type PartMatch, type RowHow, withoutZeros } from './record-match.ts'
import { ENTITY_NOISE_COST, keyOf, PLAIN, readingsOf, type WrittenPart, writtenPart } from './written-part.ts'

/** How many records at most are compared one by one. */
export const MAX_COMPARED_RECORDS = 6_000
const MAX_ANYWHERE = 200

const matchCaches = memoized((_: Release) => new LruCache<readonly PartMatch[]>({ maxEntries: 4_096 }))

/** The records of its entity that a part may mean, the best first. */
export function matchesAnywhere(release: Release, part: WrittenPart): readonly PartMatch[] {
  const { entity } = part
  return matchCaches(release).get(keyOf([part]), () => {
    const coded = matchesByWholeCode(release, part)
    const names = entityNames(release, entity)
    const called = matchesCalled(release, part)
    const isFew = names.count <= MAX_COMPARED_RECORDS
    const isFound = isFew ? called.some(isCalledSo) : called.length > 0
    const others = isFound
      ? []
      : isFew
        ? names.match(positionsNear(release, part), part)
        : matchesNearly(release, part, undefined)
    const isShort = ancestorsOf(entity).length === 0 && names.count <= MAX_SHORT_LIST
    const matches = [...called, ...(isShort ? others.map(unlessOther(release, part)) : others)]
    const twice = coded.length > 0 || matches.some(isCalledSo) ? [] : matchesSaidTwice(release, part)
    return uniqueMatches([...coded, ...twice, ...matches])
      .sort((a, b) => a.cost - b.cost)
      .slice(0, MAX_ANYWHERE)
  })
}

/**
 * A match with a country, or in another short list, in doubt where a word is the name of another one, or begins with it: the Republic of Ireland is not that of
 * Iceland, and "cubano" is not Líbano.
 */
function unlessOther(release: Release, { entity, written: { typed } }: WrittenPart) {
  const names = entityNames(release, entity)
  const beginnings = typed.flatMap((word) => Array.from(word, (_, at) => word.slice(0, at + 1)))
  const called = beginnings.filter((text) => text.length >= MIN_NAME && saidIn(release, entity, [text]).length > 0)
  return (match: PartMatch): PartMatch => {
    const own = names.record(match.position).names
    const isOther = (text: string) => !own.some(({ name }) => name.words.some((word) => word.startsWith(text)))
    // A whole code is no name with that of another in it.
    if (match.cost === 0 || !called.some(isOther)) return match
    return { ...match, cost: match.cost + OTHER_NAME_COST, isDoubtful: true }
  }
}

/** What it costs where a word is rather another name. */
const OTHER_NAME_COST = 1

/** Of so many words that say something, at least one is as it is in the name that is meant: they have fewer edits. */
const MIN_ONE_RIGHT = MAX_EDITS + 1
/** Shorter words may be what is left of one. */
const MIN_WORD = 4

/**
 * The positions of the records of a short list that have a word of a part. Where none has, or it has one alone, those that have one
 * that is misspelt so.
 */
function positionsNear(release: Release, part: WrittenPart): Uint32Array {
  const { entity, code } = part
  if (code !== undefined) return entityNames(release, entity).positions
  const { words } = release.entity(entity.name).index
  const aliases = aliasesOf(release, entity.name)
  const typed = tellingWords(part)
  const isIn = (word: string) => [words, aliases?.words].some((index) => index?.words.indexOf(word) !== undefined)
  const whole = part.written.typed.filter((word) => word.length >= MIN_WORD && typed.includes(word))
  const isOneRight = whole.length >= MIN_ONE_RIGHT || (whole.length > 1 && whole.some(isIn))
  const wordsIn = (index: WordIndex, word: string) =>
    isOneRight ? (index.words.indexOf(word) ?? []) : matchWord(index, word, 2).matching
  const positionsIn = (index: WordIndex) =>
    positionsWith(
      index,
      typed.flatMap((word) => wordsIn(index, word)),
    )
  const positions = positionsIn(words)
  for (const alias of aliases === undefined ? [] : positionsIn(aliases.words))
    positions.add(aliases?.positions[alias] as number)
  return ascending(positions)
}

/** How many words there are at most of what says again which record is meant, and what that costs. */
const MAX_WORDS_AGAIN = 2
const SAID_TWICE_COST = 0.2
const MIN_NAME = 4
const MAX_SHORT_LIST = 300

/** The records of a short list that a part says by their name and again by their code or what they are in: "Puebla, Pue.", "MX-JAL". */
function matchesSaidTwice(release: Release, { entity, written: { typed } }: WrittenPart): PartMatch[] {
  const names = entityNames(release, entity)
  if (names.count > MAX_SHORT_LIST) return []
  for (let count = 1; count <= Math.min(MAX_WORDS_AGAIN, typed.length - 1); count++)
    for (const [again, rest] of [
      [typed.slice(-count), typed.slice(0, -count)],
      [typed.slice(0, count), typed.slice(count)],
    ] as const) {
      const positions = saidIn(release, entity, rest)
      if (positions.length === 0) continue
      // A code is no name that is said again.
      const isName = rest.join('').length >= MIN_NAME
      const own = isName ? [{ of: entity, at: (position: number) => position }] : []
      const above = ancestorLevels(release, entity).map((level) => ({
        of: release.entity(level.entity).definition,
        at: (position: number) => ancestorAt(level, position),
      }))
      for (const { of, at } of [...own, ...above]) {
        const meant = saidIn(release, of, again)
        const both = positions.filter((position) => meant.includes(at(position)))
        const matches = names.matchAt(both, writtenPart(release, entity, rest.join(' '))).filter(isJustSo)
        if (matches.length > 0) return matches.map((match) => ({ ...match, cost: match.cost + SAID_TWICE_COST }))
      }
    }
  return []
}

/** The positions of the records of a short list of which some words are a name or a code, just so. */
const saidIn = (release: Release, entity: Entity, words: readonly string[]): readonly number[] =>
  sayings(entityNames(release, entity)).get(languageOfNames(entity).withDigits(words).join('')) ?? []

/** The records of a short list by all that they are called, with numbers in digits and without spaces, and by their codes. */
const sayings = memoized((names: EntityNames): ReadonlyMap<string, readonly number[]> => {
  const table = new Map<string, number[]>()
  for (const position of names.positions) {
    const record = names.record(position)
    const texts = [
      ...record.names.map(({ name }) => name.words.join('')),
      ...record.codes,
      ...record.codes.map(withoutZeros),
    ]
    for (const text of new Set(texts)) table.getOrInsertComputed(text, () => []).push(position)
  }
  return table
})

/** The records whose code, with those of their ancestors before it, is this part; a spreadsheet may have lost its first zero. */
export function matchesByWholeCode(release: Release, part: WrittenPart): PartMatch[] {
  const { entity, written, digits } = part
  const names = entityNames(release, entity)
  const matchesAt = (positions: readonly number[], isWithoutZeros: boolean, how?: RowHow) =>
    positions.map((position) => besideCode(names.record(position), part, matchByCode(position, isWithoutZeros, how)))
  const code = digits ?? typedCodeOf(entity, written.typed)
  if (code === undefined) return matchesAt(positionsWithKeyCode(release, entity, written.typed), false)
  for (const zeros of LOST_ZEROS) {
    const { positions, former } = recordsCoded(release, entity, zeros + code)
    if (positions.length > 0) return matchesAt(positions, zeros !== '', former && 'former-code')
  }
  return []
}

/** What a program may have taken from the beginning of a code that it took for a number. */
const LOST_ZEROS = ['', '0', '00']

/**
 * Whether a record of an entity may be called what a text says, which is sooner known than which one: all its words are in names, say little
 * or stand for others, or they are one name without spaces. Beside signs and numbers one of them is enough.
 */
export function mayName(release: Release, entity: Entity, text: string): boolean {
  const words = wordsOf(text)
  const language = languageOfNames(entity)
  const isInName = wordsInNames(release)(entity, release)
  const isName = (joined: string) => isInName(joined) || hasName(release, entity, joined)
  if (!PLAIN.test(text) || language.withDigits(words) !== words) return words.some(isInName) || isName(words.join(''))
  const telling = words.filter(
    (word) => word.length >= MIN_WORD && !isSlight(language, word) && !language.isLeading(word),
  )
  return telling.every(isInName) || isName(words.join('')) || hasName(release, entity, telling.join(''))
}

const MAX_WORDS = 4_096

/** Which words are in the names of an entity, or stand for others. */
const wordsInNames = memoized((_: Release) =>
  memoized((entity: Entity, release: Release) => {
    const { words, language } = release.entity(entity.name).index.words
    const aliases = aliasesOf(release, entity.name)?.words.words
    const [parent] = entityNames(release, entity).hasSeats ? ancestorsOf(entity) : []
    const isInParent = parent === undefined ? () => false : wordsInNames(release)(parent.entity, release)
    const cache = new LruCache<boolean>({ maxEntries: MAX_WORDS })
    const isIn = (word: string): boolean =>
      words.indexOf(word) !== undefined ||
      aliases?.indexOf(word) !== undefined ||
      language.longFormsOf(word).length > 0 ||
      isInParent(word)
    return (word: string) => cache.get(word, () => isIn(word))
  }),
)

/** The records that are called what a part says, unless it is misspelt: found in a table, so many there are; all, or some. */
export function matchesCalled(
  release: Release,
  part: WrittenPart,
  isWanted?: (position: number) => boolean,
  range?: Pick<Wanted, 'from' | 'to'>,
): readonly PartMatch[] {
  if (isWanted === undefined && range === undefined) return allCalled(part, release)
  const wanted = { ...range, ...(isWanted === undefined ? {} : { isWanted }) }
  return entityNames(release, part.entity).matchAt(positionsCalled(part, release, wanted), part)
}

const allCalled = memoized((part: WrittenPart, release: Release): readonly PartMatch[] =>
  entityNames(release, part.entity).matchAt(positionsCalled(part, release, {}), part),
)

/** Up to this cost a record is called what a part says. */
const MAX_CALLED_COST = 0.5
/** Up to this one it is called just so. */
const MAX_JUST_SO_COST = 0.05
const isJustSo = ({ cost, isWhole, isDoubtful }: PartMatch): boolean =>
  cost <= MAX_JUST_SO_COST && isWhole && !isDoubtful
const isCalledSo = ({ cost, isDoubtful, isWhole }: PartMatch): boolean =>
  cost <= MAX_CALLED_COST && isWhole && !isDoubtful
/** Whether a record is called what a part says beside the word for what it is, as in "localidad de Jalpa". */
const isCalledBesideKind = ({ stripped: [first] }: WrittenPart, { cost, isDoubtful }: PartMatch): boolean =>
  first?.cost === ENTITY_NOISE_COST && cost <= ENTITY_NOISE_COST && !isDoubtful

/** The records below a parent that a part may mean: those that are called so, or else those that are called nearly so. */
export function matchesBelowParent(
  release: Release,
  part: WrittenPart,
  { children, chain: [parentOf] }: AncestorLevel,
  parent: number,
  onlyCalled = false,
): readonly PartMatch[] {
  if (children === undefined || parentOf === undefined) return []
  const positions = children.positions.subarray(children.starts[parent], children.starts[parent + 1])
  const begun = part.isCutOff ? matchesBegun(release, part, positions) : []
  if (begun.length > 0) return begun
  const range = { from: positions[0] ?? 0, to: (positions.at(-1) ?? -1) + 1 }
  const called = matchesCalled(release, part, (position) => parentOf[position] === parent, range)
  if (onlyCalled || called.some((match) => isCalledSo(match) || isCalledBesideKind(part, match))) return called
  const names = entityNames(release, part.entity)
  const seat = names.seatOf(parent)
  // The seat goes by the name of its parent, of which its own letters tell nothing.
  const asSeat = seat === undefined ? undefined : matchRecord(names.record(seat), part)
  const first = asSeat === undefined ? called : [...called, asSeat]
  return uniqueMatches([...formerlyBelow(release, part, parent), ...first, ...names.match(positions, part)])
}

/** The record that had a part as its code below a parent, wherever it is today. */
function formerlyBelow(release: Release, { entity, digits }: WrittenPart, parent: number): PartMatch[] {
  if (digits === undefined) return []
  const { positions, former } = recordsCoded(release, entity, digits, parent)
  return former === undefined ? [] : positions.map((position) => matchByCode(position, false, 'former-code'))
}

/** What a name costs whose end is missing, and how many letters are left of it at least. */
const CUT_OFF_COST = 0.3
const MIN_LEFT = 8

/** The records whose names begin with what is left of one that was cut off, as tables do that have room for so many letters. */
function matchesBegun(release: Release, { entity, written }: WrittenPart, positions: Uint32Array): PartMatch[] {
  const left = written.typedJoined
  if (left.length < MIN_LEFT) return []
  const names = entityNames(release, entity)
  const isBegun = (text: string) => wordsOf(text).join('').startsWith(left)
  const begun = positions.filter((position) => names.texts(position).some(isBegun))
  return Array.from(begun, (position) => ({ position, cost: CUT_OFF_COST, how: 'prefix', ...CUT_OFF }))
}

const CUT_OFF = { isWhole: false, isPrefix: true, isDoubtful: false, isShort: false } as const

function uniqueMatches(matches: readonly PartMatch[]): PartMatch[] {
  const known = new Set<number>()
  return matches.filter(({ position }) => !known.has(position) && known.add(position))
}

/**
 * The records that are called nearly what a part says, at these positions, which ascend, or at any: those that have all its words, or
 * else those that have one of them.
 */
export function matchesNearly(release: Release, part: WrittenPart, among: Uint32Array | undefined): PartMatch[] {
  const { entity, written } = part
  const names = entityNames(release, entity)
  const { words } = release.entity(entity.name).index
  const withAll = names.match(ascending(positionsWithAll(words, written.typed, among)), part)
  if (withAll.length > 0) return withAll
  // What is a word of the catalog is no misspelling of another one.
  const meant = tellingWords(part).flatMap((word) => words.words.indexOf(word) ?? matchWord(words, word, 1).matching)
  const found = positionsWith(words, meant, among)
  // A seat goes by the name of its parent, too.
  if (among !== undefined) addAmong(found, names.seats, 0, names.seats.length, among)
  return names.match(ascending(found), part)
}

const ascending = (positions: Iterable<number>): Uint32Array => Uint32Array.from(positions).sort()

/** How many records at most are looked at for the words of a part, those with the rarest first. */
const MAX_WITH_WORDS = 4_000

/** The positions of the records that have all words that say something; none where there is no such word. */
function positionsWithAll(index: WordIndex, typed: readonly string[], among: Uint32Array | undefined): number[] {
  const { words, language, names, nameStarts, inNames } = index
  const telling = typed.filter((word) => !isLight(language, word)).map((word) => words.indexOf(word))
  if (telling.length === 0 || telling.includes(undefined)) return []
  const [rarest] = rarestFirst(index, telling as number[])
  const found = new Set<number>()
  addAmong(
    found,
    inNames.positions,
    inNames.starts[rarest as number] as number,
    inNames.starts[(rarest as number) + 1] as number,
    among,
  )
  return [...found].filter((position) => {
    const own = names.subarray(nameStarts[position], nameStarts[position + 1])
    return telling.every((word) => own.includes(word as number))
  })
}

/** The records of its entity that have all words of a part that say something. */
export const recordsWithAll = (release: Release, { entity, written }: WrittenPart): number[] =>
  positionsWithAll(release.entity(entity.name).index.words, written.typed, undefined)

/** The words of all readings of a part that say something. */
const tellingWords = (part: WrittenPart): string[] =>
  [...new Set(readingsOf(part).flatMap((forms) => forms.words))].filter(
    (word) => !isSlight(part.written.language, word),
  )

/** The positions of records that have one of some words of an index, as far as these are not in too many. */
function positionsWith(index: WordIndex, words: readonly number[], among?: Uint32Array): Set<number> {
  const { starts, positions } = index.inNames
  const found = new Set<number>()
  for (const word of rarestFirst(index, words)) {
    const [start, end] = [starts[word] as number, starts[word + 1] as number]
    if (found.size > 0 && found.size + end - start > MAX_WITH_WORDS) break
    addAmong(found, positions, start, end, among)
  }
  return found
}

/** Words of an index, those that the fewest records have first. */
function rarestFirst({ inNames: { starts } }: WordIndex, words: readonly number[]): number[] {
  const sizeOf = (word: number) => (starts[word + 1] as number) - (starts[word] as number)
  return words.toSorted((a, b) => sizeOf(a) - sizeOf(b))
}

/** Adds the positions at some places of a list, those that are among others; both ascend. */
function addAmong(
  found: Set<number>,
  list: Uint32Array,
  from: number,
  to: number,
  among: Uint32Array | undefined,
): void {
  const [first, last] = [among?.[0] ?? 0, among?.at(-1) ?? Number.POSITIVE_INFINITY]
  for (let at = lowerBound(list, first, from, to); at < to && (list[at] as number) <= last; at++) {
    const position = list[at] as number
    if (among === undefined || indexInAscending(among, position) !== -1) found.add(position)
  }
}
