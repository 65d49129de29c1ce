// Texts of an index in the order of the bytes of their keys, and those with the same key in their own.
import { firstWhich } from '../../base/binary-search.ts'
import type { FlatTexts } from './byte-order.ts'

export class SortedTexts {
  readonly #bytes: Buffer
  readonly #offsets: Uint32Array
  readonly #keyOf: (text: string) => string

  constructor(bytes: Buffer, offsets: Uint32Array, keyOf: (text: string) => string) {
    this.#bytes = bytes
    this.#offsets = offsets
    this.#keyOf = keyOf
  }

  get size(): number {
    return this.#offsets.length - 1
  }

  text(number: number): string {
    return this.#bytes.toString('utf8', this.#offsets[number], this.#offsets[number + 1])
  }

  /** All of them, which are not copied. */
  get flat(): FlatTexts {
    return { bytes: this.#bytes, offsets: this.#offsets }
  }

  /** The length of a text in bytes. */
  lengthOf(number: number): number {
    return (this.#offsets[number + 1] as number) - (this.#offsets[number] as number)
  }

  /** For each text 1 where it has one of some ASCII characters, and else 0. */
  flagsOf(characters: string): Uint8Array {
    const flags = new Uint8Array(this.size)
    const offsets = this.#offsets
    for (const character of characters) {
      const code = character.charCodeAt(0)
      let number = 0
      let at = this.#bytes.indexOf(code, offsets[0])
      while (at !== -1 && at < (offsets[this.size] as number)) {
        while ((offsets[number + 1] as number) <= at) number++
        flags[number] = 1
        at = this.#bytes.indexOf(code, offsets[number + 1])
      }
    }
    return flags
  }

  /** Writes the letters of a text as numbers, as many as there is room for, and says how many. */
  lettersInto(letters: Uint16Array, number: number): number {
    const start = this.#offsets[number] as number
    const length = Math.min((this.#offsets[number + 1] as number) - start, letters.length)
    for (let at = 0; at < length; at++) {
      const byte = this.#bytes[start + at] as number
      if (byte > LAST_ASCII) return lettersOf(this.text(number), letters)
      letters[at] = byte
    }
    return length
  }

  find(text: string): number | undefined {
    const key = this.#keyBytes(text)
    const bytes = byteText(text)
    const number = this.#first((other) => {
      const otherKey = this.#keyBytes(other)
      return otherKey > key || (otherKey === key && byteText(other) >= bytes)
    })
    return number < this.size && this.text(number) === text ? number : undefined
  }

  /** The range of texts whose key begins like the key of the prefix: from the first to just after the last. */
  range(prefix: string): readonly [from: number, to: number] {
    const key = this.#keyBytes(prefix)
    const from = this.#first((other) => this.#keyBytes(other) >= key)
    const to = this.#first((other) => this.#keyBytes(other).slice(0, key.length) > key)
    return [from, to]
  }

  /** The range of texts that begin like the prefix, where every text is its own key and compared as bytes. */
  plainRange(prefix: string): readonly [from: number, to: number] {
    const key = byteText(prefix)
    const from = this.#firstPlain(key, 0)
    return [from, this.#firstPlain(key, 1, from)]
  }

  /** The number of a text that is its own key, if it is there. */
  indexOf(text: string): number | undefined {
    const key = byteText(text)
    const number = this.#firstPlain(key, 0)
    return number < this.size && this.lengthOf(number) === key.length && this.#order(number, key) === 0
      ? number
      : undefined
  }

  /** True if any text that is its own key begins with a prefix. */
  isBeginning(text: string): boolean {
    const key = byteText(text)
    const number = this.#firstPlain(key, 0)
    return number < this.size && this.#order(number, key) === 0
  }

  /** True if a text is its own key, as codes of digits are. */
  isOwnKey(text: string): boolean {
    return this.#keyOf(text) === text
  }

  /** The first text, from some number on, that comes at or after a key: 0 counts those that begin with it, 1 does not. */
  #firstPlain(key: string, least: 0 | 1, from = 0): number {
    return firstWhich((number) => this.#order(number, key) >= least, from, this.size)
  }

  /** Negative if a text comes before a key, 0 if it begins with it, positive if it comes after it. */
  #order(number: number, key: string): number {
    const start = this.#offsets[number] as number
    const length = Math.min((this.#offsets[number + 1] as number) - start, key.length)
    for (let at = 0; at < length; at++) {
      const order = (this.#bytes[start + at] as number) - key.charCodeAt(at)
      if (order !== 0) return order
    }
    return length === key.length ? 0 : -1
  }

  #keyBytes(text: string): string {
    return byteText(this.#keyOf(text))
  }

  #first(holds: (text: string) => boolean): number {
    return firstWhich((number) => holds(this.text(number)), 0, this.size)
  }
}

const LAST_ASCII = 0x7f

/** A text with a character for each of its bytes: words are looked up all the time, and most are that as they are. */
function byteText(text: string): string {
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) > LAST_ASCII) return Buffer.from(text).toString('latin1')
  return text
}

function lettersOf(text: string, letters: Uint16Array): number {
  const length = Math.min(text.length, letters.length)
  for (let at = 0; at < length; at++) letters[at] = text.charCodeAt(at)
  return length
}
