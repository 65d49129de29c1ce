// What is wrong with the records given: every fault with its place, all of them at once up to a limit.
import { Failure } from '../failure.ts'

export type Fault = {
  readonly file: string
  readonly line: number
  readonly column: string
  readonly value: string
  readonly expected: string
}

const FAULTS_KEPT = 100

export class FaultyRecords extends Failure {
  /** The first hundred. */
  readonly faults: readonly Fault[]
  readonly count: number

  constructor(faults: readonly Fault[], count: number) {
    const lines = faults.map(
      ({ file, line, column, value, expected }) => `${file}:${line}, ${column}: ${value}; expected ${expected}`,
    )
    const more = count > faults.length ? [`… and ${count - faults.length} more`] : []
    super(
      [
        ...lines,
        ...more,
        `${count} ${count === 1 ? 'fault' : 'faults'} in the records given; nothing was changed`,
      ].join('\n'),
    )
    this.faults = faults
    this.count = count
  }
}

/** Collects faults: keeps the first hundred and counts the rest. */
export class Faults {
  readonly #kept: Fault[] = []
  #count = 0

  add(fault: Omit<Fault, 'value'> & { readonly value: unknown }): void {
    this.#count++
    if (this.#kept.length < FAULTS_KEPT) this.#kept.push({ ...fault, value: shown(fault.value) })
  }

  get any(): boolean {
    return this.#count > 0
  }

  throwIfAny(): void {
    if (this.any) throw new FaultyRecords(this.#kept, this.#count)
  }
}

const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80))
