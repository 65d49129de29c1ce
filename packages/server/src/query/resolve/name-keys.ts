// The keys of what the records of an entity are called: what a name is looked up by.
//
// The key of a name is its letters without spaces, with abbreviations written out and numbers in digits, with and without the
// words that say little. Only its hash is kept.
import { lowerBound } from '../../base/binary-search.ts'
import { checkpoint } from '../../base/checkpoint.ts'
import type { FlatTexts } from '../../release/index/byte-order.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import type { EntityNames } from './entity-names.ts'
import { isSlight } from './name-match.ts'
import { formsAsMet, hashOf, shiftOf, type WordForms } from './word-forms.ts'

const CHECKED_EVERY = 0xfff
/** How many hashes there is room for at first. */
const FIRST_HASHES = 1 << 8

/** The hashes of the keys of some records of an entity. */
export class NameKeys {
  hashes = new Uint32Array(FIRST_HASHES)
  /** What each hash is of: a distinct name, or a position, counted from the number of distinct names. */
  numbers = new Uint32Array(FIRST_HASHES)
  count = 0
  /** What the next hashes are of. */
  #of = 0
  readonly #names: EntityNames
  readonly #index: WordIndex
  readonly #forms: WordForms
  readonly #key = new KeyHash()
  readonly #outside = new KeyHash()

  constructor(names: EntityNames, index: WordIndex) {
    this.#names = names
    this.#index = index
    this.#forms = formsAsMet(index)
  }

  /** Adds the keys of the records from one position to just before another; of all, those of a name that several have once. */
  add(from: number, to: number): void {
    const { count, distinctCount } = this.#names
    this.#addOnlyNames(from, to, to - from === count ? new Uint8Array(distinctCount) : undefined)
    this.#addOthers(from, to)
  }

  /** Adds the keys of the only names of records: of most in one pass over numbers, in the order in which they lie. */
  #addOnlyNames(from: number, to: number, isMet: Uint8Array | undefined): void {
    const { distinctNames, distinctCount } = this.#names
    if (distinctNames === undefined) return
    const { values, texts, hasBrackets } = distinctNames
    const { names, nameStarts } = this.#index
    const { hashes, shifts, isSlightWrittenOut, isOpenNumber } = this.#forms
    for (let position = from; position < to; position++) {
      if ((position & CHECKED_EVERY) === 0) checkpoint()
      const name = values[position] as number
      if (isMet?.[name] === 1) continue
      if (isMet !== undefined) isMet[name] = 1
      const start = nameStarts[position] as number
      const end = nameStarts[position + 1] as number
      let joined = 0
      let core = 0
      let slight = 0
      let open = 0
      for (let place = start; place < end; place++) {
        const word = names[place] as number
        if (shifts[word] === 0) this.#forms.learn(word)
        const hash = hashes[word] as number
        const shift = shifts[word] as number
        open |= isOpenNumber[word] as number
        joined = (Math.imul(joined, shift) + hash) | 0
        if (isSlightWrittenOut[word] === 1) slight++
        else core = (Math.imul(core, shift) + hash) | 0
      }
      this.#of = isMet === undefined ? distinctCount + position : name
      const bracketed = hasBrackets[name] === 0 ? undefined : texts
      if (open === 1 || (bracketed !== undefined && !this.#addBracketed(bracketed, name, start, end)))
        for (const { name } of this.#names.ownNames(position)) this.#addWords(name.words, false)
      else this.#put(joined, core, end - start, slight)
    }
  }

  /** Adds the keys of the words outside and inside of the brackets of a name; false where its words are not seen in its text. */
  #addBracketed({ bytes, offsets }: FlatTexts, name: number, start: number, end: number): boolean {
    const { names } = this.#index
    const { hashes, shifts, isSlightWrittenOut } = this.#forms
    const [outside, inside, before] = [this.#outside, this.#key, this.count]
    let key = outside
    let place = start
    let isInWord = false
    for (let at = offsets[name] as number; at < (offsets[name + 1] as number); at++) {
      const code = bytes[at] as number
      const isLetter = isLetterCode(code)
      if (isLetter && !isInWord) {
        const word = names[place++] as number
        key.append(hashes[word] as number, shifts[word] as number, isSlightWrittenOut[word] === 1)
      } else if (isBracketCode(code)) {
        if (key === inside) this.#close(inside)
        key = key === inside ? outside : inside
      }
      isInWord = isLetter
    }
    this.#close(inside)
    this.#close(outside)
    if (place === end) return true
    this.count = before
    return false
  }

  /** Adds all keys of the records that are called otherwise too. */
  #addOthers(from: number, to: number): void {
    const { positionsOfOthers, distinctCount } = this.#names
    for (let at = lowerBound(positionsOfOthers, from); at < positionsOfOthers.length; at++) {
      checkpoint()
      const position = positionsOfOthers[at] as number
      if (position >= to) break
      this.#of = distinctCount + position
      const { names, isSeat } = this.#names.record(position)
      for (const { name } of names) this.#addWords(name.words, isSeat)
    }
  }

  /** Adds the keys of a name; a seat also goes by its first words. */
  #addWords(words: readonly string[], isSeat: boolean): void {
    const { language } = this.#index
    const key = this.#key
    for (const word of words) {
      if (isSeat && key.slight < key.words) this.#put(key.joined, key.core, key.words, key.slight)
      const written = language.longFormsOf(word)[0] ?? word
      key.append(hashOf(written), shiftOf(written.length), isSlight(language, written))
    }
    this.#close(key)
  }

  /** Adds a key whose words are all there. */
  #close(key: KeyHash): void {
    this.#put(key.joined, key.core, key.words, key.slight)
    key.clear()
  }

  #put(joined: number, core: number, words: number, slight: number): void {
    if (words > 0) this.#putHash(joined)
    if (slight > 0 && slight < words) this.#putHash(core)
  }

  #putHash(hash: number): void {
    if (this.count === this.hashes.length) {
      this.hashes = grown(this.hashes)
      this.numbers = grown(this.numbers)
    }
    this.hashes[this.count] = hash
    this.numbers[this.count++] = this.#of
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
