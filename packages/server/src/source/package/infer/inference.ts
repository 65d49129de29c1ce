// Words of the inference: what it is given besides the tables, and what it answers.
import type { Descriptor, RefusedList } from '../descriptor.ts'

/** A list outside of the package that columns may refer to: one of the home, or one that ships with the program. */
export type KnownList = {
  /** The package that it belongs to, `nomenclator` for those that ship. */
  readonly package: string
  /** The name that a reference has for it. */
  readonly resource: string
  /** Other names of it, such as that of its collection and its titles. */
  readonly names: readonly string[]
  /** The sets of values that identify a record: its key and its official codes. */
  readonly codes: readonly KnownCode[]
}

export type KnownCode = {
  /** The field that a reference to it names. */
  readonly field: string
  /** The lengths of its values, so that they are only read where a column may have them; without them, where a header names the list. */
  readonly lengths?: ReadonlySet<number>
  readonly values: () => Iterable<string>
}

/** A decision, as a sentence, and the one change of the descriptor that says otherwise. */
export type Note = {
  readonly resource?: string
  readonly field?: string
  readonly what: string
  readonly otherwise: string
  /** `doubt` where another decision was nearly as likely, or a few values speak against it: those are always printed. */
  readonly kind: 'decision' | 'doubt'
}

export type Inference = {
  /** Complete: each field has a type, and is part of the key, a reference, the parent or has a role, `fact` where it has no other. */
  readonly descriptor: Descriptor
  readonly notes: readonly Note[]
  /** Tables that can be no list, which the descriptor has all the same. */
  readonly refused: readonly RefusedList[]
}
