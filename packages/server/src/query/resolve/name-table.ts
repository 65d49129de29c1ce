// A table of what the records of an entity are called, so that those with a name are found without looking at the others.
//
// The key of a name is its letters without spaces, with abbreviations written out and numbers in digits, with and without the
// words that say little. The table has a hash of each key and the number of the name that it is of: 8 bytes for each.
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Words } from '../../release/index/index-file.ts'
import type { Release } from '../../release/release.ts'
import { isSlight } from '../search/name-match.ts'
import { type EntityNames, entityNames } from './entity-names.ts'
import { hashOf, shiftOf, type WordForms, wordForms } from './word-forms.ts'
import { readingsOf, type WrittenPart } from './written-part.ts'

const CHECKED_EVERY = 0xfff
/** How many buckets there are at most, as a power of two. */
const MAX_BUCKET_BITS = 16
/** The bits of a hash say little by themselves. */
const SPREAD = 0x9e3779b1
const bucketOf = (hash: number, shift: number): number => Math.imul(hash, SPREAD) >>> shift

class NameTable {
  readonly #names: EntityNames
  /** How many distinct names there are: numbers from there on are positions, counted from it. */
  readonly #distinct: number
  /** Where each bucket begins; the hashes in it, and what each is of: a distinct name, or a record that has other names too. */
  readonly #starts: Uint32Array
  readonly #hashes: Uint32Array
  readonly #called: Uint32Array
  /** By how many bits the hash of a bucket is shifted. */
  readonly #shift: number

  constructor(names: EntityNames, words: Words) {
    this.#names = names
    this.#distinct = names.distinctNames?.size ?? 0
    const hasher = new KeyHasher(names, words)
    hasher.addDistinctNames()
    for (const position of names.positionsOfOthers) {
      checkpoint()
      hasher.of = this.#distinct + position
      for (const called of names.wordsOfNames(position))
        hasher.addWords(words.language.withDigits(called), names.isSeat(position))
    }
    const { count } = hasher
    const bits = Math.min(32 - Math.clz32(count | 1), MAX_BUCKET_BITS)
    this.#shift = 32 - bits
    this.#starts = new Uint32Array(2 ** bits + 1)
    this.#hashes = new Uint32Array(count)
    this.#called = new Uint32Array(count)
    this.#fill(hasher)
  }

  /** Puts the hashes and what they are of into their buckets. */
  #fill({ hashes, numbers, count }: KeyHasher): void {
    const [starts, shift, ordered, called] = [this.#starts, this.#shift, this.#hashes, this.#called]
    for (let at = 0; at < count; at++) {
      const bucket = bucketOf(hashes[at] as number, shift) + 1
      starts[bucket] = (starts[bucket] as number) + 1
    }
    for (let bucket = 1; bucket < starts.length; bucket++)
      starts[bucket] = (starts[bucket] as number) + (starts[bucket - 1] as number)
    const next = starts.slice()
    for (let at = 0; at < count; at++) {
      const hash = hashes[at] as number
      const bucket = bucketOf(hash, shift)
      const place = next[bucket] as number
      next[bucket] = place + 1
      ordered[place] = hash
      called[place] = numbers[at] as number
    }
  }

  /** The numbers of the names and records that may be called so, nearly all of which are. */
  calledBy(key: string): number[] {
    const hash = hashOf(key)
    const bucket = bucketOf(hash, this.#shift)
    const called: number[] = []
    for (let at = this.#starts[bucket] as number; at < (this.#starts[bucket + 1] as number); at++)
      if (this.#hashes[at] === hash) called.push(this.#called[at] as number)
    return called
  }

  /** The positions of some of them, ascending. */
  positionsOf(called: readonly number[], { isWanted, from = 0, to = this.#names.count }: Wanted): number[] {
    const positions: number[] = []
    const add = (position: number) => {
      if (isWanted === undefined || isWanted(position)) positions.push(position)
    }
    for (const number of called) {
      if (number >= this.#distinct) add(number - this.#distinct)
      else this.#names.distinctNames?.eachPosition(number, from, to, add)
    }
    return called.length > 1 ? positions.sort((a, b) => a - b) : positions
  }
}

/** Which records are wanted: all, or some of those from one position to just before another. */
export type Wanted = { readonly isWanted?: (position: number) => boolean; readonly from?: number; readonly to?: number }

/** How many hashes there is room for at first. */
const FIRST_HASHES = 1 << 12

/** Hashes the keys of the names of an entity. */
class KeyHasher {
  hashes = new Uint32Array(FIRST_HASHES)
  /** What each hash is of. */
  numbers = new Uint32Array(FIRST_HASHES)
  count = 0
  /** What the next hashes are of. */
  of = 0
  readonly #names: EntityNames
  readonly #index: Words
  readonly #forms: WordForms
  readonly #key = new KeyHash()
  readonly #outside = new KeyHash()
  /** How many words stand before each bracket of a name. */
  readonly #bounds: number[] = []

  constructor(names: EntityNames, index: Words) {
    this.#names = names
    this.#index = index
    this.#forms = wordForms(index)
  }

  /** Adds the keys of all distinct names. */
  addDistinctNames(): void {
    const { distinctNames } = this.#names
    const { names, nameStarts, language } = this.#index
    const { isOpenNumber } = this.#forms
    const size = distinctNames?.size ?? 0
    for (let name = 0; name < size; name++) {
      if ((name & CHECKED_EVERY) === 0) checkpoint()
      const position = distinctNames?.positionOf(name) as number
      const start = nameStarts[position] as number
      const end = nameStarts[position + 1] as number
      let open = 0
      for (let place = start; place < end; place++) open |= isOpenNumber[names[place] as number] as number
      const text = this.#names.bracketedName(position)
      this.of = name
      if (open === 1 || (text !== undefined && !this.#addBracketed(text, start, end)))
        for (const called of this.#names.ownWords(position)) this.addWords(language.withDigits(called), false)
      else {
        this.#append(this.#key, start, end)
        this.#add(this.#key)
      }
    }
  }

  /** Adds the keys of the words outside and inside of the brackets of a name; false where its words are not seen in its text. */
  #addBracketed(text: Uint8Array, start: number, end: number): boolean {
    const bounds = this.#bounds
    let count = 0
    let seen = 0
    let isInWord = false
    for (let at = 0; at < text.length; at++) {
      const code = text[at] as number
      const isLetter = isLetterCode(code)
      if (isLetter && !isInWord) seen++
      else if (isBracketCode(code)) bounds[count++] = start + seen
      isInWord = isLetter
    }
    if (start + seen !== end) return false
    bounds[count] = end
    this.#append(this.#outside, start, bounds[0] as number)
    for (let at = 1; at <= count; at++) {
      const isInside = (at & 1) === 1
      this.#append(isInside ? this.#key : this.#outside, bounds[at - 1] as number, bounds[at] as number)
      if (isInside) this.#add(this.#key)
    }
    this.#add(this.#outside)
    return true
  }

  /** Appends the words from one place to just before another. */
  #append(key: KeyHash, from: number, to: number): void {
    const { names } = this.#index
    const { hashes, shifts, isSlightWrittenOut } = this.#forms
    for (let place = from; place < to; place++) {
      const word = names[place] as number
      key.append(hashes[word] as number, shifts[word] as number, isSlightWrittenOut[word] === 1)
    }
  }

  /** Adds the keys of a name; a seat also goes by its first words. */
  addWords(words: readonly string[], isSeat: boolean): void {
    const { language } = this.#index
    const key = this.#key
    for (const word of words) {
      if (isSeat && key.slight < key.words) this.#put(key)
      const written = language.longFormsOf(word)[0] ?? word
      key.append(hashOf(written), shiftOf(written.length), isSlight(language, written))
    }
    this.#add(key)
  }

  #add(key: KeyHash): void {
    this.#put(key)
    key.clear()
  }

  #put({ joined, core, words, slight }: KeyHash): void {
    if (words > 0) this.#putHash(joined)
    if (slight > 0 && slight < words) this.#putHash(core)
  }

  #putHash(hash: number): void {
    if (this.count === this.hashes.length) {
      this.hashes = grown(this.hashes)
      this.numbers = grown(this.numbers)
    }
    this.hashes[this.count] = hash
    this.numbers[this.count++] = this.of
  }
}

/** The hashes of some words, with and without those that say little. */
class KeyHash {
  joined = 0
  core = 0
  words = 0
  slight = 0

  append(hash: number, shift: number, isSlight: boolean): void {
    this.words++
    this.joined = (Math.imul(this.joined, shift) + hash) | 0
    if (isSlight) this.slight++
    else this.core = (Math.imul(this.core, shift) + hash) | 0
  }

  clear(): void {
    this.joined = 0
    this.core = 0
    this.words = 0
    this.slight = 0
  }
}

const FIRST_BEYOND_ASCII = 0x80

/** Whether a byte of UTF-8 belongs to a word, as far as that is seen without folding. */
const isLetterCode = (code: number): boolean =>
  code >= FIRST_BEYOND_ASCII || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)

const isBracketCode = (code: number): boolean => code === 0x28 || code === 0x29 || code === 0x5b || code === 0x5d

function grown(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}

/** The keys of what was written, in all its readings. */
function keysOf(part: WrittenPart): Set<string> {
  const keys = new Set<string>()
  for (const { joined, core } of readingsOf(part)) keys.add(joined).add(core)
  return keys
}

const tablesIn = memoized((release: Release) =>
  memoized((entity: Entity) => new NameTable(entityNames(release, entity), release.entity(entity.name).index.words)),
)

const calledBy = memoized((part: WrittenPart, release: Release) => {
  const table = tablesIn(release)(part.entity)
  return [...keysOf(part)].map((key) => table.calledBy(key)).filter(({ length }) => length > 0)
})

/** Whether some record of an entity may be called so, without spaces. */
export const hasName = (release: Release, entity: Entity, joined: string): boolean =>
  tablesIn(release)(entity).calledBy(joined).length > 0

/** The positions of the records of its entity that a part may name, unless it is misspelt; each once. */
export function positionsCalled(part: WrittenPart, release: Release, wanted: Wanted): readonly number[] {
  const table = tablesIn(release)(part.entity)
  const lists = calledBy(part, release).map((called) => table.positionsOf(called, wanted))
  const all = lists.flat()
  return all.length > 1 ? [...new Set(all)] : all
}
