// Which records may be called nearly what a part says: recognised by the words and letters of their names, before these are read.
import { memoized } from '../../base/memoized.ts'
import type { WordIndex } from '../../release/index/index-file.ts'
import { bitsOf } from '../../release/index/word-keys.ts'
import {
  type Forms,
  formsOf,
  type HeardLetters,
  isSlight,
  MAX_EDITS,
  mayBeMisspelt,
  mayGoOn,
  mayHaveMore,
  maySoundLike,
  soundOf,
} from './name-match.ts'
import { bagOf, emptied, emptyBag, hashOf, type LetterBag, type WordForms, wordForms } from './word-forms.ts'

/** One way to read what was typed. */
type TypedReading = {
  readonly heard: HeardLetters
  readonly joined: LetterBag
  readonly core: LetterBag
  readonly sound: LetterBag
  /** The words that say something, as the index numbers them; undefined where it lacks one. */
  readonly substance: readonly (number | undefined)[]
  /** The words that begin with the first one, from the first to just after the last. */
  readonly beginning: readonly [from: number, to: number]
}

const HAS_DIGIT = /\p{N}/u
/** Of longer texts, letters after these are not compared. */
const MAX_LETTERS = 60

export class NameFilter {
  readonly #index: WordIndex
  readonly #forms: WordForms
  readonly #typed: readonly TypedReading[]
  /** The same without numbers, which may be written in several ways. */
  readonly #withoutNumbers: readonly TypedReading[]
  readonly #substance: ReadonlySet<number | undefined>
  readonly #isLong: boolean
  readonly #letters: NameLetters
  readonly #hasNumber: boolean
  /** The hashes of the numbers that were typed. */
  readonly #numbers: ReadonlySet<number>
  /** All letters and digits as they were typed, and those of the name that was read last. */
  readonly #typedWhole: LetterBag
  readonly #whole = emptyBag()
  /** The letters of the name that was read last: all, those of words that say something, how they sound, and which are heard. */
  readonly #joined = emptyBag()
  readonly #core = emptyBag()
  readonly #sound = emptyBag()
  readonly #heard = { all: 0, core: 0, length: 0, coreLength: 0 }

  constructor(index: WordIndex, readings: readonly Forms[], typedJoined: string) {
    const { words, language } = index
    this.#typedWhole = bagOf(typedJoined)
    this.#index = index
    this.#forms = wordForms(index)
    this.#letters = nameLetters(index)
    this.#isLong = readings.some(({ joined }) => joined.length > MAX_LETTERS)
    const numbers = readings.flatMap((forms) => forms.words.filter(isNumber))
    this.#hasNumber = numbers.length > 0
    this.#numbers = new Set(numbers.map((number) => hashOf(number) | 0))
    const toTyped = (forms: Forms): TypedReading => ({
      heard: forms.heard,
      joined: bagOf(forms.joined),
      core: bagOf(forms.core),
      sound: bagOf(soundOf(forms, language)),
      substance: forms.words.filter((word) => !isSlight(language, word)).map((word) => words.indexOf(word)),
      beginning: words.plainRange(forms.words[0] ?? ''),
    })
    this.#typed = readings.map(toTyped)
    const otherWords = ({ words }: Forms) => words.filter((word) => !isNumber(word))
    this.#withoutNumbers = this.#hasNumber ? readings.map((forms) => toTyped(formsOf(otherWords(forms), language))) : []
    this.#substance = new Set(this.#typed.flatMap(({ substance }) => substance))
  }

  /** Whether a name is misspelt as it was typed or goes on after that, or what was typed has its words among others. */
  nearness(position: number): 'near' | 'within' | 'far' {
    const name = this.#heardAt(position)
    for (const { heard } of this.#typed) if (mayBeMisspelt(heard, name)) return 'near'
    if (this.#hasNumber && this.#mayHaveNumber(position)) return 'near'
    for (const { heard } of this.#typed) if (mayGoOn(heard, name)) return this.#hasWord(position) ? 'near' : 'far'
    for (const { heard } of this.#typed) if (mayHaveMore(heard, name)) return this.#hasWord(position) ? 'within' : 'far'
    return 'far'
  }

  /**
   * Whether a name can match at all: it has the letters that were typed but for some edits, or all of them, or all words of one
   * are those of the other; of a name with a number, all this without its number, which was typed too, or may be glued to a word. Of the letters of a name with
   * abbreviations only the others are known. Of a name with brackets, so many words stand before them.
   */
  mayMatch(position: number, beforeBrackets?: number): boolean {
    if (this.#isLong) return true
    const { nameStarts } = this.#index
    const from = nameStarts[position] as number
    const to = nameStarts[position + 1] as number
    if (this.#mayMatchWords(from, to)) return true
    if (beforeBrackets === undefined) return false
    const end = from + beforeBrackets
    return (beforeBrackets > 0 && this.#mayMatchWords(from, end)) || (end < to && this.#mayMatchWords(end, to))
  }

  /** Whether the words at some places can match as a name. */
  #mayMatchWords(from: number, to: number): boolean {
    const { names } = this.#index
    const forms = this.#forms
    const joined = emptied(this.#joined)
    const core = emptied(this.#core)
    const whole = emptied(this.#whole)
    const name = this.#heard
    name.all = 0
    name.length = 0
    let [substance, numbers, shared, abbreviations] = [0, 0, 0, 0]
    for (let place = from; place < to; place++) {
      const word = names[place] as number
      if (this.#hasNumber) forms.addLetters(word, whole)
      if (this.#isNumber(word)) {
        numbers++
        if (forms.isOpenNumber[word] === 1 || this.#numbers.has(forms.hashes[word] as number)) shared++
        continue
      }
      if (forms.isAbbreviation[word] === 1) {
        abbreviations++
        continue
      }
      forms.addLetters(word, joined)
      name.all |= forms.heard[word] as number
      name.length += forms.lengths[word] as number
      if (forms.isSlight[word] === 1) continue
      forms.addLetters(word, core)
      substance++
    }
    if (numbers > 0 && isSame(whole, this.#typedWhole)) return true
    if (shared === 0 && numbers > 0) return false
    const readings = numbers === 0 ? this.#typed : this.#withoutNumbers
    for (const typed of readings)
      if (
        missing(typed.joined, joined) === 0 ||
        (abbreviations > 0 && missing(joined, typed.joined) <= MAX_EDITS) ||
        isWithinEdits(typed.joined, joined) ||
        isWithinEdits(typed.core, substance === 0 ? joined : core) ||
        this.#isCovered(from, to, typed.substance, substance)
      )
        return true
    if (abbreviations > 0) return false
    let sound: LetterBag | undefined
    for (const typed of readings) {
      if (!maySoundLike(typed.heard, name)) continue
      sound ??= this.#soundOf(from, to)
      if (isWithinEdits(typed.sound, sound)) return true
    }
    return false
  }

  /** Whether a word of a name may be a number, where there is one in what was typed. */
  #isNumber(word: number): boolean {
    return this.#hasNumber && this.#forms.mayBeNumber[word] === 1
  }

  /** The letters that the words at some places sound like. */
  #soundOf(from: number, to: number): LetterBag {
    const { names } = this.#index
    const forms = this.#forms
    const sound = emptied(this.#sound)
    for (let place = from; place < to; place++) {
      const word = names[place] as number
      if (!this.#isNumber(word)) forms.addSound(word, sound)
    }
    return sound
  }

  /** Whether all words of a name that say something were typed, or all that were typed are in it. */
  #isCovered(from: number, to: number, typed: readonly (number | undefined)[], substance: number): boolean {
    const { names } = this.#index
    const { isSlight } = this.#forms
    let shared = 0
    let isAnyTyped = typed.length === 0
    for (let place = from; place < to; place++) {
      const word = names[place] as number
      if (!typed.includes(word)) continue
      isAnyTyped = true
      if (isSlight[word] === 0) shared++
    }
    if (shared >= substance) return true
    if (!isAnyTyped) return false
    const words = names.subarray(from, to)
    return typed.every((word) => word !== undefined && words.includes(word))
  }

  /** Whether a name may have a number, whose letters tell nothing of the same one in digits. */
  #mayHaveNumber(position: number): boolean {
    const { names, nameStarts } = this.#index
    const { mayBeNumber } = this.#forms
    for (let place = nameStarts[position] as number; place < (nameStarts[position + 1] as number); place++)
      if (mayBeNumber[names[place] as number] === 1) return true
    return false
  }

  /** Whether a name has one of the words that were typed, or begins with the first of them. */
  #hasWord(position: number): boolean {
    const { names, nameStarts } = this.#index
    const start = nameStarts[position] as number
    const first = names[start] as number
    for (const { beginning } of this.#typed) if (first >= beginning[0] && first < beginning[1]) return true
    for (let place = start; place < (nameStarts[position + 1] as number); place++)
      if (this.#substance.has(names[place])) return true
    return false
  }

  /** The letters that are heard in a name; the same object in every call. */
  #heardAt(position: number): HeardLetters {
    const heard = this.#heard
    this.#letters.read(position, heard)
    return heard
  }
}

const isNumber = (word: string): boolean => HAS_DIGIT.test(word)

/** The letters that are heard in each name, found out when it is first asked for. */
class NameLetters {
  readonly #index: WordIndex
  readonly #forms: WordForms
  readonly #all: Uint32Array
  readonly #core: Uint32Array
  readonly #lengths: Uint16Array
  readonly #coreLengths: Uint16Array

  constructor(index: WordIndex) {
    this.#index = index
    this.#forms = wordForms(index)
    const count = index.nameStarts.length - 1
    this.#all = new Uint32Array(count)
    this.#core = new Uint32Array(count)
    this.#lengths = new Uint16Array(count)
    this.#coreLengths = new Uint16Array(count)
  }

  read(position: number, heard: { -readonly [K in keyof HeardLetters]: HeardLetters[K] }): void {
    if (this.#all[position] === 0) this.#find(position)
    heard.all = this.#all[position] as number
    heard.core = this.#core[position] as number
    heard.length = this.#lengths[position] as number
    heard.coreLength = this.#coreLengths[position] as number
  }

  #find(position: number): void {
    const { names, nameStarts } = this.#index
    const { heard, lengths, isSlight } = this.#forms
    let all = 0
    let core = 0
    let length = 0
    let coreLength = 0
    const end = nameStarts[position + 1] as number
    for (let place = nameStarts[position] as number; place < end; place++) {
      const word = names[place] as number
      const letters = heard[word] as number
      all |= letters
      length += lengths[word] as number
      if (isSlight[word] === 1) continue
      core |= letters
      coreLength += lengths[word] as number
    }
    this.#all[position] = all
    this.#core[position] = core
    this.#lengths[position] = length
    this.#coreLengths[position] = coreLength
  }
}

const nameLetters = memoized((index: WordIndex) => new NameLetters(index))

/** How many letters a text has at least that another lacks. */
const missing = (letters: LetterBag, others: LetterBag): number =>
  bitsOf(letters.once & ~others.once) + bitsOf(letters.twice & ~others.twice)

const isSame = (one: LetterBag, other: LetterBag): boolean => one.once === other.once && one.twice === other.twice

/** An edit takes a letter from one text, puts one into it, or both. */
const isWithinEdits = (one: LetterBag, other: LetterBag): boolean =>
  missing(one, other) <= MAX_EDITS && missing(other, one) <= MAX_EDITS
