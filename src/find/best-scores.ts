// The scores of the best so many while others come, and what follows for those: most need not be looked at closely.
import { leastScore, NOT_SEEN, type TypedWord } from './score.ts'
import { ELSEWHERE, EXACT, GRADES } from './word-match.ts'

/** No name has more words. */
const ANY_LENGTH = 0x7fff_ffff
/** A longer name counts as one of this length. */
const LENGTHS = 40

const SHIFT = 0x1_0000_0000

export class BestScores {
  /** Score and position as one number, the best first; those not found yet are worse than any. */
  readonly #keys: Float64Array
  readonly #typed: number
  #least = 0
  #worse = 0
  #inOrder = false
  #worst = NOT_SEEN
  #worstPosition = 0
  /** The worst score that may still come and count. */
  #counting = NOT_SEEN
  /** None of those that are still to come is among the best. */
  isReached = false
  /**
   * By how well one of the first words of a name matches what was typed in its place: how many words the name may have
   * to be among the best.
   */
  readonly longest = new Int32Array(GRADES).fill(ANY_LENGTH)
  /** The same, however well they match. */
  longestOfAll = ANY_LENGTH
  /** How well each word matches what was typed first, and second if there was a second. */
  readonly first: Uint8Array
  readonly second: Uint8Array | undefined

  constructor(enough: number, typed: readonly TypedWord[]) {
    this.#keys = new Float64Array(enough).fill(NOT_SEEN * SHIFT)
    this.#typed = typed.length
    this.first = gradesAt(typed, 0)
    this.second = typed.length === 1 ? undefined : gradesAt(typed, 1)
  }

  /**
   * No score to come is better than this, and positions may ascend from here; all may be worse by so much than the words
   * of their names tell. Says whether any of them may count.
   */
  begin(least: number, inOrder: boolean, worse = 0): boolean {
    this.#least = least
    this.#worse = worse
    this.#inOrder = inOrder
    this.#allow(this.#worst)
    this.isReached = this.#worst < least
    return !this.isReached
  }

  /** Nearly all names whose first word is none of those typed need not be looked at closely. */
  get isStrict(): boolean {
    return (this.longest[0] as number) < 2
  }

  add(score: number, position: number): void {
    const keys = this.#keys
    const key = score * SHIFT + position
    let place = keys.length - 1
    if (key < (keys[place] as number)) {
      for (; place > 0 && (keys[place - 1] as number) > key; place--) keys[place] = keys[place - 1] as number
      keys[place] = key
      const worst = keys[keys.length - 1] as number
      this.#worst = Math.floor(worst / SHIFT)
      this.#worstPosition = worst % SHIFT
    }
    // Of those with the same score the first are the best.
    const isPast = this.#inOrder && this.#worst !== NOT_SEEN && position >= this.#worstPosition
    const counting = isPast ? this.#worst - 1 : this.#worst
    if (counting !== this.#counting) this.#allow(counting)
    this.isReached = counting < this.#least
  }

  #allow(counting: number): void {
    this.#counting = counting
    this.longestOfAll = 0
    for (let grade = 0; grade < GRADES; grade++) {
      let length = LENGTHS
      while (length > 0 && leastScore(grade, length, this.#typed) + this.#worse > counting) length--
      this.longest[grade] = length === LENGTHS ? ANY_LENGTH : length
      this.longestOfAll = Math.max(this.longestOfAll, this.longest[grade] as number)
    }
  }
}

function gradesAt(typed: readonly TypedWord[], place: number): Uint8Array {
  if (typed.length === 1) return (typed[place] as TypedWord).grades
  const grades = (typed[place] as TypedWord).grades.slice()
  for (const other of typed) {
    for (const word of other.matching) {
      if (other.grades[word] === EXACT && grades[word] === 0) grades[word] = ELSEWHERE
    }
  }
  return grades
}
