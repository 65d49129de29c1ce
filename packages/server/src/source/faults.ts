// The faults of the rows that a source gives: each with its location, all of them at once up to a limit.
import { OperationalError } from '../base/operational-error.ts'

/** A line of a file, or the number of a record where there are no lines. */
export type SourceLocation = { readonly file: string; readonly line: number }

/** A fault in the value of a column. */
export type ColumnFault = { readonly column: string; readonly value: unknown; readonly expected: string }

/** A fault as it is printed. */
export type Fault = SourceLocation & { readonly column: string; readonly value: string; readonly expected: string }

export const MAX_FAULTS = 100
const MAX_VALUE = 80

export const faultText = ({ file, line, column, value, expected }: Fault): string =>
  `${file}:${line}, ${column}: ${value}; expected ${expected}`

export class FaultyRecords extends OperationalError {
  /** The first hundred. */
  readonly faults: readonly Fault[]
  readonly count: number

  constructor(faults: readonly Fault[], count: number) {
    const lines = faults.map(faultText)
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

/** Collects faults: the first hundred in full, or as many as are asked for, of the others the number. */
export class Faults {
  readonly #first: Fault[] = []
  readonly #max: number
  #count = 0

  constructor(max = MAX_FAULTS) {
    this.#max = max
  }

  add(fault: SourceLocation & ColumnFault): void {
    this.#count++
    if (this.#first.length < this.#max) this.#first.push({ ...fault, value: printed(fault.value) })
  }

  get any(): boolean {
    return this.#count > 0
  }

  /** The first faults, up to the limit. */
  list(): readonly Fault[] {
    return this.#first
  }

  get count(): number {
    return this.#count
  }

  /** Adds those of another collection. */
  include(others: Faults): void {
    this.#first.push(...others.list().slice(0, this.#max - this.#first.length))
    this.#count += others.count
  }

  throwIfAny(): void {
    if (this.any) throw new FaultyRecords(this.#first.slice(0, MAX_FAULTS), this.#count)
  }
}

const printed = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, MAX_VALUE))
