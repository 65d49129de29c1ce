// The records of an entity of many that are called nearly what a part says, anywhere or among some: those whose names have nearly its
// letters, those that have all its words, and if there is none, those that are called by some of its words.
import { indexInAscending, lowerBound } from '../../base/binary-search.ts'
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { Language } from '../../catalog/languages/language.ts'
import type { Words } from '../../release/index/index-file.ts'
import { bitsOf } from '../../release/index/word-keys.ts'
import type { Release } from '../../release/release.ts'
import { importanceOf } from '../search/importance.ts'
import { type Forms, isSlight, MAX_EAR_LENGTH, MAX_EDITS, soundOf, soundOfWord } from '../search/name-match.ts'
import { type DistinctNames, type EntityNames, entityNames } from './entity-names.ts'
import { positionsCalled } from './name-table.ts'
import { matchRecord, type PartMatch } from './record-match.ts'
import { bagOf, type LetterBag } from './word-forms.ts'
import { type WrittenPart, writtenPart } from './written-part.ts'

/** How many records are compared at most, the most important of those that there are. */
const MAX_COMPARED = 200
/** How many records may have a word at most to be gone through for it. */
const MAX_WITH_WORD = 8_000
/** How many words may begin with one that is cut off. */
const MAX_BEGINNING = 64
const CHECKED_EVERY = 0xfff

/** Which letters a name has and which of them twice, in each of its forms: without spaces, without words that say little, by its sound. */
const FIELDS = 6
const [JOINED, CORE, SOUND] = [0, 2, 4]
const MAX_LENGTH = 0xff

/** The letters of the distinct names of an entity. */
class NameLetters {
  readonly bags: Uint32Array
  /** How long each name is without spaces, and without words that say little. */
  readonly lengths: Uint8Array
  readonly coreLengths: Uint8Array

  constructor(names: EntityNames, { size, positionOf }: DistinctNames, { language }: Words) {
    this.bags = new Uint32Array(size * FIELDS)
    this.lengths = new Uint8Array(size)
    this.coreLengths = new Uint8Array(size)
    const known = new Map<string, WordLetters>()
    for (let name = 0; name < size; name++) {
      if ((name & CHECKED_EVERY) === 0) checkpoint()
      const words = language.withDigits(names.wordsAt(positionOf(name)))
      let [length, coreLength] = [0, 0]
      for (const word of words) {
        let letters = known.get(word)
        if (letters === undefined) {
          letters = lettersOfWord(word, language)
          known.set(word, letters)
        }
        length += letters.length
        this.#add(name * FIELDS + JOINED, letters.written)
        this.#add(name * FIELDS + SOUND, letters.sound)
        if (letters.isSlight) continue
        coreLength += letters.length
        this.#add(name * FIELDS + CORE, letters.written)
      }
      if (coreLength === 0) this.bags.copyWithin(name * FIELDS + CORE, name * FIELDS + JOINED, name * FIELDS + CORE)
      this.lengths[name] = Math.min(length, MAX_LENGTH)
      this.coreLengths[name] = Math.min(coreLength === 0 ? length : coreLength, MAX_LENGTH)
    }
  }

  #add(at: number, { once, twice }: LetterBag): void {
    const { bags } = this
    bags[at + 1] = (bags[at + 1] as number) | twice | ((bags[at] as number) & once)
    bags[at] = (bags[at] as number) | once
  }

  /** Whether a form of a name has the letters of what was typed, but for some edits. */
  isNear(name: number, form: number, { once, twice }: LetterBag): boolean {
    const at = name * FIELDS + form
    const ownOnce = this.bags[at] as number
    const ownTwice = this.bags[at + 1] as number
    return (
      bitsOf(once & ~ownOnce) + bitsOf(twice & ~ownTwice) <= MAX_EDITS &&
      bitsOf(ownOnce & ~once) + bitsOf(ownTwice & ~twice) <= MAX_EDITS
    )
  }
}

type WordLetters = {
  readonly written: LetterBag
  readonly sound: LetterBag
  readonly length: number
  readonly isSlight: boolean
}

function lettersOfWord(word: string, language: Language): WordLetters {
  const written = language.longFormsOf(word)[0] ?? word
  return {
    written: bagOf(written),
    sound: bagOf(soundOfWord(written, language)),
    length: written.length,
    isSlight: isSlight(language, written),
  }
}

const lettersIn = memoized(
  (names: EntityNames, distinct: DistinctNames, words: Words) => new NameLetters(names, distinct, words),
)

/** The records that are called nearly so, at these positions, which ascend, or at any. */
export function matchesNearly(release: Release, part: WrittenPart, among: Uint32Array | undefined): PartMatch[] {
  const names = entityNames(release, part.entity)
  const { words } = release.entity(part.entity.name).index
  const importance = importanceOf(release, part.entity.name)
  const compare = (positions: ReadonlySet<number>): PartMatch[] => {
    const most = [...positions].sort((a, b) => (importance[b] as number) - (importance[a] as number))
    return most.slice(0, MAX_COMPARED).flatMap((position) => matchRecord(names.record(position), part) ?? [])
  }
  const readings = [part.written, ...part.stripped.map(({ name }) => name)].flatMap((name) => name.readings)
  const near = new Set<number>()
  addMisspelt(near, names, words, readings, among)
  for (const reading of readings) addWithWords(near, words, reading, among)
  const matches = compare(near)
  return matches.length > 0 ? matches : compare(positionsWithin(release, part, among))
}

/** Adds the records whose names have the letters of one of some readings, but for some edits. */
function addMisspelt(
  positions: Set<number>,
  names: EntityNames,
  words: Words,
  readings: readonly Forms[],
  among: Uint32Array | undefined,
): void {
  const distinct = names.distinctNames as DistinctNames
  const letters = lettersIn(names, distinct, words)
  const { lengths, coreLengths } = letters
  const typed = readings.map((forms) => ({
    length: forms.joined.length,
    coreLength: forms.core.length,
    joined: bagOf(forms.joined),
    core: bagOf(forms.core),
    sound: bagOf(soundOf(forms, words.language)),
  }))
  const isNear = (name: number): boolean => {
    for (let at = 0; at < typed.length; at++) {
      const { length, coreLength, joined, core, sound } = typed[at] as (typeof typed)[number]
      const longer = Math.abs(length - (lengths[name] as number))
      if (longer <= MAX_EAR_LENGTH && letters.isNear(name, SOUND, sound)) return true
      if (longer <= MAX_EDITS && letters.isNear(name, JOINED, joined)) return true
      if (Math.abs(coreLength - (coreLengths[name] as number)) <= MAX_EDITS && letters.isNear(name, CORE, core))
        return true
    }
    return false
  }
  if (among !== undefined) {
    for (let at = 0; at < among.length; at++) {
      if ((at & CHECKED_EVERY) === 0) checkpoint()
      if (isNear(distinct.nameOf(among[at] as number))) positions.add(among[at] as number)
    }
    return
  }
  for (let name = 0; name < distinct.size; name++) {
    if ((name & CHECKED_EVERY) === 0) checkpoint()
    if (isNear(name)) distinct.eachPosition(name, 0, names.count, (position) => positions.add(position))
  }
}

/** Adds the records whose names have all words that say something, the last of which may be cut off. */
function addWithWords(
  positions: Set<number>,
  index: Words,
  { words: typed }: Forms,
  among: Uint32Array | undefined,
): void {
  const { words, language, names, nameStarts } = index
  const substance = typed.filter((word) => !isSlight(language, word)).map((word) => words.indexOf(word))
  const hasAll = (position: number) => {
    const own = names.subarray(nameStarts[position], nameStarts[position + 1])
    return substance.every((word) => own.includes(word as number))
  }
  if (substance.length > 0 && !substance.includes(undefined))
    addWith(positions, index, rarest(index, substance as number[]), among, hasAll)
  // The last word may be cut off, and with it the name.
  const [from, to] = words.plainRange(typed.at(-1) ?? '')
  const isCut = (word: number) => word >= from && word < to
  const first = typed.length === 1 ? undefined : words.indexOf(typed[0] as string)
  const goesOn = (position: number) => {
    const start = nameStarts[position] as number
    if (typed.length > 1 && names[start] !== first) return false
    const last = names[start + typed.length - 1]
    return start + typed.length <= (nameStarts[position + 1] as number) && isCut(last as number)
  }
  for (let word = from; word < Math.min(to, from + MAX_BEGINNING); word++)
    addWith(positions, index, word, among, goesOn)
}

/** The word of some that the fewest records have. */
function rarest({ inNames: { starts } }: Words, words: readonly number[]): number {
  const count = (word: number) => (starts[word + 1] as number) - (starts[word] as number)
  return words.reduce((least, word) => (count(word) < count(least) ? word : least))
}

/** Adds some of the records that have a word. */
function addWith(
  positions: Set<number>,
  { inNames: { starts, positions: withWord } }: Words,
  word: number,
  among: Uint32Array | undefined,
  isWanted: (position: number) => boolean,
): void {
  const first = among?.[0] ?? 0
  const last = among === undefined ? Number.POSITIVE_INFINITY : (among.at(-1) ?? -1)
  const end = starts[word + 1] as number
  let at = lowerBound(withWord, first, starts[word], end)
  for (let gone = 0; at < end && gone < MAX_WITH_WORD; at++, gone++) {
    const position = withWord[at] as number
    if (position > last) return
    if (isWanted(position) && (among === undefined || indexInAscending(among, position) !== -1)) positions.add(position)
  }
}

/** The records that are called by some of the words of a part that stand beside each other. */
function positionsWithin(
  release: Release,
  { entity, written: { typed } }: WrittenPart,
  among: Uint32Array | undefined,
) {
  const positions = new Set<number>()
  const isWanted = (position: number) => among === undefined || indexInAscending(among, position) !== -1
  for (let count = typed.length - 1; count > 0; count--)
    for (let from = 0; from + count <= typed.length; from++) {
      const some = writtenPart(release, entity, typed.slice(from, from + count).join(' '))
      for (const position of positionsCalled(some, release, { isWanted })) positions.add(position)
    }
  return positions
}
