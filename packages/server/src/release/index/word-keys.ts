// Keys that spare comparing words: the sound, by which words spelled by ear are looked up, and the letters.
import { lowerBound } from '../../base/binary-search.ts'
import type { Language } from '../../catalog/languages/language.ts'
import type { WordIndex } from './index-file.ts'

const SHIFT = 0x1_0000_0000

/** The hash of each sound, ascending, and the word that sounds so; a word with two sounds stands there twice. */
export function soundsOfWords(count: number, textOf: (word: number) => string, { soundsOf }: Language) {
  const packed: number[] = []
  for (let word = 0; word < count; word++)
    for (const sound of soundsOf(textOf(word))) packed.push(hashOf(sound) * SHIFT + word)
  const sorted = Float64Array.from(packed).sort()
  return {
    sounds: Uint32Array.from(sorted, (both) => Math.floor(both / SHIFT)),
    soundWords: Uint32Array.from(sorted, (both) => both % SHIFT),
  }
}

/** The words that sound like a typed one; a hash may bring one that does not, so that sounds are compared too. */
export function wordsThatSoundLike({ words, sounds, soundWords, language }: WordIndex, typed: string): number[] {
  const { soundsOf } = language
  const matches = new Set<number>()
  for (const sound of soundsOf(typed)) {
    const hash = hashOf(sound)
    for (let at = lowerBound(sounds, hash); sounds[at] === hash; at++) {
      const word = soundWords[at] as number
      if (soundsOf(words.text(word)).includes(sound)) matches.add(word)
    }
  }
  return [...matches]
}

/** FNV-1a over UTF-16, below 2^21 so that it can be packed with the number of a word. */
function hashOf(sound: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < sound.length; at++) hash = Math.imul(hash ^ sound.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) & 0x1f_ffff
}

// The letters of a word as bits: words that differ in more of them than edits are allowed need not be compared.

const A = 0x61
const LETTERS = 26

/** A bit for each of a to z, and six bits that all other characters share. */
export function letterBit(code: number): number {
  const letter = code - A
  return 1 << (letter >= 0 && letter < LETTERS ? letter : LETTERS + (code % 6))
}

/** The bits of all letters of a word. */
export function letterMask(word: string): number {
  let mask = 0
  for (let at = 0; at < word.length; at++) mask |= letterBit(word.charCodeAt(at))
  return mask >>> 0
}

export function bitsOf(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
