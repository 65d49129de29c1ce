// How far what someone wrote is from the name of a record: a cost that is 0 where it is the name, and about 1 for each edit.
//
// Names are compared whole: as words, with their abbreviations written out, with the spaces left out, without the words that
// say little, by their sound, and by their edit distance. The least cost of these counts.
import { memoized } from '../../base/memoized.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { bitsOf, letterMask } from '../../release/index/word-keys.ts'
import { distanceOf } from '../search/edit-distance.ts'
import type { How } from '../search/explanation.ts'
import { isLight } from '../search/word-match.ts'

/** One way to write a name, in all the forms that are compared. */
export type Forms = {
  /** Abbreviations written out. */
  readonly words: readonly string[]
  readonly full: string
  /** Without spaces. */
  readonly joined: string
  /** Without the words that say little. */
  readonly core: string
  readonly mask: number
  readonly heard: HeardLetters
  /** How it sounds, computed when it is compared. */
  sound: string | undefined
}

/** Whether a word is in the names of a catalog. */
export type IsKnown = (word: string) => boolean

const isKnownNowhere: IsKnown = () => false

/** A name as a record has it, or as it was typed. */
export class WrittenName {
  /** The words as they are written. */
  readonly typed: readonly string[]
  /** The same with all numbers in digits. */
  readonly words: readonly string[]
  readonly language: Language
  readonly text: string
  /** Which words are in names of the catalog, where that is asked for. */
  readonly isKnown: IsKnown
  #readings: readonly Forms[] | undefined
  #numbers: string | undefined
  #typedJoined: string | undefined

  /** Takes folded words, and the language that they are compared in. */
  constructor(words: readonly string[], language: Language, isKnown: IsKnown = isKnownNowhere) {
    this.typed = words
    this.words = language.withDigits(words)
    this.language = language
    this.text = words.join(' ')
    this.isKnown = isKnown
  }

  /** The words as they are written, without spaces. */
  get typedJoined(): string {
    this.#typedJoined ??= this.typed.length === 1 ? this.text : this.typed.join('')
    return this.#typedJoined
  }

  /** An abbreviation may stand for several words, so there may be several ways. */
  get readings(): readonly Forms[] {
    this.#readings ??= readingsOf(this)
    return this.#readings
  }

  /** The words with digits: other numbers make another name. */
  get numbers(): string {
    this.#numbers ??= this.words.some(hasDigit) ? this.words.filter(hasDigit).join(' ') : ''
    return this.#numbers
  }
}

export type NameMatch = {
  readonly cost: number
  readonly how: How
  /** Whether it is the whole name, but for abbreviations and spaces. */
  readonly isWhole: boolean
  /** Whether the name begins with what was typed, and goes on. */
  readonly isPrefix: boolean
  /** Whether it may be another name: a word or a number is missing or changed. However alone it is, no one can be sure of it. */
  readonly isDoubtful: boolean
  /** Whether one of the two is the other with more after it, as "Toluca" and "Toluca de Lerdo". */
  readonly isShort: boolean
}

const EXACT_MATCH: NameMatch = {
  cost: 0,
  how: 'exact',
  isWhole: true,
  isPrefix: false,
  isDoubtful: false,
  isShort: false,
}

const MAX_READINGS = 4
const HAS_DIGIT = /\p{N}/u
const LAST_DIGIT = 0x39
const LAST_ASCII = 0x7f

function hasDigit(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    if (code <= LAST_DIGIT) return true
    if (code > LAST_ASCII) return HAS_DIGIT.test(word)
  }
  return false
}

function readingsOf(name: WrittenName): Forms[] {
  const { words, language } = name
  const { longFormsOf } = language
  const own = words === name.typed ? formsOf(words, language, name.text, name.typedJoined) : formsOf(words, language)
  if (!words.some((word) => longFormsOf(word).length > 0)) return [own]
  let readings: (readonly string[])[] = [words]
  for (const [at, word] of words.entries()) {
    const longs = longFormsOf(word)
    if (longs.length === 0) continue
    const forms = readings.length * longs.length > MAX_READINGS ? longs.slice(0, 1) : longs
    readings = readings.flatMap((before) => forms.map((form) => before.with(at, form)))
  }
  // What looks like an abbreviation may be a word of its own, or the beginning of one.
  return [...readings.map((reading) => formsOf(reading, language)), own]
}

/** Some words as one way to write a name. */
export function formsOf(
  words: readonly string[],
  language: Language,
  full = words.join(' '),
  joined = words.join(''),
): Forms {
  const heard = earOf(language)
  const isAllCore = !words.some((word) => isSlight(language, word))
  const core = isAllCore ? joined : words.filter((word) => !isSlight(language, word)).join('')
  const mask = letterMask(joined)
  return {
    words,
    full,
    joined,
    core: core === '' ? joined : core,
    mask,
    sound: undefined,
    heard: {
      all: heard(mask),
      core: heard(isAllCore ? mask : letterMask(core)),
      length: joined.length,
      coreLength: core.length,
    },
  }
}

/** Whether a word may be left out: it says little, or honours what it stands before. */
export const isSlight = (language: Language, word: string): boolean => isLight(language, word) || language.isHonor(word)

/** Which letters are heard in a language, of those that are written: letters that are written for one another count as the first of them. */
const earOf = memoized(({ alike, silent }: Language) => {
  const groups = alike.map((letters) => ({ all: letterMask(letters), first: letterMask(letters.charAt(0)) }))
  const allAlike = groups.reduce((mask, { all }) => mask | all, letterMask(silent))
  return (written: number): number => {
    let mask = written & ~allAlike
    for (let at = 0; at < groups.length; at++) {
      const { all, first } = groups[at] as (typeof groups)[number]
      if ((written & all) !== 0) mask |= first
    }
    return mask
  }
})

/** Which letters are heard in a name, and which of them in words that say something; and how long both are. */
export type HeardLetters = {
  readonly all: number
  readonly core: number
  readonly length: number
  readonly coreLength: number
}

/** Which letters are heard, of those that are written. */
export const heardOf = (written: number, language: Language): number => earOf(language)(written)

/** Whether two names may have something in common; most have too little, which is sooner known so than by comparing them. */
export const mayMatch = (typed: HeardLetters, name: HeardLetters): boolean =>
  mayGoOn(typed, name) || mayBeMisspelt(typed, name)

/** Whether all letters that were typed are in a name, so that it may go on after them. */
export const mayGoOn = (typed: HeardLetters, name: HeardLetters): boolean =>
  (typed.core & ~name.all) === 0 && name.length >= typed.length

/** Whether two names are about as long, and have about the same letters. */
export function mayBeMisspelt(typed: HeardLetters, name: HeardLetters): boolean {
  if (
    Math.abs(typed.length - name.length) > MAX_EAR_LENGTH &&
    Math.abs(typed.coreLength - name.coreLength) > MAX_EAR_LENGTH
  )
    return false
  return bitsOf(typed.core & ~name.all) <= MAX_EDITS && bitsOf(name.core & ~typed.all) <= MAX_EDITS
}

/** Whether all letters of a name are among those typed, so that its words may be. */
export const mayHaveMore = (typed: HeardLetters, name: HeardLetters): boolean =>
  (name.core & ~typed.all) === 0 && name.coreLength > 0

const ABBREVIATION_COST = 0.1
const JOINED_COST = 0.15
const GLUED_MATCH: NameMatch = { ...EXACT_MATCH, cost: JOINED_COST, how: 'glued' }
const OTHER_ORDER_COST = 0.5
export const BY_EAR_COST = 0.7
const MIN_SOUND = 2
/** What comes on top of the edits where what they lead to only sounds like the name. */
const EDITED_BY_EAR_COST = 0.5
const PREFIX_COST = 1.3
export const WITHOUT_SAINT_COST = 0.6
/** How many words of a saint's name may be left out at most. */
const MAX_SAINT_WORDS = 3
const SOME_WORDS_COST = 1.8
const MORE_WORDS_COST = 2.2
/** How many edits two names may be apart at most. */
export const MAX_EDITS = 2
/** How many edits two names may be apart: in a short one, more would leave too few of its letters. */
const maxEditsIn = (typed: string, name: string): number => {
  const letters = Math.max(typed.length, name.length)
  return letters < 3 ? 0 : letters < 5 ? 1 : MAX_EDITS
}
const TOO_MANY_EDITS = MAX_EDITS + 1
const editsBetween = (typed: string, name: string): number =>
  Math.abs(typed.length - name.length) > MAX_EDITS ? TOO_MANY_EDITS : distanceOf(typed, name, MAX_EDITS).toWord
const MIN_PREFIX = 4
/** What words cost that say little and are in one of the two only: in what was typed, or in the name. */
const LIGHT_COST = 0.2
const LINKING_COST = 0.1
const TYPED_NOISE_COST = 0.5
const NAME_NOISE_COST = 0.6
/** By how many letters one of two names that sound alike may be longer. */
const MAX_EAR_LENGTH = 4

const mayBeEdited = (typed: number, name: number): boolean =>
  bitsOf(typed & ~name) <= MAX_EDITS && bitsOf(name & ~typed) <= MAX_EDITS

/** Whether two names may sound nearly alike. */
export const maySoundLike = (typed: HeardLetters, name: HeardLetters): boolean =>
  Math.abs(typed.length - name.length) <= MAX_EAR_LENGTH && mayBeEdited(typed.all, name.all)

/** Undefined where they have too little in common. */
export function matchName(typed: WrittenName, name: WrittenName): NameMatch | undefined {
  // The same number in other letters or digits is the same name.
  if (typed.text === name.text || (typed.numbers !== '' && isSameList(typed.words, name.words))) return EXACT_MATCH
  if (typed.typedJoined === name.typedJoined) return GLUED_MATCH
  let best: NameMatch | undefined
  for (const reading of typed.readings)
    for (const forms of name.readings) {
      const match = matchForms(reading, forms, typed, typed.numbers === name.numbers)
      if (match !== undefined && (best === undefined || match.cost < best.cost)) best = match
    }
  return best
}

function matchForms(typed: Forms, name: Forms, whole: WrittenName, isSameNumber: boolean): NameMatch | undefined {
  const { language } = whole
  if (!mayMatch(typed.heard, name.heard) && !mayHaveMore(typed.heard, name.heard)) return undefined
  const missing = bitsOf(typed.mask & ~name.mask)
  const added = bitsOf(name.mask & ~typed.mask)
  const length = Math.abs(typed.joined.length - name.joined.length)
  if (missing === 0 && added === 0) {
    if (typed.full === name.full) return { ...EXACT_MATCH, cost: ABBREVIATION_COST, how: 'abbreviation' }
    if (typed.joined === name.joined) return GLUED_MATCH
    if (length === 0 && sorted(typed.words) === sorted(name.words))
      return { ...EXACT_MATCH, cost: OTHER_ORDER_COST, how: 'exact', isWhole: false }
  }
  const light = typed.core === name.core ? lightCost(typed, name, language) : undefined
  if (light !== undefined) return { ...EXACT_MATCH, cost: light, how: 'dropped-words', isWhole: false }
  // What is a word of the catalog is no misspelling of another one.
  let isOther: boolean | undefined
  const isBeginning =
    missing === 0 && typed.joined.length >= MIN_PREFIX && length > 0 && name.joined.startsWith(typed.joined)
  if (isBeginning && length > 1) isOther = !isCutOff(typed, name) && hasOtherWord(typed, name, whole)
  // A word of the catalog is not cut off from a longer one, unless that is its plural.
  const isPrefix = isBeginning && isOther !== true
  let best: NameMatch | undefined
  if (isSameNumber && maySoundLike(typed.heard, name.heard)) {
    const sound = soundOf(typed, language)
    const other = soundOf(name, language)
    if (sound === other && sound.length >= MIN_SOUND) best = better(best, BY_EAR_COST, 'by-ear', isPrefix, false)
    else {
      const edits = editsBetween(sound, other)
      if (edits <= maxEditsIn(sound, other)) {
        isOther ??= hasOtherWord(typed, name, whole)
        best = better(best, edits + EDITED_BY_EAR_COST, 'typo', isPrefix, isOther)
      }
    }
  }
  if (isSameNumber && missing <= MAX_EDITS && added <= MAX_EDITS && length <= MAX_EDITS) {
    const edits = editsBetween(typed.joined, name.joined)
    if (edits <= maxEditsIn(typed.joined, name.joined)) {
      isOther ??= hasOtherWord(typed, name, whole)
      best = better(best, edits, 'typo', isPrefix, isOther)
    }
  }
  // Without the words that say little, what is left may still be misspelt.
  const coreLength = Math.min(typed.core.length, name.core.length)
  if (isSameNumber && coreLength >= MIN_CORE && (typed.core !== typed.joined || name.core !== name.joined)) {
    const edits = mayBeEdited(typed.heard.core, name.heard.core) ? editsBetween(typed.core, name.core) : TOO_MANY_EDITS
    if (edits <= MAX_EDITS) {
      isOther ??= hasOtherWord(typed, name, whole)
      best = better(best, edits + lightCost(typed, name, language), 'typo', isPrefix, isOther)
    }
  }
  if (isBeginning) {
    isOther ??= hasOtherWord(typed, name, whole)
    const isShort = isShortOf(typed.words, name.words, language)
    const isCut = !isOther && typed.words.some((word) => !name.words.includes(word))
    const cost = PREFIX_COST + (1 - typed.joined.length / name.joined.length)
    best = better(best, cost, 'prefix', isPrefix, !isSameNumber || !(isCut || isShort), isShort)
  }
  const isWithout =
    (missing === 0 &&
      (isWithoutSaint(typed.words, name.words, language) || isWithoutRank(typed.words, name.words, language))) ||
    (added === 0 && isWithoutRank(name.words, typed.words, language))
  if (isSameNumber && isWithout) best = better(best, WITHOUT_SAINT_COST, 'dropped-words', isPrefix, false)
  if (missing === 0) {
    const share = coveredShare(name.words, typed.words, language)
    if (share !== undefined) best = better(best, SOME_WORDS_COST + (1 - share), 'dropped-words', isPrefix, true)
  }
  if (added === 0) {
    const share = coveredShare(typed.words, name.words, language)
    const isShort = isSameNumber && isShortOf(name.words, typed.words, language)
    if (share !== undefined)
      best = better(best, MORE_WORDS_COST + (1 - share), 'dropped-words', isPrefix, !isShort, isShort)
  }
  return best
}

/** The match that costs less: the one before, or another. */
function better(
  best: NameMatch | undefined,
  cost: number,
  how: How,
  isPrefix: boolean,
  isDoubtful: boolean,
  isShort = false,
): NameMatch {
  return best !== undefined && best.cost <= cost ? best : { cost, how, isWhole: false, isPrefix, isDoubtful, isShort }
}

/** Whether one of the words that were typed says something else than a name: a word of the catalog that it has not, or an abbreviation. */
const hasOtherWord = (typed: Forms, name: Forms, { language, isKnown }: WrittenName): boolean => {
  const others = typed.words.filter((word) => !isSlight(language, word) && !name.words.includes(word))
  return (
    others.some((word) => isKnown(word) || isNumeral(word) || CONSONANTS.test(word)) ||
    others.some((word) => hasOtherEnding(word, typed, name, language)) ||
    (others.length === 1 && isAbbreviation(others[0] as string, typed, name, language))
  )
}

/** Whether a word is one of a name with an ending that makes another of it, "Mesita" for "Mesa", and not one that is cut off. */
const hasOtherEnding = (word: string, typed: Forms, name: Forms, { isOtherEnding }: Language): boolean =>
  name.words.some((other) => !other.startsWith(word) && !typed.words.includes(other) && isOtherEnding(word, other))

/** Whether a word is a letter that may be a number, wherever it stands. */
export const isNumeral = (word: string): boolean => word === 'i' || word === 'v' || word === 'x'

/** What has no vowel stands for a longer word: "Glz." */
const CONSONANTS = /^[b-df-hj-np-tv-xz]{2,4}$/

/** How many letters an abbreviation has at most. */
const MAX_ABBREVIATED = 3

/** Whether a short word before others is no misspelling of any word of a name, and so stands for one that it has not: "Co. Verde". */
function isAbbreviation(word: string, typed: Forms, name: Forms, language: Language): boolean {
  const [first, second] = typed.words.filter((other) => !isSlight(language, other))
  if (word.length > MAX_ABBREVIATED || word !== first || second === undefined) return false
  return word.length === 1 || !name.words.some((other) => distanceOf(word, other, 1).toWord <= 1)
}

/** How many letters a name has at least that is cut off after the first letter of a word, and after the first few. */
const MIN_CUT = 10
const MIN_CUT_FEW = 14
const MAX_FEW = 3

/** Whether a long name is cut off after the first letters of a word, which may be another word by chance: "Tlajomulco de Z". */
function isCutOff({ words, core, joined }: Forms, name: Forms): boolean {
  const at = words.length - 1
  const last = words[at] as string
  const isLong = last.length === 1 ? joined.length >= MIN_CUT : core.length >= MIN_CUT_FEW && last.length <= MAX_FEW
  return (
    isLong && last !== name.words[at] && words.every((word, before) => before === at || word === name.words[before])
  )
}

const isSameList = (words: readonly string[], others: readonly string[]): boolean =>
  words.length === others.length && words.every((word, at) => word === others[at])

/** Whether a name is short for another, which goes on with a genitive: "Toluca" for "Toluca de Lerdo". */
function isShortOf(short: readonly string[], long: readonly string[], { isGenitive }: Language): boolean {
  const { length } = short
  return length < long.length && isGenitive(long[length] as string) && short.every((word, at) => word === long[at])
}

/** Whether a name is another without the saint before it, as "Tenextepec" is "San Antonio Tenextepec". */
function isWithoutSaint(short: readonly string[], long: readonly string[], language: Language): boolean {
  const { saintWords, isLinking } = language
  const dropped = long.length - short.length
  const saint = saintWords(long[0] ?? '')
  if (saint === 0 || dropped < saint || dropped > MAX_SAINT_WORDS || isLinking(long[dropped - 1] as string))
    return false
  const isRest = short.every((word, at) => word === long[dropped + at])
  return isRest && (short[0]?.length ?? 0) >= MIN_CORE && !isLight(language, short[0] as string)
}

/**
 * Whether a name is another without the rank or title before it, as "Santiago Cuautlalpan" is "Villa Santiago Cuautlalpan" and "Ejido
 * Emiliano Zapata" is "Ejido General Emiliano Zapata"; a single word is too little.
 */
function isWithoutRank(short: readonly string[], long: readonly string[], language: Language): boolean {
  const { isRank, isGenitive, isNoise } = language
  let at = 0
  while (at < short.length && short[at] === long[at] && isNoise(short[at] as string)) at++
  if (short.length - at < 2 || !isRank(long[at] ?? '')) return false
  const from = at + (isGenitive(long[at + 1] ?? '') ? 2 : 1)
  return isSameList(short.slice(at), long.slice(from))
}

/** A shorter rest is too little to be misspelt. */
const MIN_CORE = 5

const sorted = (words: readonly string[]): string => words.toSorted().join(' ')

/** What the words that say little cost, where only one of the two has them. */
function lightCost(typed: Forms, name: Forms, language: Language): number {
  const isSmall = (word: string) => language.isLinking(word) || language.isHonor(word)
  let cost = LIGHT_COST
  for (const word of typed.words)
    if (isSlight(language, word) && !name.words.includes(word)) cost += isSmall(word) ? LINKING_COST : TYPED_NOISE_COST
  for (const word of name.words)
    if (isSlight(language, word) && !typed.words.includes(word)) cost += isSmall(word) ? LINKING_COST : NAME_NOISE_COST
  return cost
}

/** The share of the letters of some words that others have too, if they have nothing else; at least one that says something. */
function coveredShare(words: readonly string[], others: readonly string[], language: Language): number | undefined {
  let covered = 0
  let all = 0
  let substance = false
  for (const word of others) {
    if (!words.includes(word)) {
      if (isLight(language, word)) continue
      return undefined
    }
    covered += word.length
    if (!isLight(language, word)) substance = true
  }
  for (const word of words) all += word.length
  return substance ? Math.min(covered / all, 1) : undefined
}

export function soundOf(forms: Forms, language: Language): string {
  if (forms.sound !== undefined) return forms.sound
  let joined = ''
  for (const word of forms.words) joined += soundOfWord(word, language)
  forms.sound = joined
  return joined
}

export const soundOfWord = (word: string, { soundsOf }: Language): string => soundsOf(word)[0] ?? word
