// Codes that have lost the zeros at their beginning, as spreadsheets take them for numbers: the few that are shorter than the rest.
import type { SourceLocation } from '../faults.ts'
import type { Findings } from '../findings.ts'

const MAX_LENGTH = 30
/** Numbers that are counted up differ in length too; so many of them are looked at. */
const MAX_DISTINCT = 5_000
const MAX_PLACES = 1_000
/** Share of the values that have the same length. */
const USUAL = 0.9
/** The most zeros that a code is believed to have lost. */
const MAX_LOST = 2

type Short = { readonly location: SourceLocation; readonly text: string }

export class LostZeros {
  #given = 0
  readonly #lengths = new Map<number, number>()
  readonly #distinct = new Set<string>()
  /** The first values of each length, by their length. */
  readonly #places = new Map<number, Short[]>()

  take(text: string, location: () => SourceLocation): void {
    this.#given++
    const { length } = text
    if (length > MAX_LENGTH || !isDigits(text)) return
    this.#lengths.set(length, (this.#lengths.get(length) ?? 0) + 1)
    if (this.#distinct.size < MAX_DISTINCT) this.#distinct.add(text)
    const places = this.#places.getOrInsertComputed(length, () => [])
    if (places.length < MAX_PLACES) places.push({ location: location(), text })
  }

  /** The values that must have lost zeros, with what they must have been, and how many there are. */
  found(): { readonly count: number; readonly places: readonly (Short & { readonly whole: string })[] } {
    const usual = [...this.#lengths].find(([, count]) => count >= this.#given * USUAL)?.[0]
    if (usual === undefined || this.#isSeries()) return { count: 0, places: [] }
    const short = [...this.#lengths].filter(([length]) => length < usual && length >= usual - MAX_LOST)
    return {
      count: short.reduce((sum, [, count]) => sum + count, 0),
      places: short.flatMap(([length]) =>
        (this.#places.get(length) ?? []).map((one) => ({ ...one, whole: one.text.padStart(usual, '0') })),
      ),
    }
  }

  tell(findings: Findings, column: string): void {
    const description =
      'a code is shorter than the rest, as if it had lost zeros at its beginning, and is published as it is; write the zeros in the file'
    const { count, places } = this.found()
    for (const { location, text, whole } of places)
      findings.add('lost-zero', description, {
        ...{ ...location, column, value: text },
        says: `${text}, which must have been ${whole}`,
      })
    if (count > places.length) findings.addMore('lost-zero', description, count - places.length)
  }

  #isSeries(): boolean {
    let [min, max] = [Number.POSITIVE_INFINITY, 0]
    for (const text of this.#distinct) {
      min = Math.min(min, Number(text))
      max = Math.max(max, Number(text))
    }
    return (max - min + 1) / this.#distinct.size < 2
  }
}

const [ZERO, NINE] = [0x30, 0x39]

function isDigits(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    if (letter < ZERO || letter > NINE) return false
  }
  return true
}
