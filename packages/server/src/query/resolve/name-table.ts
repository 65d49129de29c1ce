// A table of what the records of an entity are called, so that those with a name are found without looking at the others.
//
// The key of a name is its letters without spaces, with abbreviations written out and numbers in digits, with and without the
// words that say little. The table has a hash of each key and the position of its record, ascending: 8 bytes for each.
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import type { Release } from '../../release/release.ts'
import { isSlight, type WrittenName } from '../search/name-match.ts'
import { type EntityNames, entityNames } from './entity-names.ts'
import type { WrittenPart } from './written-part.ts'

/** Entries are hash × POSITIONS + position, which a float has room for. */
const POSITIONS = 2 ** 21
const CHECKED_EVERY = 0xfff

class NameTable {
  readonly #entries: Float64Array

  constructor(names: EntityNames, language: Language) {
    const entries: number[] = []
    for (let position = 0; position < Math.min(names.count, POSITIONS); position++) {
      if ((position & CHECKED_EVERY) === 0) checkpoint()
      const keys = new Set<string>()
      for (const { name } of names.record(position).names) addKeys(keys, name.words, language, names.isSeat(position))
      for (const key of keys) entries.push(hashOf(key) * POSITIONS + position)
    }
    this.#entries = Float64Array.from(entries).sort()
  }

  /** The positions of the records that may be called so: nearly all of them are. */
  positionsOf(keys: Iterable<string>): Set<number> {
    const entries = this.#entries
    const positions = new Set<number>()
    for (const key of keys) {
      const from = hashOf(key) * POSITIONS
      let [low, high] = [0, entries.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((entries[middle] as number) < from) low = middle + 1
        else high = middle
      }
      for (; low < entries.length && (entries[low] as number) < from + POSITIONS; low++)
        positions.add((entries[low] as number) - from)
    }
    return positions
  }
}

/** Adds the keys of a name; a seat also goes by what is before a genitive. */
function addKeys(keys: Set<string>, words: readonly string[], language: Language, isSeat: boolean): void {
  const { longFormsOf, isGenitive } = language
  let [joined, core] = ['', '']
  for (const [at, word] of words.entries()) {
    if (isSeat && at > 0 && isGenitive(word) && core !== '') keys.add(joined).add(core)
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

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

const tablesIn = memoized((release: Release) =>
  memoized((entity: Entity) => new NameTable(entityNames(release, entity), languageOfNames(entity))),
)

/** The positions of the records of its entity that a part may name, wherever they are, unless it is misspelt. */
export const positionsCalled = (release: Release, part: WrittenPart): Set<number> =>
  tablesIn(release)(part.entity).positionsOf(keysOf(part))
