// By what names are told that cannot match, before they are compared: their words and letters in a few numbers.
import { checkpoint } from '../../base/checkpoint.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { bitsOf } from '../../release/index/word-keys.ts'
import { type Forms, MAX_EDITS, soundOf } from '../search/name-match.ts'
import { isLight } from '../search/word-match.ts'
import { bagOf, hashOf, type LetterBag } from './word-forms.ts'

/** The numbers of one way to write a name: all words and those that say something as sets of bits, how it begins, and its letters. */
type Signs = readonly number[]
const SIGNS = 11
const [ALL, TELLING, BEGINNING, JOINED, CORE, SOUND] = [0, 2, 4, 5, 7, 9] as const
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

const numbersOf = ({ once, twice }: LetterBag): readonly number[] => [once, twice]

export const signsOf =
  (language: Language) =>
  (forms: Forms): Signs => [
    ...setsOf(forms.words),
    ...setsOf(forms.words.filter((word) => !isLight(language, word))),
    hashOf(forms.joined.slice(0, BEGINNING_LETTERS)) | 0,
    ...[forms.joined, forms.core, soundOf(forms, language)].flatMap((text) => numbersOf(bagOf(text))),
  ]

/** The signs of all names of some records of an entity. */
export class NameSigns {
  /** Where those of each record begin. */
  readonly #starts: Uint32Array
  readonly #signs: Int32Array

  constructor(count: number, language: Language, formsAt: (position: number) => readonly Forms[]) {
    const signs: number[] = []
    this.#starts = new Uint32Array(count + 1)
    for (let position = 0; position < count; position++) {
      checkpoint()
      for (const forms of formsAt(position)) signs.push(...signsOf(language)(forms))
      this.#starts[position + 1] = signs.length
    }
    this.#signs = Int32Array.from(signs)
  }

  /**
   * Whether a name of a record can match: all words of one that say something are in the other, it begins with what was typed, or the
   * letters of both are the same but for some edits, as they are written or sound.
   */
  mayMatch(position: number, typed: readonly Signs[]): boolean {
    const signs = this.#signs
    const end = this.#starts[position + 1] as number
    for (let at = this.#starts[position] as number; at < end; at += SIGNS)
      for (let one = 0; one < typed.length; one++) {
        const own = typed[one] as Signs
        if (
          isWithin(own, 0, signs, at) ||
          isWithin(signs, at, own, 0) ||
          own[BEGINNING] === signs[at + BEGINNING] ||
          isEdited(own, JOINED, signs, at) ||
          isEdited(own, CORE, signs, at) ||
          isEdited(own, SOUND, signs, at)
        )
          return true
      }
    return false
  }
}

type Numbers = { readonly [index: number]: number }

/** Whether all words of one name that say something are in another, and there are some. */
const isWithin = (name: Numbers, from: number, other: Numbers, at: number): boolean =>
  name[from + TELLING] !== 0 &&
  ((name[from + TELLING] as number) & ~(other[at + ALL] as number)) === 0 &&
  ((name[from + TELLING + 1] as number) & ~(other[at + ALL + 1] as number)) === 0

/** An edit takes a letter from one text, puts one into it, or both. */
const isEdited = (typed: Signs, bag: number, signs: Int32Array, at: number): boolean =>
  missing(typed[bag] as number, signs[at + bag] as number, typed[bag + 1] as number, signs[at + bag + 1] as number) <=
    MAX_EDITS &&
  missing(signs[at + bag] as number, typed[bag] as number, signs[at + bag + 1] as number, typed[bag + 1] as number) <=
    MAX_EDITS

const missing = (once: number, otherOnce: number, twice: number, otherTwice: number): number =>
  bitsOf(once & ~otherOnce) + bitsOf(twice & ~otherTwice)
