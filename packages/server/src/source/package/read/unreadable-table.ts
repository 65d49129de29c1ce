// A table that cannot be read to its end, with the place where that shows.
import type { ColumnFault, SourceLocation } from '../../faults.ts'

export class UnreadableTable extends Error {
  readonly fault: SourceLocation & ColumnFault

  constructor(fault: SourceLocation & ColumnFault) {
    super(`${fault.file}:${fault.line}, ${fault.column}: ${fault.expected}`)
    this.fault = fault
  }
}
