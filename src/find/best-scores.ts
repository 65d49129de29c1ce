// The scores of the best so many while others come, and what follows for those: most need not be looked at closely.
import { leastScore, NOT_SEEN, type TypedWord } from './score.ts'
import { ELSEWHERE, EXACT, GRADES } from './word-match.ts'

/** No name has more words. */
const ANY_LENGTH = 0x7fff_ffff
/** A longer name counts as one of this length. */
const LENGTHS = 40

export class BestScores {
  readonly #scores: Uint16Array
  readonly #typed: number
  #allowed = 0
  /**
   * By how well one of the first words of a name matches what was typed in its place: how many words the name may have
   * to be among the best.
   */
  readonly longest = new Int32Array(GRADES).fill(ANY_LENGTH)
  /** How well each word matches what was typed first, and second if there was a second. */
  readonly first: Uint8Array
  readonly second: Uint8Array | undefined

  constructor(enough: number, typed: readonly TypedWord[]) {
    this.#scores = new Uint16Array(enough).fill(NOT_SEEN)
    this.#typed = typed.length
    this.first = gradesAt(typed, 0)
    this.second = typed.length === 1 ? undefined : gradesAt(typed, 1)
  }

  /** From now on positions ascend: of those with the same score the first are the best. */
  ascending(): void {
    this.#allowed = 1
  }

  add(score: number): void {
    const scores = this.#scores
    let place = scores.length - 1
    if (score >= (scores[place] as number)) return
    for (; place > 0 && (scores[place - 1] as number) > score; place--) scores[place] = scores[place - 1] as number
    scores[place] = score
    this.#tighten((scores[scores.length - 1] as number) - this.#allowed)
  }

  #tighten(worst: number): void {
    for (let grade = 0; grade < GRADES; grade++) {
      let length = LENGTHS
      if (leastScore(grade, length, this.#typed) <= worst) continue
      while (length > 0 && leastScore(grade, length, this.#typed) > worst) length--
      this.longest[grade] = length
    }
  }
}

function gradesAt(typed: readonly TypedWord[], place: number): Uint8Array {
  const grades = (typed[place] as TypedWord).grades.slice()
  for (const other of typed) {
    for (const word of other.matching) {
      if (other.grades[word] === EXACT && grades[word] === 0) grades[word] = ELSEWHERE
    }
  }
  return grades
}
