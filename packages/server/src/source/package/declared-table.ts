// Tables with all that their resources say, as plans are made of them.
import type { Resource, TableField } from './descriptor.ts'
import type { FieldProperties, ListProperties } from './profile.ts'

export type DeclaredColumn = {
  /** As in the file. */
  readonly name: string
  readonly declared: TableField
  readonly missingValues: readonly string[]
  readonly properties: FieldProperties
}

/** A table with all that its resource says. */
export type DeclaredTable = {
  readonly resource: Resource
  readonly list: ListProperties
  readonly columns: readonly DeclaredColumn[]
  /** Empty of a table that is no list. */
  readonly key: readonly DeclaredColumn[]
  /** The name of its entity. */
  readonly name: string
  /** Which resource it is, from 1. */
  readonly place: number
}

export type PlannedReference = {
  /** The field: the last of its columns. */
  readonly field: DeclaredColumn
  readonly columns: readonly DeclaredColumn[]
  readonly entity: string
  /** Of a list of this package. */
  readonly target?: DeclaredTable
  /** The fields of the target that are meant, where they are not its key. */
  readonly refersTo?: readonly string[]
}

/** The name of a list without the ending of a file. */
export const listName = (resource: string): string =>
  resource.replace(/\.(?:csv|tsv|txt|xlsx|ods|ndjson|jsonl|json)(?:\.gz)?$/i, '')

/** True for a key of one field that is declared to be a whole number, and no code. */
export const isNumericKey = (key: readonly DeclaredColumn[]): boolean =>
  key.length === 1 && key[0]?.declared.type === 'integer' && key[0].properties.role !== 'code'
