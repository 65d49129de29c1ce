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
import type { WrittenPart } from './written-part.ts'

/** Entries are hash × POSITIONS + position, which a float has room for. */
const POSITIONS = 2 ** 21
const CHECKED_EVERY = 0xfff

class NameTable {
  readonly #entries: Float64Array

  constructor(names: EntityNames, words: Words) {
    const entries: number[] = []
    const forms = new WordForms(words)
    for (let position = 0; position < Math.min(names.count, POSITIONS); position++) {
      if ((position & CHECKED_EVERY) === 0) checkpoint()
      const add = (hash: number) => entries.push(hash * POSITIONS + position)
      const runs = names.plainRuns(position)
      if (runs === undefined || !forms.addHashes(position, runs, add))
        addAllHashes(names, position, words.language, add)
    }
    this.#entries = Float64Array.from(entries).sort()
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

/** The hash of some letters follows from the hashes of those that it is joined from. */
const FACTOR = 0x01000193

function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0
  return hash >>> 0
}

/** By what a hash is multiplied where so many letters come after it. */
function shiftOf(length: number): number {
  let shift = 1
  for (let at = 0; at < length; at++) shift = Math.imul(shift, FACTOR)
  return shift
}

/** The words of an index, written out and hashed once: most names are made of the same few. */
class WordForms {
  readonly #words: Words
  readonly #hashes: Int32Array
  readonly #shifts: Int32Array
  /** Whether a word may be left out, and whether it may be a number, which depends on those beside it. */
  readonly #isSlight: Uint8Array
  readonly #mayBeNumber: Uint8Array

  constructor(words: Words) {
    const { size } = words.words
    this.#words = words
    this.#hashes = new Int32Array(size)
    this.#shifts = new Int32Array(size)
    this.#isSlight = new Uint8Array(size)
    this.#mayBeNumber = new Uint8Array(size)
    const { longFormsOf, withDigits } = words.language
    for (let word = 0; word < size; word++) {
      const text = words.words.text(word)
      const written = longFormsOf(text)[0] ?? text
      const list = [text]
      this.#hashes[word] = hashOf(written)
      this.#shifts[word] = shiftOf(written.length)
      this.#isSlight[word] = isSlight(words.language, written) ? 1 : 0
      this.#mayBeNumber[word] = withDigits(list) === list ? 0 : 1
    }
  }

  /**
   * Gives the hashes of the keys of a record that is called by its words alone: of all, and of those outside and inside of brackets,
   * which stand there in turn. False where a word may be a number.
   */
  addHashes(position: number, runs: readonly number[], add: (hash: number) => void): boolean {
    const { names, nameStarts } = this.#words
    const [start, end] = [nameStarts[position] as number, nameStarts[position + 1] as number]
    const whole = new KeyHash()
    for (let place = start; place < end; place++) {
      if (this.#mayBeNumber[names[place] as number] === 1) return false
      this.#join(whole, names[place] as number)
    }
    whole.addTo(add)
    const outside = new KeyHash()
    let place = start
    for (const [at, count] of runs.entries()) {
      const key = at % 2 === 0 ? outside : new KeyHash()
      for (let word = 0; word < count; word++) this.#join(key, names[place++] as number)
      if (key !== outside) key.addTo(add)
    }
    outside.addTo(add)
    return true
  }

  #join(key: KeyHash, word: number): void {
    const [hash, shift] = [this.#hashes[word] as number, this.#shifts[word] as number]
    key.words++
    key.joined = (Math.imul(key.joined, shift) + hash) | 0
    if (this.#isSlight[word] === 1) key.slight++
    else key.core = (Math.imul(key.core, shift) + hash) | 0
  }
}

/** The hashes of the keys of some words, with and without those that say little. */
class KeyHash {
  joined = 0
  core = 0
  words = 0
  slight = 0

  addTo(add: (hash: number) => void): void {
    if (this.words > 0) add(this.joined >>> 0)
    if (this.slight > 0 && this.slight < this.words) add(this.core >>> 0)
  }
}

function addAllHashes(names: EntityNames, position: number, language: Language, add: (hash: number) => void): void {
  const keys = new Set<string>()
  for (const words of names.wordsOfNames(position))
    addKeys(keys, language.withDigits(words), language, names.isSeat(position))
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

/** The positions of the records of its entity that a part may name, wherever they are, unless it is misspelt. */
export const positionsCalled = (release: Release, part: WrittenPart): number[] =>
  tablesIn(release)(part.entity).positionsOf(keysOf(part))
