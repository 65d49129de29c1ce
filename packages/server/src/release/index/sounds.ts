// The words of an index by how they sound, so that words spelled by ear are looked up and not compared.
import { soundsOf } from '../../catalog/spanish.ts'
import type { Words } from './index-file.ts'

const SHIFT = 0x1_0000_0000

/** The hash of each sound, ascending, and the word that sounds so; a word with two sounds stands there twice. */
export function soundsOfWords(count: number, textOf: (word: number) => string): Pick<Words, 'sounds' | 'soundWords'> {
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
export function wordsThatSoundLike({ words, sounds, soundWords }: Words, typed: string): number[] {
  const matches = new Set<number>()
  const typedSounds = soundsOf(typed)
  for (const sound of typedSounds) {
    const hash = hashOf(sound)
    for (let at = firstAtLeast(sounds, hash); sounds[at] === hash; at++) {
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

function firstAtLeast(ascending: Uint32Array, number: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) < number) low = middle + 1
    else high = middle
  }
  return low
}
