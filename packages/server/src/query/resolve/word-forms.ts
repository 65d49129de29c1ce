// What is known of each word of an index, found out once, when it is met: most names are made of the same few words.
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import { letterBit, letterMask } from '../../release/index/word-keys.ts'
import { heardOf, isSlight, soundOfWord } from './name-match.ts'

/** The hash of some letters follows from the hashes of those that it is joined from. */
const FACTOR = 0x01000193

export function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0
  return hash >>> 0
}

/** By what a hash is multiplied where so many letters come after it. */
export function shiftOf(length: number): number {
  let shift = 1
  for (let at = 0; at < length; at++) shift = Math.imul(shift, FACTOR)
  return shift
}

const CHECKED_EVERY = 0xff

/** Each word as it is written out. */
export class WordForms {
  readonly hashes: Int32Array
  readonly shifts: Int32Array
  readonly lengths: Uint16Array
  /** The letters that are heard in it. */
  readonly heard: Uint32Array
  /** Whether it may be left out, as it stands in names and as it is written out. */
  readonly isSlight: Uint8Array
  readonly isSlightWrittenOut: Uint8Array
  readonly mayBeNumber: Uint8Array
  /** Whether the words beside it decide whether it is a number, or which. */
  readonly isOpenNumber: Uint8Array
  readonly isAbbreviation: Uint8Array
  /** The letters that it is written with and those that it sounds like, each with those that are there twice. */
  readonly #bags: Uint32Array
  readonly #words: WordIndex

  constructor(index: WordIndex) {
    const { size } = index.words
    this.#words = index
    this.#bags = new Uint32Array(size * BAG_FIELDS)
    this.isAbbreviation = new Uint8Array(size)
    this.hashes = new Int32Array(size)
    this.shifts = new Int32Array(size)
    this.lengths = new Uint16Array(size)
    this.heard = new Uint32Array(size)
    this.isSlight = new Uint8Array(size)
    this.isSlightWrittenOut = new Uint8Array(size)
    this.mayBeNumber = new Uint8Array(size)
    this.isOpenNumber = new Uint8Array(size)
  }

  /** Finds out about all words that were not met. */
  learnAll(): this {
    for (let word = 0; word < this.shifts.length; word++) {
      if ((word & CHECKED_EVERY) === 0) checkpoint()
      if (this.shifts[word] === 0) this.learn(word)
    }
    return this
  }

  /** Finds out about a word; before that its shift is 0, as no shift is. */
  learn(word: number): void {
    const { words, masks, language } = this.#words
    const text = words.text(word)
    const [long] = language.longFormsOf(text)
    const list = [text]
    const digits = language.withDigits(list)
    const isNumber = digits !== list
    const written = isNumber ? digits.join('') : (long ?? text)
    const isTextSlight = isSlight(language, text) ? 1 : 0
    this.hashes[word] = hashOf(written)
    this.shifts[word] = shiftOf(written.length)
    this.lengths[word] = (long ?? text).length
    this.heard[word] = heardOf(long === undefined ? (masks[word] as number) : letterMask(long), language)
    this.isAbbreviation[word] = long === undefined ? 0 : 1
    this.isSlight[word] = isTextSlight
    this.isSlightWrittenOut[word] = long === undefined ? isTextSlight : isSlight(language, long) ? 1 : 0
    this.mayBeNumber[word] = isNumber ? 1 : 0
    this.isOpenNumber[word] = isNumber && isOpen(text, written) ? 1 : 0
  }

  /** Adds the letters that a word is written with to those of others. */
  addLetters(word: number, letters: LetterBag): void {
    this.#addBag(word, 0, letters)
  }

  /** Adds the letters that a word sounds like to those of others. */
  addSound(word: number, letters: LetterBag): void {
    this.#addBag(word, 1, letters)
  }

  #addBag(word: number, kind: 0 | 1, letters: LetterBag): void {
    const bags = this.#bags
    const at = (word * 2 + kind) * 2
    // No word is without letters.
    if (bags[at] === 0) {
      const { words, language } = this.#words
      const text = words.text(word)
      const { once, twice } = bagOf(kind === 0 ? text : soundOfWord(text, language))
      bags[at] = once
      bags[at + 1] = twice
    }
    addTo(letters, bags[at] as number, bags[at + 1] as number)
  }
}

const BAG_FIELDS = 4

const STARTS_WITH_DIGIT = /^[0-9]/
const TENS = /^[2-9]0$/

/** Whether a word that is written so in digits by itself may be written otherwise beside others: tens before units, a letter, a sign. */
const isOpen = (text: string, digits: string): boolean =>
  !STARTS_WITH_DIGIT.test(text) && (text === digits || text.length === 1 || TENS.test(digits))

/** Which letters some text has, and which of them more than once. */
export type LetterBag = { once: number; twice: number }

export const emptyBag = (): LetterBag => ({ once: 0, twice: 0 })

export function emptied(bag: LetterBag): LetterBag {
  bag.once = 0
  bag.twice = 0
  return bag
}

export function bagOf(text: string): LetterBag {
  const bag = emptyBag()
  for (let at = 0; at < text.length; at++) addTo(bag, letterBit(text.charCodeAt(at)), 0)
  return bag
}

function addTo(bag: LetterBag, once: number, twice: number): void {
  bag.twice |= twice | (bag.once & once)
  bag.once |= once
}

/** Of those words that were met: whoever reads of one must have it learnt. */
export const formsAsMet = memoized((words: WordIndex): WordForms => new WordForms(words))
export const wordForms = memoized((words: WordIndex): WordForms => formsAsMet(words).learnAll())
