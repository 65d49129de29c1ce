// Large arrays that searches use again: to make new ones for each takes longer than many a search.
import type { Words } from '../release/index/index-file.ts'
import { NOT_SEEN } from './score.ts'

/** Above this share of all records, forgetting everything is cheaper than forgetting each. */
const MANY = 1 / 16

export class Scratch {
  /** What was found. */
  readonly positions: Uint32Array
  /** For each position. */
  readonly scores: Uint16Array
  readonly #seen: Uint32Array
  #count = 0

  constructor(count: number) {
    this.positions = new Uint32Array(count)
    this.scores = new Uint16Array(count).fill(NOT_SEEN)
    this.#seen = new Uint32Array(Math.ceil(count * MANY))
  }

  /** The position has a score now. */
  see(position: number): void {
    if (this.#count < this.#seen.length) this.#seen[this.#count] = position
    this.#count++
  }

  /** So many have a score now that all are forgotten at once. */
  seeMany(): void {
    this.#count = this.#seen.length + 1
  }

  forget(): void {
    const { scores } = this
    if (this.#count > this.#seen.length) scores.fill(NOT_SEEN)
    else for (let at = 0; at < this.#count; at++) scores[this.#seen[at] as number] = NOT_SEEN
    this.#count = 0
  }
}

const scratches = new WeakMap<Words, Scratch>()

/** That of an entity, as if no search had been before. */
export function scratchOf(words: Words): Scratch {
  let scratch = scratches.get(words)
  if (scratch === undefined) {
    scratch = new Scratch(words.nameStarts.length - 1)
    scratches.set(words, scratch)
  }
  scratch.forget()
  return scratch
}
