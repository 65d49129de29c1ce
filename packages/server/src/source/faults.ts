// What is wrong with the records given: every fault with its location, all of them at once up to a limit.
import { Failure } from '../base/failure.ts'

/** A line of a file, or the number of a record where there are no lines. */
export type SourceLocation = { readonly file: string; readonly line: number }

/** What is wrong with the value of a column. */
export type ColumnFault = { readonly column: string; readonly value: unknown; readonly expected: string }

/** A fault as it is printed. */
export type Fault = SourceLocation & { readonly column: string; readonly value: string; readonly expected: string }

const MAX_FAULTS = 100
const MAX_VALUE = 80

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

/** Collects faults: the first hundred in full, of the others the number. */
export class Faults {
  readonly #first: Fault[] = []
  #count = 0

  add(fault: SourceLocation & ColumnFault): void {
    this.#count++
    if (this.#first.length < MAX_FAULTS) this.#first.push({ ...fault, value: printed(fault.value) })
  }

  get any(): boolean {
    return this.#count > 0
  }

  /** The first hundred. */
  list(): readonly Fault[] {
    return this.#first
  }

  get count(): number {
    return this.#count
  }

  /** Adds those of another collection. */
  include(others: Faults): void {
    this.#first.push(...others.list().slice(0, MAX_FAULTS - this.#first.length))
    this.#count += others.count
  }

  throwIfAny(): void {
    if (this.any) throw new FaultyRecords(this.#first, this.#count)
  }
}

const printed = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, MAX_VALUE))
