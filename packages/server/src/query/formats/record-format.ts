// What a format of records is: its media types, and how it encodes records out of the JSON in which they are published.
import type { Entity } from '../../catalog/entity.ts'
import type { About } from './about.ts'
import type { Selection } from './selection.ts'

/** Which of each record is given, and what else its format depends on. */
export type RecordOptions = Selection & {
  /** Whether a text is marked as UTF-8, without which Excel takes it for something else. */
  readonly forExcel?: boolean
}

export type RecordFormat = {
  /** The media types that a client may name it by; responses have the first. */
  readonly mediaTypes: readonly [string, ...string[]]
  /** The parameters of the media type, as they stand in a header after it. */
  readonly parameters?: string
  /** Whether the order in which fields are selected is that of its columns; else it is that of the definition. */
  readonly hasColumns: boolean
  /** Whether it is compressed in itself, so that no encoding of the content would make it smaller. */
  readonly isCompressed?: true
  /** Whether it says where the records come from: then the same records of another release are other bytes. */
  readonly saysAbout?: true
  /** How many records it can hold; any number where it is not given. */
  readonly maxRecords?: number
  /** An encoder for the records of one body. */
  readonly encoder: (entity: Entity, encoding: RecordOptions, about: About) => RecordEncoder
}

export type RecordEncoder = {
  /** What stands before the first record. */
  readonly head: Uint8Array
  /** Some records and what separates them, in chunks. */
  readonly records: (jsons: readonly Uint8Array[]) => readonly Uint8Array[]
  /** What stands between these records and further ones. */
  readonly gap: Uint8Array
  /** What stands after the last record, or after the head where there is none. */
  readonly tail: () => Uint8Array
}

export const NO_BYTES = new Uint8Array()
