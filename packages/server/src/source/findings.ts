// What is odd about the records, and what was left out of them: reported, without stopping the import.

export type Finding = {
  readonly kind: string
  readonly description: string
  readonly count: number
  readonly examples: readonly string[]
}

const MAX_EXAMPLES = 5

/** Counts findings by kind, with the first few examples of each. */
export class Findings {
  readonly #byKind = new Map<string, { description: string; count: number; examples: string[] }>()

  add(kind: string, description: string, example: string): void {
    const finding = this.#byKind.get(kind) ?? { description, count: 0, examples: [] }
    finding.count++
    if (finding.examples.length < MAX_EXAMPLES) finding.examples.push(example)
    this.#byKind.set(kind, finding)
  }

  /** Adds those of another collection. */
  include(others: Findings): void {
    for (const { kind, description, count, examples } of others.list()) {
      const finding = this.#byKind.get(kind) ?? { description, count: 0, examples: [] }
      finding.count += count
      finding.examples.push(...examples.slice(0, MAX_EXAMPLES - finding.examples.length))
      this.#byKind.set(kind, finding)
    }
  }

  list(): Finding[] {
    return [...this.#byKind].map(([kind, finding]) => ({ kind, ...finding }))
  }
}
