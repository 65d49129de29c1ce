// What is known of each word of an index, found out once: most names are made of the same few words.
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { Words } from '../../release/index/index-file.ts'
import { heardIn, isSlight } from '../search/name-match.ts'

/** The hash of some letters follows from the hashes of those that it is joined from. */
const FACTOR = 0x01000193

export function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0
  return hash >>> 0
}

/** By what a hash is multiplied where so many letters come after it. */
function shiftOf(length: number): number {
  let shift = 1
  for (let at = 0; at < length; at++) shift = Math.imul(shift, FACTOR)
  return shift
}

const CHECKED_EVERY = 0xff

/** Each word as it is written out. */
class WordForms {
  readonly hashes: Int32Array
  readonly shifts: Int32Array
  readonly lengths: Uint16Array
  /** The letters that are heard in it. */
  readonly heard: Uint32Array
  /** Whether it may be left out, as it stands in names and as it is written out. */
  readonly isSlight: Uint8Array
  readonly isSlightWrittenOut: Uint8Array
  /** Whether it may be a number, which depends on the words beside it. */
  readonly mayBeNumber: Uint8Array

  constructor({ words, language }: Words) {
    const { size } = words
    this.hashes = new Int32Array(size)
    this.shifts = new Int32Array(size)
    this.lengths = new Uint16Array(size)
    this.heard = new Uint32Array(size)
    this.isSlight = new Uint8Array(size)
    this.isSlightWrittenOut = new Uint8Array(size)
    this.mayBeNumber = new Uint8Array(size)
    const { longFormsOf, withDigits } = language
    for (let word = 0; word < size; word++) {
      if ((word & CHECKED_EVERY) === 0) checkpoint()
      const text = words.text(word)
      const written = longFormsOf(text)[0] ?? text
      const heard = heardIn(text, language)
      const list = [text]
      this.hashes[word] = hashOf(written)
      this.shifts[word] = shiftOf(written.length)
      this.lengths[word] = written.length
      this.heard[word] = heard.all
      this.isSlight[word] = heard.coreLength === 0 ? 1 : 0
      this.isSlightWrittenOut[word] = isSlight(language, written) ? 1 : 0
      this.mayBeNumber[word] = withDigits(list) === list ? 0 : 1
    }
  }
}

export const wordForms = memoized((words: Words): WordForms => new WordForms(words))
