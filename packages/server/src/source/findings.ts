// Findings on the records of a source, and on rows that were left out: reported, without stopping the import.

import { listOf, objectOf, type TypeOf, text, wholeNumber } from '../base/schema.ts'

/** A text that may quote any value of a source; the writers of pages, tables and lines make it fit. */
const foundText = text(20_000)

/** A finding, with a few examples. */
export const finding = {
  kind: foundText,
  description: foundText,
  count: wholeNumber(),
  examples: listOf(foundText, 1_000),
}
const findingSchema = objectOf(finding)
export type Finding = TypeOf<typeof findingSchema>

/** The place of a finding, and the value there. */
type FindingPlace = {
  readonly file: string
  readonly line?: number
  readonly column?: string
  readonly value?: string
}

/** A place, and what is said of it where that is not the value alone. */
type SaidPlace = FindingPlace & { readonly says?: string }

/** A finding with its places, as many as are kept. */
export type LocatedFinding = Finding & { readonly places: readonly FindingPlace[] }

/** Takes a finding and its place. */
export type TellFinding = (kind: string, description: string, place: SaidPlace) => void

const MAX_EXAMPLES = 5
const MAX_PLACES = 10_000
const MAX_EXAMPLE = 1_000

type Counted = { description: string; count: number; examples: string[]; places: FindingPlace[] }

/** Counts findings by kind, with the first few examples of each, and the places of those that have one. */
export class Findings {
  readonly #byKind = new Map<string, Counted>()

  add(kind: string, description: string, example: string | SaidPlace): void {
    const finding = this.#of(kind, description)
    finding.count++
    if (finding.examples.length < MAX_EXAMPLES)
      finding.examples.push(typeof example === 'string' ? example : exampleOf(example))
    if (typeof example !== 'string' && finding.places.length < MAX_PLACES) {
      const { says: _, ...place } = example
      finding.places.push(place)
    }
  }

  /** Counts more of a kind, of which the places are not known. */
  addMore(kind: string, description: string, count: number): void {
    this.#of(kind, description).count += count
  }

  /** Adds those of another collection. */
  include(others: Findings): void {
    for (const { kind, description, count, examples, places } of others.located()) {
      const finding = this.#of(kind, description)
      finding.count += count
      finding.examples.push(...examples.slice(0, MAX_EXAMPLES - finding.examples.length))
      finding.places = [...finding.places, ...places].slice(0, MAX_PLACES)
    }
  }

  list(): Finding[] {
    return this.located().map(({ places: _, ...finding }) => finding)
  }

  located(): LocatedFinding[] {
    return [...this.#byKind].map(([kind, finding]) => ({ kind, ...finding }))
  }

  #of(kind: string, description: string): Counted {
    return this.#byKind.getOrInsertComputed(kind, () => ({ description, count: 0, examples: [], places: [] }))
  }
}

function exampleOf({ file, line, column, value, says = value }: SaidPlace): string {
  const place = `${file}${line === undefined ? '' : `:${line}`}${column === undefined ? '' : `, ${column}`}`
  return (says === undefined ? place : `${place}: ${says}`).slice(0, MAX_EXAMPLE)
}
