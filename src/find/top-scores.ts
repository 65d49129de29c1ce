// The best scores of a search so far, where only so many are wanted, and which candidates can still be among them.
//
// Pruning: a candidate is passed over if its score cannot be among the wanted best. Lower bounds of scores tell that
// without computing the score; they are defined beside it, in score.ts.
//
// - scoreLowerBound bounds the score of one candidate by a word and the length of its name. It is applied to the first two
//   words, and the candidate is passed over if a bound is above the threshold, the worst score that still counts.
// - The candidates come in several scans, the most promising first: records with a typed word itself before those with it
//   only in part, and these before those with an edit. So each scan has a bound of its own: inexactLowerBound, or the edits.
//   It ends as soon as that bound is above the threshold.
//
// The threshold is the score of the last of the wanted best; while fewer have been found, anything counts. Records with the
// same score are ranked by position. So in a scan by ascending position, a candidate after the last of the best needs a
// better score, and the threshold is one lower.
//
// This is safe as long as no bound is above the score that it bounds: then whatever is passed over would not have been among
// the wanted best. The bounds do not hold where a typed word is in codes, for a code can make a record the best whatever its
// name is, or where a word is typed twice; then nothing is pruned. Where typed words may be those of ancestors, only
// scoreLowerBound holds.
import { ELSEWHERE, gradesAt, inexactLowerBound, NO_MATCH, ONE_EDIT, scoreLowerBound, type TypedWord } from './score.ts'

/** What is known of all candidates of a scan. */
type ScanFacts = {
  /** So many typed words are in their names only in part or with an edit. */
  readonly inexact?: number
  /** They have at least so many edits; only known for a single typed word. */
  readonly edits?: number
  /** They come by ascending position. */
  readonly isAscending?: boolean
}

/** Longer names have the bound of this length. */
const LONG = 40
const ANY_LENGTH = 0x7fff_ffff

/** Score and position as one number that sorts by both. */
const KEY = 0x1_0000_0000

export class TopScores {
  /** The keys of the best so far, best first, filled up with keys that are worse than any. */
  readonly #keys: Float64Array
  #lastScore = NO_MATCH
  #lastPosition = 0
  readonly #typedLength: number
  #isAscending = false
  #scanBound = 0
  #editsBound = 0
  #threshold = NO_MATCH
  /** For each word of the index its grade as the first and as the second word of a name. */
  readonly #firstGrades: Uint8Array | undefined
  readonly #secondGrades: Uint8Array | undefined
  /** By that grade, how many words a name can have without its bound being above the threshold. */
  readonly #maxLengths = new Int32Array(ELSEWHERE + 1).fill(ANY_LENGTH)
  /** The same for whichever grade allows most. */
  #maxLength = ANY_LENGTH
  /** Whether no candidate that is still to come in this scan can be among the best. */
  isComplete = false

  constructor(wanted: number, typed: readonly TypedWord[]) {
    this.#keys = new Float64Array(wanted).fill(NO_MATCH * KEY)
    this.#typedLength = typed.length
    this.#firstGrades = gradesAt(0, typed)
    this.#secondGrades = gradesAt(1, typed)
  }

  beginScan({ inexact = 0, edits = 0, isAscending = false }: ScanFacts): void {
    this.#isAscending = isAscending
    this.#editsBound = edits * ONE_EDIT
    this.#scanBound = edits > 0 ? this.#editsBound : inexactLowerBound(inexact)
    this.#setThreshold(this.#lastScore)
  }

  /** Whether a candidate can be among the best, as far as its name tells: so many words, from `start` on. */
  mayCount(names: Uint32Array, start: number, length: number): boolean {
    // Most names are too long whatever their first word is, and that would have to be fetched from far away in memory.
    if (length > this.#maxLength) return false
    if (this.#isTooLong(length, this.#firstGrades, names[start] as number)) return false
    return length < 2 || !this.#isTooLong(length, this.#secondGrades, names[start + 1] as number)
  }

  #isTooLong(length: number, grades: Uint8Array | undefined, word: number): boolean {
    return grades !== undefined && length > (this.#maxLengths[grades[word] as number] as number)
  }

  add(score: number, position: number): void {
    const keys = this.#keys
    const key = score * KEY + position
    let place = keys.length - 1
    if (key < (keys[place] as number)) {
      for (; place > 0 && (keys[place - 1] as number) > key; place--) keys[place] = keys[place - 1] as number
      keys[place] = key
      const last = keys[keys.length - 1] as number
      this.#lastScore = Math.floor(last / KEY)
      this.#lastPosition = last % KEY
    }
    const isAfterLast = this.#isAscending && this.#lastScore !== NO_MATCH && position >= this.#lastPosition
    const threshold = isAfterLast ? this.#lastScore - 1 : this.#lastScore
    if (threshold !== this.#threshold) this.#setThreshold(threshold)
  }

  #setThreshold(threshold: number): void {
    this.#threshold = threshold
    this.isComplete = threshold < this.#scanBound
    this.#maxLength = 0
    for (let grade = 0; grade <= ELSEWHERE; grade++) {
      let length = LONG
      while (length > 0 && this.#editsBound + scoreLowerBound(grade, length, this.#typedLength) > threshold) length--
      this.#maxLengths[grade] = length === LONG ? ANY_LENGTH : length
      this.#maxLength = Math.max(this.#maxLength, this.#maxLengths[grade] as number)
    }
  }
}
