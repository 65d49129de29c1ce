// How far what someone wrote is from the name of a record: a cost that is 0 where it is the name, and about 1 for each edit.
//
// Names are compared whole: as words, with their abbreviations written out, with the spaces left out, without the words that
// say little, by their sound, and by their edit distance. The least cost of these counts.
import { isLinking, isNoise, longFormsOf, soundsOf } from '../catalog/spanish.ts'
import { bitsOf, letterMask } from '../release/index/letters.ts'
import { distanceOf } from './edit-distance.ts'
import type { How } from './search.ts'

/** One way to write a name, in all the forms that are compared. */
type Forms = {
  /** Abbreviations written out. */
  readonly words: readonly string[]
  readonly full: string
  /** Without spaces. */
  readonly joined: string
  /** Without the words that say little. */
  readonly core: string
  readonly mask: number
}

/** A name as a record has it, or as it was typed. */
export class WrittenName {
  readonly words: readonly string[]
  readonly text: string
  #readings: readonly Forms[] | undefined
  #numbers: string | undefined

  /** Of folded words. */
  constructor(words: readonly string[]) {
    this.words = words
    this.text = words.join(' ')
  }

  /** An abbreviation may stand for several words, so there may be several ways. */
  get readings(): readonly Forms[] {
    this.#readings ??= readingsOf(this.words)
    return this.#readings
  }

  /** The words with digits: other numbers make another name. */
  get numbers(): string {
    this.#numbers ??= HAS_DIGIT.test(this.text) ? this.words.filter((word) => HAS_DIGIT.test(word)).join(' ') : ''
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
}

const EXACT: NameMatch = { cost: 0, how: 'exact', isWhole: true, isPrefix: false }

const MAX_READINGS = 4
const HAS_DIGIT = /\p{N}/u

function readingsOf(words: readonly string[]): Forms[] {
  let readings: (readonly string[])[] = [words]
  for (const [at, word] of words.entries()) {
    const longs = longFormsOf(word)
    if (longs.length === 0) continue
    const forms = readings.length * longs.length > MAX_READINGS ? longs.slice(0, 1) : longs
    readings = readings.flatMap((before) => forms.map((form) => before.with(at, form)))
  }
  // What looks like an abbreviation may be a word of its own, or the beginning of one.
  const isAbbreviated = readings.length > 1 || readings[0] !== words
  return (isAbbreviated ? [...readings, words] : readings).map(formsOf)
}

function formsOf(words: readonly string[]): Forms {
  const joined = words.join('')
  const core = words.filter((word) => !isLight(word)).join('')
  return { words, full: words.join(' '), joined, core: core === '' ? joined : core, mask: letterMask(joined) }
}

const isLight = (word: string): boolean => isLinking(word) || isNoise(word)

/** Which letters a word adds to what names are compared by, in any of its forms; none if it says little. */
export const comparedLetters = (word: string): number =>
  isLight(word) ? 0 : longFormsOf(word).reduce((mask, form) => mask | letterMask(form), letterMask(word)) >>> 0

/** Whether names with these letters may have something in common; most pairs have too little, which is sooner known so. */
export function mayMatch(typed: number, name: number): boolean {
  const missing = typed & ~name
  const added = name & ~typed
  return missing === 0 || added === 0 || bitsOf(missing) + bitsOf(added) <= MAX_EAR_LETTERS
}

const ABBREVIATED = 0.1
const GLUED = 0.4
const OTHER_ORDER = 0.5
const BY_EAR = 0.7
/** What comes on top of the edits where what they lead to only sounds like the name. */
const EDITED_BY_EAR = 0.5
const PREFIX = 1.3
const SOME_WORDS = 1.8
const MORE_WORDS = 2.2
const MAX_EDITS = 2
const MIN_PREFIX = 4
/** Of words that say little, and are in one of the two only: in what was typed, and in the name. */
const LINKING_COST = 0.1
const TYPED_NOISE_COST = 0.5
const NAME_NOISE_COST = 0.6
/** Letters in which two names that sound alike may differ, and how much longer one of them may be. */
const MAX_EAR_LETTERS = 6
const MAX_EAR_LENGTH = 4

/** Undefined where they have too little in common. */
export function matchName(typed: WrittenName, name: WrittenName): NameMatch | undefined {
  if (typed.text === name.text) return EXACT
  let best: NameMatch | undefined
  for (const reading of typed.readings)
    for (const forms of name.readings) {
      const match = matchForms(reading, forms, typed.numbers === name.numbers)
      if (match !== undefined && (best === undefined || match.cost < best.cost)) best = match
    }
  return best
}

function matchForms(typed: Forms, name: Forms, isSameNumber: boolean): NameMatch | undefined {
  const missing = bitsOf(typed.mask & ~name.mask)
  const added = bitsOf(name.mask & ~typed.mask)
  const length = Math.abs(typed.joined.length - name.joined.length)
  if (missing === 0 && added === 0) {
    if (typed.full === name.full) return { ...EXACT, cost: ABBREVIATED, how: 'abbreviation' }
    if (typed.joined === name.joined) return { ...EXACT, cost: GLUED, how: 'glued' }
    if (length === 0 && sorted(typed.words) === sorted(name.words))
      return { ...EXACT, cost: OTHER_ORDER, how: 'exact', isWhole: false }
  }
  const light = typed.core === name.core ? lightCost(typed, name) : undefined
  if (light !== undefined) return { ...EXACT, cost: light, how: 'dropped-words', isWhole: false }
  const isPrefix =
    missing === 0 && typed.joined.length >= MIN_PREFIX && length > 0 && name.joined.startsWith(typed.joined)
  let best: NameMatch | undefined
  const offer = (cost: number, how: How) => {
    if (best === undefined || cost < best.cost) best = { cost, how, isWhole: false, isPrefix }
  }
  if (isSameNumber && missing + added <= MAX_EAR_LETTERS && length <= MAX_EAR_LENGTH) {
    const [sound, other] = [soundOf(typed.words), soundOf(name.words)]
    if (sound === other) offer(BY_EAR, 'by-ear')
    else {
      const edits = distanceOf(sound, other, MAX_EDITS).toWord
      if (edits <= MAX_EDITS) offer(edits + EDITED_BY_EAR, 'typo')
    }
  }
  if (isSameNumber && missing <= MAX_EDITS && added <= MAX_EDITS && length <= MAX_EDITS) {
    const edits = distanceOf(typed.joined, name.joined, MAX_EDITS).toWord
    if (edits <= MAX_EDITS) offer(edits, 'typo')
  }
  // Without the words that say little, what is left may still be misspelt.
  const coreLength = Math.min(typed.core.length, name.core.length)
  if (isSameNumber && coreLength >= MIN_CORE && (typed.core !== typed.joined || name.core !== name.joined)) {
    const edits =
      Math.abs(typed.core.length - name.core.length) > MAX_EDITS ||
      missing > MAX_LIGHT_LETTERS ||
      added > MAX_LIGHT_LETTERS
        ? MAX_EDITS + 1
        : distanceOf(typed.core, name.core, MAX_EDITS).toWord
    if (edits <= MAX_EDITS) offer(edits + lightCost(typed, name), 'typo')
  }
  if (isPrefix) offer(PREFIX + (1 - typed.joined.length / name.joined.length), 'prefix')
  if (missing === 0) {
    const share = coveredShare(name.words, typed.words)
    if (share !== undefined) offer(SOME_WORDS + (1 - share), 'dropped-words')
  }
  if (added === 0) {
    const share = coveredShare(typed.words, name.words)
    if (share !== undefined) offer(MORE_WORDS + (1 - share), 'dropped-words')
  }
  return best
}

const MAX_LIGHT_LETTERS = 10
/** A shorter rest is too little to be misspelt. */
const MIN_CORE = 5

const sorted = (words: readonly string[]): string => words.toSorted().join(' ')

/** What the words that say little cost, where only one of the two has them. */
function lightCost(typed: Forms, name: Forms): number {
  let cost = 0.1
  for (const word of typed.words)
    if (isLight(word) && !name.words.includes(word)) cost += isLinking(word) ? LINKING_COST : TYPED_NOISE_COST
  for (const word of name.words)
    if (isLight(word) && !typed.words.includes(word)) cost += isLinking(word) ? LINKING_COST : NAME_NOISE_COST
  return cost
}

/** The share of the letters of some words that others have too, if they have nothing else; at least one that says something. */
function coveredShare(words: readonly string[], others: readonly string[]): number | undefined {
  let [covered, all, substance] = [0, 0, false]
  for (const word of others) {
    if (!words.includes(word)) {
      if (isLight(word)) continue
      return undefined
    }
    covered += word.length
    if (!isLight(word)) substance = true
  }
  for (const word of words) all += word.length
  return substance ? Math.min(covered / all, 1) : undefined
}

const MAX_SOUNDS = 50_000
const sounds = new Map<string, string>()

const soundOf = (words: readonly string[]): string => {
  let joined = ''
  for (const word of words) {
    let sound = sounds.get(word)
    if (sound === undefined) {
      if (sounds.size >= MAX_SOUNDS) sounds.clear()
      sound = soundsOf(word)[0] as string
      sounds.set(word, sound)
    }
    joined += sound
  }
  return joined
}
