// A table of what the records of an entity are called, so that those with a name are found without looking at the others.
//
// The key of a name is its letters without spaces, with abbreviations written out and numbers in digits, with and without the
// words that say little. The table has a hash of each key and the position of its record, ascending: 8 bytes for each.
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import type { Words } from '../../release/index/index-file.ts'
import type { Release } from '../../release/release.ts'
import { isSlight, type WrittenName } from '../search/name-match.ts'
import { type EntityNames, entityNames } from './entity-names.ts'
import { hashOf, wordForms } from './word-forms.ts'
import type { WrittenPart } from './written-part.ts'

/** Entries are hash × POSITIONS + position, which a float has room for. */
const POSITIONS = 2 ** 21
const CHECKED_EVERY = 0xfff

class NameTable {
  readonly #entries: Float64Array

  constructor(names: EntityNames, words: Words) {
    let entries = new Float64Array(names.count * KEYS_OF_NAME)
    let used = 0
    const addHashes = hashesOfNames(words)
    let position = 0
    const add = (hash: number) => {
      if (used === entries.length) entries = grown(entries)
      entries[used++] = hash * POSITIONS + position
    }
    for (; position < Math.min(names.count, POSITIONS); position++) {
      if ((position & CHECKED_EVERY) === 0) checkpoint()
      const runs = names.plainRuns(position)
      if (runs !== undefined && addHashes(position, runs, add)) continue
      const called = runs?.length === 0 ? [names.wordsAt(position)] : names.wordsOfNames(position)
      addHashesOf(called, words.language, names.isSeat(position), add)
    }
    this.#entries = entries.slice(0, used).sort()
  }

  /** The positions of the records that may be called so, nearly all of which are; some of them more than once. */
  positionsOf(keys: Iterable<string>): number[] {
    const entries = this.#entries
    const positions: number[] = []
    for (const key of keys) {
      const from = hashOf(key) * POSITIONS
      let [low, high] = [0, entries.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((entries[middle] as number) < from) low = middle + 1
        else high = middle
      }
      for (; low < entries.length && (entries[low] as number) < from + POSITIONS; low++)
        positions.push((entries[low] as number) - from)
    }
    return positions
  }
}

/** A name has so many keys at most in the mean. */
const KEYS_OF_NAME = 2

function grown(entries: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(entries.length * 2 + 1)
  larger.set(entries)
  return larger
}

/**
 * Gives the hashes of the keys of a record that is called by its words alone: of all, and of those outside and inside of brackets,
 * which stand there in turn. False where a word may be a number.
 */
function hashesOfNames(words: Words) {
  const { names, nameStarts } = words
  const { hashes, shifts, isSlightWrittenOut, mayBeNumber } = wordForms(words)
  const join = (key: KeyHash, word: number) => {
    const hash = hashes[word] as number
    const shift = shifts[word] as number
    key.words++
    key.joined = (Math.imul(key.joined, shift) + hash) | 0
    if (isSlightWrittenOut[word] === 1) key.slight++
    else key.core = (Math.imul(key.core, shift) + hash) | 0
  }
  const whole = new KeyHash()
  return (position: number, runs: readonly number[], add: (hash: number) => void): boolean => {
    const start = nameStarts[position] as number
    const end = nameStarts[position + 1] as number
    whole.clear()
    for (let place = start; place < end; place++) {
      if (mayBeNumber[names[place] as number] === 1) return false
      join(whole, names[place] as number)
    }
    whole.addTo(add)
    if (runs.length === 0) return true
    const outside = new KeyHash()
    let place = start
    for (const [at, count] of runs.entries()) {
      const key = at % 2 === 0 ? outside : new KeyHash()
      for (let word = 0; word < count; word++) join(key, names[place++] as number)
      if (key !== outside) key.addTo(add)
    }
    outside.addTo(add)
    return true
  }
}

/** The hashes of the keys of some words, with and without those that say little. */
class KeyHash {
  joined = 0
  core = 0
  words = 0
  slight = 0

  clear(): void {
    this.joined = 0
    this.core = 0
    this.words = 0
    this.slight = 0
  }

  addTo(add: (hash: number) => void): void {
    if (this.words > 0) add(this.joined >>> 0)
    if (this.slight > 0 && this.slight < this.words) add(this.core >>> 0)
  }
}

/** Gives the hashes of the keys of all that a record is called. */
function addHashesOf(
  called: readonly (readonly string[])[],
  language: Language,
  isSeat: boolean,
  add: (hash: number) => void,
): void {
  const keys = new Set<string>()
  for (const words of called) addKeys(keys, language.withDigits(words), language, isSeat)
  for (const key of keys) add(hashOf(key))
}

/** Adds the keys of a name; a seat also goes by its first words. */
function addKeys(keys: Set<string>, words: readonly string[], language: Language, isSeat: boolean): void {
  const { longFormsOf } = language
  let [joined, core] = ['', '']
  for (const [at, word] of words.entries()) {
    if (isSeat && at > 0 && core !== '') keys.add(joined).add(core)
    const written = longFormsOf(word)[0] ?? word
    joined += written
    if (!isSlight(language, written)) core += written
  }
  keys.add(joined)
  if (core !== '') keys.add(core)
}

/** The keys of what was written, in all its readings. */
function keysOf({ written, stripped }: WrittenPart): Set<string> {
  const keys = new Set<string>()
  const add = ({ readings }: WrittenName) => {
    for (const { joined, core } of readings) keys.add(joined).add(core)
  }
  add(written)
  for (const { name } of stripped) add(name)
  return keys
}

const tablesIn = memoized((release: Release) =>
  memoized((entity: Entity) => new NameTable(entityNames(release, entity), release.entity(entity.name).index.words)),
)

/** The positions of the records of its entity that a part may name, wherever they are, unless it is misspelt; each once. */
export const positionsCalled = memoized((part: WrittenPart, release: Release): readonly number[] => [
  ...new Set(tablesIn(release)(part.entity).positionsOf(keysOf(part))),
])
