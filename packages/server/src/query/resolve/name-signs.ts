// By what names are recognised that cannot match, before they are compared: their words and letters in a few numbers.
import type { Language } from '../../catalog/languages/language.ts'
import { bitsOf } from '../../release/index/word-keys.ts'
import { isLight } from '../search/word-match.ts'
import { type Forms, MAX_EDITS, soundOf } from './name-match.ts'
import { bagOf, hashOf } from './word-forms.ts'

/**
 * The numbers of each way to write a name, one after the other: all words and those that say something as sets of bits, how it
 * begins, and its letters.
 */
type Signs = Int32Array<ArrayBuffer>
const SIGNS = 14
const BYTES = Int32Array.BYTES_PER_ELEMENT
const [ALL, TELLING, BEGINNING, JOINED, CORE, SOUND] = [0, 2, 4, 5, 8, 11] as const
/** How many letters tell how a name begins. */
const BEGINNING_LETTERS = 4
/** The bits of a hash say little by themselves. */
const SPREAD = 0x9e3779b1

/** Each word as a bit in each of two sets, of which few words have both. */
function setsOf(words: readonly string[]): readonly [number, number] {
  const sets: [number, number] = [0, 0]
  for (const word of words) {
    const hash = Math.imul(hashOf(word), SPREAD)
    sets[0] |= 1 << (hash >>> 27)
    sets[1] |= 1 << (hash >>> 22)
  }
  return sets
}

/** How many letters there are, which ones, and which of them more than once. */
function lettersOf(text: string): readonly number[] {
  const { once, twice } = bagOf(text)
  return [text.length, once, twice]
}

/** Shorter words may be initials of others. */
const MIN_TELLING = 4

function tellingWords(words: readonly string[], language: Language): readonly string[] {
  const telling = words.filter((word) => !isLight(language, word))
  const long = telling.filter((word) => word.length >= MIN_TELLING)
  return long.length > 0 ? long : telling
}

export const signsOf = (readings: readonly Forms[], language: Language): Signs =>
  Int32Array.from(
    readings.flatMap((forms) => [
      ...setsOf(forms.words),
      ...setsOf(tellingWords(forms.words, language)),
      hashOf(forms.joined.slice(0, BEGINNING_LETTERS)),
      ...[forms.joined, forms.core, soundOf(forms, language)].flatMap(lettersOf),
    ]),
  )

/** The signs of all names of records, found out when they are first asked for. */
export class NameSigns {
  readonly #language: Language
  readonly #formsAt: (position: number) => readonly Forms[]
  /** The signs of all records that were asked for, and from where to where those of each are; one that was not ends at 0. */
  #signs: Signs = new Int32Array(SIGNS)
  #size = 0
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array

  constructor(language: Language, count: number, formsAt: (position: number) => readonly Forms[]) {
    this.#language = language
    this.#formsAt = formsAt
    this.#starts = new Uint32Array(count)
    this.#ends = new Uint32Array(count)
  }

  /**
   * Whether a name of a record can match: all words of one that say something are in the other, it begins with what was typed, or the
   * letters of both are the same but for some edits, as they are written or sound.
   */
  mayMatch(position: number, typed: Signs): boolean {
    if (this.#ends[position] === 0) this.#find(position)
    const signs = this.#signs
    const end = this.#ends[position] as number
    for (let at = this.#starts[position] as number; at < end; at += SIGNS)
      for (let own = 0; own < typed.length; own += SIGNS)
        if (
          typed[own + BEGINNING] === signs[at + BEGINNING] ||
          isWithin(typed, own, signs, at) ||
          isWithin(signs, at, typed, own) ||
          isEdited(typed, own + JOINED, signs, at + JOINED) ||
          isEdited(typed, own + CORE, signs, at + CORE) ||
          isEdited(typed, own + SOUND, signs, at + SOUND)
        )
          return true
    return false
  }

  #find(position: number): void {
    const signs = signsOf(this.#formsAt(position), this.#language)
    const end = this.#size + signs.length
    // What it had is freed at once, and not when the collector finds it.
    if (end > this.#signs.length) this.#signs = new Int32Array(this.#signs.buffer.transfer(end * 2 * BYTES))
    this.#signs.set(signs, this.#size)
    this.#starts[position] = this.#size
    this.#ends[position] = end
    this.#size = end
  }
}

/** Whether all words of one name that say something are in another, and there are some. */
const isWithin = (name: Signs, from: number, other: Signs, at: number): boolean =>
  name[from + TELLING] !== 0 &&
  ((name[from + TELLING] as number) & ~(other[at + ALL] as number)) === 0 &&
  ((name[from + TELLING + 1] as number) & ~(other[at + ALL + 1] as number)) === 0

/** An edit takes a letter from one text, puts one into it, or both. */
const isEdited = (letters: Signs, from: number, others: Signs, at: number): boolean =>
  Math.abs((letters[from] as number) - (others[at] as number)) <= MAX_EDITS &&
  missing(letters, from, others, at) <= MAX_EDITS &&
  missing(others, at, letters, from) <= MAX_EDITS

/** How many letters some text has that another lacks. */
const missing = (letters: Signs, from: number, others: Signs, at: number): number =>
  bitsOf((letters[from + 1] as number) & ~(others[at + 1] as number)) +
  bitsOf((letters[from + 2] as number) & ~(others[at + 2] as number))
