// Distinct texts as UTF-8, numbered as they come, flat in memory for millions of them: none is ever made a string.

import { ByteList } from './byte-list.ts'
import type { FlatTexts } from './byte-order.ts'
import { NumberList } from './number-list.ts'

/** A power of two, as is every size that it grows to. */
const SMALLEST = 1_024
const FULLEST = 0.5

export class TextTable {
  readonly #bytes: ByteList
  readonly #offsets = new NumberList()
  #hashes = new NumberList()
  /** Open addressing: the number of a text plus one, or zero. */
  #slots = new Uint32Array(SMALLEST)

  /** Room that is reserved and never used takes no memory. */
  constructor(expectedBytes = 0) {
    this.#bytes = new ByteList(expectedBytes)
    this.#offsets.push(0)
  }

  get size(): number {
    return this.#offsets.length - 1
  }

  /** The length of all texts in bytes. */
  get bytes(): number {
    return this.#bytes.length
  }

  /** The number of a text, which stands somewhere in some bytes: the one that it has, or the next. */
  add(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(bytes, from, to)
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = hash & mask
    for (let held = slots[slot] as number; held !== 0; held = slots[slot] as number) {
      if (this.#hashes.at(held - 1) === hash && this.#isSame(held - 1, bytes, from, to)) return held - 1
      slot = (slot + 1) & mask
    }
    this.#bytes.push(bytes, from, to)
    this.#offsets.push(this.#bytes.length)
    this.#hashes.push(hash)
    slots[slot] = this.size
    if (this.size > slots.length * FULLEST) this.#grow()
    return this.size - 1
  }

  /** No text comes any more: what serves to find them is forgotten. */
  close(): void {
    this.#hashes = new NumberList()
    this.#slots = new Uint32Array()
  }

  text(number: number): string {
    return this.#bytes.array.toString('utf8', this.#offsets.at(number), this.#offsets.at(number + 1))
  }

  /** All of them in the order of their numbers; good until the next is added. */
  get flat(): FlatTexts {
    return { bytes: this.#bytes.array, offsets: this.#offsets.array }
  }

  #isSame(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#offsets.at(number)
    if (this.#offsets.at(number + 1) - start !== to - from) return false
    const own = this.#bytes.array
    for (let at = from; at < to; at++) if (own[start + at - from] !== bytes[at]) return false
    return true
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    const hashes = this.#hashes.array
    for (let number = 0; number < hashes.length; number++) {
      let slot = (hashes[number] as number) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = number + 1
    }
    this.#slots = slots
  }
}

/** Numbers of 31 bits are dealt with fastest. */
const LARGEST_SMALL = 0x7fff_ffff

/** FNV-1a, and its high bits mixed into the low ones, which choose the slot. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) & LARGEST_SMALL
}
