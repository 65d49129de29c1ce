// By what names are told that cannot match, before they are compared: their words and letters in a few numbers.
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

/** Shorter words may be initials of others. */
const MIN_TELLING = 4

function tellingWords(words: readonly string[], language: Language): readonly string[] {
  const telling = words.filter((word) => !isLight(language, word))
  const long = telling.filter((word) => word.length >= MIN_TELLING)
  return long.length > 0 ? long : telling
}

export const signsOf =
  (language: Language) =>
  (forms: Forms): Signs => [
    ...setsOf(forms.words),
    ...setsOf(tellingWords(forms.words, language)),
    hashOf(forms.joined.slice(0, BEGINNING_LETTERS)) | 0,
    ...[forms.joined, forms.core, soundOf(forms, language)].flatMap((text) => numbersOf(bagOf(text))),
  ]

/** The signs of all names of records, found out when they are first asked for. */
export class NameSigns {
  readonly #formsAt: (position: number) => readonly Forms[]
  readonly #signs = new Map<number, Int32Array>()
  readonly #signsOf: (forms: Forms) => Signs

  constructor(language: Language, formsAt: (position: number) => readonly Forms[]) {
    this.#signsOf = signsOf(language)
    this.#formsAt = formsAt
  }

  /**
   * Whether a name of a record can match: all words of one that say something are in the other, it begins with what was typed, or the
   * letters of both are the same but for some edits, as they are written or sound.
   */
  mayMatch(position: number, typed: readonly Signs[]): boolean {
    const signs = this.#signsAt(position)
    for (let at = 0; at < signs.length; at += SIGNS)
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

  #signsAt(position: number): Int32Array {
    const known = this.#signs.get(position)
    if (known !== undefined) return known
    const signs = Int32Array.from(this.#formsAt(position).flatMap(this.#signsOf))
    this.#signs.set(position, signs)
    return signs
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
